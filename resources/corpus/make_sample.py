#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the bundled sample corpus: kernels with their references, a run folder, and an audit of them.

    make_sample.py [OUT_DIR]        default: the folder `sample` beside this file

The kernels were written for this project, each from a plain base and, for the faulty ones, one named change to it, so that a reader
sees in the difference what went wrong. The audit's results are ILLUSTRATIVE: they say what the change is expected to do, nobody
measured them. Import them with --illustrative; the judge replaces them.
"""
import hashlib
import json
import pathlib
import sys

from sample_kernels import KERNELS, RUN_FOLDER

GATES = ["CMP-01", "CMP-02", "CMP-03", "EXC-01", "EXC-02", "ORD-01", "ORD-02", "ORD-03", "PRC-01", "PRC-02", "RES-01", "RES-02"]
HARD_BY_NATURE = {"EXC-01", "ORD-02"}


def kernel_row(kernel):
    claim = {"compiled": True, "correctness": kernel.claimed, "trials": "(5 / 5)" if kernel.claimed else "(0 / 5)",
             "speedup": kernel.speedup}
    return {"id": kernel.id, "suite": "assay-sample", "problem_name": kernel.title, "op_family": kernel.family,
            "reference_source": kernel.reference, "candidate_source": kernel.candidate, "claimed_correct": kernel.claimed,
            "claim": claim, "claimed_speedup": kernel.speedup, "licence": "Apache-2.0",
            "candidate_sha256": hashlib.sha256(kernel.candidate.encode()).hexdigest(),
            "reference_sha256": hashlib.sha256(kernel.reference.encode()).hexdigest()}


def audit_row(kernel):
    row = {"elapsed_s": kernel.elapsed, "final_speedup": kernel.speedup, "id": kernel.id, "native_shape": kernel.shape,
           "op_class": kernel.family, "status": kernel.status}
    if kernel.status != "gated":
        row["error"] = kernel.error
        return row
    gates = {}
    for gate in GATES:
        status, reason = kernel.gates.get(gate, ("pass", ""))
        gates[gate] = {"reason": reason, "skipped": 0, "status": status}
        if status == "fail":
            gates[gate]["severity"] = "hard" if gate in HARD_BY_NATURE or gate in kernel.hard else "soft"
    row.update(gates=gates, multi_output=False, output_aliasing=kernel.aliasing, primary_idx=0)
    return row


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in rows), encoding="utf8")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "sample")
    write_lines(out / "kernels.jsonl", [kernel_row(k) for k in KERNELS])
    write_lines(out / "audit_rows.jsonl", [audit_row(k) for k in KERNELS])
    run = out / "kernelbench-run"
    (run / "problems" / "level1").mkdir(parents=True, exist_ok=True)
    results = {}
    for problem, entry in enumerate(RUN_FOLDER, start=1):
        (run / "problems" / "level1" / f"{problem}_{entry.title.replace(' ', '_')}.py").write_text(entry.reference, encoding="utf8")
        if entry.candidate is not None:
            (run / f"level_1_problem_{problem}_sample_0_kernel.py").write_text(entry.candidate, encoding="utf8")
        if entry.result is not None:
            results[str(problem)] = [dict(sample_id=0, **entry.result)]
    (run / "eval_results.json").write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf8")
    (run / "generation_config.yaml").write_text("backend: triton\nlevel: 1\nrun_name: assay_sample_run\nnum_samples: 1\nprecision: fp32\n",
                                                encoding="utf8")
    print(f"{len(KERNELS)} kernels and a run folder of {len(RUN_FOLDER)} problems -> {out}")


if __name__ == "__main__":
    main()
