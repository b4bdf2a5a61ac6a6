# SPDX-License-Identifier: Apache-2.0
"""Shared objects with device code that foreign code brought into this process by itself: by ctypes, or as a module that was built
before."""

import os

import torch

from .cuda_sources import read_small

_MARK = b".nv_fatbin"  # the section that holds device code
_VENDOR = ("libcu", "libnv", "libtorch", "libc10", "libcaffe2")  # NVIDIA's and torch's own, which torch loads when it first needs them


class LoadedLibraries:
    """What is mapped beyond what was mapped when this was made."""

    def __init__(self):
        self._before = _mapped()

    def records(self, known=()):
        """As cuda_sources.Recorder has them, by path. `known` are libraries' bytes that are recorded already."""
        found = []
        for path in sorted(_mapped() - self._before):
            library = None if _is_vendors(path) else read_small(path)
            if library is not None and _MARK in library and library not in known:
                found.append({"name": os.path.basename(path), "sources": [], "cuda_flags": [], "functions": [], "library": library,
                              "at_run_time": False})
        return found


def _mapped():
    """Paths of the shared objects in this process."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            places = [line.rstrip("\n").split(None, 5) for line in maps]
    except OSError:
        return set()
    return {place[5] for place in places if len(place) == 6 and ".so" in os.path.basename(place[5])}


def _is_vendors(path):
    return (os.path.basename(path).startswith(_VENDOR) or "/nvidia/" in path
            or path.startswith(os.path.dirname(torch.__file__) + os.sep))
