# SPDX-License-Identifier: Apache-2.0
"""CUDA sources of a candidate compiled once more by NVIDIA's run-time compiler, where this machine has it."""

import json
import os
import sys

BLACKWELL = "sm_100a"
_MOST = 16  # sources of one extension


def compiled(record, target):
    """[(outcome, cubin, log)] for `target` ("sm_100a"), one for each source that cuda_sources recorded. Outcomes: "compiled", "rejected" (the log says
    why: most sources include headers of torch, which this compiler cannot read), "failed" (the compiler gave up), "absent" (no
    such compiler here; the log says where it was looked for)."""
    try:
        from . import _judge
    except ImportError:
        return [("absent", b"", "the worker's extension module is not built")] * bool(record["sources"])
    folders = [path for path in sys.path if path and os.path.isdir(path)]
    answers = []
    for source in record["sources"][:_MOST]:
        request = json.dumps({"source": source, "target": target, "options": _options(record), "folders": folders})
        try:
            answers.append(_judge.compile_cuda(request))
        except Exception as error:
            answers.append(("failed", b"", str(error)))
    return answers


def _options(record):
    """Definitions and the language's version: the rest is for nvcc and the machine's own assembler."""
    return [flag for flag in record["cuda_flags"] if flag.startswith(("-D", "-U", "-std=", "--std=", "--use_fast_math", "-use_fast_math"))]
