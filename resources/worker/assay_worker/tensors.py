# SPDX-License-Identifier: Apache-2.0
"""Tensors and their descriptors on the wire."""

from . import primitives as p
from .failures import Refusal


class Leaf:
    """A tensor that arrived: the bytes its layout spans, gaps included, and how they are laid out. Never changed once made."""

    __slots__ = ("base", "shape", "strides", "lead", "complex")

    def __init__(self, base, shape, strides, lead=0, is_complex=False):
        self.base = base  # 1-d, of the leaf's dtype
        self.shape = shape
        self.strides = strides
        self.lead = lead  # elements of storage before element [0, 0, ...]
        self.complex = is_complex

    @staticmethod
    def of(tensor):
        """A leaf with the values and layout of `tensor`, on its device."""
        tensor = p.detach(tensor)
        if p.is_complex(tensor):
            tensor = p.resolve_conj(tensor)
        shape, strides = list(p.shape_of(tensor)), list(p.stride(tensor))
        base = p.clone(p.as_strided(tensor, (span(shape, strides),), (1,), p.storage_offset(tensor)))
        return Leaf(base, shape, strides)

    def dtype(self):
        return p.dtype_of(self.base)

    def floats(self):
        return p.is_floating_point(self.base) or p.is_complex(self.base)

    def to(self, device=None, dtype=None):
        """The same leaf on another device or, where its elements are floating, in another floating dtype."""
        base = self.base
        if dtype is not None and self.floats():
            if p.is_complex(base):
                dtype = p.DTYPES["complex128" if dtype is p.float64 else "complex64"]
            base = p.to(base, dtype)
        if device is not None:
            base = p.to(base, device)
        return self if base is self.base else Leaf(base, self.shape, self.strides, self.lead, self.complex)

    def view(self):
        """A tensor over the leaf's own bytes: for reading only."""
        return p.as_strided(self.base, self.shape, self.strides, self.lead)

    def fresh(self):
        """A tensor of this leaf's values and strides in a storage of its own."""
        return over(p.clone(self.base), self.shape, self.strides, self.lead)

    def bytes(self):
        return p.numel(self.base) * p.element_size(self.base)


def over(base, shape, strides, offset=0):
    """A tensor (no view of anything) over the storage of the 1-d tensor `base`."""
    made = p.empty(0, dtype=p.dtype_of(base), device=p.device_of(base))
    return p.set_(made, p.storage(base), offset, shape, strides)


def span(shape, strides):
    """Elements between the first and the last that a layout of strides >= 0 touches, both included."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides))


def contiguous_strides(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return strides[::-1]


def read(descriptor, arena):
    """The Leaf of a descriptor in the judge's arena (a copy). Raises Refusal where this torch has no such dtype and ValueError
    where the descriptor leaves the arena."""
    name = descriptor["dtype"]
    dtype = p.DTYPES.get(name)
    if dtype is None:
        raise Refusal("unsupported_value", "this torch has no dtype %s" % name)
    shape = list(descriptor["shape"])
    strides = list(descriptor.get("strides") or contiguous_strides(shape))
    offset = descriptor["offset"]
    size = p.element_size(p.empty(0, dtype=dtype))
    mirrored = [d for d, s in enumerate(strides) if s < 0 and shape[d] > 1]
    offset += size * sum((shape[d] - 1) * strides[d] for d in mirrored) if 0 not in shape else 0
    strides = [abs(s) for s in strides]
    count = span(shape, strides)
    lead = 0 if mirrored or count == 0 else descriptor.get("lead", 0)
    count += lead
    offset -= lead * size
    if count == 0:
        base = p.empty(0, dtype=dtype)
    else:
        if arena is None or offset < 0 or offset + count * size > arena.size:
            raise ValueError("a tensor of shape %s lies outside the arena" % shape)
        raw = p.from_buffer(arena.buffer(), dtype=p.uint8, count=count * size, offset=offset)
        base = p.view_as(p.clone(raw), dtype)
    if descriptor.get("complex") or mirrored:
        made = p.as_strided(base, shape, strides)
        if mirrored:
            made = p.flip(made, mirrored)
        made = p.contiguous(made)
        if descriptor.get("complex"):
            made = p.view_as_complex(made)
        shape = list(p.shape_of(made))
        return Leaf(p.as_strided(made, (p.numel(made),), (1,)), shape, contiguous_strides(shape), 0,
                    bool(descriptor.get("complex")))
    return Leaf(base, shape, strides, lead)


def write(tensor, arena):
    """Copies the logical elements of `tensor` into `arena` (an ArenaWriter) and describes them. Raises Refusal where they cannot
    cross."""
    with p.DisableTorchFunction(), p.no_grad():
        if type(tensor).__torch_dispatch__ is not p.plain_dispatch:
            raise Refusal("unsupported_value", "a tensor of type %s, which computes when it is read, cannot cross"
                          % type(tensor).__name__)
        if p.layout_of(tensor) is not p.strided or getattr(tensor, "is_quantized", False):
            raise Refusal("unsupported_value", "a sparse or quantised tensor cannot cross")
        name = p.NAMES.get(p.dtype_of(tensor))
        if name is None:
            raise Refusal("unsupported_value", "a tensor of dtype %s cannot cross" % p.dtype_of(tensor))
        made = p.detach(tensor)
        is_complex = p.is_complex(made)
        if p.device_of(made).type != "cpu":
            if p.device_of(made).type == "meta":
                raise Refusal("unsupported_value", "a tensor on the meta device has no values")
            p.synchronize(p.device_of(made))
            made = p.to(made, "cpu")
        if is_complex:
            made = p.view_as_real(p.resolve_conj(made))
            name = "float64" if name == "complex128" else "float32"
        made = p.contiguous(p.resolve_neg(made))
        length = p.numel(made) * p.element_size(made)
        if length and not p.data_ptr(made):
            raise Refusal("unsupported_value", "a tensor without memory cannot cross")
        described = {"dtype": name, "shape": list(p.shape_of(made)), "offset": arena.write(p.data_ptr(made), length)}
        if is_complex:
            described["complex"] = True
        return described


def write_leaf(value, arena):
    """Describes an output leaf: a tensor or a Python number, with the layout that the code returned."""
    if not isinstance(value, p.Tensor):
        dtype = (p.bool_ if isinstance(value, bool) else p.int64 if isinstance(value, int)
                 else p.DTYPES["complex128"] if isinstance(value, complex) else p.float64)
        described = write(p.tensor(value, dtype=dtype), arena)
        described.update(layout=[], device="cpu", python=True)
        return described
    described = write(value, arena)
    with p.DisableTorchFunction():
        described.update(layout=list(p.stride(value)), device=str(p.device_of(value)), python=False)
    return described
