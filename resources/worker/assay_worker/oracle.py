# SPDX-License-Identifier: Apache-2.0
"""The fp64 oracle: the reference's module in double, with every cast below fp64 turned into one to fp64."""

import contextlib
import copy
import re

from torch.utils._python_dispatch import TorchDispatchMode

from . import primitives as p
from . import settings

_CASTS = re.compile(r"\.(float|half|bfloat16|type|type_as|to)\b|dtype|float32|float16|bfloat16|FloatTensor|HalfTensor|autocast"
                    r"|torch\.(tensor|as_tensor|from_numpy)|numpy|jit")


class Widening(TorchDispatchMode):
    """Turns every floating dtype argument below fp64 into fp64: .float(), .half(), .to(dtype), dtype=... all arrive here as one.
    Works below autograd, so backward passes widen too."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if kwargs and kwargs.get("dtype") in p.NARROW:
            kwargs = dict(kwargs, dtype=p.float64)
        return func(*args, **(kwargs or {}))


def casts(source):
    """Whether `source` may cast at all. Where it cannot, the oracle runs at full speed without the mode above."""
    return _CASTS.search(source) is not None


@contextlib.contextmanager
def evaluating(widening):
    """The setting in which oracle modules run."""
    with settings.default_dtype(p.float64):
        if widening:
            with Widening():
                yield
        else:
            yield


def converted(module, dtype):
    """A copy of `module` in a floating dtype: parameters, buffers and plain tensor attributes. Integer and bool tensors stay."""
    twin = copy.deepcopy(module)
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
