# SPDX-License-Identifier: Apache-2.0
"""Records the CUDA sources that foreign code hands to torch's compilers, and the library that came of them."""

import functools
import inspect
import os

_LARGEST = 32 << 20  # bytes of one source or library


def _texts(value):
    if isinstance(value, str):
        return [value]
    return [str(text) for text in value] if isinstance(value, (list, tuple)) else []


def read_small(path):
    """The bytes of a file, or None where it is absent or too large to keep."""
    try:
        if os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


class Recorder:
    """Stands between foreign code and torch's compilers of CUDA, from install() to restore(): those of
    `torch.utils.cpp_extension`, and torch.cuda's compiler of single kernels. What is recorded:
    {"name", "sources": [text], "cuda_flags": [text], "functions": [text], "library": bytes or None, "at_run_time": bool}.

    `library` is the shared object that was built; its device code lies in the section .nv_fatbin. A source that was compiled
    `at_run_time` has none: torch keeps no file of it.
    """

    def __init__(self):
        self.records = []
        self._originals = []
        self._depth = 0

    def install(self, builder=None, compiler=None):
        """Wraps what builds: `builder`'s load_inline and load (default: torch.utils.cpp_extension), and `compiler`'s _compile_kernel
        (default: torch.cuda). Must precede the foreign import, which may bind the functions by name. Does nothing where torch is
        absent or the wrappers are in place."""
        if self._originals:
            return
        if builder is None:
            try:
                import torch.cuda as compiler
                from torch.utils import cpp_extension as builder
            except ImportError:
                return
        for owner, name, describe in ((builder, "load_inline", self._inline), (builder, "load", self._files),
                                      (compiler, "_compile_kernel", self._single)):
            if hasattr(owner, name):
                build = getattr(owner, name)
                self._originals.append((owner, name, build))
                setattr(owner, name, self._wrapped(build, describe))

    def restore(self):
        for owner, name, build in self._originals:
            setattr(owner, name, build)
        self._originals = []

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
            record = {"name": str(given.get("name", "")), "cuda_flags": _texts(given.get("extra_cuda_cflags")), "library": None,
                      "at_run_time": False}
            record.update(describe(given))
            self.records.append(record)
            self._depth += 1
            try:
                built = build(*args, **kwargs)
            finally:
                self._depth -= 1
            path = getattr(built, "__file__", None)
            if isinstance(path, str):
                record["library"] = read_small(path)
            return built

        return wrapper

    @staticmethod
    def _single(given):
        name = str(given.get("kernel_name", ""))
        source = "\n".join(_texts(given.get("header_code")) + _texts(given.get("kernel_source")))
        return {"name": name, "sources": [source], "functions": [name], "cuda_flags": _texts(given.get("nvcc_options")),
                "at_run_time": True}

    @staticmethod
    def _inline(given):
        functions = given.get("functions")
        return {"sources": _texts(given.get("cuda_sources")),
                "functions": list(functions) if isinstance(functions, dict) else _texts(functions)}

    @staticmethod
    def _files(given):
        texts = []
        for path in _texts(given.get("sources")):
            content = read_small(path) if path.endswith((".cu", ".cuh")) else None
            if content is not None:
                texts.append(content.decode("utf-8", "replace"))
        return {"sources": texts, "functions": []}
