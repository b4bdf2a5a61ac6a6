# SPDX-License-Identifier: Apache-2.0
"""Fills the memory that the next allocations will get, so that code which reads what it never wrote shows it."""

import contextlib
import ctypes
import sys

import torch
from torch.overrides import TorchFunctionMode

from . import primitives as p

_M_PERTURB = -6  # glibc: malloc fills what it hands out with the complement of this byte
_COPIES = 3
_LIMIT = 1 << 30
_NANS = 0xFF  # of every floating dtype; -1 of integers
_NUMBERS = 0x3F  # 0.75 in fp32 and bf16, 1.8 in fp16, 4.8e-4 in fp64

try:
    _mallopt = ctypes.CDLL(None).mallopt
except (OSError, AttributeError):
    _mallopt = None


def blocks(sizes, device):
    """Allocates blocks of the given byte counts, fills them with 0xFF (NaN) and frees them. Twice: the first round teaches the C
    allocator to keep blocks of that size."""
    for _ in range(2):
        held = [p.fill_(p.empty(size, dtype=p.uint8, device=device), _NANS)
                for size in sizes if 0 < size <= _LIMIT for _ in range(_COPIES)]
        del held


_UNWRITTEN = {torch.empty, torch.empty_like, torch.empty_strided}
_UNWRITTEN |= {getattr(torch.Tensor, name) for name in ("new_empty", "new_empty_strided") if hasattr(torch.Tensor, name)}


def may_watch():
    """Whether Factories leave what code computes as it is. torch.compile traces a mode as well and makes other code under it, which may
    round otherwise; what that code allocates no mode sees anyway."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    frames = getattr(dynamo, "counters", {}).get("frames") or {}
    return not frames.get("total", 0)


class Factories(TorchFunctionMode):
    """While it is on, tensors that code allocates without writing them are filled: workspaces as well, whose sizes nobody knows
    beforehand. For devices whose allocator has no perturbed(). With NaN, or with numbers that could be results: a workspace that nobody
    writes keeps its NaN for all later calls otherwise, and answers that are NaN every time are equal."""

    def __init__(self, plausible=False):
        super().__init__()
        self._byte = _NUMBERS if plausible else _NANS

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        made = func(*args, **kwargs)
        is_new = func in _UNWRITTEN and kwargs.get("out") is None and type(made) is p.Tensor
        if is_new and p.layout_of(made) is p.strided and p.device_of(made).type != "meta" and p.dtype_of(made) is not p.bool_:
            _fill(made, self._byte)
        return made


def _fill(made, byte):
    """Every byte that the new tensor spans, gaps between its elements included."""
    if not p.numel(made) or p.numel(made) * p.element_size(made) > _LIMIT:
        return
    span = 1 + sum((size - 1) * step for size, step in zip(p.shape_of(made), p.stride(made)))
    with p.no_grad():
        flat = p.as_strided(made, (span,), (1,), p.storage_offset(made))
        p.fill_(p.view_as(p.view_as_real(flat) if p.is_complex(flat) else flat, p.uint8), byte)


def copies(values):
    """Allocates copies of earlier outputs and frees them, so that recycled memory holds plausible results."""
    for _ in range(2):
        held = [p.clone(p.detach(value)) for value in values if isinstance(value, p.Tensor) for _ in range(_COPIES)]
        del held


@contextlib.contextmanager
def perturbed():
    """While it lasts, host memory comes from malloc filled with 0x7F: 3.4e38 in fp32, NaN in fp16."""
    if _mallopt is None:
        yield
        return
    _mallopt(_M_PERTURB, 0x80)
    try:
        yield
    finally:
        _mallopt(_M_PERTURB, 0)
