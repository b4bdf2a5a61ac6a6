# SPDX-License-Identifier: Apache-2.0
"""What is computed in, and sums over channels."""

import torch

NARROW = (torch.bfloat16, torch.float16)
FLOATING = (torch.float64, torch.float32) + NARROW


def wide(dtype):
    """What sums and products of elements of `dtype` are kept in."""
    return torch.float32 if dtype in NARROW else torch.float64


def result_dtype(dtype):
    """Of states and of decays: fp32, but fp64 for fp64."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def total(gradient):
    """[B, T, H, channels] -> [B, T, H], summed in wide()."""
    return gradient.sum(-1, dtype=wide(gradient.dtype))


def spread(per_token, channels):
    """[B, T, H] repeated over channels without a copy: a stride of 0."""
    return per_token.unsqueeze(-1).expand(*per_token.shape, channels)


def constant(value, shape, dtype, device):
    """`value` everywhere, one element in memory."""
    return torch.full((1,), value, dtype=dtype, device=device).expand(shape)
