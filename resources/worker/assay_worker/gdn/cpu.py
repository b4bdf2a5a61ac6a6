# SPDX-License-Identifier: Apache-2.0
"""The operator on the CPU, by the extension module. Inputs may have any strides; nothing is copied for them.

fp64 and fp32 are computed in themselves. With bfloat16 and float16 the chunked form multiplies operands rounded to them and adds up
in fp32, as the kernels of a device do, and the serial form computes in fp32; results are fp32."""

import json

import torch
from torch.utils.dlpack import from_dlpack, to_dlpack

from .gates import Grads

CHUNKED = "chunked"
SERIAL = "serial"
FORMS = (CHUNKED, SERIAL)

_ARITHMETIC = {torch.float64: "float64", torch.float32: "float32", torch.bfloat16: "bfloat16", torch.float16: "float16"}


class CpuForm:
    """RuntimeError where the extension module is not beside this package."""

    def __init__(self, form):
        try:
            from .. import _judge
        except ImportError as error:
            raise RuntimeError("tensors on the CPU need the extension module _judge beside the package assay_worker, and it could not be "
                               "imported (%s): build the target assay_worker, or install the wheel" % error) from None
        self._module = _judge
        self._form = form

    def forward(self, operands, scale, sequences, state, wants_state):
        """(o, ST)"""
        found = self._module.gdn_forward(self._tensors(operands, S0=state), self._options(operands, scale, sequences))
        return from_dlpack(found["o"]), from_dlpack(found["ST"])

    def backward(self, operands, scale, sequences, state, do, final_grad):
        """Grads"""
        found = self._module.gdn_backward(self._tensors(operands, S0=state, do=do, dST=final_grad),
                                          self._options(operands, scale, sequences))
        return Grads(*(from_dlpack(found[name]) for name in ("dq", "dk", "dv", "db", "dw", "dg", "dS0")))

    @staticmethod
    def _tensors(operands, **others):
        tensors = {**operands._asdict(), **{name: tensor for name, tensor in others.items() if tensor is not None}}
        return {name: to_dlpack(tensor.detach()) for name, tensor in tensors.items()}

    def _options(self, operands, scale, sequences):
        dtype = operands.q.dtype
        if self._form == SERIAL and dtype not in (torch.float64, torch.float32):
            dtype = torch.float32
        return json.dumps({"scale": scale, "form": self._form, "arithmetic": _ARITHMETIC[dtype], "threads": torch.get_num_threads(),
                           "starts": sequences.starts})
