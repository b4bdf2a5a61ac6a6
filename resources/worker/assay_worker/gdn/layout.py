# SPDX-License-Identifier: Apache-2.0
"""From tensors of any strides to what the kernels of a device may be given. What they can read where it lies is not copied."""

from typing import NamedTuple

import torch
from torch.nn.functional import pad

from .library import TensorPlace

CHANNELS = (64, 128)  # that the kernels are made for


class Rule(NamedTuple):
    """What gdn_api.h asks of an input."""

    vector_bytes: int  # at multiples of these it starts and its tokens, heads and rows follow, where channels lie side by side
    may_repeat: bool  # one value for all channels: a stride of 0


RULES = {"q": Rule(16, False), "k": Rule(16, False), "b": Rule(16, True), "v": Rule(16, False), "w": Rule(16, True), "g": Rule(4, True),
         "do": Rule(16, False)}


def channels_for(count):
    """The least number of channels that kernels are made for and `count` fit in; None beyond the last."""
    return next((channels for channels in CHANNELS if count <= channels), None)


def padded(tensor, channels):
    """[..., count] with zeros for the channels that kernels take besides; they change nothing of the others. A gate that has one
    value for all channels has it for these, too: the keys and values beside it are zero."""
    count = tensor.shape[-1]
    if count == channels:
        return tensor
    if tensor.stride(-1) == 0 and count > 1:
        return tensor[..., :1].expand(*tensor.shape[:-1], channels)
    return pad(tensor, (0, channels - count))


def padded_state(state, keys, values):
    """[N, H, K, V] likewise, row-major in fp32; None stays."""
    if state is None:
        return None
    return pad(state, (0, values - state.shape[3], 0, keys - state.shape[2])).to(torch.float32).contiguous()


def readable(name, tensor):
    """`tensor` itself where the kernels can read it as it lies, else a row-major copy."""
    return tensor if _fits(RULES[name], tensor) else tensor.clone(memory_format=torch.contiguous_format)


def place(tensor):
    """Where a readable tensor lies. It must outlive the call."""
    batch, token, head, channel = _strides(tensor)
    return TensorPlace(tensor.data_ptr(), batch, token, head, channel)


def _strides(tensor):
    # What torch says of the stride of a single element means nothing.
    lead = [stride if size > 1 else 0 for size, stride in zip(tensor.shape[:3], tensor.stride()[:3])]
    return (*lead, tensor.stride(3))


def _fits(rule, tensor):
    *lead, channel = _strides(tensor)
    if channel == 0:
        return rule.may_repeat
    bytes_each = tensor.element_size()
    return (channel == 1 and tensor.data_ptr() % rule.vector_bytes == 0
            and all(stride * bytes_each % rule.vector_bytes == 0 for stride in lead))
