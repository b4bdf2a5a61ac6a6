# SPDX-License-Identifier: Apache-2.0
"""The one GPU that a party sees.

Code that is judged says "cuda" or launches on the current device, whichever the judge chose: so the chosen one is the only one.
"""

import os

_NAMES = "CUDA_VISIBLE_DEVICES"


def only(device):
    """Hides every GPU but the one called `device` ("cuda:1", counted as CUDA_VISIBLE_DEVICES leaves them) from this process, which has
    not touched CUDA. Returns what it is called from then on: "cuda:0". Other names ("cpu", "cuda") come back as they are."""
    kind, _, index = str(device).partition(":")
    if kind != "cuda" or not index.isdigit():
        return device
    names = os.environ.get(_NAMES, "").split(",") if os.environ.get(_NAMES) else None
    if names is not None and int(index) >= len(names):
        return device  # torch will say that there is no such device
    os.environ[_NAMES] = names[int(index)] if names is not None else index
    return "cuda:0"
