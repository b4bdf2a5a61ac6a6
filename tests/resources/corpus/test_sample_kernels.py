# SPDX-License-Identifier: Apache-2.0
"""The sample's generator writes whole rows, and its check tells a measurement that fits from one that does not."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

CORPUS = pathlib.Path(__file__).resolve().parents[3] / "resources" / "corpus"
sys.path.insert(0, str(CORPUS))

import check_sample  # noqa: E402
import make_sample  # noqa: E402
from sample_kernels import KERNELS  # noqa: E402
from sample_kernels.kernel import FIRST_ID  # noqa: E402

NAMES = ["CMP-01", "CMP-02", "CMP-03", "EXC-01", "EXC-02", "ORD-01", "ORD-02", "ORD-03", "PRC-01", "PRC-02", "RES-01", "RES-02"]


def measured(number, kernel):
    """What a judge that finds just what is expected writes, as far as the check reads it."""
    expected = kernel.expected
    gates = []
    for name in NAMES:
        verdict, severity = expected.states.get(name, "pass"), None
        if name in expected.hard | expected.soft:
            verdict, severity = "fail", "hard" if name in expected.hard else "soft"
        gates.append({"id": name, "verdict": verdict, "severity": severity, "finding": f"what {name} found"})
    # These two say so wherever there is nothing to ask about.
    if number == FIRST_ID:
        gates[1]["verdict"], gates[4]["verdict"] = "inapplicable", "not_exercised"
    return {"id": str(number), "candidate_sha256": check_sample.sha256(kernel.candidate),
            "reference_sha256": check_sample.sha256(kernel.reference), "verdict": expected.verdict, "reason": "as measured",
            "gates": gates, "baseline": {"mode": "kb-replica", "verdict": "pass" if kernel.claimed else "fail", "detail": ""}}


class SampleTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rows = [measured(number, kernel) for number, kernel in enumerate(KERNELS, start=FIRST_ID)]

    def found(self):
        path = pathlib.Path(self.folder.name) / "verdicts.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), encoding="utf8")
        return list(check_sample.report(path))

    def row(self, title):
        return next(row for row, kernel in zip(self.rows, KERNELS) if kernel.title == title)

    def gate(self, title, name):
        return next(gate for gate in self.row(title)["gates"] if gate["id"] == name)

    def test_what_was_measured_is_what_the_kernels_are_made_to_show(self):
        """Sources that changed after they were judged show here too."""
        lines = list(check_sample.report(CORPUS / "sample" / "verdicts.jsonl.gz"))
        self.assertEqual([line for line in lines if not line.endswith(": not judged")], [])
        self.assertLess(len(lines), 3)

    def test_the_generator_writes_every_kernel(self):
        with contextlib.redirect_stdout(io.StringIO()):
            sys.argv[1:] = [self.folder.name]
            make_sample.main()
        lines = (pathlib.Path(self.folder.name) / "kernels.jsonl").read_text(encoding="utf8").splitlines()
        self.assertEqual([json.loads(line)["id"] for line in lines], [row["id"] for row in self.rows])
        self.assertEqual(len({json.loads(line)["candidate_sha256"] + json.loads(line)["reference_sha256"] for line in lines}), len(KERNELS))
        self.assertTrue((pathlib.Path(self.folder.name) / "kernelbench-run" / "eval_results.json").exists())

    def test_every_source_is_python_but_the_one_that_is_not(self):
        broken = []
        for kernel in KERNELS:
            compile(kernel.reference, kernel.title, "exec")
            try:
                compile(kernel.candidate, kernel.title, "exec")
            except SyntaxError:
                broken.append(kernel.title)
        self.assertEqual(broken, ["Vector addition with a syntax error"])

    def test_what_is_expected_is_no_disagreement(self):
        self.assertEqual(self.found(), [])

    def test_a_gate_that_fails_and_should_not_is_named_with_its_finding(self):
        self.gate("Row sum", "CMP-03").update(verdict="fail", severity="soft")
        self.assertEqual(len(self.found()), 1)
        self.assertIn("CMP-03 fails soft: what CMP-03 found", self.found()[0])

    def test_a_gate_that_may_fail_either_way_is_none(self):
        self.gate("Row sum by unordered atomics", "EXC-02").update(verdict="fail", severity="hard")
        self.assertEqual(self.found(), [])

    def test_a_failure_of_another_severity_is_two(self):
        self.gate("Row sum by unordered atomics", "ORD-02").update(severity="soft")
        self.assertEqual(len(self.found()), 2)

    def test_other_sources_and_missing_kernels_are_told(self):
        self.row("Row sum")["candidate_sha256"] = "00"
        self.rows.pop()
        self.assertEqual([line.split(": ", 1)[1] for line in self.found()], ["was judged with other sources: judge it again", "not judged"])

    def test_a_claim_that_the_baseline_does_not_make_is_told(self):
        self.row("Row sum")["baseline"]["verdict"] = "fail"
        self.assertIn("kb-replica says fail where the corpus claims correct", self.found()[0])


if __name__ == "__main__":
    unittest.main()
