# SPDX-License-Identifier: Apache-2.0
"""What every process that launches a Triton kernel would do first, done once before any of them is forked."""

import os
import sys
import tempfile

_MOST = 16 << 20  # bytes of all files


def prepare():
    """Computes Triton's own hash and compiles a kernel that nobody runs, both of which forked processes inherit, and builds Triton's
    bridge to the driver.

    Returns {path below the cache folder: bytes}, to be laid into the cache of each process; {} where Triton is absent, of another
    make, or cannot build. Must precede all foreign code: what comes back is trusted. CUDA stays untouched in this process.
    """
    _hash()
    with tempfile.TemporaryDirectory() as folder:
        _rehearse(folder)
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            _build(folder)
        os.waitpid(child, 0)
        return _files(folder)


def lay(files, folder):
    """Writes what prepare() returned into `folder`."""
    for path, content in files.items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(content)


def _hash():
    """Of half a gigabyte of compiler; it keeps the answer. Its place differs between versions."""
    for name in ("triton.runtime.cache", "triton.compiler.compiler"):
        key = getattr(sys.modules.get(name), "triton_key", None)
        if key is not None:
            try:
                key()
            except Exception:
                pass  # whoever compiles will say what is wrong
            return


def _rehearse(folder):
    """The first compilation imports half of the compiler, asks its assembler for its version and sets up LLVM. Needs no GPU."""
    before = os.environ.get("TRITON_CACHE_DIR")
    os.environ["TRITON_CACHE_DIR"] = folder
    try:
        from . import triton_rehearsal
        triton_rehearsal.compile_one()
    except Exception:
        pass  # of another make; whoever compiles will say what is wrong
    finally:
        if before is None:
            del os.environ["TRITON_CACHE_DIR"]
        else:
            os.environ["TRITON_CACHE_DIR"] = before


def _build(folder):
    """In a process of its own, which the library that is built and loaded ends with."""
    try:
        os.environ["TRITON_CACHE_DIR"] = folder
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        from triton.backends.nvidia.driver import CudaUtils
        CudaUtils()
    except BaseException:
        pass  # the parties try on their own and say what is wrong
    finally:
        os._exit(0)


def _files(folder):
    found, total = {}, 0
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            total += os.path.getsize(path)
            if total > _MOST:
                return {}
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found
