# SPDX-License-Identifier: Apache-2.0
"""Guard bands: bytes of 0xFF (NaN in every floating dtype) before and after a tensor, that nobody may write to."""

import torch
from torch.overrides import TorchFunctionMode

from . import primitives as p
from . import tensors

BAND = 4096  # bytes; keeps every alignment that kernels ask for
_TRACKED = 2048  # allocations watched in one call
_BYTES = 1 << 30


class Band:
    """Two bands around one tensor."""

    __slots__ = ("name", "raw", "length")

    def __init__(self, name, raw, length):
        self.name = name
        self.raw = raw
        self.length = length

    def broken(self):
        """["input 0 before", "input 0 after"], as far as they were written to."""
        intact = p.full((BAND,), 255, dtype=p.uint8, device=p.device_of(self.raw))
        after = BAND + self.length
        tail = p.as_strided(self.raw, (BAND,), (1,), after)
        return ([self.name + " before"] if not p.equal(p.as_strided(self.raw, (BAND,), (1,), 0), intact) else []) + \
               ([self.name + " after"] if not p.equal(tail, intact) else [])


def _between(base, shape, strides, lead, name):
    size = p.element_size(base)
    length = p.numel(base) * size
    padded = -(-(2 * BAND + length) // 16) * 16
    raw = p.full((padded,), 255, dtype=p.uint8, device=p.device_of(base))
    typed = p.view_as(raw, p.dtype_of(base))
    if length:
        p.copy_(p.as_strided(typed, (p.numel(base),), (1,), BAND // size), base)
    return tensors.over(typed, shape, strides, BAND // size + lead), Band(name, raw, length)


def place(leaf, name):
    """(tensor, band): the leaf's values and layout between two bands."""
    return _between(leaf.base, leaf.shape, leaf.strides, leaf.lead, name)


_FACTORIES = {getattr(torch, name) for name in
              "empty empty_like empty_strided zeros zeros_like ones ones_like full full_like".split()}
_FACTORIES |= {getattr(torch.Tensor, name) for name in "new_empty new_zeros new_ones new_full new_empty_strided".split()
               if hasattr(torch.Tensor, name)}


class AllocationGuards(TorchFunctionMode):
    """Puts bands around the tensors that code allocates while the mode is on: outputs and scratch of its kernels."""

    def __init__(self):
        super().__init__()
        self._made = []
        self._bytes = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        made = func(*args, **kwargs)
        if func not in _FACTORIES or kwargs.get("out") is not None or type(made) is not p.Tensor:
            return made
        if p.layout_of(made) is not p.strided or p.device_of(made).type == "meta" or len(self._made) >= _TRACKED:
            return made
        with p.no_grad():
            leaf = tensors.Leaf.of(made)
            if self._bytes + leaf.bytes() > _BYTES:
                return made
            self._bytes += leaf.bytes()
            guarded, band = place(leaf, "")
        if p.requires_grad_of(made):
            p.requires_grad_(guarded, True)
        self._made.append(band)
        return guarded

    def broken(self, outputs):
        """Which bands were written to: around a returned tensor ("output ...") or around another one ("scratch ...")."""
        spans = {p.storage_span(tensor)[0] for tensor in outputs if isinstance(tensor, p.Tensor)}
        found = []
        for band in self._made:
            band.name = "output" if p.storage_span(band.raw)[0] in spans else "scratch"
            found += [text for text in band.broken() if text not in found]
        return found
