# SPDX-License-Identifier: Apache-2.0
"""Parameters and buffers: what runs start from, how they change, what is put back."""

import unittest

import support
import torch
from assay_worker.channel import ArenaWriter
from assay_worker.copying import copied

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
CALL = {"do": "call", "input": "a"}
INPUT = {"do": "input", "as": "a", "stimulus": 1}

NORMED = HEAD + """
class %s(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 3)
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), persistent=False)
    def forward(self, x):
        self.calls = self.calls + 1
        return self.norm(self.fc(x))
def get_inputs():
    return [torch.randn(8, 4)]
def get_init_inputs():
    return [4]
"""


class Closing(torch.nn.Module):
    """Calls itself through functions that it keeps."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((3,), 2.0))
        weight, scaled, unused = self.weight, self.scaled, 5
        self.direct = lambda x: x * weight
        self.bound = lambda x, *, shift=0: scaled(x) + shift
        self.nested = lambda x: (lambda y: self.bound(y, shift=1))(x)
        self.free = lambda x: x * unused

    def scaled(self, x):
        return x * self.weight


class Copies(unittest.TestCase):
    def test_functions_that_a_module_keeps_follow_its_copy(self):
        module = Closing()
        twin = copied(module).to(torch.float64)
        for name, right in (("direct", 2), ("bound", 2), ("nested", 3)):
            self.assertIs(getattr(twin, name)(torch.ones(3)).dtype, torch.float64, name)
            self.assertEqual(getattr(module, name)(torch.ones(3)).tolist(), [right] * 3, name)
            self.assertIs(getattr(module, name)(torch.ones(3)).dtype, torch.float32, name)
        self.assertIs(twin.free, module.free)

    @unittest.skipUnless(hasattr(torch, "compile"), "torch has no compiler")
    def test_a_compiled_method_follows_the_copy(self):
        module = Closing()
        module.compiled = torch.compile(module.scaled, backend="eager")
        twin = copied(module).to(torch.float64)
        self.assertIs(twin.compiled(torch.ones(3)).dtype, torch.float64)
        self.assertIs(module.compiled(torch.ones(3)).dtype, torch.float32)


class State(support.PartyTest):
    def setUp(self):
        self.judge, self.other, self.built = self.pair(NORMED % "Model", NORMED % "ModelNew")

    def test_description(self):
        about = {entry["name"]: (entry["kind"], entry["requires_grad"], entry["persistent"]) for entry in self.built["state_described"]}
        self.assertEqual(about["fc.weight"], ("parameter", True, True))
        self.assertEqual(about["norm.running_mean"], ("buffer", False, True))
        self.assertEqual(about["calls"], ("buffer", False, False))
        self.assertEqual(self.built["init"], {"list": [{"value": 4}]})
        self.assertTrue(self.built["outputs_require_grad"])

    def test_the_same_seed_gives_the_same_parameters(self):
        again = self.other.build_like(self.built)
        for name, value in self.built["state"].items():
            self.assertTrue(torch.equal(value, again[name]), name)
        other = self.other.build_like(self.built, seed=8)
        self.assertFalse(torch.equal(self.built["state"]["fc.weight"], other["fc.weight"]))

    def test_values_of_the_judge(self):
        for judge in (self.judge, self.other):
            judge.state({"fc.weight": torch.zeros(3, 4), "fc.bias": torch.tensor([1.0, 2, 3])})
            self.assertTrue(torch.allclose(judge.call()[0], torch.tensor([1.0, 2, 3]).expand(8, 3), rtol=1e-4))
        for precision in ("r64", "r32", "conforming:reversed"):
            self.assertTrue(torch.allclose(self.judge.call(precision=precision)[0].float(),
                                           torch.tensor([1.0, 2, 3]).expand(8, 3), rtol=1e-4), precision)

    def test_unknown_names_and_other_shapes(self):
        with self.assertRaises(support.Failed) as caught:
            self.other.state({"fc.scale": torch.zeros(1)})
        self.assertIn("fc.scale", caught.exception.failure["message"])
        with self.assertRaises(support.Failed):
            self.other.state({"fc.bias": torch.zeros(4)})

    def test_every_run_starts_from_the_same_state(self):
        train = [{"do": "train", "on": True}, INPUT, dict(CALL, times=3, state_after=True)]
        first = self.judge.run(train)[2]["calls"]
        second = self.judge.run(train)[2]["calls"]
        for one, other in zip(first, second):
            for name, value in one["state_after"].items():
                self.assertTrue(torch.equal(value, other["state_after"][name]), name)
        self.assertEqual([call["state_after"]["calls"].item() for call in first], [1, 2, 3])
        self.assertEqual([call["state_after"]["norm.num_batches_tracked"].item() for call in first], [1, 2, 3])

    def test_state_within_a_run_and_restore(self):
        for how in ("in_place", "load_state_dict"):
            writer = ArenaWriter()
            values = support.named({"fc.weight": torch.zeros(3, 4), "fc.bias": torch.zeros(3)}, writer)
            result = self.other.run([INPUT, CALL, {"do": "state", "values": values, "how": how}, CALL, {"do": "restore"}, CALL],
                                    writer=writer)
            before, changed, restored = (result[n]["calls"][0]["leaves"][0]["value"] for n in (1, 3, 5))
            self.assertEqual(changed.abs().max().item(), 0, how)
            self.assertTrue(torch.equal(before, restored), how)

    def test_a_packed_copy_of_weights_shows(self):
        packed = NORMED % "ModelNew" + """
class ModelNew(ModelNew):
    packed = None
    def forward(self, x):
        if self.packed is None: self.packed = self.fc.weight.detach().clone()
        return F.linear(x, self.packed, self.fc.bias)
"""
        judge = self.candidate(packed, self.built)
        judge.put(1, self.built["input_leaves"])
        writer = ArenaWriter()
        values = support.named({"fc.weight": torch.zeros(3, 4)}, writer)
        result = judge.run([INPUT, CALL, {"do": "state", "values": values}, CALL], writer=writer)
        self.assertTrue(torch.equal(result[1]["calls"][0]["leaves"][0]["value"], result[3]["calls"][0]["leaves"][0]["value"]))

    def test_rebound_resized_and_mutated_parameters_come_back(self):
        rough = NORMED % "ModelNew" + """
class ModelNew(ModelNew):
    def forward(self, x):
        y = self.fc(x)
        self.fc.weight.data.zero_()
        self.fc.bias.data = torch.ones(5)
        self.fc.weight = nn.Parameter(torch.ones(3, 4))
        return y
"""
        judge = self.candidate(rough, self.built)
        judge.put(1, self.built["input_leaves"])
        first = judge.call()[0]
        self.assertTrue(torch.equal(first, judge.call()[0]))
        self.assertGreater(first.abs().max().item(), 0)

    def test_a_candidate_that_is_no_module(self):
        judge = self.candidate("class ModelNew:\n    def __init__(self, n): self.n = n\n    def __call__(self, x): return x * self.n\n",
                               self.built)
        judge.put(1, self.built["input_leaves"])
        self.assertTrue(torch.equal(judge.call()[0], self.built["input_leaves"][0] * 4))

    def test_half_precisions(self):
        for judge in (self.judge, self.other):
            self.assertIs(judge.call(precision="bfloat16")[0].dtype, torch.bfloat16)
            self.assertEqual(str(self.other.call()[0].dtype), "torch.float32")


if __name__ == "__main__":
    unittest.main()
