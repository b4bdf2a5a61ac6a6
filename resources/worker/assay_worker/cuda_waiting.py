# SPDX-License-Identifier: Apache-2.0
"""How this process waits for the GPU.

By default the processor spins, which it may in a program that has the machine to itself: a dozen parties that share one GPU would
keep all processors busy with waiting. The driver's own way to sleep is no better with them: it wakes a thread of every process
that asked for it whenever anybody's work ends, which took half of 16 processors with 26 judgements on one H200.
"""

import ctypes
from time import sleep

import torch

_YIELD = 2  # CU_CTX_SCHED_YIELD
_QUERIES = 4  # before the first sleep
_SHORTEST, _LONGEST, _GROWTH = 20e-6, 500e-6, 1.5  # seconds of a sleep, and from one to the next

_Event = torch.cuda.Event
_synchronize = torch.cuda.synchronize
_event = None


def yield_while_waiting(device):
    """From here on, who waits for CUDA device `device` (a torch.device) inside of torch or the driver gives the processor to others
    that want it. Has to come before the process first uses the device. Where the driver does not take it, waiting stays as it was."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        handle = ctypes.c_int()
        if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(handle), device.index or 0):
            return
        set_flags = getattr(driver, "cuDevicePrimaryCtxSetFlags_v2", None) or driver.cuDevicePrimaryCtxSetFlags
        set_flags(handle, ctypes.c_uint(_YIELD))
    except (OSError, AttributeError):
        pass


def wait(device):
    """Sleeps until everything on `device` has ended; raises what went wrong there."""
    global _event
    if _event is None:
        _event = _Event()
    _event.record()
    for _ in range(_QUERIES):
        if _event.query():
            break
    else:
        pause = _SHORTEST
        while not _event.query():
            sleep(pause)
            pause = min(pause * _GROWTH, _LONGEST)
    _synchronize(device)  # other streams; most often there is nothing left to wait for
