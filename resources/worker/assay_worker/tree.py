# SPDX-License-Identifier: Apache-2.0
"""Nested Python values and their trees on the wire; see ../PROTOCOL.md, "Trees"."""

import math

from . import primitives as p
from .failures import Refusal

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def flatten(value, scalars_are_leaves=False):
    """(tree, leaves): `leaves` are the tensors of `value` in order of appearance. With `scalars_are_leaves` Python numbers become
    leaves too, kept as they are. Raises Refusal("unsupported_value") where something cannot cross."""
    leaves = []
    return _flatten(value, leaves, scalars_are_leaves, 0), leaves


def _flatten(value, leaves, scalars_are_leaves, depth):
    if depth > 64:
        raise Refusal("unsupported_value", "values nested deeper than 64 levels, or containing themselves, cannot cross")
    if isinstance(value, p.Tensor):
        leaves.append(value)
        return {"tensor": len(leaves) - 1}
    if value is None:
        return {"none": True}
    if isinstance(value, (bool, int, float, complex)) and scalars_are_leaves:
        if type(value) is int and not -(1 << 63) <= value < 1 << 63:
            raise Refusal("unsupported_value", "the integer %d does not fit 64 bits" % value)
        leaves.append(value)
        return {"tensor": len(leaves) - 1}
    if isinstance(value, (bool, str)):
        return {"value": value}
    if isinstance(value, int):
        return {"value": int(value)}
    if isinstance(value, float):
        if math.isfinite(value):
            return {"value": float(value)}
        return {"number": "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, complex):
        if not (math.isfinite(value.real) and math.isfinite(value.imag)):
            raise Refusal("unsupported_value", "a complex number that is not finite cannot cross")
        return {"complex": [value.real, value.imag]}
    if isinstance(value, p.Size):
        return {"size": list(value)}
    if isinstance(value, p.DType):
        return {"dtype": str(value)[len("torch."):]}
    if isinstance(value, p.Device):
        return {"device": str(value)}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_flatten(item, leaves, scalars_are_leaves, depth + 1) for item in value]}
    if isinstance(value, dict):
        pairs = []
        for key, item in value.items():
            if not isinstance(key, (str, int, bool)):
                raise Refusal("unsupported_value", "a dictionary key of type %s cannot cross" % type(key).__name__)
            pairs.append([str(key), _flatten(item, leaves, scalars_are_leaves, depth + 1)])
        return {"dict": pairs}
    raise Refusal("unsupported_value", "a value of type %s.%s cannot cross"
                  % (type(value).__module__, type(value).__qualname__))


def unflatten(tree, leaves):
    """The value of `tree` with `leaves` in the places of its tensors. Raises ValueError where it is no tree."""
    if not isinstance(tree, dict) or len(tree) != 1:
        raise ValueError("not a tree: %.80r" % (tree,))
    kind, content = next(iter(tree.items()))
    if kind == "tensor":
        return leaves[content]
    if kind == "list":
        return [unflatten(item, leaves) for item in content]
    if kind == "tuple":
        return tuple(unflatten(item, leaves) for item in content)
    if kind == "dict":
        return {key: unflatten(item, leaves) for key, item in content}
    if kind == "value":
        return content
    if kind == "none":
        return None
    if kind == "number":
        return _NUMBERS[content]
    if kind == "complex":
        return complex(*content)
    if kind == "size":
        return p.Size(content)
    if kind == "dtype":
        return p.DTYPES[content]
    if kind == "device":
        return p.Device(content)
    raise ValueError("not a tree: %.80r" % (tree,))


def arguments(value):
    """What get_inputs, get_init_inputs returned, as (args, kwargs): sequences are positional, dictionaries named."""
    if isinstance(value, dict):
        return (), value
    if isinstance(value, (list, tuple)):
        return tuple(value), {}
    return (value,), {}
