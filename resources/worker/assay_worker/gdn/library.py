# SPDX-License-Identifier: Apache-2.0
"""libassay_gdn.so, the operator's kernels for CUDA devices, through the interface of kernels/gdn/cuda/gdn_api.h."""

import ctypes
import functools
import os

import torch

NAME = "libassay_gdn.so"
ELEMENTS = {torch.bfloat16: 0, torch.float16: 1}
_ERROR_BYTES = 1024


class TensorPlace(ctypes.Structure):
    """assay_gdn_tensor: strides count elements."""

    _fields_ = [("data", ctypes.c_void_p), ("batch_stride", ctypes.c_int64), ("token_stride", ctypes.c_int64),
                ("head_stride", ctypes.c_int64), ("channel_stride", ctypes.c_int64)]


class LibraryCall(ctypes.Structure):
    """assay_gdn_call, field by field."""

    _fields_ = ([("element", ctypes.c_int32), ("device", ctypes.c_int32)]
                + [(name, ctypes.c_int64) for name in ("batch", "tokens", "heads", "keys", "values", "sequences")]
                + [("sequence_starts", ctypes.c_void_p), ("scale", ctypes.c_float)]
                + [(name, TensorPlace) for name in ("q", "k", "b", "g", "v", "w")]
                + [(name, ctypes.c_void_p) for name in ("initial_state", "o", "final_state")]
                + [("output_grad", TensorPlace)]
                + [(name, ctypes.c_void_p) for name in ("final_grad", "dq", "dk", "db", "dg", "dv", "dw", "initial_grad", "workspace")]
                + [("workspace_bytes", ctypes.c_int64), ("stream", ctypes.c_void_p)])


class Library:
    """The functions of one loaded library. Each raises RuntimeError with the library's line where it could not do what was asked."""

    def __init__(self, path):
        """OSError where `path` cannot be loaded."""
        self._library = ctypes.CDLL(path)

    def workspace_bytes(self, call, is_backward):
        count = ctypes.c_int64()
        self._ask("assay_gdn_workspace", ctypes.byref(call), ctypes.c_int(is_backward), ctypes.byref(count))
        return count.value

    def forward(self, call):
        self._ask("assay_gdn_forward", ctypes.byref(call))

    def backward(self, call):
        self._ask("assay_gdn_backward", ctypes.byref(call))

    def _ask(self, function, *arguments):
        error = ctypes.create_string_buffer(_ERROR_BYTES)
        if getattr(self._library, function)(*arguments, error, ctypes.c_size_t(_ERROR_BYTES)) != 0:
            raise RuntimeError("the recurrence could not be computed on the device: %s" % error.value.decode("utf-8", "replace"))


@functools.lru_cache(maxsize=None)
def loaded():
    """The library beside this package; RuntimeError says why there is none and what to do."""
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), NAME)
    if not os.path.exists(path):
        raise RuntimeError("tensors on a CUDA device need %s beside the package assay_worker, which was built without CUDA's "
                           "compiler: build it where nvcc is, or move the tensors to the CPU" % NAME)
    try:
        return Library(path)
    except OSError as error:
        raise RuntimeError("tensors on a CUDA device need %s, which could not be loaded (%s): build it on this kind of machine, or "
                           "move the tensors to the CPU" % (NAME, error)) from None
