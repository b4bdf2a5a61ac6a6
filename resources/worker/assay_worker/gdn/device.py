# SPDX-License-Identifier: Apache-2.0
"""The operator on a CUDA device: bfloat16 and float16, K and V up to 128.

Inputs are read where they lie as long as channels lie side by side, the tensor starts at a multiple of 16 bytes and its other
strides are multiples of 8 elements (g: of one); b, w and g may repeat one value over channels. Others are copied, as are those
whose K or V is neither 64 nor 128: zeros fill the channels up. Kernels start on torch's current stream of the device and are not
waited for; the first call of a process tests them on a small problem, which waits. Results are the same bits each time."""

import contextlib

import torch

from . import layout
from .gates import Grads
from .library import ELEMENTS, LibraryCall, loaded

_WORKSPACE_ALIGNMENT = 256  # bytes, gdn_api.h


def device_form(x, sizes):
    """What computes a call with the inputs `x` on their CUDA device. TypeError, ValueError, RuntimeError where nothing does."""
    q = x["q"]
    if q.dtype not in ELEMENTS:
        raise TypeError("q holds %s, expected torch.bfloat16 or torch.float16 on %s: the CPU computes in others, too" % (q.dtype, q.device))
    for name, letter, count in (("q", "K", sizes.keys), ("v", "V", sizes.values)):
        if layout.channels_for(count) is None:
            raise ValueError("%s has shape %s, expected at most %d channels %s on %s" % (
                name, list(x[name].shape), layout.CHANNELS[-1], letter, q.device))
    return DeviceForm(loaded())


class DeviceForm:
    """Calls a library's functions with tensors of a device."""

    def __init__(self, library):
        self._library = library

    def forward(self, operands, scale, sequences, state, wants_state):
        """(o, ST): o in the dtype of q, ST in fp32, or None where it is not wanted"""
        q, v = operands.q, operands.v
        if q.numel() == 0 or v.numel() == 0:
            return torch.zeros_like(v), _state_or_zeros(state, operands, sequences)
        with _on(q.device):
            call = _PlacedCall(operands, scale, sequences, state)
            o = call.output("o", call.valued(), q.dtype)
            final_state = call.output("final_state", call.state_shape(), torch.float32) if wants_state else None
            call.work(self._library, False)
            self._library.forward(call.record)
            return call.values_of(o), None if final_state is None else call.state_of(final_state)

    def backward(self, operands, scale, sequences, state, do, final_grad):
        """Grads: those of g and of the initial state in fp32, the others in the dtype of q"""
        q, v = operands.q, operands.v
        if q.numel() == 0 or v.numel() == 0:
            return Grads(*(torch.zeros_like(operand) for operand in operands), _state_or_zeros(final_grad, operands, sequences))
        with _on(q.device):
            call = _PlacedCall(operands, scale, sequences, state)
            call.input("output_grad", "do", do, call.record.values)
            call.state("final_grad", final_grad)
            made = {name: call.output("d" + name, call.keyed(), torch.float32 if name == "g" else q.dtype) for name in "qkbg"}
            made.update((name, call.output("d" + name, call.valued(), q.dtype)) for name in "vw")
            initial = call.output("initial_grad", call.state_shape(), torch.float32)
            call.work(self._library, True)
            self._library.backward(call.record)
            return Grads(*(call.keys_of(made[name]) if name in "qkbg" else call.values_of(made[name]) for name in "qkvbwg"),
                         call.state_of(initial))


class _PlacedCall:
    """A call of the library and the tensors that it points to."""

    def __init__(self, operands, scale, sequences, state):
        q, v = operands.q, operands.v
        self._device, self._kept = q.device, []
        self._keys, self._values = q.shape[3], v.shape[3]
        self.record = record = LibraryCall(
            element=ELEMENTS[q.dtype], device=q.device.index or 0, batch=q.shape[0], tokens=q.shape[1], heads=q.shape[2],
            keys=layout.channels_for(self._keys), values=layout.channels_for(self._values), sequences=sequences.count, scale=scale)
        if q.device.type == "cuda":
            record.stream = torch.cuda.current_stream(q.device).cuda_stream
        starts = sequences.on(q.device)
        if starts is not None:
            record.sequence_starts = self._keep(starts)
        for name, operand in operands._asdict().items():
            self.input(name, name, operand, record.values if name in "vw" else record.keys)
        self.state("initial_state", state)

    def input(self, field, name, tensor, channels):
        """`tensor` [B, T, H, any] as the field of the call; `name` is that of its rule."""
        tensor = layout.readable(name, layout.padded(tensor, channels))
        self._kept.append(tensor)
        setattr(self.record, field, layout.place(tensor))

    def state(self, field, state):
        """[N, H, K, V] or None."""
        if state is not None:
            setattr(self.record, field, self._keep(layout.padded_state(state, self.record.keys, self.record.values)))

    def output(self, field, shape, dtype):
        made = torch.empty(shape, dtype=dtype, device=self._device)
        setattr(self.record, field, made.data_ptr())
        return made

    def work(self, library, is_backward):
        """Gives the call its working memory. torch may have it back once the kernels are started: they come first on the stream."""
        count = library.workspace_bytes(self.record, is_backward)
        memory = torch.empty(count + _WORKSPACE_ALIGNMENT, dtype=torch.uint8, device=self._device)
        self.record.workspace = self._keep(memory) + -memory.data_ptr() % _WORKSPACE_ALIGNMENT
        self.record.workspace_bytes = count

    def keyed(self):
        return self._lead() + (self.record.keys,)

    def valued(self):
        return self._lead() + (self.record.values,)

    def state_shape(self):
        return (self.record.sequences, self.record.heads, self.record.keys, self.record.values)

    def keys_of(self, tensor):
        return tensor[..., :self._keys].contiguous()

    def values_of(self, tensor):
        return tensor[..., :self._values].contiguous()

    def state_of(self, tensor):
        return tensor[..., :self._keys, :self._values].contiguous()

    def _lead(self):
        return (self.record.batch, self.record.tokens, self.record.heads)

    def _keep(self, tensor):
        self._kept.append(tensor)
        return tensor.data_ptr()


def _on(device):
    return torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext()


def _state_or_zeros(state, operands, sequences):
    """What comes out where there is no token: what went in."""
    if state is not None:
        return state.to(torch.float32, copy=True)
    q, v = operands.q, operands.v
    return torch.zeros(sequences.count, q.shape[2], q.shape[3], v.shape[3], dtype=torch.float32, device=q.device)
