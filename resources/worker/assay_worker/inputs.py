# SPDX-License-Identifier: Apache-2.0
"""Input sets: the tensors that forward receives, in storages of their own, between guard bands where asked."""

from . import guards
from . import primitives as p


class InputSet:
    """One set of input tensors. `memory` is "fresh", "poisoned", "guarded" or "recycled" (the middle of those concern the
    allocator and are done by the caller before each call)."""

    def __init__(self, leaves, memory="fresh", requires_grad=False):
        self.leaves = leaves
        self.memory = memory
        self.requires_grad = requires_grad
        self.bands = []
        self.tensors = [self._place(number, leaf) for number, leaf in enumerate(leaves)]

    def _place(self, number, leaf):
        if self.memory == "guarded":
            tensor, band = guards.place(leaf, "input %d" % number)
            self.bands.append(band)
        else:
            tensor = leaf.fresh()
        if self.requires_grad and leaf.floats():
            p.requires_grad_(tensor, True)
        return tensor

    def again(self, requires_grad=False):
        """A set with the present values of this one in storages of its own."""
        current = [leaf if p.data_ptr(tensor) == 0 else _present(leaf, tensor)
                   for leaf, tensor in zip(self.leaves, self.tensors)]
        return InputSet(current, self.memory, self.requires_grad or requires_grad)

    def refill(self, leaves):
        """Writes other values into the same storages. Raises ValueError where a shape or layout differs."""
        if len(leaves) != len(self.leaves):
            raise ValueError("refill with %d leaves instead of %d" % (len(leaves), len(self.leaves)))
        with p.no_grad():
            for leaf, old, tensor in zip(leaves, self.leaves, self.tensors):
                if leaf.shape != old.shape:
                    raise ValueError("refill of shape %s with shape %s" % (old.shape, leaf.shape))
                if leaf.strides == old.strides and leaf.lead == old.lead:
                    p.copy_(_storage_of(old, tensor), leaf.base)
                else:
                    p.copy_(tensor, leaf.view())
        self.leaves = leaves


def _storage_of(leaf, tensor):
    return p.as_strided(p.detach(tensor), (p.numel(leaf.base),), (1,), p.storage_offset(tensor) - leaf.lead)


def _present(leaf, tensor):
    """A leaf like `leaf` over the elements that the tensor's storage holds now (no copy: the next set copies)."""
    return type(leaf)(_storage_of(leaf, tensor), leaf.shape, leaf.strides, leaf.lead, leaf.complex)
