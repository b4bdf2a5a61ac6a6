# SPDX-License-Identifier: Apache-2.0
"""Fills the memory that the next allocations will get, so that code which reads what it never wrote shows it."""

import contextlib
import ctypes

from . import primitives as p

_M_PERTURB = -6  # glibc: malloc fills what it hands out with the complement of this byte
_COPIES = 3
_LIMIT = 1 << 30

try:
    _mallopt = ctypes.CDLL(None).mallopt
except (OSError, AttributeError):
    _mallopt = None


def blocks(sizes, device):
    """Allocates blocks of the given byte counts, fills them with 0xFF (NaN) and frees them. Twice: the first round teaches the C
    allocator to keep blocks of that size."""
    for _ in range(2):
        held = [p.fill_(p.empty(size, dtype=p.uint8, device=device), 255)
                for size in sizes if 0 < size <= _LIMIT for _ in range(_COPIES)]
        del held


def copies(values):
    """Allocates copies of earlier outputs and frees them, so that recycled memory holds plausible results."""
    for _ in range(2):
        held = [p.clone(p.detach(value)) for value in values if isinstance(value, p.Tensor) for _ in range(_COPIES)]
        del held


@contextlib.contextmanager
def perturbed(device):
    """While it lasts, host memory comes from malloc filled with 0x7F: 3.4e38 in fp32, NaN in fp16."""
    if _mallopt is None or device.type != "cpu":
        yield
        return
    _mallopt(_M_PERTURB, 0x80)
    try:
        yield
    finally:
        _mallopt(_M_PERTURB, 0)
