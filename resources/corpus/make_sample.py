#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the bundled sample corpus: kernels with their references, and a run folder.

    make_sample.py [OUT_DIR]        default: the folder `sample` beside this file

The kernels were written for this project, each from a plain base and, for the faulty ones, one named change to it, so that a reader
sees in the difference what went wrong. What the judge says of them lies beside them (verdicts.jsonl) and is never written here:
check_sample.py compares it with what sample_kernels expects.

After a kernel has changed, judge it again (README.md): a verdict belongs to the bytes that were judged.
"""
import hashlib
import json
import pathlib
import sys

from sample_kernels import KERNELS, RUN_FOLDER
from sample_kernels.kernel import FIRST_ID


def kernel_row(number, kernel):
    claim = {"compiled": True, "correctness": kernel.claimed, "trials": "(5 / 5)" if kernel.claimed else "(0 / 5)"}
    return {"id": str(number), "suite": "assay-sample", "problem_name": kernel.title, "op_family": kernel.family,
            "reference_source": kernel.reference, "candidate_source": kernel.candidate, "claimed_correct": kernel.claimed,
            "claim": claim, "licence": "Apache-2.0",
            "candidate_sha256": hashlib.sha256(kernel.candidate.encode()).hexdigest(),
            "reference_sha256": hashlib.sha256(kernel.reference.encode()).hexdigest()}


def write_kernels(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [kernel_row(number, kernel) for number, kernel in enumerate(KERNELS, start=FIRST_ID)]
    path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in rows), encoding="utf8")


def write_run_folder(run):
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


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "sample")
    write_kernels(out / "kernels.jsonl")
    write_run_folder(out / "kernelbench-run")
    print(f"{len(KERNELS)} kernels and a run folder of {len(RUN_FOLDER)} problems -> {out}")


if __name__ == "__main__":
    main()
