# SPDX-License-Identifier: Apache-2.0
"""How an autotuner chooses while a judge asks. Triton is not needed: what stands in for it has the members that are replaced."""

import math
import subprocess
import sys
import tempfile
import types
import unittest

import support  # noqa: F401: finds the worker
from assay_worker import triton_kernels


class Autotuner:
    """Chooses as Triton's does: all configurations that are left after pruning are measured, the fastest is kept for the key."""

    def __init__(self, configs, does_not_fit=()):
        self.configs, self.cache, self.nargs, self.measured = configs, {}, None, []
        self.does_not_fit = does_not_fit

    def prune_configs(self, kwargs):
        return self.configs

    def _bench(self, *args, config, **meta):
        self.measured.append(config)
        return [math.inf] * 3 if config in self.does_not_fit else [float(self.configs.index(config)) + 1] * 3

    def run(self, size):
        self.nargs = {"n": size}
        self.measured = []
        if size not in self.cache:
            timings = {config: self._bench(config=config) for config in self.prune_configs({})}
            self.cache[size] = min(timings, key=timings.get)
        return self.cache[size]


class Autotuning(unittest.TestCase):
    def setUp(self):
        self.kept = {name: sys.modules.get(name) for name in ("triton.runtime.autotuner", "triton.testing")}
        self.kind = type("Autotuner", (Autotuner,), {"prune_configs": Autotuner.prune_configs, "_bench": Autotuner._bench})
        sys.modules["triton.runtime.autotuner"] = types.SimpleNamespace(Autotuner=self.kind)
        sys.modules["triton.testing"] = types.SimpleNamespace(do_bench=None)
        triton_kernels.tune_quickly()
        triton_kernels.tune_quickly()  # a second source changes nothing

    def tearDown(self):
        for name, module in self.kept.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module

    def test_sizes_take_turns_with_one_compilation_each(self):
        tuner = self.kind(["a", "b", "c"])
        chosen = set()
        for size in range(1, 40):
            chosen.add(tuner.run(size))
            self.assertEqual(len(tuner.measured), 1)
        self.assertEqual(chosen, {"a", "b", "c"})

    def test_of_many_three_are_tried_far_apart(self):
        tuner = self.kind(list("abcdefghi"))
        self.assertEqual({tuner.run(size) for size in range(1, 60)}, {"a", "d", "g"})
        tuner = self.kind(["a", "b"])
        self.assertEqual({tuner.run(size) for size in range(1, 60)}, {"a", "b"})

    def test_what_follows_from_a_size_does_not_depend_on_the_others(self):
        one, other = self.kind(["a", "b", "c"]), self.kind(["a", "b", "c"])
        forwards = [one.run(size) for size in range(1, 20)]
        backwards = [other.run(size) for size in reversed(range(1, 20))]
        self.assertEqual(forwards, backwards[::-1])

    def test_a_configuration_that_does_not_fit_is_passed_over(self):
        tuner = self.kind(["a", "b", "c"], does_not_fit=("b",))
        for size in range(1, 20):
            self.assertIn(tuner.run(size), ("a", "c"))
        for size in range(20, 40):
            self.assertIn(tuner.run(size), ("a", "c"))
            self.assertEqual(len(tuner.measured), 1)  # what does not fit is known by now

    def test_where_none_fits_all_were_tried(self):
        tuner = self.kind(["a", "b"], does_not_fit=("a", "b"))
        tuner.run(64)
        tuner.run(3)
        self.assertEqual(sorted(tuner.measured), ["a", "b"])


class Launchers(unittest.TestCase):
    def test_the_compiler_of_launchers_is_told_not_to_optimise(self):
        kept = sys.modules.get("triton.runtime.build")
        self.addCleanup(lambda: sys.modules.pop("triton.runtime.build") if kept is None
                        else sys.modules.__setitem__("triton.runtime.build", kept))
        build = sys.modules["triton.runtime.build"] = types.SimpleNamespace(subprocess=subprocess)
        triton_kernels.build_launchers_quickly()
        triton_kernels.build_launchers_quickly()  # a second source changes nothing
        with tempfile.NamedTemporaryFile("r") as told:
            build.subprocess.check_call(["sh", "-c", 'echo "$@" > "$0"', told.name, "-O3", "x.c"], stdout=subprocess.DEVNULL)
            self.assertEqual(told.read(), "-O3 x.c -O0\n")
        with self.assertRaises(build.subprocess.CalledProcessError):
            build.subprocess.check_call(["false"])


if __name__ == "__main__":
    unittest.main()
