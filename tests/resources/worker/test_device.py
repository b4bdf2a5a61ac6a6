# SPDX-License-Identifier: Apache-2.0
"""Parties on a CUDA device."""

import os
import subprocess
import sys
import tempfile
import unittest

import support
import torch
from assay_worker import triton_warm
from support import Failed

if torch.version.cuda is None or not os.path.exists("/dev/nvidiactl"):  # asking torch would start CUDA before parties are forked
    print("no CUDA device")
    sys.exit(support.SKIPPED)

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
REFERENCE = HEAD + """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(512, 64))
    def forward(self, x):
        return torch.softmax(x @ self.w, -1)
def get_inputs():
    return [torch.randn(32, 512)]
"""
TRITON = """
import torch, torch.nn as nn, triton, triton.language as tl
@triton.jit
def _double(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(x + at, mask=at < n) * 2, mask=at < LIMIT)
class ModelNew(nn.Module):
    def forward(self, x):
        o = torch.empty_like(x)
        _double[(triton.cdiv(x.numel(), 256),)](x, o, x.numel(), BLOCK=256)
        return o
"""
TUNED = TRITON.replace("LIMIT", "n").replace("@triton.jit", """@triton.autotune([triton.Config({"BLOCK": b}) for b in (64, 128, 256)], key=["n"])
@triton.jit""").replace("triton.cdiv(x.numel(), 256),", "triton.cdiv(x.numel(), 64),").replace(", BLOCK=256", "")
WORKSPACE = HEAD + """
class ModelNew(nn.Module):
    def forward(self, x):
        return x * 2 + 0 * torch.empty(3, 1000, device=x.device).sum()
"""
SINGLE = """
import torch, torch.nn as nn
SOURCE = 'extern "C" __global__ void twice(const float* x, float* y, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2 * x[i]; }'
class ModelNew(nn.Module):
    def forward(self, x):
        o = torch.empty_like(x)
        torch.cuda._compile_kernel(SOURCE, "twice")(grid=(1, 1, 1), block=(256, 1, 1), args=[x, o, x.numel()])
        return o
"""
CALL = {"do": "call", "input": "a"}
DEVICE = {"device": "cuda:0"}


class OnDevice(support.PartyTest):
    def built(self, source=REFERENCE):
        judge = self.reference(source, **DEVICE)
        judge.native = judge.build()
        judge.put(1, judge.native["input_leaves"])
        return judge

    def other(self, source, reference):
        judge = support.Judge()
        self.addCleanup(judge.close)
        judge.load(source, "ModelNew", **DEVICE)
        judge.build_like(reference.native)
        judge.put(1, reference.native["input_leaves"])
        return judge

    def record(self, judge, memory="fresh"):
        result = judge.run([{"do": "input", "as": "a", "stimulus": 1, "memory": memory}, CALL])[1]
        if "failure" in result:
            raise Failed(result["failure"])
        return result["calls"][0]

    def test_every_evaluation(self):
        judge = self.built()
        truth = judge.call(precision="r64")[0]
        self.assertIs(truth.dtype, torch.float64)
        names = judge.native["conforming"]
        self.assertIn("host", names)
        self.assertGreaterEqual(len(names), 7)
        for name in ["native", "r32", "r32n"] + ["conforming:" + name for name in names]:
            self.assertLess((judge.call(precision=name)[0].double() - truth).abs().max().item(), 1e-5, name)
        self.assertEqual(judge.extent(), [512 + 512 * 64])
        self.assertTrue(bool(torch.isfinite(judge.condition()[0]).all()))
        judge.put(2, [torch.ones(32, 64)])
        steps = [{"do": "input", "as": "a", "stimulus": 1}, {"do": "vjp", "input": "a", "stimulus": 2}]
        for name in ("r32", "conforming:split", "r64"):
            self.assertEqual(list(judge.run(steps, name)[1]["state_grads"]["w"].shape), [512, 64])
        self.assertEqual(self.record(judge)["leaves"][0]["device"], "cuda:0")

    def test_pinned_fp32_has_no_tf32(self):
        judge = self.built(REFERENCE.replace("class Model", "torch.backends.cuda.matmul.allow_tf32 = True\nclass Model")
                           .replace("torch.softmax(x @ self.w, -1)", "x @ self.w"))
        truth = judge.call(precision="r64")[0]
        errors = [(judge.call(precision=name)[0].double() - truth).abs().max().item() for name in ("r32n", "r32", "r32n")]
        self.assertGreater(errors[0], 10 * errors[1])
        self.assertEqual(errors[0], errors[2])

    def test_guards_poison_and_counts(self):
        reference = self.built(REFERENCE.replace("torch.softmax(x @ self.w, -1)", "x * 2"))
        honest = self.other(TRITON.replace("LIMIT", "n"), reference)
        for memory in ("fresh", "guarded", "poisoned", "recycled"):
            record = self.record(honest, memory)
            self.assertTrue(torch.equal(record["leaves"][0]["value"], reference.native["input_leaves"][0] * 2), memory)
            self.assertEqual((record["guard_broken"], record["residency"]["launches"]), ([], 1), memory)
        self.assertEqual(self.record(honest, "guarded")["residency"]["aten_ops"], 0)
        beyond = self.other(TRITON.replace("LIMIT", "n + 1").replace("x.numel(), 256),", "x.numel() + 1, 256),"), reference)
        self.assertEqual(self.record(beyond, "guarded")["guard_broken"], ["output after"])
        short = self.other(TRITON.replace("LIMIT", "n - 5"), reference)
        self.record(short, "poisoned")
        tail = self.record(short, "poisoned")["leaves"][0]["value"].reshape(-1)[-5:]
        self.assertTrue(bool(tail.isnan().all()))
        host = self.other(HEAD + "class ModelNew(nn.Module):\n    def forward(self, x): return (x.cpu() * 2).cuda()\n", reference)
        self.assertEqual(self.record(host, "guarded")["residency"]["host_copies"], 1)

    def test_the_bridge_to_the_driver_is_built_once_for_all(self):
        files = triton_warm.prepare()
        self.assertTrue(any("cuda_utils" in path for path in files), files.keys())
        with tempfile.TemporaryDirectory() as folder:
            triton_warm.lay(files, folder)
            before = sorted(os.listdir(folder))
            code = "import os, triton; from triton.backends.nvidia.driver import CudaUtils; CudaUtils()"
            subprocess.run([sys.executable, "-c", code], env=dict(os.environ, TRITON_CACHE_DIR=folder, CC="/bin/false"), check=True)
            self.assertEqual(sorted(os.listdir(folder)), before)

    def test_a_workspace_of_its_own_size_is_poisoned(self):
        judge = self.other(WORKSPACE, self.built(REFERENCE.replace("torch.softmax(x @ self.w, -1)", "x * 2")))
        values = [self.record(judge, memory)["leaves"][0]["value"] for memory in ("poisoned", "recycled")]
        self.assertTrue(bool(torch.isnan(values[0]).all()))
        self.assertTrue(bool(torch.isfinite(values[1]).all()))

    def test_an_autotuner_compiles_one_configuration_a_size_and_three_in_all(self):
        reference = self.built(REFERENCE.replace("torch.softmax(x @ self.w, -1)", "x * 2"))
        judge = self.other(TUNED, reference)
        self.record(judge)
        self.assertEqual(len(judge.ask("resources", instance=0, blackwell=False)[0]["kernels"]), 1)
        for number, rows in enumerate((3, 5, 7, 9), start=2):
            judge.put(number, [torch.randn(rows, 512)])
            made = judge.run([{"do": "input", "as": "a", "stimulus": number}, CALL])[1]
            self.assertNotIn("failure", made)
        self.assertIn(len(judge.ask("resources", instance=0, blackwell=False)[0]["kernels"]), (2, 3))

    def test_kernels_compiled_at_run_time_are_launches_with_evidence(self):
        judge = self.other(SINGLE, self.built())
        self.assertEqual(self.record(judge)["residency"]["launches"], 1)
        build = judge.ask("resources", instance=0, blackwell=True)[0]["builds"][0]
        self.assertEqual([made["outcome"] for made in build["device"] + build["blackwell"]], ["compiled", "compiled"])

    def test_an_asynchronous_error_is_a_failure_of_its_call(self):
        reference = self.built(REFERENCE.replace("torch.softmax(x @ self.w, -1)", "x * 2"))
        wild = self.other(TRITON.replace("LIMIT", "n").replace("tl.store(o + at", "tl.store(o + at + (1 << 45)"), reference)
        with self.assertRaises(Failed) as caught:
            wild.call()
        self.assertEqual((caught.exception.failure["kind"], caught.exception.failure["launched"]), ("raised", True))
        self.assertIn("CUDA", caught.exception.failure["message"])
        self.assertTrue(torch.equal(reference.call()[0], reference.native["input_leaves"][0] * 2))

    def test_hello(self):
        judge = support.Judge()
        self.addCleanup(judge.close)
        about = judge.ask("hello", device="cuda:0")[0]
        self.assertEqual(len(about["device"]["capability"]), 2)
        self.assertIsNotNone(about["versions"]["cuda"])


if __name__ == "__main__":
    unittest.main()
