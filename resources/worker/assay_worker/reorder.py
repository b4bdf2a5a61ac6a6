# SPDX-License-Identifier: Apache-2.0
"""Evaluates torch code with its reductions, contractions and scans in another order, or with other elementwise formulas.

Works on the operations that reach the dispatcher, so composite functions, modules and backward passes are covered alike. Each rewritten
operation is mathematically the one that it replaces; operations that are not listed run as they are.
"""

import functools
import operator

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import formulas

_HALVES = (torch.float16, torch.bfloat16)
_HANDLERS = {}


class Reordering(TorchDispatchMode):
    """`order` is one of orders.py; with `formulas` elementwise functions are evaluated by other formulas too. `rewrites` counts what was
    evaluated otherwise than torch would have."""

    def __init__(self, order, other_formulas=False):
        super().__init__()
        self._order = order
        self._formulas = other_formulas
        self.rewrites = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name
        handler = _HANDLERS.get(name)
        if handler is not None:
            made = handler(self._order, func, *args, **kwargs)
            if made is not NotImplemented:
                self.rewrites += 1
                return made
        if self._formulas and name in formulas.TABLE and args[0].is_floating_point():
            made = formulas.TABLE[name](*args, **kwargs)
            if made is not NotImplemented:
                self.rewrites += 1
                return made
        return func(*args, **kwargs)


def _handles(*names):
    def put(function):
        for name in names:
            _HANDLERS["aten::" + name] = function
        return function
    return put


def _wide(tensor):
    return tensor.float() if tensor.dtype in _HALVES else tensor


def _added(parts):
    return functools.reduce(operator.add, parts)


def _dims(tensor, dim):
    if dim is None or dim == []:
        return list(range(tensor.dim()))
    if isinstance(dim, int):
        dim = [dim]
    return [d % max(1, tensor.dim()) for d in dim]


def _sum(order, x, dims, keepdim=False):
    """Sum over `dims`, cut along the longest of them."""
    if x.dim() == 0 or not dims:
        return x.clone() if x.dim() == 0 else x.sum(dims, keepdim)
    longest = max(dims, key=lambda d: x.shape[d])
    return _added(piece.sum(dims, keepdim) for piece in order.pieces(x, longest))


def _count(x, dims):
    return functools.reduce(operator.mul, (x.shape[d] for d in dims), 1)


@_handles("sum")
def _aten_sum(order, func, x, dim=None, keepdim=False, dtype=None):
    if not x.is_floating_point() or (dtype is not None and not dtype.is_floating_point):
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    return _sum(order, _wide(x), _dims(x, dim), keepdim).to(x.dtype)


@_handles("mean")
def _aten_mean(order, func, x, dim=None, keepdim=False, dtype=None):
    if not x.is_floating_point():
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    dims = _dims(x, dim)
    return (_sum(order, _wide(x), dims, keepdim) / _count(x, dims)).to(x.dtype)


@_handles("prod")
def _aten_prod(order, func, x, dim=None, keepdim=False, dtype=None):
    if not x.is_floating_point() or x.dim() == 0:
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    if dim is None:
        flat = _wide(x).reshape(-1)
        return functools.reduce(operator.mul, (piece.prod() for piece in order.pieces(flat, 0))).to(x.dtype)
    return functools.reduce(operator.mul, (piece.prod(dim, keepdim)
                                           for piece in order.pieces(_wide(x), dim % x.dim()))).to(x.dtype)


def _moments(order, x, dims, correction=0):
    """(mean, variance) with kept dimensions, in two passes."""
    count = _count(x, dims)
    mean = _sum(order, x, dims, True) / count
    centred = x - mean
    return mean, _sum(order, centred * centred, dims, True) / max(count - correction, 0) if count != correction else \
        mean * float("nan")


def _variance(order, x, dim, correction, unbiased, keepdim):
    dims = _dims(x, dim)
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    mean, variance = _moments(order, _wide(x), dims, correction)
    if not keepdim:
        shape = [n for d, n in enumerate(x.shape) if d not in dims]
        mean, variance = mean.reshape(shape), variance.reshape(shape)
    return mean.to(x.dtype), variance.to(x.dtype)


def _spread(finish):
    def handler(order, func, x, *args, correction=None, keepdim=False, dim=None, unbiased=None):
        if not x.is_floating_point() or x.dim() == 0:
            return NotImplemented
        for value in args:  # overloads differ in what comes by position
            if isinstance(value, bool):
                if unbiased is None and "correction" not in func._schema.overload_name:
                    unbiased = value
                else:
                    keepdim = value
            else:
                dim = value
        mean, variance = _variance(order, x, dim, correction, unbiased, keepdim)
        return finish(mean, variance)
    return handler


_HANDLERS["aten::var"] = _spread(lambda mean, variance: variance)
_HANDLERS["aten::std"] = _spread(lambda mean, variance: variance.sqrt())
_HANDLERS["aten::var_mean"] = _spread(lambda mean, variance: (variance, mean))
_HANDLERS["aten::std_mean"] = _spread(lambda mean, variance: (variance.sqrt(), mean))


@_handles("norm", "linalg_vector_norm")
def _aten_norm(order, func, x, p=2, dim=None, keepdim=False, dtype=None):
    if not x.is_floating_point() or p not in (1, 2) or x.dim() == 0:
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    wide, dims = _wide(x), _dims(x, dim)
    total = _sum(order, wide.abs() if p == 1 else wide * wide, dims, keepdim)
    return (total if p == 1 else total.sqrt()).to(x.dtype)


def _peak(x, dims):
    peak = x.amax(dims, True)
    return torch.where(torch.isfinite(peak), peak, torch.zeros_like(peak))


@_handles("logsumexp")
def _aten_logsumexp(order, func, x, dim, keepdim=False):
    if not x.is_floating_point() or x.numel() == 0 or x.dim() == 0:
        return NotImplemented
    dims = _dims(x, dim)
    peak = _peak(_wide(x), dims)
    made = _sum(order, (_wide(x) - peak).exp(), dims, True).log() + peak
    return (made if keepdim else made.reshape([n for d, n in enumerate(x.shape) if d not in dims])).to(x.dtype)


@_handles("_softmax")
def _aten_softmax(order, func, x, dim, half_to_float=False):
    if x.numel() == 0 or x.dim() == 0:
        return NotImplemented
    wide = _wide(x)
    raised = (wide - wide.amax(dim, True)).exp()
    made = raised / _sum(order, raised, _dims(x, dim), True)
    return made if half_to_float else made.to(x.dtype)


@_handles("_log_softmax")
def _aten_log_softmax(order, func, x, dim, half_to_float=False):
    if x.numel() == 0 or x.dim() == 0:
        return NotImplemented
    wide = _wide(x)
    lowered = wide - wide.amax(dim, True)
    made = lowered - _sum(order, lowered.exp(), _dims(x, dim), True).log()
    return made if half_to_float else made.to(x.dtype)


@_handles("cumsum")
def _aten_cumsum(order, func, x, dim, dtype=None):
    if not x.is_floating_point() or x.dim() == 0 or x.numel() == 0:
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    wide, begin, carry, made = _wide(x), 0, None, []
    for length in order.blocks(x.shape[dim]):
        part = wide.narrow(dim, begin, length).cumsum(dim)
        if carry is not None:
            part = part + carry
        carry = part.narrow(dim, length - 1, 1)
        made.append(part)
        begin += length
    return torch.cat(made, dim).to(x.dtype)


def _affine(made, weight, bias, shape):
    if weight is not None:
        made = made * weight.reshape(shape)
    return made if bias is None else made + bias.reshape(shape)


@_handles("native_layer_norm")
def _aten_layer_norm(order, func, x, normalized, weight, bias, eps):
    if x.numel() == 0:
        return NotImplemented
    dims = list(range(x.dim() - len(normalized), x.dim()))
    wide = _wide(x)
    mean, variance = _moments(order, wide, dims)
    scale = (variance + eps).rsqrt()
    made = _affine((wide - mean) * scale, weight, bias, list(normalized))
    return made.to(x.dtype), mean, scale


@_handles("_fused_rms_norm")
def _aten_rms_norm(order, func, x, normalized, weight, eps):
    if x.numel() == 0:
        return NotImplemented
    dims = list(range(x.dim() - len(normalized), x.dim()))
    wide = _wide(x)
    eps = torch.finfo(wide.dtype).eps if eps is None else eps
    scale = (_sum(order, wide * wide, dims, True) / _count(x, dims) + eps).rsqrt()
    return _affine(wide * scale, weight, None, list(normalized)).to(x.dtype), scale


@_handles("native_group_norm")
def _aten_group_norm(order, func, x, weight, bias, n, c, hw, groups, eps):
    if x.numel() == 0:
        return NotImplemented
    wide = _wide(x).reshape(n, groups, -1)
    mean, variance = _moments(order, wide, [2])
    scale = (variance + eps).rsqrt()
    made = ((wide - mean) * scale).reshape(x.shape)
    made = _affine(made, weight, bias, [1, c] + [1] * (x.dim() - 2))
    return made.to(x.dtype), mean.reshape(n, groups), scale.reshape(n, groups)


@_handles("native_batch_norm", "_native_batch_norm_legit_no_training")
def _aten_batch_norm(order, func, x, weight, bias, mean, variance, *rest):
    if func._schema.name == "aten::native_batch_norm" and rest[0]:
        return NotImplemented  # training: writes into the running statistics
    shape = [1, -1] + [1] * (x.dim() - 2)
    wide, scale = _wide(x), (_wide(variance) + rest[-1]).rsqrt()
    made = _affine((wide - _wide(mean).reshape(shape)) * scale.reshape(shape), weight, bias, shape)
    return made.to(x.dtype), x.new_empty(0), x.new_empty(0)


def _contract(order, product, a, dim_a, b, dim_b):
    return _added(product(left, right) for left, right in zip(order.pieces(a, dim_a), order.pieces(b, dim_b)))


def _product(order, product, a, dim_a, b, dim_b):
    if not a.is_floating_point() or a.shape[dim_a] < 2:
        return NotImplemented
    made = _contract(order, product, _wide(a), dim_a, _wide(b), dim_b)
    return made.to(a.dtype)


@_handles("mm")
def _aten_mm(order, func, a, b):
    return _product(order, torch.mm, a, 1, b, 0)


@_handles("bmm")
def _aten_bmm(order, func, a, b):
    return _product(order, torch.bmm, a, 2, b, 1)


@_handles("mv")
def _aten_mv(order, func, a, b):
    return _product(order, torch.mv, a, 1, b, 0)


@_handles("dot", "vdot")
def _aten_dot(order, func, a, b):
    return _product(order, torch.dot, a, 0, b, 0)


def _plus(product, dim_a, dim_b):
    def handler(order, func, bias, a, b, beta=1, alpha=1):
        if not a.is_floating_point() or a.shape[dim_a] < 2:
            return NotImplemented
        made = _contract(order, product, _wide(a), dim_a, _wide(b), dim_b)
        if alpha != 1:
            made = made * alpha
        if beta != 0:
            made = made + (_wide(bias) if beta == 1 else _wide(bias) * beta)
        return made.to(a.dtype)
    return handler


_HANDLERS["aten::addmm"] = _plus(torch.mm, 1, 0)
_HANDLERS["aten::baddbmm"] = _plus(torch.bmm, 2, 1)
_HANDLERS["aten::addmv"] = _plus(torch.mv, 1, 0)


@_handles("convolution", "_convolution")
def _aten_convolution(order, func, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups, *settings):
    if not x.is_floating_point() or x.numel() == 0:
        return NotImplemented
    rest = (stride, padding, dilation, transposed, output_padding, groups) + settings
    wide, kernel = _wide(x), _wide(weight)
    channel = 1 if x.dim() == weight.dim() else 0
    if groups == 1 and x.shape[channel] > 1:
        pairs = zip(order.pieces(wide, channel), order.pieces(kernel, 0 if transposed else 1))
        made = _added(func(*((left, right, None) + rest)) for left, right in pairs)
    else:
        # Channels of their own: the taps of the kernel are what is summed.
        taps = _taps(order, kernel)
        if len(taps) < 2:
            return NotImplemented
        made = _added(func(*((wide, part, None) + rest)) for part in taps)
    if bias is not None:
        made = made + _wide(bias).reshape([-1] + [1] * (weight.dim() - 2))
    return made.to(x.dtype)


def _taps(order, kernel):
    """Kernels that hold some of the taps each and zeros elsewhere."""
    flat = kernel.reshape(kernel.shape[0], kernel.shape[1], -1)
    if flat.shape[2] < 2:
        return []
    places = torch.arange(flat.shape[2], device=kernel.device)
    pieces = order.pieces(places, 0)
    if len(pieces) == 1:  # a plain permutation: two halves of it
        half = flat.shape[2] // 2
        pieces = [pieces[0][:half], pieces[0][half:]]
    made = []
    for piece in pieces:
        part = torch.zeros_like(flat)
        part[:, :, piece] = flat[:, :, piece]
        made.append(part.reshape(kernel.shape))
    return made


def _loss(position):
    """Losses with a reduction argument: elementwise first, then the reduction in our order."""
    def handler(order, func, *args, **kwargs):
        args = list(args)
        kind = args[position] if len(args) > position else kwargs.get("reduction", 1)
        if kind == 0 or not args[0].is_floating_point():
            return NotImplemented
        if len(args) > position:
            args[position] = 0
        else:
            kwargs = dict(kwargs, reduction=0)
        each = func(*args, **kwargs)
        total = _sum(order, _wide(each), list(range(each.dim())))
        return (total / each.numel() if kind == 1 else total).to(each.dtype)
    return handler


for _name, _position in (("mse_loss", 2), ("smooth_l1_loss", 2), ("huber_loss", 2), ("soft_margin_loss", 2),
                         ("binary_cross_entropy", 3)):
    _HANDLERS["aten::" + _name] = _loss(_position)
