# SPDX-License-Identifier: Apache-2.0
"""The arithmetic settings of this process: TF32, deterministic algorithms, default dtype."""

import contextlib
import os
import warnings

import torch

from . import primitives as p

_use_deterministic_algorithms = torch.use_deterministic_algorithms


def prepare_deterministic():
    """Has to come before the first CUDA call: cuBLAS reads it once."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def tf32():
    """{"matmul","cudnn"}: whether fp32 products may round their operands to TF32 at this moment."""
    return {"matmul": bool(_read(torch.backends.cuda.matmul)), "cudnn": bool(_read(torch.backends.cudnn))}


def write_tf32(allowed):
    """Sets what tf32() reads."""
    _write(torch.backends.cuda.matmul, allowed["matmul"])
    _write(torch.backends.cudnn, allowed["cudnn"])


def _read(backend):
    try:
        return backend.allow_tf32
    except RuntimeError:  # the newer precision interface has been used in this process: ask it
        return getattr(backend, "fp32_precision", "ieee") == "tf32"


def _write(backend, value):
    try:
        backend.allow_tf32 = value
    except RuntimeError:
        backend.fp32_precision = "tf32" if value else "ieee"


@contextlib.contextmanager
def pinned(device):
    """fp32 that is fp32: TF32 off, deterministic algorithms where they exist. What the source had set comes back afterwards."""
    was_deterministic = torch.are_deterministic_algorithms_enabled()
    was_warning = torch.is_deterministic_algorithms_warn_only_enabled()
    was = tf32() if device.type == "cuda" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _use_deterministic_algorithms(True, warn_only=True)
        if was:
            write_tf32({"matmul": False, "cudnn": False})
        try:
            yield
        finally:
            _use_deterministic_algorithms(was_deterministic, warn_only=was_warning)
            if was:
                write_tf32(was)


@contextlib.contextmanager
def default_dtype(dtype):
    was = p.get_default_dtype()
    p.set_default_dtype(dtype)
    try:
        yield
    finally:
        p.set_default_dtype(was)
