# SPDX-License-Identifier: Apache-2.0
"""Evidence about the resources that a candidate's kernels take, collected in its process after it was called."""

import time

from . import triton_kernels

BLACKWELL = 100  # the compute capability that kernels are compiled for without the GPU
_MOST = 256  # configurations; an autotuner may have tried hundreds
_SECONDS = 30  # for compiling again
_AGAIN = 2  # configurations of one kernel that are compiled again: those that need most, of those in use


def _failure(where, name, error):
    try:
        message = str(error)
    except Exception:  # a foreign exception may not print
        message = "<%s does not print>" % type(error).__name__
    return {"where": where, "name": name, "type": type(error).__name__, "message": message[-8000:]}


def collect(module, recorder=None, blackwell=True, seconds=_SECONDS):
    """What is known of the kernels that `module`'s code launched.

    `recorder` is the cuda_sources.Recorder that was in place while the module ran. The answer:
    {"functions": n, "triton": [described kernel], "blackwell": [described kernel], "cuda_sources": [record], "errors": [failure]}.
    A described kernel has "name", "metadata", "ptx", "cubin" (bytes), "target", and where it is the code's own also "loaded" (the
    driver took it) and "autotuned"; loaded ones come first. "blackwell" has one for each of CUDA in "triton", in the same order,
    compiled while `seconds` last: of one function the configurations that take most shared memory, None for the others. A kernel of "blackwell" that did not compile has empty ptx and cubin and an "error"
    {"type", "message"}: the message holds the assembler's own text, for example ptxas' internal error C7907. Where a kernel
    needs more tensor memory than there is, newer versions of Triton compile it to a lone trap: only its metadata tells.
    "functions" counts Triton's functions, launched or not. Errors are {"where": "find"|"read"|"limit", "name", "type",
    "message"}: evidence that could not be had, never a judgement. An empty answer means that nothing is known.
    """
    answer = {"functions": 0, "triton": [], "blackwell": [], "cuda_sources": list(recorder.records) if recorder else [],
              "errors": []}
    found = _compiled(module, answer)
    if len(found) > _MOST:
        answer["errors"].append({"where": "limit", "name": getattr(module, "__name__", ""), "type": "",
                                 "message": "%d compiled configurations, the first %d were read" % (len(found), _MOST)})
    until = time.monotonic() + seconds
    again = _largest(found[:_MOST])
    for kernel, loaded, tuned in found[:_MOST]:
        try:
            described = dict(triton_kernels.described(kernel), loaded=loaded, autotuned=tuned)
        except Exception as error:
            answer["errors"].append(_failure("read", str(getattr(kernel, "name", "")), error))
            continue
        answer["triton"].append(described)
        if blackwell and described["target"].get("backend") == "cuda":
            answer["blackwell"].append(_for_blackwell(kernel, described, until) if id(kernel) in again else None)
    return answer


def _compiled(module, answer):
    """[(kernel, loaded, autotuned)], loaded ones first."""
    found = []
    try:
        functions = triton_kernels.jit_functions(module)
        answer["functions"] = len(functions)
        tuned = {id(function) for function in triton_kernels.autotuned(functions)}
        for function in functions:
            for kernel in triton_kernels.compiled_kernels(function):
                found.append((kernel, _is_loaded(kernel), id(function) in tuned))
    except Exception as error:
        answer["errors"].append(_failure("find", getattr(module, "__name__", ""), error))
    return sorted(found, key=lambda entry: not entry[1])


def _largest(found):
    """Ids of the kernels that are compiled again: as a judge asks at many sizes, one function has dozens of configurations."""
    by_name = {}
    for kernel, loaded, _ in found:
        by_name.setdefault(str(getattr(kernel, "name", "")), []).append((loaded, _shared(kernel), id(kernel)))
    return {entry[2] for entries in by_name.values() for entry in sorted(entries, key=lambda entry: entry[:2], reverse=True)[:_AGAIN]}


def _shared(kernel):
    try:
        shared = triton_kernels.metadata_of(kernel).get("shared")
        return shared if isinstance(shared, int) else 0
    except Exception:  # what cannot be read says so when it is described
        return 0


def _is_loaded(kernel):
    try:
        return triton_kernels.is_loaded(kernel)
    except Exception:  # what cannot be read says so when it is described
        return False


def _for_blackwell(kernel, described, until):
    if described["target"].get("arch") == BLACKWELL:
        return described
    try:
        if time.monotonic() > until:
            raise TimeoutError("not compiled: the time for compiling kernels again was spent")
        return triton_kernels.described(triton_kernels.compiled_for(kernel, BLACKWELL))
    except Exception as error:
        failure = _failure("blackwell", described["name"], error)
        return {"name": described["name"], "metadata": {}, "ptx": "", "cubin": b"",
                "target": {"backend": "cuda", "arch": BLACKWELL, "warp_size": 32},
                "error": {"type": failure["type"], "message": failure["message"]}}
