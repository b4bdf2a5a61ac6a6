# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions by other formulas than torch's, such as a kernel writer may choose with good reason."""

import math

import torch

TABLE = {}
_LOG2_E = math.log2(math.e)


def _replaces(name):
    def put(function):
        TABLE["aten::" + name] = function
        return function
    return put


@_replaces("exp")
def _exp(x):
    return torch.exp2(x * _LOG2_E)


@_replaces("sigmoid")
def _sigmoid(x):
    raised = _exp(-x.abs())
    return torch.where(x >= 0, 1 / (1 + raised), raised / (1 + raised))


@_replaces("silu")
def _silu(x):
    return x / (1 + _exp(-x))


@_replaces("tanh")
def _tanh(x):
    grown = torch.expm1(2 * x)
    return torch.where(x.abs() < 10, grown / (grown + 2), torch.tanh(x))


@_replaces("gelu")
def _gelu(x, approximate="none"):
    if approximate != "none":
        return NotImplemented
    return 0.5 * x * torch.erfc(x * -math.sqrt(0.5))


@_replaces("softplus")
def _softplus(x, beta=1, threshold=20):
    y = x * beta
    return torch.where(y > threshold, x, (torch.clamp(y, min=0) + torch.log1p(_exp(-y.abs()))) / beta)


@_replaces("rsqrt")
def _rsqrt(x):
    return 1 / torch.sqrt(x)


@_replaces("div")
def _div(x, y, rounding_mode=None):
    if rounding_mode is not None or not isinstance(y, torch.Tensor) or not y.is_floating_point() or y.dtype is not x.dtype:
        return NotImplemented
    reciprocal = 1 / y
    # Where only the reciprocal leaves the range, a careful kernel divides.
    return torch.where(torch.isfinite(reciprocal) & (reciprocal.abs() >= torch.finfo(y.dtype).tiny), x * reciprocal, x / y)
