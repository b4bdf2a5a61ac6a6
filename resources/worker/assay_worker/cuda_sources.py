# SPDX-License-Identifier: Apache-2.0
"""Records the CUDA sources that foreign code hands to torch's extension builder, and the library that came of them."""

import functools
import inspect
import os

_LARGEST = 32 << 20  # bytes of one source or library


def _texts(value):
    if isinstance(value, str):
        return [value]
    return [str(text) for text in value] if isinstance(value, (list, tuple)) else []


def _read(path):
    """The bytes of a file, or None where it is absent or too large to keep."""
    try:
        if os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


class Recorder:
    """Stands between foreign code and `torch.utils.cpp_extension` from install() to restore(). What is recorded:
    {"name", "sources": [text], "cuda_flags": [text], "functions": [text], "library": bytes or None}.

    `library` is the shared object that was built; its device code lies in the section .nv_fatbin.
    """

    def __init__(self):
        self.records = []
        self._originals = None
        self._depth = 0

    def install(self, builder=None):
        """Wraps load_inline and load of `builder` (default: torch.utils.cpp_extension). Must precede the foreign import, which
        may bind the functions by name. Does nothing where torch is absent or the wrappers are in place."""
        if self._originals is not None:
            return
        if builder is None:
            try:
                from torch.utils import cpp_extension as builder
            except ImportError:
                return
        self._originals = (builder, builder.load_inline, builder.load)
        builder.load_inline = self._wrapped(builder.load_inline, self._inline)
        builder.load = self._wrapped(builder.load, self._files)

    def restore(self):
        if self._originals is not None:
            builder, builder.load_inline, builder.load = self._originals
            self._originals = None

    def _wrapped(self, build, describe):
        signature = inspect.signature(build)  # its parameters change places between versions of torch

        @functools.wraps(build)
        def wrapper(*args, **kwargs):
            if self._depth:  # one builder calls the other
                return build(*args, **kwargs)
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:
                return build(*args, **kwargs)  # which says what is wrong
            record = {"name": str(given.get("name", "")), "cuda_flags": _texts(given.get("extra_cuda_cflags")), "library": None}
            record.update(describe(given))
            self.records.append(record)
            self._depth += 1
            try:
                built = build(*args, **kwargs)
            finally:
                self._depth -= 1
            path = getattr(built, "__file__", None)
            if isinstance(path, str):
                record["library"] = _read(path)
            return built

        return wrapper

    @staticmethod
    def _inline(given):
        functions = given.get("functions")
        return {"sources": _texts(given.get("cuda_sources")),
                "functions": list(functions) if isinstance(functions, dict) else _texts(functions)}

    @staticmethod
    def _files(given):
        texts = []
        for path in _texts(given.get("sources")):
            content = _read(path) if path.endswith((".cu", ".cuh")) else None
            if content is not None:
                texts.append(content.decode("utf-8", "replace"))
        return {"sources": texts, "functions": []}
