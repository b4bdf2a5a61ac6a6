# SPDX-License-Identifier: Apache-2.0
"""The fp64 oracle: the reference's module in double, with every cast below fp64 turned into one to fp64."""

import contextlib
import re

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import primitives as p
from . import settings
from .copying import copied

_CASTS = re.compile(r"\.(float|half|bfloat16|type|type_as|to)\b|dtype|float32|float16|bfloat16|FloatTensor|HalfTensor|autocast|jit")
_CONSTANTS = re.compile(r"\b(tensor|as_tensor|asarray|from_numpy|frombuffer)\b")
_CONSTRUCTORS = frozenset(getattr(torch, name) for name in "tensor as_tensor asarray from_numpy frombuffer".split()
                          if hasattr(torch, name))


class Widening(TorchDispatchMode):
    """Turns every floating dtype argument below fp64 into fp64: .float(), .half(), .to(dtype), dtype=... all arrive here as one.
    Works below autograd, so backward passes widen too."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if kwargs and kwargs.get("dtype") in p.NARROW:
            kwargs = dict(kwargs, dtype=p.float64)
        return func(*args, **(kwargs or {}))


class WideConstants(TorchFunctionMode):
    """Makes tensors that are built from Python or NumPy values fp64: they do not pass the dispatcher with their dtype."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        if func in _CONSTRUCTORS and p.dtype_of(made) in p.NARROW:
            return p.to(made, p.float64)
        return made


def casts(source):
    """The modes that `source` may need: the oracle runs at full speed where nothing in it can cast."""
    modes = [Widening] if _CASTS.search(source) else []
    return modes + ([WideConstants] if _CONSTANTS.search(source) else [])


@contextlib.contextmanager
def evaluating(modes):
    """The setting in which oracle modules run, with `modes` as casts() found them."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(settings.default_dtype(p.float64))
        for mode in modes:
            stack.enter_context(mode())
        yield


def converted(module, dtype):
    """A copy of `module` in a floating dtype: parameters, buffers and plain tensor attributes. Integer and bool tensors stay."""
    twin = copied(module)
    if isinstance(twin, p.Module):
        twin.to(dtype)
        for part in twin.modules():
            for key, value in list(part.__dict__.items()):
                if key not in ("_parameters", "_buffers", "_modules"):
                    part.__dict__[key] = cast(value, dtype)
    return twin


def cast(value, dtype):
    """`value` with every floating tensor in it, at any depth of lists, tuples and dictionaries, in `dtype`."""
    if isinstance(value, p.Tensor):
        if p.is_floating_point(value):
            return p.to(value, dtype)
        if p.is_complex(value):
            return p.to(value, p.DTYPES["complex128" if dtype is p.float64 else "complex64"])
        return value
    if type(value) in (list, tuple):
        made = [cast(item, dtype) for item in value]
        if all(a is b for a, b in zip(made, value)):
            return value
        return type(value)(made)
    if type(value) is dict:
        return {key: cast(item, dtype) for key, item in value.items()}
    return value
