# SPDX-License-Identifier: Apache-2.0
"""Evidence about the resources that a candidate's kernels take, collected in its process after it was called."""

from . import triton_kernels

BLACKWELL = 100  # the compute capability that kernels are compiled for without the GPU
_MOST = 256  # configurations; an autotuner may have tried hundreds


def _failure(where, name, error):
    try:
        message = str(error)
    except Exception:  # a foreign exception may not print
        message = "<%s does not print>" % type(error).__name__
    return {"where": where, "name": name, "type": type(error).__name__, "message": message[-8000:]}


def collect(module, recorder=None, blackwell=True):
    """What is known of the kernels that `module`'s code launched.

    `recorder` is the cuda_sources.Recorder that was in place while the module ran. The answer:
    {"triton": [described kernel], "blackwell": [described kernel], "cuda_sources": [record], "errors": [failure]}.
    A described kernel has "name", "metadata", "ptx", "cubin" (bytes), "target". A kernel of "blackwell" that did not compile
    has empty ptx and cubin and an "error" {"type", "message"}: the message holds the assembler's own text, for example
    ptxas' internal error C7907. Where a kernel needs more tensor memory than there is, newer versions of Triton compile it to a
    lone trap: only its metadata tells. Errors are {"where": "find"|"read"|"limit", "name", "type", "message"}: evidence that
    could not be had, never a judgement. An empty answer means that nothing is known.
    """
    answer = {"triton": [], "blackwell": [], "cuda_sources": list(recorder.records) if recorder else [], "errors": []}
    kernels = []
    try:
        for function in triton_kernels.jit_functions(module):
            kernels.extend(triton_kernels.compiled_kernels(function))
    except Exception as error:
        answer["errors"].append(_failure("find", getattr(module, "__name__", ""), error))
    if len(kernels) > _MOST:
        answer["errors"].append({"where": "limit", "name": getattr(module, "__name__", ""), "type": "",
                                 "message": "%d compiled configurations, the first %d were read" % (len(kernels), _MOST)})
    for kernel in kernels[:_MOST]:
        name = str(getattr(kernel, "name", ""))
        try:
            described = triton_kernels.described(kernel)
        except Exception as error:
            answer["errors"].append(_failure("read", name, error))
            continue
        answer["triton"].append(described)
        if blackwell and described["target"].get("backend") == "cuda":
            answer["blackwell"].append(_for_blackwell(kernel, described))
    return answer


def _for_blackwell(kernel, described):
    if described["target"].get("arch") == BLACKWELL:
        return described
    try:
        return triton_kernels.described(triton_kernels.compiled_for(kernel, BLACKWELL))
    except Exception as error:
        failure = _failure("blackwell", described["name"], error)
        return {"name": described["name"], "metadata": {}, "ptx": "", "cubin": b"",
                "target": {"backend": "cuda", "arch": BLACKWELL, "warp_size": 32},
                "error": {"type": failure["type"], "message": failure["message"]}}
