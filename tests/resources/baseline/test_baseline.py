# SPDX-License-Identifier: Apache-2.0
"""Every branch of the three baselines, each by the smallest pair that takes it. Exit status 77: torch is not installed."""

import json
import os
import subprocess
import sys
import unittest

try:
    import torch
except ImportError:
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = os.path.join(HERE, "..", "..", "..", "resources", "worker")
SHARED = os.environ.get("ASSAY_SHARED_DATA") or os.path.join(HERE, "..", "..", "..", "..", "shared")
CASES = os.path.join(SHARED, "cases")
sys.path[:0] = [WORKER, HERE]

from assay_worker import baseline, baseline_rules  # noqa: E402
from pairs import REFERENCE, candidate, reference  # noqa: E402

NORM = "super().__init__(); self.norm = nn.BatchNorm1d(8)"
EVERY_MODE = baseline.MODES
UPSTREAM = ("kb-paper", "kb-head")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def judge(mode, candidate_source, reference_source=REFERENCE, **more):
    return baseline.run({"mode": mode, "reference": reference_source, "candidate": candidate_source, "timeout": 60, **more})


class Verdicts(unittest.TestCase):
    def test_a_right_candidate_passes_every_trial(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate())
            self.assertEqual((result["verdict"], result["compiled"], result["correct"]), ("pass", True, True), mode)
            self.assertEqual(result["trials"], {"passed": 5, "total": 5})
            self.assertEqual((result["max_difference"], result["runtime_error"]), ([], None))

    def test_a_wrong_candidate_leaves_one_difference_a_trial(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate("return x * 2 + 1"), trials=3)
            self.assertEqual((result["verdict"], result["compiled"], result["correct"]), ("fail", True, False), mode)
            self.assertEqual(result["trials"], {"passed": 0, "total": 3})
            self.assertEqual(len(result["max_difference"]), 3)
            for difference in result["max_difference"] + result["avg_difference"]:
                self.assertAlmostEqual(difference, 1, places=5)

    def test_one_bad_trial_is_enough_and_the_others_still_run(self):
        third = candidate("self.calls += 1; return x * 2 + (self.calls == 3)", init="super().__init__(); self.calls = 0")
        for mode in EVERY_MODE:
            result = judge(mode, third)
            self.assertEqual((result["verdict"], result["trials"]["passed"], len(result["max_difference"])), ("fail", 4, 1), mode)

    def test_only_head_uses_the_tight_tolerance_and_only_in_fp32(self):
        near = candidate("return x * 2 + 1e-3")
        self.assertEqual([judge(mode, near)["verdict"] for mode in EVERY_MODE], ["pass", "fail", "pass"])
        self.assertEqual(judge("kb-head", near, precision="bf16")["verdict"], "pass")

    def test_nan_never_equals_nan(self):
        always = reference("return x * float('nan')")
        for mode in EVERY_MODE:
            result = judge(mode, candidate("return x * float('nan')"), always)
            self.assertEqual((result["verdict"], result["max_difference"]), ("fail", ["NaN"] * 5), mode)

    def test_infinities_of_one_sign_are_equal(self):
        for mode in EVERY_MODE:
            self.assertEqual(judge(mode, candidate("return x / 0 * 0 + float('inf')"), reference("return x * 0 + float('inf')"))["verdict"],
                             "fail", mode)
            self.assertEqual(judge(mode, candidate("return x * 0 + float('inf')"), reference("return x * 0 + float('inf')"))["verdict"],
                             "pass", mode)


class Outputs(unittest.TestCase):
    def test_another_shape_ends_the_evaluation(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate("return (x * 2)[:, :7]"))
            self.assertEqual((result["verdict"], result["compiled"], result["trials"]["passed"]), ("fail", True, 0), mode)
            self.assertIn("(4, 7)", result["detail"])
            self.assertEqual(result["max_difference"], [])

    def test_tuples_break_kernelbench_and_not_the_replica(self):
        two = reference("return x * 2, x.sum(1)")
        right = candidate("return x * 2, x.sum(1)")
        for mode in UPSTREAM:
            result = judge(mode, right, two)
            self.assertEqual((result["verdict"], result["correct"]), ("fail", False), mode)
            self.assertIn("shape", result["runtime_error"])
        self.assertEqual(judge("kb-replica", right, two)["verdict"], "pass")
        self.assertEqual(judge("kb-replica", candidate("return x * 2, x.sum(1) + 1"), two)["verdict"], "fail")
        self.assertIn("expected 2 outputs, got 1", judge("kb-replica", candidate(), two)["detail"])

    def test_another_dtype_breaks_kernelbench_and_not_the_replica(self):
        half = candidate("return (x * 2).half()")
        self.assertEqual([judge(mode, half)["verdict"] for mode in EVERY_MODE], ["fail", "fail", "pass"])
        self.assertTrue(judge("kb-paper", half)["runtime_error"])

    def test_wrong_booleans_cannot_be_subtracted(self):
        positive = reference("return x > 0")
        self.assertIn("RuntimeError", judge("kb-paper", candidate("return x <= 0"), positive)["runtime_error"])
        self.assertEqual(len(judge("kb-replica", candidate("return x <= 0"), positive)["max_difference"]), 5)


class Loading(unittest.TestCase):
    def test_a_candidate_that_raises_while_loading_is_not_compiled(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate(before="raise ValueError('no compiler')"))
            self.assertEqual((result["verdict"], result["compiled"], result["stage"]), ("fail", False, "load"), mode)
            self.assertEqual(result["detail"], "ValueError: no compiler")

    def test_a_lock_or_a_missing_file_is_no_answer(self):
        for message in ("file lock held by another process", "[Errno 2] No such file or directory: 'nvcc'"):
            for mode in EVERY_MODE:
                result = judge(mode, candidate(before=f"raise OSError({message!r})"))
                self.assertEqual((result["verdict"], result["compiled"], result["correct"]), ("error", None, None), mode)
                self.assertIn("another try", result["detail"])

    def test_a_missing_entry_point_is_found_at_load_by_head_and_at_build_by_paper(self):
        for source in ("class Other: pass", "def broken(:"):
            self.assertEqual(judge("kb-head", source)["stage"], "load")
            self.assertEqual(judge("kb-paper", source)["stage"], "build")
            for mode in EVERY_MODE:
                result = judge(mode, source)
                self.assertEqual((result["verdict"], result["compiled"]), ("fail", False), mode)

    def test_executed_candidates_share_the_names_of_the_reference(self):
        named = reference(before="SIZE = 8", inputs="[torch.randn(4, SIZE)]")
        reuses = candidate("return Model.forward(self, x)")
        self.assertEqual([judge(mode, reuses, named)["verdict"] for mode in EVERY_MODE], ["pass", "pass", "fail"])
        shrinks = candidate("assert x.shape[1] == 3; return x * 2", before="SIZE = 3")
        self.assertEqual(judge("kb-paper", shrinks, named)["verdict"], "pass")

    def test_head_imports_tile_languages_from_a_file(self):
        reads_itself = "import inspect\ntry:\n    import triton\nexcept ImportError:\n    pass\n" + candidate(
            "return x * 2", before="def kernel(): pass\ninspect.getsource(kernel)")
        self.assertEqual([judge(mode, reads_itself)["verdict"] for mode in EVERY_MODE], ["fail", "pass", "pass"])
        self.assertEqual(judge("kb-paper", reads_itself, loader="file")["verdict"], "pass")
        self.assertEqual(judge("kb-head", reads_itself, loader="exec")["compiled"], False)

    def test_a_broken_reference_is_charged_to_the_pair(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate(), "import absent_module_of_the_test")
            self.assertEqual((result["verdict"], result["compiled"], result["stage"]), ("fail", False, "reference"), mode)


class Building(unittest.TestCase):
    def test_a_runtime_error_in_the_constructor_counts_as_compiled(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate(init="raise RuntimeError('too large')"))
            self.assertEqual((result["verdict"], result["compiled"], result["stage"]), ("fail", True, "build"), mode)
            self.assertEqual(result["runtime_error"], "RuntimeError: too large")

    def test_any_other_exception_in_the_constructor_counts_as_not_compiled(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate(init="raise ValueError('too large')"))
            self.assertEqual((result["verdict"], result["compiled"], result["runtime_error"]), ("fail", False, None), mode)

    def test_weights_are_drawn_from_one_seed(self):
        linear = "super().__init__(); self.linear = nn.Linear(8, 3)"
        for mode in EVERY_MODE:
            self.assertEqual(judge(mode, candidate("return self.linear(x)", linear), reference("return self.linear(x)", linear))["verdict"],
                             "pass", mode)

    def test_constructor_arguments_reach_both(self):
        scale = "super().__init__(); self.scale = scale"
        pair = candidate("return x * self.scale", scale, parameters=", scale"), reference(
            "return x * self.scale", scale, init_inputs="[torch.randn(8)]", parameters=", scale")
        for mode in EVERY_MODE:
            self.assertEqual(judge(mode, *pair)["verdict"], "pass", mode)


class Trials(unittest.TestCase):
    def test_an_exception_in_forward_ends_the_evaluation(self):
        second = candidate("self.calls += 1; assert self.calls < 2, 'out of bounds'; return x * 2", init="super().__init__(); self.calls = 0")
        for mode in EVERY_MODE:
            result = judge(mode, second)
            self.assertEqual((result["verdict"], result["compiled"], result["trials"]["passed"]), ("fail", True, 1), mode)
            self.assertEqual(result["runtime_error"], "AssertionError: out of bounds")

    def test_an_exception_of_the_reference_fails_the_candidate(self):
        for mode in EVERY_MODE:
            result = judge(mode, candidate(), reference("raise ValueError('of the reference')"))
            self.assertEqual((result["verdict"], result["compiled"], result["correct"]), ("fail", True, False), mode)
            self.assertIn("of the reference", result["runtime_error"])

    def test_batch_norm_runs_in_train_mode_in_kernelbench(self):
        trained = reference("return self.norm(x)", NORM)
        folded = candidate("return x / (1 + self.norm.eps) ** 0.5", NORM)  # right with the initial running statistics alone
        self.assertEqual([judge(mode, folded, trained)["verdict"] for mode in EVERY_MODE], ["fail", "fail", "pass"])
        batch = candidate("return (x - x.mean(0)) / (x.var(0, unbiased=False) + self.norm.eps).sqrt()", NORM)
        self.assertEqual([judge(mode, batch, trained)["verdict"] for mode in EVERY_MODE], ["pass", "pass", "fail"])

    def test_dropout_draws_on_in_kernelbench(self):
        dropout = "super().__init__(); self.drop = nn.Dropout(0.5)"
        same = candidate("return self.drop(x)", dropout), reference("return self.drop(x)", dropout)
        self.assertEqual([judge(mode, *same)["verdict"] for mode in EVERY_MODE], ["fail", "fail", "pass"])

    def test_the_seed_is_set_again_before_the_forwards(self):
        restarts = "torch.manual_seed(torch.initial_seed()); return x + torch.randn(x.shape)"
        pair = candidate(restarts), reference("return x + torch.randn(x.shape)")
        self.assertEqual([judge(mode, *pair)["verdict"] for mode in EVERY_MODE], ["pass", "pass", "fail"])

    def test_trial_seeds_come_from_the_stated_stream(self):
        told = reference(inputs="[torch.tensor([float(torch.initial_seed() % 2**20)])]")
        for mode, bound in zip(EVERY_MODE, (2**32 - 1, 2**32 - 1, 2**31 - 1)):
            torch.manual_seed(42)
            seeds = [torch.randint(0, bound, (1,)).item() for _ in range(5)]
            expected = [float(seed % 2**20) for seed in seeds]
            knows = candidate(f"assert x.item() == {expected}[self.calls]; self.calls += 1; return x * 2", init="super().__init__(); self.calls = 0")
            self.assertEqual(judge(mode, knows, told)["trials"]["passed"], 5, mode)

    def test_only_head_casts_integer_inputs(self):
        lookup = reference("return x.long() * 2.0", inputs="[torch.arange(8)]")
        integers = candidate("assert not x.is_floating_point(); return x.long() * 2.0")
        self.assertEqual([judge(mode, integers, lookup)["verdict"] for mode in EVERY_MODE], ["pass", "fail", "pass"])

    def test_both_see_the_same_tensors(self):
        doubles = reference("return x.mul_(2)")
        for mode in EVERY_MODE:
            self.assertEqual(judge(mode, candidate("return x"), doubles)["verdict"], "pass", mode)


    def test_an_output_lives_until_the_next_one_and_inputs_do_not(self):
        watches = candidate("""
        input_gone, output_there = self.before
        assert (input_gone() is None) and (output_there() is not None or self.calls == 0)
        self.calls += 1
        result = x * 2
        self.before = weakref.ref(x), weakref.ref(result)
        return result""", init="super().__init__(); self.calls = 0; self.before = (lambda: None), (lambda: None)", before="import weakref")
        for mode in EVERY_MODE:
            self.assertEqual(judge(mode, watches)["verdict"], "pass", mode)


class Process(unittest.TestCase):
    def test_prints_do_not_reach_the_result(self):
        noisy = candidate("print('{}'); os.write(1, b'noise'); return x * 2", before="print('loading', flush=True)")
        request = json.dumps({"mode": "kb-paper", "reference": REFERENCE, "candidate": noisy})
        for command in (["-m", "assay_worker.baseline"], [os.path.join(WORKER, "assay_worker", "baseline.py")]):
            environment = {**os.environ, "PYTHONPATH": WORKER} if command[0] == "-m" else dict(os.environ)
            done = subprocess.run([sys.executable, *command], input=request, capture_output=True, text=True, env=environment, check=True)
            self.assertEqual(json.loads(done.stdout)["verdict"], "pass")
            self.assertIn("noise", done.stderr)

    def test_an_ended_process_is_no_answer(self):
        endings = {"os._exit(7)": "status 7", "sys.exit(3)": "status 3", "os.kill(os.getpid(), 11)": "SIGSEGV"}
        for call, said in endings.items():
            result = judge("kb-paper", candidate(call))
            self.assertEqual((result["verdict"], result["compiled"], result["correct"]), ("error", None, None), call)
            self.assertIn(said, result["detail"])

    def test_a_hang_ends_at_the_limit(self):
        result = judge("kb-head", candidate("\n        while True: pass"), timeout=2)
        self.assertEqual(result["verdict"], "error")
        self.assertIn("2 seconds", result["detail"])

    def test_a_process_left_behind_delays_nothing(self):
        forks = candidate("\n        if os.fork() == 0:\n            while True: pass\n        return x * 2")
        self.assertEqual(judge("kb-paper", forks, trials=1)["verdict"], "pass")

    def test_a_flood_through_the_pipe_is_no_answer(self):
        flood = candidate("\n        [os.write(fd, b'x' * 65536) for fd in range(3, 64) for _ in range(99) if self.pipe(fd)]",
                          before="import stat") + "\n    def pipe(self, fd):\n        try:\n            return stat.S_ISFIFO(os.fstat(fd).st_mode)\n        except OSError:\n            return False\n"
        self.assertEqual(judge("kb-paper", flood)["verdict"], "error")

    def test_a_malformed_request_is_named(self):
        for wrong, named in (({"mode": "kb"}, '"mode"'), ({"mode": "kb-paper", "trials": 0}, '"trials"'), ({"mode": "kb-paper", "reference": 1}, '"reference"'),
                             ({"mode": "kb-paper", "precision": "fp16"}, '"precision"'), ({"mode": "kb-head", "timeout": -1}, '"timeout"')):
            with self.assertRaisesRegex(baseline.BadRequest, named):
                baseline.complete({"reference": REFERENCE, "candidate": candidate(), **wrong})
        done = subprocess.run([sys.executable, os.path.join(WORKER, "assay_worker", "baseline.py")], input="{}", capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))


@unittest.skipUnless(os.path.isdir(CASES), "the shared cases are not here")
class SharedCases(unittest.TestCase):
    """Pairs that a comparison of eval-mode outputs at 1e-2 over five seeds accepts. KernelBench itself refuses two of them."""

    REFUSED = {"kb-paper": {"67-dropout-seeded", "69-tuple-outputs"}, "kb-replica": set()}

    def test_what_a_fixed_comparison_accepts(self):
        for name in sorted(os.listdir(CASES)):
            folder = os.path.join(CASES, name)
            if not os.path.isfile(os.path.join(folder, "expected.json")):
                continue
            reference_source, candidate_source, expected = (
                read(os.path.join(folder, file)) for file in ("reference.py", "candidate.py", "expected.json"))
            for mode, refused in self.REFUSED.items():
                with self.subTest(case=name, mode=mode):
                    verdict = judge(mode, candidate_source, reference_source)["verdict"]
                    self.assertEqual(verdict, "fail" if name in refused else json.loads(expected)["baseline_allclose_1e2"])


if __name__ == "__main__":
    unittest.main()
