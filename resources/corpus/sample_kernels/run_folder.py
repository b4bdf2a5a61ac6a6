# SPDX-License-Identifier: Apache-2.0
"""A KernelBench run folder. What it says of its kernels is written by hand: it shows the format, and is imported as illustrative."""
from .elementwise import RELU
from .kernel import RunEntry, changed, reference
from .reduction import SUM

OK = {"compiled": True, "correctness": True, "metadata": {"device": "cuda:0", "hardware": "illustrative", "correctness_trials": "(5 / 5)"},
      "runtime": 1.31, "runtime_stats": {"mean": 1.31, "std": 0.01, "min": 1.29, "max": 1.4, "num_trials": 100}}
RUN_FOLDER = [
    RunEntry("Leaky ReLU", reference("return F.leaky_relu(x, 0.01)", [("x", "torch.randn(64, 512)")]),
             changed(RELU, ("tl.where(x > 0, x, 0.0)", "tl.where(x > 0, x, 0.01 * x)")), OK),
    RunEntry("Square", reference("return x * x", [("x", "torch.randn(64, 512)")]),
             changed(RELU, ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "x * x")), dict(OK, runtime=-1.0, runtime_stats={})),
    RunEntry("Row minimum", reference("return x.amin(dim=-1)", [("x", "torch.randn(64, 512)")]),
             changed(SUM, ("tl.sum(total, axis=0)", "tl.min(total, axis=0)")),
             {"compiled": True, "correctness": False, "metadata": {"device": "cuda:0", "correctness_trials": "(0 / 5)", "max_difference": ["3.124"], "correctness_issue": "Output mismatch"},
              "runtime": -1.0, "runtime_stats": {}}),
    RunEntry("Absolute value", reference("return x.abs()", [("x", "torch.randn(64, 512)")]),
             changed(RELU, ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "tl.abs(x)")), None),
    RunEntry("Hinge loss", reference("return (1 - x * y).clamp(min=0).mean()", [("x", "torch.randn(512)"), ("y", "torch.randn(512).sign()")]), None,
             {"compiled": False, "correctness": False, "metadata": {"device": "cuda:0", "compilation_error": "'NoneType' object is not subscriptable"}, "runtime": -1.0, "runtime_stats": {}}),
]
