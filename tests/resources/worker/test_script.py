# SPDX-License-Identifier: Apache-2.0
"""The steps of `run`, against code that does what each step is there to show."""

import gc
import math
import sys
import types
import unittest
import weakref

import support
import torch
from assay_worker import poison, residency, settings
from assay_worker.channel import ArenaWriter
from assay_worker.instance import Instance
from assay_worker.script import Script
from assay_worker.tensors import Leaf
from support import Failed

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
REFERENCE = HEAD + """
class Model(nn.Module):
    def forward(self, x):
        return x * 2
def get_inputs():
    return [torch.arange(12.0).reshape(3, 4)]
"""


def candidate(body, init="pass"):
    return HEAD + "class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n        %s\n    def forward(self, x):\n" \
        % init + "".join("        %s\n" % line for line in body.split("\n"))


def steps(*more, memory="fresh"):
    return [{"do": "input", "as": "a", "stimulus": 1, "memory": memory}] + list(more)


CALL = {"do": "call", "input": "a"}


class Calls(support.PartyTest):
    def made(self, body, init="pass"):
        return self.pair(REFERENCE, candidate(body, init))[1]

    def record(self, judge, memory="fresh", **fields):
        result = judge.run(steps(dict(CALL, **fields), memory=memory))[1]
        if "failure" in result:
            raise Failed(result["failure"])
        return result["calls"][0]

    def test_values_layout_and_kind(self):
        record = self.record(self.made("return x.t(), {'n': 3, 'b': True}, None"))
        first, number, flag = record["leaves"]
        self.assertEqual(first["value"].tolist(), torch.arange(12.0).reshape(3, 4).t().tolist())
        self.assertEqual(first["layout"], [1, 4])
        self.assertEqual(first["device"], "cpu")
        self.assertFalse(first["python"])
        self.assertEqual((number["value"].item(), number["dtype"], number["python"]), (3, "int64", True))
        self.assertEqual((flag["dtype"], flag["python"]), ("bool", True))
        self.assertEqual(record["outputs"], {"tuple": [{"tensor": 0}, {"dict": [["n", {"tensor": 1}], ["b", {"tensor": 2}]]},
                                                       {"none": True}]})

    def test_an_output_that_is_its_input_shares_its_storage(self):
        record = self.record(self.made("return x, x[1:], x + 1"))
        first, part, other = (leaf["storage"] for leaf in record["leaves"])
        self.assertEqual(record["input_storages"], [first])
        self.assertEqual(part, first)
        self.assertNotEqual(other, first)

    def test_one_buffer_for_all_outputs(self):
        judge = self.made("self.out.copy_(x)\nreturn self.out", "self.out = torch.zeros(3, 4)")
        result = judge.run(steps(dict(CALL, keep="y1"), {"do": "input", "as": "b", "stimulus": 1},
                                 {"do": "call", "input": "b", "keep": "y2"}))
        self.assertEqual(result[1]["calls"][0]["leaves"][0]["storage"], result[3]["calls"][0]["leaves"][0]["storage"])

    def test_live_outputs_of_honest_code_share_nothing(self):
        result = self.made("return x * 2").run(steps(dict(CALL, keep="y", times=5), {"do": "read", "kept": "y"}))
        numbers = [call["leaves"][0]["storage"] for call in result[1]["calls"]]
        self.assertEqual(len(set(numbers)), 5)
        self.assertEqual([call["leaves"][0]["storage"] for call in result[2]["calls"]], numbers)

    def test_memory_that_nobody_keeps_is_not_sharing(self):
        result = self.made("return x * 2").run(steps(CALL, CALL, CALL))
        numbers = [step["calls"][0]["leaves"][0]["storage"] for step in result[1:]]
        self.assertEqual(len(set(numbers)), 3)

    def test_a_kept_output_shows_what_happened_to_it(self):
        judge = self.made("self.out.copy_(x)\nself.out += self.n\nself.n += 1\nreturn self.out",
                          "self.out = torch.zeros(3, 4); self.n = 0")
        result = judge.run(steps(dict(CALL, keep="y"), CALL, {"do": "read", "kept": "y"}))
        self.assertEqual(result[1]["calls"][0]["leaves"][0]["value"][0, 0].item(), 0)
        self.assertEqual(result[3]["calls"][0]["leaves"][0]["value"][0, 0].item(), 1)

    def test_fresh_inputs_hide_mutation_and_shared_ones_show_it(self):
        judge = self.made("x.add_(1)\nreturn x * 1")
        result = judge.run(steps(dict(CALL, times=2, inputs_after=True), dict(CALL, times=2, fresh=False, inputs_after=True)))
        self.assertEqual([call["inputs_after"][0][0, 0].item() for call in result[1]["calls"]], [1, 1])
        self.assertEqual([call["inputs_after"][0][0, 0].item() for call in result[2]["calls"]], [1, 2])

    def test_refill_writes_into_the_same_storage(self):
        judge = self.made("key = x.data_ptr()\nif key not in self.memo:\n    self.memo[key] = x * 2\nreturn self.memo[key]",
                          "self.memo = {}")
        judge.put(2, [torch.ones(3, 4)])
        result = judge.run(steps(dict(CALL, fresh=False), {"do": "refill", "input": "a", "stimulus": 2}, dict(CALL, fresh=False)))
        self.assertEqual(result[3]["calls"][0]["leaves"][0]["value"][0, 1].item(), 2)
        honest = self.made("return x * 2")
        honest.put(2, [torch.full((3, 4), 5.0)])
        result = honest.run(steps(dict(CALL, fresh=False), {"do": "refill", "input": "a", "stimulus": 2}, dict(CALL, fresh=False)))
        self.assertEqual(result[3]["calls"][0]["leaves"][0]["value"].unique().tolist(), [10])

    def test_unwritten_memory_shows_poison(self):
        for shape in ("x.shape", "(700, 700)"):
            judge = self.made("y = torch.empty(%s)\nreturn y" % shape)
            self.record(judge, "poisoned")  # tells the sizes of outputs
            value = self.record(judge, "poisoned")["leaves"][0]["value"]
            # All but what the C library notes down in the first bytes of a small free block.
            shown = value.isnan() | (value.abs() > 1e38)
            self.assertTrue(bool(shown.reshape(-1)[4:].all()), shape)

    def test_what_is_allocated_unwritten_is_poisoned(self):
        with poison.Factories():
            made = [torch.empty(5), torch.zeros(3).new_empty(4), torch.empty_like(torch.zeros(2, 3)),
                    torch.empty(6, dtype=torch.int64), torch.empty_strided((2, 2), (3, 1))]
            written = [torch.zeros(5), torch.ones(2), torch.full((3,), 7.0)]
        self.assertTrue(all(bool((value != value).all()) for value in made if value.is_floating_point()))
        self.assertTrue(bool((made[3] == -1).all()))
        self.assertEqual([value.sum().item() for value in written], [0, 2, 21])
        with poison.Factories(plausible=True):
            made = [torch.empty(3, dtype=dtype) for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64)]
        self.assertTrue(all(1e-4 < value.min().item() <= value.max().item() < 2 for value in made))

    def test_poison_leaves_honest_code_alone(self):
        judge = self.made("y = torch.empty_like(x)\ny.copy_(x * 2)\nreturn y")
        self.assertEqual(self.record(judge, "poisoned")["leaves"][0]["value"].tolist(), (torch.arange(12.0) * 2).reshape(3, 4).tolist())

    def test_recycled_memory_holds_earlier_outputs(self):
        judge = self.pair(REFERENCE.replace("12.0).reshape(3, 4)", "40000.0).reshape(200, 200)"), candidate(
            "self.n += 1\nreturn x * 2 if self.n == 1 else torch.empty(x.shape)", "self.n = 0"))[1]
        result = judge.run([{"do": "input", "as": "a", "stimulus": 1, "memory": "recycled"}, CALL, CALL])
        first, second = (step["calls"][0]["leaves"][0]["value"] for step in result[1:])
        # The allocator keeps its own notes in the first bytes of a free block.
        self.assertGreater((first == second).double().mean().item(), 0.99)

    def test_guard_bands_around_inputs_and_outputs(self):
        write = "t = torch.as_strided(%s, (%d,), (1,), %s)\nt[%d] = 7\nreturn y"
        for body, found in (
                ("y = x * 2\n" + write % ("x", 13, "x.storage_offset()", 12), ["input 0 after"]),
                ("y = x * 2\n" + write % ("x", 13, "x.storage_offset() - 1", 0), ["input 0 before"]),
                ("y = torch.empty_like(x)\ny.copy_(x)\n" + write % ("y", 13, "y.storage_offset()", 12), ["output after"]),
                ("y = x * 2\ns = x.new_zeros(5)\n" + write % ("s", 6, "s.storage_offset() - 1", 0), ["scratch before"]),
                ("y = torch.zeros(3, 4)\ny += x\nreturn y", [])):
            self.assertEqual(self.record(self.made(body), "guarded")["guard_broken"], found, body)

    def test_reading_past_the_end_of_a_guarded_input_gives_nan(self):
        judge = self.made("return torch.as_strided(x, (13,), (1,), x.storage_offset())")
        self.assertTrue(math.isnan(self.record(judge, "guarded")["leaves"][0]["value"][12].item()))

    def test_layouts_of_inputs_arrive(self):
        judge = self.made("return torch.tensor(x.stride()), x.clone()")
        for tensor in (torch.arange(12.0).reshape(3, 4).t(), torch.zeros(3, 8)[:, ::2], torch.ones(1, 4).expand(3, 4)):
            for memory in ("fresh", "guarded", "poisoned"):
                judge.put(2, [tensor])
                leaves = judge.run([{"do": "input", "as": "a", "stimulus": 2, "memory": memory}, CALL])[1]["calls"][0]["leaves"]
                self.assertEqual(tuple(leaves[0]["value"].tolist()), tensor.stride())
                self.assertTrue(torch.equal(leaves[1]["value"], tensor))

    def test_seeds(self):
        judge = self.made("return torch.rand(4)")
        seed = {"do": "seed", "value": 5}
        values = [step["calls"][0]["leaves"][0]["value"] for step in judge.run(steps(seed, CALL, CALL, seed, CALL)) if "calls" in step]
        self.assertTrue(torch.equal(values[0], values[2]))
        self.assertFalse(torch.equal(values[0], values[1]))

    def test_eval_is_the_default(self):
        judge = self.made("return torch.tensor(self.training)")
        values = [step["calls"][0]["leaves"][0]["value"].item()
                  for step in judge.run(steps(CALL, {"do": "train", "on": True}, CALL)) if "calls" in step]
        self.assertEqual(values, [False, True])
        self.assertFalse(self.record(judge)["leaves"][0]["value"].item())

    def test_residency(self):
        judge = self.made("return F.silu(x.view(-1)).view(3, 4).contiguous()")
        counted = self.record(judge, residency=True)["residency"]
        self.assertEqual((counted["counted"], counted["aten_ops"], counted["ops"]), (True, 1, ["silu"]))
        self.assertFalse(self.record(judge)["residency"]["counted"])
        nothing = self.record(self.made("return x.clone()"), residency=True)["residency"]
        self.assertEqual((nothing["aten_ops"], nothing["launches"]), (0, 0))

    def rounding(self, call, rounds_on="cpu"):
        with residency.Counter(rounds_on=rounds_on) as counter, torch.no_grad():
            call()
        return list(counter.rounding)

    def test_what_may_round_to_tf32_follows_the_settings(self):
        image, matrix = torch.ones(1, 2, 5, 5), torch.ones(4, 4)
        products = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        was = settings.tf32()
        try:
            settings.write_tf32({"matmul": False, "cudnn": True})  # as torch starts
            self.assertIn("convolution", self.rounding(lambda: torch.nn.Conv2d(2, 3, 3)(image)))
            self.assertIn("convolution", self.rounding(lambda: torch.nn.ConvTranspose2d(2, 3, 3)(image)))
            self.assertEqual(self.rounding(lambda: products(matrix) @ matrix), [])
            self.assertEqual(self.rounding(lambda: torch.nn.Conv2d(2, 3, 3)(image), rounds_on="cuda"), [])
            self.assertEqual(self.rounding(lambda: torch.nn.Conv2d(2, 3, 3).double()(image.double())), [])
            settings.write_tf32({"matmul": True, "cudnn": False})
            self.assertEqual(self.rounding(lambda: torch.nn.Conv2d(2, 3, 3)(image)), [])
            self.assertEqual(self.rounding(lambda: torch.relu(matrix).sum()), [])
            self.assertEqual(sorted(self.rounding(lambda: products(matrix) @ matrix)), ["addmm", "mm"])
            self.assertEqual(self.rounding(lambda: torch.ones(2, 3, 4) @ torch.ones(2, 4, 3)), ["bmm"])
        finally:
            settings.write_tf32(was)

    def test_calls_into_built_extensions_count(self):
        built = types.ModuleType("built")
        built.double = lambda x: x * 2
        launches = residency.OwnLaunches()
        made = launches.counted(lambda name: built)("built")
        self.assertEqual(made.double(4), 8)
        self.assertEqual((launches.count, launches.own), (1, 1))

    def test_kernels_of_torchs_compiler_are_no_own_ones(self):
        launches = residency.OwnLaunches()
        launcher = {"__name__": "torch._inductor.runtime.triton_heuristics"}
        exec("def run(hook):\n    hook('a kernel')\n", launcher)
        launcher["run"](launches._launched)
        self.assertEqual((launches.count, launches.own), (1, 0))
        launches._launched("a kernel")
        self.assertEqual((launches.count, launches.own), (2, 1))


class Failures(support.PartyTest):
    def failure(self, body, **fields):
        judge = self.pair(REFERENCE, candidate(body))[1]
        result = judge.run(steps(dict(CALL, **fields), CALL))
        self.assertIn("failure", result[1])
        return result[1]["failure"]

    def test_what_was_raised(self):
        failure = self.failure("raise ValueError('expected 4 dimensions')")
        self.assertEqual((failure["kind"], failure["type"], failure["message"], failure["where"]),
                         ("raised", "ValueError", "expected 4 dimensions", "call"))
        self.assertIn("line", failure["traceback"])

    def test_whether_anything_had_begun(self):
        self.assertFalse(self.failure("raise ValueError('x')")["launched"])
        self.assertFalse(self.failure("x = x.view(-1)\nassert x.dtype == torch.float16")["launched"])
        self.assertTrue(self.failure("y = x + 1\nraise ValueError('x')")["launched"])

    def test_leaving_is_a_failure(self):
        self.assertEqual(self.failure("import sys\nsys.exit(0)")["type"], "SystemExit")

    def test_values_that_cannot_cross(self):
        self.assertEqual(self.failure("return object()")["kind"], "unsupported_value")
        self.assertEqual(self.failure("return torch.eye(2).to_sparse()")["kind"], "unsupported_value")

    def test_memory(self):
        self.assertEqual(self.failure("return torch.empty(1 << 60)")["kind"], "out_of_memory")

    def test_the_script_goes_on(self):
        judge = self.pair(REFERENCE, candidate("self.n += 1\nif self.n == 1: raise ValueError\nreturn x", "self.n = 0"))[1]
        result = judge.run(steps(dict(CALL, fresh=True), CALL))
        self.assertIn("failure", result[1])
        self.assertIn("calls", result[2])

    def test_load_and_build(self):
        for source, kind, op in (("def f(:", "raised", "load"), ("x = 1", "no_entry", "load")):
            judge = support.Judge()
            self.addCleanup(judge.close)
            with self.assertRaises(Failed) as caught:
                judge.load(source, "ModelNew")
            self.assertEqual((caught.exception.failure["kind"], caught.exception.failure["where"]), (kind, op))
        with self.assertRaises(Failed) as caught:
            self.pair(REFERENCE, candidate("return x", "raise OSError('no compiler')"))
        self.assertEqual((caught.exception.failure["type"], caught.exception.failure["where"]), ("OSError", "build"))

    def test_a_replaced_torch_changes_nothing_that_crosses(self):
        patch = "\n".join("torch.Tensor.%s = lambda self, *a, **k: torch.zeros(3, 4)" % name
                          for name in ("contiguous", "clone", "cpu", "to", "detach", "numpy", "data_ptr"))
        patch += "\ntorch.equal = torch.allclose = lambda *a, **k: True\n"
        judge = self.pair(REFERENCE, candidate("return x * 0 + 7") + patch)[1]
        self.assertEqual(judge.call()[0].unique().tolist(), [7])

    def test_lazy_tensors_are_refused(self):
        source = HEAD + """
class Lazy(torch.Tensor):
    @staticmethod
    def __new__(cls, held):
        return torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype)
    def __init__(self, held): self.held = held
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return torch.ones(3, 4)
class ModelNew(nn.Module):
    def forward(self, x): return Lazy(x)
"""
        judge = self.pair(REFERENCE, source)[1]
        with self.assertRaises(Failed) as caught:
            judge.call()
        self.assertEqual(caught.exception.failure["kind"], "unsupported_value")


class Memory(unittest.TestCase):
    def test_a_script_gives_its_tensors_back_when_it_ends(self):
        module = Instance(torch.nn.Identity(), None, torch.device("cpu"), (), False)
        leaf = Leaf.of(torch.arange(12.0).reshape(3, 4))
        writer = ArenaWriter()
        self.addCleanup(writer.close)
        self.addCleanup(gc.enable)
        gc.disable()  # nobody waits for the collector
        for memory in ("fresh", "poisoned", "guarded", "recycled"):
            script = Script(module, "native", {1: [leaf]}, None, writer, residency.OwnLaunches())
            results = script.run(steps(dict(CALL, keep="y"), {"do": "read", "kept": "y"}, memory=memory))
            self.assertEqual([result for result in results if "failure" in result], [], memory)
            gone = weakref.ref(script)
            del script, results
            self.assertIsNone(gone(), memory)


class Watching(unittest.TestCase):
    def test_code_that_torch_compiled_is_not_watched(self):
        kept = sys.modules.pop("torch._dynamo.utils", None)
        self.addCleanup(lambda: sys.modules.pop("torch._dynamo.utils", None) if kept is None
                        else sys.modules.__setitem__("torch._dynamo.utils", kept))
        self.assertTrue(poison.may_watch())
        sys.modules["torch._dynamo.utils"] = types.SimpleNamespace(counters={"frames": {}})
        self.assertTrue(poison.may_watch())
        sys.modules["torch._dynamo.utils"].counters["frames"]["total"] = 1
        self.assertFalse(poison.may_watch())


if __name__ == "__main__":
    unittest.main()
