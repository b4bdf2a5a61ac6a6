# SPDX-License-Identifier: Apache-2.0
"""What a candidate's process says about its kernels. No Triton, no GPU and no compiler are needed."""

import unittest

import support
import torch
from support import Failed

REFERENCE = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2
def get_inputs():
    return [torch.randn(4, 8)]
"""
CANDIDATE = REFERENCE.replace("class Model", "class ModelNew")
EXTENSION = """
import torch
from torch.utils import cpp_extension
builder = cpp_extension.load_inline
try:
    builder("scale", "", "__global__ void scale(float* x) {}", functions=["scale"], no_such_argument=1)
except TypeError:
    pass
try:
    builder(name="scale", cpp_sources="", cuda_sources="__global__ void scale(float* x) {}", functions=["scale"],
            build_directory="/no/such/folder")
except Exception:
    pass
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 2
"""

SINGLE = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        try:
            torch.cuda._compile_kernel("__global__ void scale(float* x) {}", "scale")
        except Exception:
            pass
        return x * 2
"""


class Resources(support.PartyTest):
    def asked(self, source, **fields):
        _, candidate, _ = self.pair(REFERENCE, source)
        candidate.call()
        return candidate.ask("resources", instance=0, **dict({"blackwell": False}, **fields))[0]

    def test_torch_alone_has_no_kernels(self):
        answer = self.asked(CANDIDATE)
        self.assertEqual({key: answer[key] for key in ("capability", "functions", "kernels", "builds", "errors")},
                         {"capability": None, "functions": 0, "kernels": [], "builds": [], "errors": []})

    def test_extensions_are_recorded_from_the_first_line_on(self):
        builds = self.asked(EXTENSION)["builds"]
        self.assertEqual([build["name"] for build in builds], ["scale"])  # though it did not build
        self.assertIsNone(builds[0]["library"])

    def test_each_source_is_tried_for_blackwell(self):
        build = self.asked(EXTENSION, blackwell=True)["builds"][0]
        self.assertEqual(len(build["blackwell"]), 1)
        self.assertIn(build["blackwell"][0]["outcome"], ("absent", "compiled"))

    @unittest.skipUnless(hasattr(torch.cuda, "_compile_kernel"), "this torch has no compiler of single kernels")
    def test_a_kernel_compiled_at_run_time_is_recorded(self):
        build = self.asked(SINGLE, blackwell=True)["builds"][0]
        self.assertEqual(build["name"], "scale")
        self.assertIsNone(build["library"])
        self.assertEqual(build["device"], [])  # no device here
        self.assertEqual(len(build["blackwell"]), 1)

    def test_the_reference_is_not_asked(self):
        reference, _, _ = self.pair(REFERENCE, CANDIDATE)
        with self.assertRaises(Failed) as caught:
            reference.ask("resources", instance=0, blackwell=False)
        self.assertEqual(caught.exception.failure["kind"], "missing")

    def test_an_instance_that_was_not_built_is_missing(self):
        _, candidate, _ = self.pair(REFERENCE, CANDIDATE)
        with self.assertRaises(Failed):
            candidate.ask("resources", instance=9, blackwell=False)


if __name__ == "__main__":
    unittest.main()
