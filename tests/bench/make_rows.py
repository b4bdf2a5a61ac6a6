#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes COUNT audit rows to OUT, one JSON object a line, in the published row schema with ten gates each.

With --from FILE (.jsonl or .jsonl.gz) the gated rows of that file are repeated under fresh ids; without it rows of the same shape
are made up: the same shares of families, failing gates and reasons as the published audit has.
"""
import argparse
import gzip
import json
import random

GATES = ["CMP-01", "CMP-03", "EXC-01", "EXC-02", "ORD-01", "ORD-02", "ORD-03", "PRC-01", "PRC-02", "RES-01"]
FAMILIES = [("reduction", 758), ("matmul", 751), ("softmax", 390), ("norm", 352), ("conv", 239), ("scan", 140), ("attention", 8)]
FAILING = {"CMP-01": 0.05, "EXC-01": 0.33, "ORD-01": 0.12, "ORD-02": 0.03, "PRC-01": 0.1, "RES-01": 0.04}
REASONS = {
    "CMP-01": "random[0]: max_err={e:.3e} > tol={t:.3e}",
    "EXC-01": "scattered_nan: NaN mask mismatch; scattered_pos_inf: NaN mask mismatch",
    "ORD-01": "permuted: max_err={e:.3e} > tol={t:.3e}",
    "ORD-02": "runs differ",
    "PRC-01": "fp16: max_err={e:.3e} > tol={t:.3e}",
    "RES-01": "exception: RuntimeError('shape mismatch')",
}


def made_up(dice):
    gates = {}
    for gate in GATES:
        failed = dice.random() < FAILING.get(gate, 0.0)
        reason = REASONS[gate].format(e=10 ** dice.uniform(-6, 6), t=10 ** dice.uniform(-5, -1)) if failed else ""
        gates[gate] = {"reason": reason, "skipped": dice.choice([0, 0, 0, 1, 2]), "status": "fail" if failed else "pass"}
    return {
        "elapsed_s": round(dice.uniform(4.6, 12.0), 1),
        "final_speedup": dice.lognormvariate(0.0, 1.0),
        "gates": gates,
        "multi_output": False,
        "native_shape": [dice.choice([16, 64, 128]), dice.choice([32, 128, 1024])],
        "op_class": dice.choices([name for name, _ in FAMILIES], [share for _, share in FAMILIES])[0],
        "output_aliasing": False,
        "primary_idx": 0,
        "status": "gated",
    }


def published(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if len(row.get("gates") or {}) == len(GATES)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source")
    parser.add_argument("out")
    parser.add_argument("count", type=int)
    arguments = parser.parse_args()
    dice = random.Random(20260714)
    rows = published(arguments.source) if arguments.source else [made_up(dice) for _ in range(3000)]
    with open(arguments.out, "w", encoding="utf-8") as out:
        for number in range(arguments.count):
            row = dict(rows[number % len(rows)], id=str(number + 1))
            out.write(json.dumps(row, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
