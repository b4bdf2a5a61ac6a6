# SPDX-License-Identifier: Apache-2.0
"""What resources.collect() found, on the wire; see ../PROTOCOL.md, "resources"."""

import json

from . import cuda_compiler
from .plain_text import plain

PTX_LIMIT = 4 << 20  # bytes of one text
_METADATA_LIMIT = 64 << 10
_CODE_LIMIT = 32 << 20  # bytes of one cubin or library
_TOTAL_LIMIT = 256 << 20  # bytes of one answer
_MOST_BUILDS = 32
_MOST_ERRORS = 64


class _Blobs:
    """Writes bytes of any size into the arena, and says which were left out."""

    def __init__(self, writer, errors):
        self._writer = writer
        self._errors = errors
        self._left = _TOTAL_LIMIT

    def write(self, data, limit, what, name):
        """{"offset", "bytes"}, or None where there is nothing or too much."""
        if not data:
            return None
        if len(data) > min(limit, self._left):
            self._errors.append({"where": "limit", "name": name, "type": "",
                                 "message": "%d bytes of %s were left out" % (len(data), what)})
            return None
        self._left -= len(data)
        return {"offset": self._writer.append(data), "bytes": len(data)}


def write(found, capability, blackwell, writer):
    """The answer's members, code in `writer`. `capability` is the device's (major, minor), None without CUDA."""
    errors = list(found["errors"])
    blobs = _Blobs(writer, errors)
    others = iter(found["blackwell"])
    kernels = []
    for kernel in found["triton"]:
        other = next(others, None) if kernel["target"].get("backend") == "cuda" else None
        kernels.append(dict(_code(kernel, blobs), name=plain(kernel["name"], 500), loaded=kernel["loaded"],
                            autotuned=kernel["autotuned"], blackwell=other and _code(other, blobs)))
    builds = [_build(record, capability, blackwell, blobs) for record in found["cuda_sources"][:_MOST_BUILDS]]
    return {"capability": list(capability) if capability else None, "functions": found["functions"], "kernels": kernels,
            "builds": builds, "errors": [_plain(error) for error in errors[:_MOST_ERRORS]]}


def _code(kernel, blobs):
    name = kernel["name"]
    error = kernel.get("error")
    metadata = json.dumps(kernel["metadata"], allow_nan=False)
    return {"metadata": metadata if kernel["metadata"] and len(metadata) <= _METADATA_LIMIT else "",
            "ptx": blobs.write(kernel["ptx"].encode("utf-8", "replace"), PTX_LIMIT, "PTX", name),
            "cubin": blobs.write(kernel["cubin"], _CODE_LIMIT, "device code", name),
            "error": plain("%(type)s: %(message)s" % error, 8000) if error else ""}


def _build(record, capability, blackwell, blobs):
    """What torch loaded is known where it left a library. What it compiled at run time is compiled once more, the same way."""
    again = record["at_run_time"] and capability
    return {"name": plain(record["name"], 500),
            "library": blobs.write(record["library"] or b"", _CODE_LIMIT, "a library", plain(record["name"], 500)),
            "device": _compiled(record, "sm_%d%d" % tuple(capability), blobs) if again else [],
            "blackwell": _compiled(record, cuda_compiler.BLACKWELL, blobs) if blackwell else []}


def _compiled(record, target, blobs):
    return [{"outcome": outcome, "log": plain(log, 8000),
             "cubin": blobs.write(cubin, _CODE_LIMIT, "device code for %s" % target, plain(record["name"], 500))}
            for outcome, cubin, log in cuda_compiler.compiled(record, target)]


def _plain(error):
    return {key: plain(str(error[key]), 2000) for key in ("where", "name", "type", "message")}
