# SPDX-License-Identifier: Apache-2.0
"""Where torch's tensor factories take their sizes, and a mode that records and rewrites them."""

import torch
from torch.overrides import TorchFunctionMode

from . import primitives as p


def _positional(first):
    """Sizes are the arguments from `first` on: one sequence, or integers one by one."""
    def find(args, kwargs):
        if "size" in kwargs:
            return _inside(("kwargs", "size"), kwargs["size"])
        if len(args) > first and isinstance(args[first], (list, tuple)):
            return _inside(("args", first), args[first])
        found = []
        for number in range(first, len(args)):
            if not _is_size(args[number]):
                break
            found.append((("args", number), args[number]))
        return found
    return find


def _sequence(args, kwargs):
    """The size is the first sequence among the arguments (full, randint, normal)."""
    if "size" in kwargs:
        return _inside(("kwargs", "size"), kwargs["size"])
    for number, argument in enumerate(args):
        if isinstance(argument, (list, tuple)):
            return _inside(("args", number), argument)
    return []


def _counts(*names):
    """Single integers: positional in the order of `names`, or by name."""
    def find(args, kwargs):
        found = [(("args", n), a) for n, a in enumerate(args[:len(names)]) if _is_size(a)]
        return found + [(("kwargs", name), kwargs[name]) for name in names if _is_size(kwargs.get(name))]
    return find


def _end(args, kwargs):
    """arange: its end, where it counts from 0 or from a start of its own."""
    where = ("kwargs", "end") if "end" in kwargs else ("args", 1 if len(args) > 1 else 0)
    value = kwargs.get("end") if where[0] == "kwargs" else args[where[1]] if args else None
    return [(where, value)] if _is_size(value) else []


def _steps(args, kwargs):
    if "steps" in kwargs:
        return [(("kwargs", "steps"), kwargs["steps"])] if _is_size(kwargs["steps"]) else []
    return [(("args", 2), args[2])] if len(args) > 2 and _is_size(args[2]) else []


def _nothing(args, kwargs):
    return []


def _is_size(value):
    return type(value) is int and value >= 0


def _inside(where, value):
    if _is_size(value):
        return [(where, value)]
    if not isinstance(value, (list, tuple)):
        return []
    return [(where + (number,), item) for number, item in enumerate(value) if _is_size(item)]


_FINDERS = {
    "rand": _positional(0), "randn": _positional(0), "zeros": _positional(0), "ones": _positional(0), "empty": _positional(0),
    "full": _sequence, "randint": _sequence, "normal": _sequence, "empty_strided": _sequence,
    "arange": _end, "linspace": _steps, "logspace": _steps, "eye": _counts("n", "m"), "randperm": _counts("n"),
    "hann_window": _counts("window_length"), "tensor": _nothing, "as_tensor": _nothing, "from_numpy": _nothing,
    "tril_indices": _counts("row", "col"), "triu_indices": _counts("row", "col"), "scalar_tensor": _nothing,
}
_METHODS = {name: _positional(1) for name in ("new_empty", "new_zeros", "new_ones")}
_METHODS["new_full"] = _sequence

_TABLE = {getattr(torch, name): (name, find) for name, find in _FINDERS.items() if hasattr(torch, name)}
_TABLE.update({getattr(torch.Tensor, name): (name, find) for name, find in _METHODS.items()})


class Factories(TorchFunctionMode):
    """Records the sizes that factories are called with and rewrites those in `rewrites` ({(occurrence, where): value}). With `meta`
    every factory makes tensors without memory, so that shapes can be tried at any size."""

    def __init__(self, rewrites=None, meta=False):
        super().__init__()
        self.uses = []  # (occurrence, where, value as written, function's name)
        self._rewrites = rewrites or {}
        self._meta = meta
        self._occurrence = 0
        self.recording = True
        self.largest = 0  # elements of the largest tensor that a function of torch returned

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        known = _TABLE.get(func) if _hashable(func) else None
        if known is None:
            made = func(*args, **kwargs)
            if isinstance(made, p.Tensor):
                self.largest = max(self.largest, p.numel(made))
            return made
        name, find = known
        if self.recording:
            for where, value in find(args, kwargs):
                self.uses.append((self._occurrence, where, value, name))
                if (self._occurrence, where) in self._rewrites:
                    args, kwargs = _put(args, kwargs, where, self._rewrites[self._occurrence, where])
            self._occurrence += 1
        if self._meta:
            if name == "from_numpy":
                return func(*args, **kwargs).to("meta")
            kwargs = {key: value for key, value in kwargs.items() if key != "generator"}
            kwargs.update(device="meta")
        return func(*args, **kwargs)


def _hashable(func):
    try:
        hash(func)
        return True
    except TypeError:
        return False


def _put(args, kwargs, where, value):
    """The arguments with the size at `where` replaced."""
    kind, key = where[0], where[1]
    holder = list(args) if kind == "args" else dict(kwargs)
    if len(where) == 2:
        holder[key] = value
    else:
        inner = list(holder[key])
        inner[where[2]] = value
        holder[key] = tuple(inner)
    return (tuple(holder), kwargs) if kind == "args" else (args, holder)


def argument(where, name):
    """"dim 1 of randn": what a size is, for people."""
    if len(where) == 3:
        return "dim %d of %s" % (where[2], name)
    if where[0] == "args" and name in ("rand", "randn", "zeros", "ones", "empty"):
        return "dim %d of %s" % (where[1], name)
    if where[0] == "args" and name.startswith("new_"):
        return "dim %d of %s" % (where[1] - 1, name)
    return "%s of %s" % ("argument %d" % where[1] if where[0] == "args" else where[1], name)
