# SPDX-License-Identifier: Apache-2.0
"""Whether a call can be computed: one line that names the argument, what it is and what was expected of it, where not."""

import math
from typing import NamedTuple

import torch

from . import families
from .arithmetic import FLOATING


class Sizes(NamedTuple):
    batch: int
    tokens: int
    heads: int
    keys: int
    values: int

    def of(self, letters):
        known = {"B": self.batch, "T": self.tokens, "H": self.heads, "K": self.keys, "V": self.values}
        return [known[letter] for letter in letters.strip("[]").split(", ")]


def require_names(family, gates):
    """TypeError where a gate is missing, or is one that `family` does not have."""
    for name, letters in family.extents.items():
        if gates.get(name) is None:
            raise TypeError("%s %s is missing, %s takes %s" % (name, letters, family.name, family.takes()))
    for name in gates:
        if name not in family.extents:
            raise TypeError("%s takes %s, and no %s" % (family.name, family.takes(), name))


def sizes_of(family, x):
    """Sizes of a call with the inputs `x`, by name.

    TypeError for what is no tensor or of a dtype that is not computed with, ValueError for shapes and devices that do not fit."""
    for name, tensor in x.items():
        _require_tensor(name, tensor)
    q, v = x["q"], x["v"]
    for name, letters in (("q", families.KEYS), ("v", families.VALUES)):
        if x[name].dim() != 4:
            raise ValueError("%s has shape %s, expected four sizes %s" % (name, list(x[name].shape), letters))
        if x[name].shape[3] == 0:
            raise ValueError("%s has shape %s, expected at least one channel" % (name, list(x[name].shape)))
    sizes = Sizes(*q.shape, v.shape[3])
    for name, letters in {"k": families.KEYS, "v": families.VALUES, **family.extents}.items():
        _require_shape(name, x[name], letters, sizes.of(letters))
    for name in x:
        if x[name].device != q.device:
            raise ValueError("%s is on %s, expected %s as q is" % (name, x[name].device, q.device))
    for name in ("k", "v"):
        if x[name].dtype != q.dtype:
            raise TypeError("%s holds %s, expected %s as q does" % (name, x[name].dtype, q.dtype))
    return sizes


def require_state(state, q, sequences, sizes):
    """What is wrong with an initial state, likewise."""
    if state is None:
        return
    _require_tensor("initial_state", state)
    _require_shape("initial_state", state, "[N, H, K, V]", [sequences, sizes.heads, sizes.keys, sizes.values])
    if state.device != q.device:
        raise ValueError("initial_state is on %s, expected %s as q is" % (state.device, q.device))


def scale_of(scale, sizes):
    """The scale as a number: K^-1/2 where none is given."""
    if scale is None:
        return sizes.keys ** -0.5
    if isinstance(scale, torch.Tensor):
        raise TypeError("scale is a tensor, expected a number: the operator has no gradient for it")
    if not math.isfinite(scale):
        raise ValueError("scale is %r, expected a finite number" % scale)
    return float(scale)


def _require_tensor(name, tensor):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError("%s is of type %s, expected a tensor" % (name, type(tensor).__name__))
    if tensor.dtype not in FLOATING:
        raise TypeError("%s holds %s, expected one of %s" % (name, tensor.dtype, ", ".join(str(dtype) for dtype in FLOATING)))
    if tensor.layout != torch.strided:
        raise TypeError("%s has the layout %s, expected %s" % (name, tensor.layout, torch.strided))


def _require_shape(name, tensor, letters, expected):
    if list(tensor.shape) != expected:
        raise ValueError("%s has shape %s, expected %s %s" % (name, list(tensor.shape), letters, expected))
