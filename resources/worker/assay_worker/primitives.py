# SPDX-License-Identifier: Apache-2.0
"""References to the torch functions that carry results across, taken before foreign code is loaded.

Foreign code may replace any attribute of torch. What crosses to the judge is read through the objects below, so a replaced
`torch.clone` or `torch.Tensor.contiguous` changes nothing. Importing this module does not touch CUDA.
"""

import torch

from . import cuda_waiting

Tensor = torch.Tensor
Module = torch.nn.Module
Uninitialized = torch.nn.parameter.UninitializedTensorMixin
Size = torch.Size
DType = torch.dtype
Device = torch.device
DisableTorchFunction = torch._C.DisableTorchFunction

_base = torch._C._TensorBase

as_strided = torch.as_strided
clone = torch.Tensor.clone
contiguous = torch.Tensor.contiguous
copy_ = torch.Tensor.copy_
data_ptr = torch.Tensor.data_ptr
detach = torch.Tensor.detach
element_size = torch.Tensor.element_size
fill_ = torch.Tensor.fill_
from_buffer = torch.frombuffer
is_complex = torch.Tensor.is_complex
is_floating_point = torch.Tensor.is_floating_point
numel = torch.Tensor.numel
requires_grad_ = torch.Tensor.requires_grad_
resolve_conj = torch.Tensor.resolve_conj
resolve_neg = torch.Tensor.resolve_neg
set_ = torch.Tensor.set_
storage = getattr(torch.Tensor, "untyped_storage", None) or torch.Tensor.storage
storage_offset = torch.Tensor.storage_offset
stride = torch.Tensor.stride
to = torch.Tensor.to
view_as = torch.Tensor.view
view_as_complex = torch.view_as_complex
view_as_real = torch.view_as_real
flip = torch.flip
empty = torch.empty
equal = torch.equal
full = torch.full
tensor = torch.tensor

dtype_of = _base.dtype.__get__
device_of = _base.device.__get__
shape_of = _base.shape.__get__
plain_dispatch = torch.Tensor.__torch_dispatch__
layout_of = _base.layout.__get__
requires_grad_of = _base.requires_grad.__get__

strided = torch.strided
no_grad = torch.no_grad
enable_grad = torch.enable_grad
set_default_dtype = torch.set_default_dtype
get_default_dtype = torch.get_default_dtype
grad = torch.autograd.grad

float64 = torch.float64
float32 = torch.float32
float16 = torch.float16
bfloat16 = torch.bfloat16
int64 = torch.int64
uint8 = torch.uint8
bool_ = torch.bool

#: dtypes that can cross, by the name that the wire uses
DTYPES = {
    name: getattr(torch, name)
    for name in ("float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 int64 int32 int16 int8 uint8 bool "
                 "complex128 complex64").split()
    if hasattr(torch, name)
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
#: the floating dtypes below fp64, that the fp64 oracle widens
NARROW = frozenset(DTYPES[n] for n in ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2") if n in DTYPES)


def storage_span(tensor):
    """Address and length in bytes of the storage behind `tensor`; (0, 0) where it has none."""
    held = storage(tensor)
    held = getattr(held, "_storage", held)
    try:
        return held.data_ptr(), held.nbytes()
    except (RuntimeError, NotImplementedError):
        return 0, 0


def synchronize(device):
    """Waits for the device; raises what kernels launched earlier went wrong with."""
    if device.type == "cuda":
        cuda_waiting.wait(device)
