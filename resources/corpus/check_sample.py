#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the judge said of the sample corpus with what its kernels are made to show.

    check_sample.py [VERDICTS]      default: sample/verdicts.jsonl.gz beside this file, from `assay export --format verdicts`

Lists every disagreement and exits 1 where there is one: either the kernel does not do what its title says, or the judge is wrong.
"""
import gzip
import hashlib
import json
import pathlib
import sys

from sample_kernels import KERNELS
from sample_kernels.kernel import FIRST_ID

FAILING = ("fail", "crash", "timeout")
# What a corpus that shows every kind of answer must hold: overall verdicts (an error is the judge's own), and verdicts of gates.
OVERALL = {"pass", "fail", "inapplicable"}
GATES = {"pass", "fail", "crash", "timeout", "inapplicable", "unsupported", "not_exercised"}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def failures(measured, severity):
    return {gate["id"] for gate in measured["gates"] if gate["verdict"] in FAILING and gate["severity"] == severity}


def disagreements(kernel, measured):
    """Sentences, none where the measurement is what the kernel is made to show."""
    if measured["candidate_sha256"] != sha256(kernel.candidate) or measured["reference_sha256"] != sha256(kernel.reference):
        yield "was judged with other sources: judge it again"
        return
    expected = kernel.expected
    if measured["verdict"] != expected.verdict:
        yield f"verdict {measured['verdict']}, expected {expected.verdict}: {measured['reason']}"
    states = {gate["id"]: gate["verdict"] for gate in measured["gates"]}
    for gate, verdict in sorted(expected.states.items()):
        if states.get(gate) != verdict:
            yield f"{gate} says {states.get(gate)}, expected {verdict}"
    for severity, wanted in (("hard", expected.hard), ("soft", expected.soft)):
        found = failures(measured, severity) - set(expected.states)
        for gate in sorted(wanted - found):
            yield f"{gate} does not fail {severity}"
        for gate in sorted(found - wanted - expected.perhaps):
            yield f"{gate} fails {severity}: {next(g['finding'] for g in measured['gates'] if g['id'] == gate)}"
    claim = measured["baseline"]
    if claim is not None and (claim["verdict"] == "pass") != kernel.claimed:
        yield f"{claim['mode']} says {claim['verdict']} where the corpus claims {'correct' if kernel.claimed else 'wrong'}: {claim['detail']}"


def missing_kinds(rows):
    overall = {row["verdict"] for row in rows}
    gates = {gate["verdict"] for row in rows for gate in row["gates"]}
    severities = {gate["severity"] for row in rows for gate in row["gates"] if gate["verdict"] == "fail"}
    yield from (f"no kernel has the verdict {kind}" for kind in sorted(OVERALL - overall))
    yield from (f"no gate says {kind}" for kind in sorted(GATES - gates))
    yield from (f"no gate fails {kind}" for kind in sorted({"hard", "soft"} - severities))


def verdicts(path):
    """@return the lines of `path`, compressed or not, in their order"""
    with open(path, "rb") as file:
        text = file.read()
    return [json.loads(line) for line in (gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text).splitlines()]


def report(path):
    """@return lines, one a disagreement"""
    measured = verdicts(path)
    rows = {row["id"]: row for row in measured}
    for number, kernel in enumerate(KERNELS, start=FIRST_ID):
        row = rows.pop(str(number), None)
        if row is None:
            yield f"{number} {kernel.title}: not judged"
            continue
        for sentence in disagreements(kernel, row):
            yield f"{number} {kernel.title}: {sentence}"
    yield from (f"{name}: no such kernel in the sample" for name in rows)
    yield from missing_kinds(measured)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "sample" / "verdicts.jsonl.gz"
    found = list(report(path))
    for line in found:
        print(line)
    print(f"{len(KERNELS)} kernels, {len(found)} disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
