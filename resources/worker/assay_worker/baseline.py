# SPDX-License-Identifier: Apache-2.0
"""What KernelBench, or a published replica of it, would say about one reference/candidate pair.

    python3 -m assay_worker.baseline < request.json > result.json
    python3 .../assay_worker/baseline.py < request.json > result.json

One JSON object comes in on standard input, one goes out on standard output; PROTOCOL.md, section "Baselines", lists their members.
The pair runs in a forked process that is thrown away. It runs beside the comparison, as in the imitated harnesses, so it can forge
the result: the result is a claim about what such a harness reports, never evidence about the kernel. Run it in a sandbox.

Exit status: 0 a result was written (whatever its verdict), 2 the request is malformed (one line on standard error says why).
"""

import json
import math
import os
import sys

if not __package__:  # run by its path: import this package, and do not let the files in it shadow other modules
    _folder = os.path.dirname(os.path.abspath(__file__))
    sys.path = [os.path.dirname(_folder)] + [entry for entry in sys.path if os.path.abspath(entry) != _folder]

from assay_worker import throwaway

MODES = ("kb-paper", "kb-head", "kb-replica")
TEXT_LIMIT = 2000
DEFAULTS = {"device": "cpu", "trials": 5, "seed": 42, "timeout": 180, "precision": "fp32", "loader": None}
CHOICES = {"mode": MODES, "precision": ("fp32", "fp16", "bf16"), "loader": (None, "exec", "file")}


class BadRequest(Exception):
    """A request that cannot be run; the text says which member is wrong and what it may be."""


def complete(request):
    """`request` with its defaults filled in. @throws BadRequest"""
    if not isinstance(request, dict):
        raise BadRequest("the request is not a JSON object")
    request = {**DEFAULTS, **request}
    for member, choices in CHOICES.items():
        if request.get(member) not in choices:
            raise BadRequest(f'"{member}" is {json.dumps(request.get(member))}; it may be {" or ".join(map(json.dumps, choices))}')
    for member in ("reference", "candidate", "device"):
        if not isinstance(request.get(member), str):
            raise BadRequest(f'"{member}" is missing or not a string')
    for member in ("trials", "seed"):
        if not isinstance(request[member], int) or isinstance(request[member], bool):
            raise BadRequest(f'"{member}" is not an integer')
    if request["trials"] < 1:
        raise BadRequest('"trials" is less than 1')
    if not isinstance(request["timeout"], (int, float)) or not request["timeout"] > 0:
        raise BadRequest('"timeout" is not a positive number of seconds')
    if request["precision"] != "fp32" and request["mode"] != "kb-head":
        raise BadRequest(f'"precision" is {request["precision"]}; only kb-head knows other precisions than fp32')
    return request


def run(request):
    """The result for one request, by a process of its own. @throws BadRequest"""
    request = complete(request)
    ending = throwaway.run(_evaluate, request, request["timeout"])
    if ending.answer is None:
        return _result(request, detail="no answer: " + ending.reason)
    try:
        return _checked(request, ending.answer)
    except (KeyError, TypeError, ValueError):
        return _result(request, detail="no answer: what its process sent is not a result")


def _evaluate(request):
    from assay_worker import baseline_rules  # imports torch: in the child only, unless the caller is warm

    outcome = baseline_rules.evaluate(request)
    for member in ("max_difference", "avg_difference"):
        outcome[member] = [_plain(value) for value in outcome[member]]
    return outcome


def _plain(number):
    """JSON has no NaN and no infinities: they cross as strings."""
    number = float(number)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _checked(request, answer):
    """A result from what the child sent, member by member; the child may be under the candidate's control."""
    correct, compiled = answer["correct"], answer["compiled"]
    if correct not in (True, False, None) or compiled not in (True, False, None):
        raise ValueError
    differences = {}
    for member in ("max_difference", "avg_difference"):
        differences[member] = [_plain(value) for value in answer[member][: request["trials"] * 64]]
    error = answer["runtime_error"]
    return _result(
        request,
        verdict="error" if correct is None else "pass" if correct else "fail",
        compiled=compiled,
        correct=correct,
        stage=str(answer["stage"])[:16],
        passed=min(max(int(answer["passed"]), 0), request["trials"]),
        detail=str(answer["detail"])[:TEXT_LIMIT],
        runtime_error=None if error is None else str(error)[:TEXT_LIMIT],
        **differences,
    )


def _result(request, verdict="error", compiled=None, correct=None, stage=None, passed=0, detail="", max_difference=(),
            avg_difference=(), runtime_error=None):
    return {
        "mode": request["mode"],
        "verdict": verdict,
        "compiled": compiled,
        "correct": correct,
        "stage": stage,
        "trials": {"passed": passed, "total": request["trials"]},
        "detail": detail,
        "max_difference": list(max_difference),
        "avg_difference": list(avg_difference),
        "runtime_error": runtime_error,
    }


def main():
    try:
        result = run(json.load(sys.stdin))
    except (BadRequest, ValueError) as error:
        print(f"baseline: {error}", file=sys.stderr)
        return 2
    json.dump(result, sys.stdout)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
