# SPDX-License-Identifier: Apache-2.0
"""The fp64 oracle, condition scales, extents and what the source shows."""

import unittest

import support
import torch
from assay_worker import source_traits

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def task(forward, inputs="torch.randn(16, 64)", init="pass"):
    return HEAD + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        %s\n    def forward(self, x):\n%s\n" \
        "def get_inputs():\n    return [%s]\n" % (init, "".join("        %s\n" % line for line in forward.split("\n")), inputs)


class OracleTest(support.PartyTest):
    def built(self, *arguments):
        judge = self.reference(task(*arguments))
        judge.native = judge.build()
        judge.put(1, judge.native["input_leaves"])
        return judge


class Oracle(OracleTest):
    def test_casts_widen(self):
        for forward in ("return x.half().float().sum(1)", "return x.to(torch.bfloat16).sum(1)", "return x.sum(1, dtype=torch.float32)",
                        "return x.type(torch.float16).sum(1)", "return torch.zeros(16).to(x.dtype) + x.float().sum(1)",
                        "return F.softmax(x, -1, dtype=torch.float32).sum(1) * 0 + x.sum(1)", "return x.bfloat16().double().sum(1).type_as(x)",
                        "return x.to(dtype=torch.float16, copy=True).sum(1)", "return torch.ones(64, dtype=torch.float16) @ x.t().half()",
                        "return (x @ torch.tensor([[1.0]] * 64, dtype=torch.float32))[:, 0]"):
            judge = self.built(forward)
            value = judge.call(precision="r64")[0]
            self.assertIs(value.dtype, torch.float64, forward)
            truth = judge.native["input_leaves"][0].double().sum(1)
            self.assertLess((value - truth).abs().max().item(), 1e-12, forward)

    def test_integers_and_flags_stay(self):
        judge = self.built("return x.argmax(1), (x > 0), x.long(), x.to(torch.int32), torch.arange(4), (x > 0).float()")
        kinds = [leaf.dtype for leaf in judge.call(precision="r64")]
        self.assertEqual(kinds, [torch.int64, torch.bool, torch.int64, torch.int32, torch.int64, torch.float64])

    def test_plain_tensors_of_the_module_widen(self):
        judge = self.built("return x @ self.table[0]['w']", "torch.randn(16, 64)", "self.table = [{'w': torch.randn(64, 8)}]")
        self.assertIs(judge.call(precision="r64")[0].dtype, torch.float64)
        self.assertIs(judge.call()[0].dtype, torch.float32)

    def test_the_default_dtype_comes_back(self):
        judge = self.built("return x + torch.zeros(64).to(torch.get_default_dtype())")
        self.assertIs(judge.call(precision="r64")[0].dtype, torch.float64)
        self.assertIs(judge.call()[0].dtype, torch.float32)

    def test_half_inputs_are_taken_at_their_bits(self):
        judge = self.built("return x.float().sum(1).to(x.dtype)", "torch.rand(8, 64).half()")
        truth = judge.native["input_leaves"][0].double().sum(1)
        self.assertTrue(torch.equal(judge.call(precision="r64")[0], truth))
        self.assertIs(judge.call(precision="r32")[0].dtype, torch.float16)

    def test_candidates_have_no_oracle(self):
        judge = self.pair(task("return x"), task("return x").replace("Model", "ModelNew"))[1]
        with self.assertRaises(support.Failed):
            judge.call(precision="r64")


class Conditions(OracleTest):
    def test_a_sum_of_terms(self):
        judge = self.built("return x.sum(1)")
        x = judge.native["input_leaves"][0].double()
        scale = judge.condition(draws=64)[0]
        self.assertTrue(bool((scale <= x.abs().sum(1) * (1 + 1e-6)).all()))
        self.assertGreater((scale / x.abs().sum(1)).min().item(), 0.1)

    def test_parameters_count(self):
        judge = self.built("return x * 0 + self.w", "torch.randn(2, 4)", "self.w = nn.Parameter(torch.tensor([1.0, 2, 4, 8]))")
        self.assertTrue(torch.allclose(judge.condition()[0], torch.tensor([1.0, 2, 4, 8]).double().expand(2, 4), rtol=1e-6))
        self.assertTrue(torch.equal(judge.call()[0], torch.tensor([1.0, 2, 4, 8]).expand(2, 4)))

    def test_ties_of_indices_may_change(self):
        judge = self.built("return x.argmax(1)", "torch.zeros(8, 4)")
        self.assertTrue(bool((judge.condition()[0] > 0).any()))
        judge.put(2, [torch.eye(4)])
        self.assertEqual(judge.condition(2)[0].max().item(), 0)

    def test_values_that_are_not_finite(self):
        judge = self.built("return x.sum(1)")
        x = torch.ones(3, 64)
        x[0, 0], x[1, 0] = float("nan"), float("inf")
        judge.put(2, [x])
        scale = judge.condition(2)[0]
        self.assertEqual(scale[:2].tolist(), [0, 0])
        self.assertGreater(scale[2].item(), 0)

    def test_the_seed_decides(self):
        judge = self.built("return x.exp().sum(1)")
        self.assertTrue(torch.equal(judge.condition(seed=1)[0], judge.condition(seed=1)[0]))
        self.assertFalse(torch.equal(judge.condition(seed=1)[0], judge.condition(seed=2)[0]))

    def test_random_references_repeat_their_draws(self):
        judge = self.built("return F.dropout(x, 0.5, training=True)")
        self.assertLess(judge.condition()[0].max().item(), 100)


class Extents(OracleTest):
    def extent(self, *arguments):
        return self.built(*arguments).extent()

    def test_by_gradient(self):
        self.assertEqual(self.extent("return x.sum(1), x * x, x.sum(), x @ self.w", "torch.randn(16, 64)",
                                     "self.w = nn.Parameter(torch.randn(64, 8))"), [64, 1, 1024, 128])

    def test_without_gradient(self):
        found = self.extent("return x.argmax(1), torch.sign(x)", "torch.randn(16, 64)")
        self.assertTrue(24 <= found[0] <= 64, found)
        self.assertEqual(found[1], 1)

    def test_in_place_and_detached(self):
        self.assertEqual(self.extent("return F.relu(x, inplace=True)"), [1])
        found = self.extent("return x.detach().sum(1)")
        self.assertTrue(48 <= found[0] <= 64, found)

    def test_no_inputs_to_vary(self):
        self.assertEqual(self.extent("return x + 1", "torch.arange(4)"), [1])


class Traits(unittest.TestCase):
    def read(self, body):
        return {name for name, value in source_traits.read(
            "import torch\ndef get_inputs():\n    return [torch.randn(4).sort().float()]\nclass Model:\n    def forward(self, x):\n        %s\n"
            % body).items() if value}

    def test_each(self):
        self.assertEqual(self.read("return x * 2"), set())
        self.assertEqual(self.read("return torch.topk(x, 2)"), {"sorts"})
        self.assertEqual(self.read("return x.median()"), {"sorts"})
        self.assertEqual(self.read("return x.float()"), {"widens"})
        self.assertEqual(self.read("return x.sum(dtype=torch.float32)"), {"widens"})
        self.assertEqual(self.read("return x.half()"), set())
        self.assertEqual(self.read("return F.dropout(x)"), {"random"})
        self.assertEqual(self.read("return torch.rand_like(x)"), {"random"})
        self.assertEqual(self.read("x += 1; return x"), {"mutates"})
        self.assertEqual(self.read("x[0] = 1; return x"), {"mutates"})
        self.assertEqual(self.read("return x.relu_()"), {"mutates"})
        self.assertEqual(self.read("return F.relu(x, inplace=True)"), {"mutates"})
        self.assertEqual({value for value in source_traits.read("def (").values()}, {False})


if __name__ == "__main__":
    unittest.main()
