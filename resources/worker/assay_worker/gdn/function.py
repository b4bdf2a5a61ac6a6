# SPDX-License-Identifier: Apache-2.0
"""The operator in torch's graph of gradients."""

from typing import NamedTuple

import torch
from torch.autograd.function import once_differentiable

from .arithmetic import result_dtype
from .sequences import Sequences


class Call(NamedTuple):
    """What a call is besides its tensors."""

    family: object
    names: tuple  # of the family's inputs, in the order in which they are handed over
    scale: float
    sequences: Sequences
    form: object  # a CpuForm or DeviceForm
    wants_state: bool


class Recurrence(torch.autograd.Function):
    """apply(call, initial state or None, inputs...) -> o, or (o, final state) where it is wanted. Kept for the backward: the inputs
    alone. Gradients are rounded once, to the dtype of their input."""

    @staticmethod
    def forward(ctx, call, state, *inputs):
        x = dict(zip(call.names, inputs))
        operands = call.family.mapping.operands(x, call.sequences)
        o, final_state = call.form.forward(operands, call.scale, call.sequences, state, call.wants_state)
        o = call.family.mapping.output(x, call.sequences, call.scale, o).to(x["q"].dtype)
        ctx.call = call
        ctx.save_for_backward(state, *inputs)
        ctx.set_materialize_grads(False)
        return (o, final_state.to(result_dtype(o.dtype))) if call.wants_state else o

    @staticmethod
    @once_differentiable
    def backward(ctx, do, final_grad=None):
        call, (state, *inputs) = ctx.call, ctx.saved_tensors
        if do is None and final_grad is None:
            return (None,) * (2 + len(inputs))
        x = dict(zip(call.names, inputs))
        if do is None:
            do = torch.zeros_like(x["v"])
        operands = call.family.mapping.operands(x, call.sequences)
        grads = call.form.backward(operands, call.scale, call.sequences, state, do, final_grad)
        found = call.family.mapping.gradients(x, call.sequences, call.scale, grads, do)
        wanted = [found[name].to(x[name].dtype) if needed else None for name, needed in zip(call.names, ctx.needs_input_grad[2:])]
        return (None, grads.initial_state.to(state.dtype) if ctx.needs_input_grad[1] else None, *wanted)
