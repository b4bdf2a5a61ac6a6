# SPDX-License-Identifier: Apache-2.0
"""Conforming evaluations: they exist where they agree with the oracle, and they change the arithmetic."""

import unittest

import support
import torch
from assay_worker import conforming
from assay_worker.instance import Instance
from assay_worker.tensors import Leaf

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
ORDERS = ("reversed", "split", "permuted", "formulas")


def task(forward, inputs="torch.randn(16, 256)", init="pass"):
    return HEAD + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        %s\n    def forward(self, *a):\n" \
        "        x = a[0]\n        %s\ndef get_inputs():\n    return [%s]\n" % (init, forward, inputs)


class Picking(torch.nn.Module):
    def forward(self, scores, index):
        return scores.gather(1, index[:, None])


class AskingTheHostFirst(unittest.TestCase):
    def instance(self):
        made = Instance(Picking(), None, torch.device("cpu"), (), True)
        made.device = torch.device("meta")  # not the host; nothing here computes on it
        return made

    def refused(self, *tensors):
        return conforming._refused_on_host(self.instance(), [Leaf.of(tensor) for tensor in tensors])

    def test_an_index_out_of_range_is_refused_before_a_device_sees_it(self):
        self.assertFalse(self.refused(torch.randn(3, 5), torch.tensor([0, 4, 2])))
        self.assertTrue(self.refused(torch.randn(3, 5), torch.tensor([0, 5, 2])))

    def test_without_integers_nobody_is_asked(self):
        self.assertFalse(self.refused(torch.randn(3, 5), torch.randn(3)))  # which gather refuses

    def test_what_an_earlier_instance_had_is_kept(self):
        earlier = {"conforming": ["reversed", "batch_split", "host"], "outputs_require_grad": True}
        instance = self.instance()
        leaves = [Leaf.of(torch.randn(3, 5)), Leaf.of(torch.tensor([0, 5, 2]))]
        answer = conforming.examine(instance, leaves, earlier)
        self.assertEqual(answer, {"conforming": ["reversed", "host"], "outputs_require_grad": True})
        self.assertEqual(sorted(instance.conforming), ["host", "reversed"])


class Conforming(support.PartyTest):
    def built(self, *arguments):
        judge = self.reference(task(*arguments))
        judge.native = judge.build()
        judge.put(1, judge.native["input_leaves"])
        return judge

    def check(self, *arguments, orders=ORDERS, changes=1):
        """Every order exists, is close to the oracle, and at least `changes` of them differ from plain fp32 in some bit."""
        judge = self.built(*arguments)
        names = judge.native["conforming"]
        self.assertEqual([name for name in orders if name not in names], [], arguments[0])
        plain, truth = judge.call(precision="r32"), judge.call(precision="r64")
        changed = 0
        for name in names:
            found = judge.call(precision="conforming:" + name)
            self.assertEqual(len(found), len(truth))
            for value, exact, usual in zip(found, truth, plain):
                self.assertIs(value.dtype, usual.dtype)
                self.assertEqual(value.shape, usual.shape)
                if exact.numel():
                    error = (value.double() - exact).abs().max() / exact.abs().max()
                    self.assertLess(error.item(), 2e-5, (arguments[0], name))
            changed += any(not torch.equal(value, usual) for value, usual in zip(found, plain))
        self.assertGreaterEqual(changed, changes, arguments[0])
        return judge

    def test_reductions(self):
        for forward in ("return x.sum()", "return x.sum(1)", "return x.sum((0, 1), keepdim=True)", "return x.mean(dim=-1)", "return x.mean()",
                        "return x.var(1), x.std(), torch.var_mean(x, 1, unbiased=False)[0]", "return torch.std_mean(x, dim=1, keepdim=True)[0]",
                        "return x.norm(dim=1), torch.linalg.vector_norm(x), x.norm(p=1, dim=0)", "return torch.logsumexp(x, 1)",
                        "return x.cumsum(1), x.cumsum(0)", "return F.mse_loss(x, x * 0.9), F.smooth_l1_loss(x, x * 0.5)",
                        "return (1 + x * 0.01).prod(1), (1 + x * 0.001).prod()"):
            self.check(forward)

    def test_contractions(self):
        w = "self.w = nn.Parameter(torch.randn(256, 40)); self.fc = nn.Linear(256, 40)"
        for forward in ("return x @ self.w", "return self.fc(x)", "return F.linear(x, self.w.t())", "return x[0] @ self.w", "return x[0] @ x[1]",
                        "return torch.einsum('ij,jk->ik', x, self.w)", "return torch.bmm(x.view(4, 4, 256), self.w.expand(4, 256, 40))",
                        "return torch.addmm(self.w[:16, :40] * 0 + 1, x, self.w, beta=0.5, alpha=2)", "return self.fc(x.view(2, 8, 256))",
                        "return F.cross_entropy(x @ self.w, torch.arange(16))"):
            self.check(forward, "torch.randn(16, 256)", w)

    def test_normalisations_and_attention(self):
        self.check("return F.layer_norm(x, (256,))")
        self.check("return self.n(x)", "torch.randn(4, 8, 10, 10)", "self.n = nn.GroupNorm(2, 8)")
        self.check("return self.n(x)", "torch.randn(8, 64)", "self.n = nn.LayerNorm(64)")
        self.check("return self.n(x * 3 + 1)", "torch.randn(4, 8, 10, 10)", "self.n = nn.BatchNorm2d(8)", changes=0)
        self.check("return F.softmax(x, -1), F.log_softmax(x, 0)")
        self.check("return torch.softmax(x @ x.transpose(-1, -2) / 8, -1) @ x", "torch.randn(2, 3, 32, 64)")
        self.check("return self.m(x, x, x)[0]", "torch.randn(2, 8, 32)", "self.m = nn.MultiheadAttention(32, 4, batch_first=True)")

    def test_convolutions(self):
        for kind, shape in (("nn.Conv2d(8, 6, 3, padding=1)", "2, 8, 10, 10"), ("nn.Conv2d(8, 8, 3, groups=8)", "2, 8, 10, 10"),
                            ("nn.Conv1d(1, 4, 5, stride=2)", "3, 1, 40"), ("nn.ConvTranspose2d(8, 6, 3, stride=2)", "2, 8, 6, 6"),
                            ("nn.Conv3d(4, 5, 3, dilation=2, bias=False)", "1, 4, 8, 8, 8")):
            self.check("return self.c(x)", "torch.randn(%s)" % shape, "self.c = " + kind)

    def test_elementwise(self):
        for forward in ("return torch.sigmoid(x)", "return F.silu(x)", "return torch.tanh(x)", "return F.softplus(x)", "return x / (x.abs() + 0.3)",
                        "return torch.exp(x)", "return F.gelu(x)"):
            self.check(forward, orders=("formulas",))
        names = self.check("return F.relu(x)", orders=(), changes=0).native["conforming"]
        self.assertEqual(set(names) & set(ORDERS), set())

    def test_a_batch_is_split_only_where_its_entries_are_apart(self):
        self.assertIn("batch_split", self.built("return x.sum(1)").native["conforming"])
        self.assertNotIn("batch_split", self.built("return x.sum(0)").native["conforming"])
        self.assertNotIn("batch_split", self.built("return x - x.mean()").native["conforming"])
        split = self.built("return x.sum(1), {'y': a[1] * 2}", "torch.randn(5, 7), torch.randn(5)")
        self.assertIn("batch_split", split.native["conforming"])

    def test_large_instances_have_what_a_small_one_had(self):
        judge = self.reference(task("return x.sum(1)"))
        large = {"sizes": {"0": 40000}}
        self.assertEqual(judge.build(**large)["conforming"], [])
        small = judge.build()["conforming"]
        self.assertIn("split", small)
        self.assertEqual(judge.build(**large)["conforming"], small)

    def test_outputs_that_cancel(self):
        names = self.built("return F.group_norm(x, 2).mean((1, 2))", "torch.randn(4, 8, 33)").native["conforming"]
        self.assertEqual([name for name in ORDERS if name not in names], [])

    def test_code_that_needs_contiguous_inputs(self):
        names = self.built("return x.view(-1).sum()").native["conforming"]
        self.assertNotIn("layout", names)
        self.assertIn("reversed", names)

    def test_special_values_and_empty_batches(self):
        judge = self.built("return F.softmax(x, -1), x.sum(-1), x @ x.t()")
        special = torch.randn(16, 256)
        special[0, 3], special[1, 5], special[2] = float("nan"), float("inf"), float("-inf")
        judge.put(2, [special])
        judge.put(3, [torch.zeros(0, 256)])
        for name in judge.native["conforming"]:
            for stimulus in (2, 3):
                if name == "batch_split" and stimulus == 3:
                    continue
                usual = judge.call(stimulus, "r32")
                for value, expected in zip(judge.call(stimulus, "conforming:" + name), usual):
                    self.assertTrue(torch.equal(value.isnan(), expected.isnan()), (name, stimulus))

    def test_a_broken_reference_has_none(self):
        judge = self.reference(task("raise ValueError('no')"))
        self.assertEqual(judge.build()["conforming"], [])

    def test_gradients_are_reordered_too(self):
        judge = self.built("return x @ self.w", "torch.randn(64, 256)", "self.w = nn.Parameter(torch.randn(256, 40))")
        judge.put(2, [torch.randn(64, 40)])
        steps = [{"do": "input", "as": "a", "stimulus": 1}, {"do": "vjp", "input": "a", "stimulus": 2}]
        usual, truth, found = (judge.run(steps, name)[1]["state_grads"]["w"] for name in ("r32", "r64", "conforming:permuted"))
        self.assertFalse(torch.equal(usual, found))
        self.assertLess(((found.double() - truth).abs().max() / truth.abs().max()).item(), 1e-6)

    def test_they_leave_the_module_alone(self):
        judge = self.built("self.n += 1; return x.sum(1) + self.n", "torch.randn(4, 8)", "self.n = 0")
        self.assertTrue(torch.allclose(judge.call()[0], judge.native["input_leaves"][0].sum(1) + 1))


if __name__ == "__main__":
    unittest.main()
