# SPDX-License-Identifier: Apache-2.0
"""How this process waits for the GPU."""

import ctypes

_BLOCKING = 4  # CU_CTX_SCHED_BLOCKING_SYNC


def sleep_while_waiting(device):
    """From here on whoever waits for CUDA device `device` (a torch.device) sleeps. By default the processor spins, which it may in a
    program that has the machine to itself; a dozen parties that share one GPU would keep all processors busy with waiting.

    Has to come before the process first uses the device. Where the driver does not take it, waiting stays as it was.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        handle = ctypes.c_int()
        if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(handle), device.index or 0):
            return
        set_flags = getattr(driver, "cuDevicePrimaryCtxSetFlags_v2", None) or driver.cuDevicePrimaryCtxSetFlags
        set_flags(handle, ctypes.c_uint(_BLOCKING))
    except (OSError, AttributeError):
        pass
