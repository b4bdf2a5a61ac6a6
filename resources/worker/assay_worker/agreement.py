# SPDX-License-Identifier: Apache-2.0
"""Does a baseline say what the harness that it imitates says? Runs both over the same pairs and compares their verdicts.

    python3 -m assay_worker.agreement --upstream KernelBench/src/eval.py --mode kb-paper --pairs DIR [--pairs DIR ...]

A pair is a folder with reference.py and candidate.py; DIR is one, or holds some at any depth. The upstream file comes from a
checkout of KernelBench, is not part of this program, and runs unchanged in a process of its own, as does the baseline. Where the two
disagree, both run again (a changed verdict is nondeterminism), then the baseline with one rule changed at a time: the change that
brings upstream's verdict names the cause.

Exit status: 0 all verdicts agree, 1 nothing could be compared, 2 usage, 4 some disagree.
"""

import argparse
import concurrent.futures
import json
import os
import sys
import time

from assay_worker import agreement_statistics, baseline, throwaway

# One changed rule a cause, tried in this order. The first value that differs from the mode's own is the change.
CHANGES = (
    ("train/eval", "evaluation_mode", (True, False)),
    ("tuple", "flattens", (True, False)),
    ("seed stream", "trial_seed_bound", (2**32 - 1, 2**31 - 1)),
    ("seed stream", "reseeds", (True, False)),
    ("comparison dtype", "widens", (True, False)),
    ("tolerance", "tolerance", (1e-2, None)),
    ("precision cast", "casts", (True, False)),
    ("loader", "loader", ("exec", "file")),
)


def main(arguments=None):
    options = parse(arguments)
    pairs = find_pairs(options.pairs)
    if not pairs:
        print(f"agreement: no folder with reference.py and candidate.py in {', '.join(options.pairs)}", file=sys.stderr)
        return 1
    started = time.monotonic()
    rows = []
    # Threads only wait for processes here; what the processes need is imported once, before any of them is forked.
    from assay_worker import agreement_upstream, baseline_rules  # noqa: F401

    ending = throwaway.run(_upstream_loads, {"upstream": options.upstream, "prelude": options.prelude}, options.timeout)
    if ending.answer is not True:
        print(f"agreement: {options.upstream}: {ending.answer or ending.reason}", file=sys.stderr)
        return 1
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda pair: compare(pair, options), pairs):
            rows.append(row)
            if not options.json and not row["agree"]:
                print(f"{row['pair']}: upstream {row['upstream']}, baseline {row['baseline']}: {row['cause']}", flush=True)
    study = summarise(rows, options, time.monotonic() - started)
    report(study, rows, options)
    if study["judged"] == 0:
        return 1
    return 0 if study["disagreements"] == [] else 4


def parse(arguments):
    parser = argparse.ArgumentParser(prog="agreement", description="Compare a baseline with the harness that it imitates.")
    parser.add_argument("--upstream", required=True, help="evaluation file of a KernelBench checkout")
    parser.add_argument("--mode", required=True, choices=baseline.MODES)
    parser.add_argument("--pairs", required=True, action="append", help="folder of pairs, or one pair")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one pair on one side")
    parser.add_argument("--precision", default="fp32", choices=baseline.CHOICES["precision"])
    parser.add_argument("--loader", choices=("exec", "file"), help="how both sides load the candidate; default: each its own way")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="start no further pair after this time")
    parser.add_argument("--prelude", help="Python file executed before the upstream file is loaded")
    parser.add_argument("--rows", help="write one JSON object a pair to this file")
    parser.add_argument("--json", action="store_true", help="print the study as one JSON object")
    options = parser.parse_args(arguments)
    for path in filter(None, (options.upstream, options.prelude)):
        if not os.path.isfile(path):
            parser.error(f"{path}: there is no such file")
    options.deadline = time.monotonic() + options.seconds if options.seconds else None
    return options


def find_pairs(folders):
    """Folders below `folders` that hold a pair, each once, in order of their paths."""
    found = set()
    for folder in folders:
        for path, _, files in os.walk(folder):
            if {"reference.py", "candidate.py"} <= set(files):
                found.add(os.path.normpath(path))
    return sorted(found)


def compare(pair, options):
    """One row: both verdicts and what each side said, and for a disagreement its cause."""
    if options.deadline and time.monotonic() > options.deadline:
        return {"pair": pair, "upstream": "not run", "baseline": "not run", "agree": True, "cause": None}
    sources = {}
    for part in ("reference", "candidate"):
        with open(os.path.join(pair, part + ".py"), encoding="utf-8") as file:
            sources[part] = file.read()
    request = {**sources, **{name: getattr(options, name) for name in
                             ("mode", "device", "trials", "seed", "timeout", "precision", "loader", "upstream", "prelude")}}
    upstream, detail = run_upstream(request)
    result = baseline.run(request)
    agree = upstream == result["verdict"]
    return {
        "pair": pair,
        "upstream": upstream,
        "baseline": result["verdict"],
        "agree": agree,
        "cause": None if agree else cause_of(request, upstream, result),
        "upstream_detail": detail,
        "baseline_result": result,
    }


def run_upstream(request):
    """("pass" | "fail" | "error", what upstream said about it)"""
    ending = throwaway.run(_upstream, request, request["timeout"])
    if ending.answer is None:
        return "error", {"ended": ending.reason}
    correct = ending.answer["correct"]
    return ("error" if correct is None else "pass" if correct else "fail"), ending.answer


def _upstream_loads(request):
    """True, or why the evaluation function of the upstream file cannot be had."""
    from assay_worker import agreement_upstream

    try:
        return callable(agreement_upstream.entry(request))
    except Exception as error:
        return f"cannot be loaded: {type(error).__name__}: {error}"


def _upstream(request):
    from assay_worker import agreement_upstream

    return agreement_upstream.evaluate(request)


def cause_of(request, upstream, result):
    if run_upstream(request)[0] != upstream or baseline.run(request)["verdict"] != result["verdict"]:
        return "nondeterminism"
    if "error" in (upstream, result["verdict"]):
        return "crash"
    from assay_worker import baseline_rules

    own = baseline_rules.MODES[request["mode"]]
    for cause, rule, values in CHANGES:
        changed = next(value for value in values if value != getattr(own, rule))
        if baseline.run({**request, "loader": None if rule == "loader" else request["loader"], "rules": {rule: changed}})["verdict"] == upstream:
            return cause
    return "unexplained"


def summarise(rows, options, seconds):
    """The study as an object. Pairs on which either side gave no answer stand apart: the table holds verdicts alone."""
    judged = [row for row in rows if {row["upstream"], row["baseline"]} <= {"pass", "fail"}]
    cells = [sum((row["upstream"], row["baseline"]) == cell for row in judged)
             for cell in (("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail"))]
    disagreements = [row for row in rows if not row["agree"]]
    causes = {}
    for row in disagreements:
        causes[row["cause"]] = causes.get(row["cause"], 0) + 1
    return {
        "schema": "assay.agreement/1",
        "upstream": options.upstream,
        "mode": options.mode,
        "device": options.device,
        "pairs": len(rows),
        "not_run": sum(row["upstream"] == "not run" for row in rows),
        "no_answer": sum("error" in (row["upstream"], row["baseline"]) for row in rows),
        **agreement_statistics.summary(*cells),
        "causes": causes,
        "disagreements": [{key: row[key] for key in ("pair", "upstream", "baseline", "cause")} for row in disagreements],
        "seconds": round(seconds, 1),
    }


def report(study, rows, options):
    if options.rows:
        with open(options.rows, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row) + "\n")
    if options.json:
        print(json.dumps(study))
        return
    print(f"{study['mode']} against {study['upstream']} on {study['device']}: {study['judged']} of {study['pairs']} pairs judged by both, "
          f"{study['no_answer']} without an answer, {study['not_run']} not run")
    if study["judged"] == 0:
        return
    low, high = study["wilson95"]
    kappa = "undefined" if study["kappa"] is None else f"{study['kappa']:.3f}"
    print(f"pass/pass {study['pass_pass']}  pass/fail {study['pass_fail']}  fail/pass {study['fail_pass']}  fail/fail {study['fail_fail']}"
          "   (upstream/baseline)")
    print(f"agreement {100 * study['agreement']:.2f} % (95 % {100 * low:.2f} to {100 * high:.2f}), kappa {kappa}, "
          f"PABAK {study['pabak']:.3f}, McNemar exact p {study['mcnemar_exact_p']:.3g}")
    for cause, count in sorted(study["causes"].items()):
        print(f"  {cause}: {count}")


if __name__ == "__main__":
    sys.exit(main())
