# SPDX-License-Identifier: Apache-2.0
"""The agreement study over a scripted upstream file. Exit status 77: torch is not installed."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

try:
    import torch  # noqa: F401
except ImportError:
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "..", "resources", "worker"), HERE]

from assay_worker import agreement, agreement_statistics  # noqa: E402
from pairs import REFERENCE, candidate, reference  # noqa: E402

# Answers what the candidate's first line asks for. Its imports are like the real one's: a client and a neighbour that are not here.
UPSTREAM = '''
import os
import client_that_nobody_installed as client
from client_that_nobody_installed.models import Anything
from pydantic import BaseModel
from . import neighbour_that_is_not_here


class Result(BaseModel):
    compiled: bool = False
    correctness: bool = False
    metadata: dict = {}


def eval_kernel_against_ref(original_model_src, custom_model_src, seed_num=0, num_correct_trials=1, measure_performance=True, device=None):
    assert (seed_num, num_correct_trials, measure_performance, device.type) == (42, 5, False, "cpu")
    wanted = custom_model_src.splitlines()[0][2:]
    if wanted == "nothing":
        return None
    if wanted == "raises":
        raise ValueError("of upstream")
    if wanted == "dies":
        os._exit(1)
    if wanted == "alternates":
        path = os.path.join(os.path.dirname(__file__), "called")
        wanted = "fail" if os.path.exists(path) else "pass"
        open(path, "w").close()
    if wanted == "cannot import":
        try:
            exec("import client_that_nobody_installed")
            wanted = "fail"
        except ImportError:
            wanted = "pass"
    client.anything(), Anything()
    return Result(compiled=True, correctness=wanted == "pass")
'''
NORM = "super().__init__(); self.norm = nn.BatchNorm1d(8)"
FOLDED = candidate("return x / (1 + self.norm.eps) ** 0.5", NORM), reference("return self.norm(x)", NORM)


class Study(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "upstream"))
        self.upstream = self.write("upstream/eval.py", UPSTREAM)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def add(self, name, upstream_says, candidate_source, reference_source=REFERENCE):
        self.write(f"pairs/{name}/candidate.py", f"# {upstream_says}\n{candidate_source}")
        self.write(f"pairs/{name}/reference.py", reference_source)

    def study(self, *more, mode="kb-paper"):
        """(exit status, the study, its rows by name of the pair)"""
        rows = os.path.join(self.folder, "rows.jsonl")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = agreement.main(["--upstream", self.upstream, "--mode", mode, "--pairs", os.path.join(self.folder, "pairs"),
                                     "--device", "cpu", "--timeout", "60", "--json", "--rows", rows, *more])
        with open(rows, encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
        return status, json.loads(printed.getvalue()), {os.path.basename(row["pair"]): row for row in found}

    def test_verdicts_of_both_sides_fill_the_table(self):
        self.add("both-pass", "pass", candidate())
        self.add("both-fail", "fail", candidate("return x"))
        self.add("upstream-alone", "pass", candidate("return x"))
        self.add("upstream-raises", "raises", candidate("return x"))
        status, study, rows = self.study()
        self.assertEqual(status, 4)
        self.assertEqual([study[cell] for cell in ("pass_pass", "pass_fail", "fail_pass", "fail_fail")], [1, 1, 0, 2])
        self.assertEqual((study["pairs"], study["judged"], study["no_answer"], study["agreement"]), (4, 4, 0, 0.75))
        self.assertEqual([row["pair"] for row in study["disagreements"]], [rows["upstream-alone"]["pair"]])
        self.assertIn("of upstream", rows["upstream-raises"]["upstream_detail"]["metadata"]["raised"])

    def test_full_agreement_is_success(self):
        self.add("one", "pass", candidate())
        status, study, _ = self.study("--jobs", "2")
        self.assertEqual((status, study["disagreements"], study["causes"]), (0, [], {}))

    def test_a_changed_rule_names_the_cause(self):
        self.add("mode", "fail", *FOLDED)
        self.add("tuple", "fail", candidate("return x, x"), reference("return x, x"))
        self.add("draws", "pass", candidate("torch.manual_seed(torch.initial_seed()); return x + torch.randn(x.shape)"),
                 reference("return x + torch.randn(x.shape)"))
        self.add("other", "fail", candidate())
        status, study, rows = self.study(mode="kb-replica")
        self.assertEqual(status, 4)
        self.assertEqual({name: row["cause"] for name, row in rows.items()},
                         {"mode": "train/eval", "tuple": "tuple", "draws": "seed stream", "other": "unexplained"})
        self.assertEqual(study["causes"], {"train/eval": 1, "tuple": 1, "seed stream": 1, "unexplained": 1})

    def test_tolerance_is_a_cause(self):
        self.add("near", "pass", candidate("return x * 2 + 1e-3"))
        self.assertEqual(self.study(mode="kb-head")[2]["near"]["cause"], "tolerance")

    def test_a_verdict_that_changes_is_nondeterminism(self):
        self.add("alternates", "alternates", candidate("return x"))
        self.assertEqual(self.study()[2]["alternates"]["cause"], "nondeterminism")

    def test_no_answer_is_no_verdict(self):
        self.add("dies", "dies", candidate())
        self.add("nothing", "nothing", candidate())
        self.add("both", "dies", candidate("os._exit(1)"))
        status, study, rows = self.study()
        self.assertEqual((status, study["judged"], study["no_answer"]), (1, 0, 3))
        self.assertEqual({name: row["cause"] for name, row in rows.items()}, {"dies": "crash", "nothing": "crash", "both": None})

    def test_stand_ins_end_with_the_loading(self):
        self.add("imports", "cannot import", candidate())
        self.assertEqual(self.study()[2]["imports"]["upstream"], "pass")

    def test_a_prelude_runs_before_the_upstream_file(self):
        self.add("one", "pass", candidate())
        self.upstream = self.write("upstream/eval.py", "import made_by_prelude\n" + UPSTREAM)
        prelude = self.write("prelude.py", "import sys, types\nsys.modules['made_by_prelude'] = types.ModuleType('made_by_prelude')\nassert UPSTREAM\n")
        self.assertEqual(self.study("--prelude", prelude)[0], 0)

    def test_pairs_after_the_time_are_not_run(self):
        self.add("one", "pass", candidate())
        status, study, _ = self.study("--seconds", "1e-9")
        self.assertEqual((status, study["not_run"], study["judged"], study["kappa"]), (1, 1, 0, None))

    def test_what_cannot_start_says_why_in_one_line(self):
        self.add("one", "pass", candidate())
        self.upstream = self.write("upstream/broken.py", "raise OSError('half a file')")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = agreement.main(["--upstream", self.upstream, "--mode", "kb-paper", "--pairs", os.path.join(self.folder, "pairs"), "--device", "cpu"])
            self.assertEqual(agreement.main(["--upstream", self.upstream, "--mode", "kb-paper", "--pairs", os.path.join(self.folder, "none")]), 1)
        self.assertEqual((status, said.getvalue().count("\n")), (1, 2))
        self.assertIn("half a file", said.getvalue())


class Statistics(unittest.TestCase):
    """Published tables; the C++ side holds the same values."""

    def test_kernelbench_against_its_replica(self):
        found = agreement_statistics.summary(844, 7, 8, 171)
        self.assertAlmostEqual(found["kappa"], 0.94917529096734718, places=14)
        self.assertAlmostEqual(found["agreement"], 0.98543689320388350, places=14)
        self.assertAlmostEqual(found["wilson95"][0], 0.9761113281101358, places=12)
        self.assertAlmostEqual(found["wilson95"][1], 0.9911549693168439, places=12)
        self.assertEqual(found["mcnemar_exact_p"], 1)

    def test_the_replica_against_the_gates(self):
        found = agreement_statistics.summary(985, 1487, 14, 152)
        self.assertAlmostEqual(found["kappa"], 0.061128048708198002, places=14)
        self.assertAlmostEqual(found["pabak"], -0.13798332069749811, places=14)
        self.assertEqual(found["mcnemar_exact_p"], 0)  # 9e-419

    def test_small_tables(self):
        self.assertEqual(agreement_statistics.mcnemar_exact(5, 10), 0.3017578125)
        self.assertEqual(agreement_statistics.mcnemar_exact(0, 0), 1)
        self.assertIsNone(agreement_statistics.cohen_kappa(7, 0, 0, 0))
        self.assertEqual(agreement_statistics.cohen_kappa(20, 5, 10, 15), 0.4)
        self.assertEqual(agreement_statistics.wilson(0, 0), [0.0, 1.0])


if __name__ == "__main__":
    unittest.main()
