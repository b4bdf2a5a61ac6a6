# SPDX-License-Identifier: Apache-2.0
"""The seed of torch's random numbers, taken before foreign code is loaded.

torch.manual_seed tells every kind of device that this torch was built for, and one that was never started keeps each seed on a list,
with a formatted stack: a millisecond each time, which a judge who seeds before every call cannot spare.
"""

import torch

_host = torch.default_generator
_all_cuda = torch.cuda.manual_seed_all
_uses_cuda = False


def choose_device(device):
    """From here on manual_seed() seeds what `device` draws from, beside the processor."""
    global _uses_cuda
    _uses_cuda = device.type == "cuda"


def manual_seed(seed):
    """Seeds the processor's generator, and CUDA's where the party's device is one. Starts no device."""
    _host.manual_seed(int(seed))
    if _uses_cuda:
        _all_cuda(int(seed))
