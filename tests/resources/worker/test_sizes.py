# SPDX-License-Identifier: Apache-2.0
"""Sizes: found in tensor factories and constructor arguments, linked by asking the reference, rewritten by build."""

import unittest

import support
from support import Failed

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def task(forward, inputs, init="", arguments="", values="[]", before=""):
    return HEAD + before + """
class Model(nn.Module):
    def __init__(self%s):
        super().__init__()
        %s
    def forward(self, %s
def get_inputs():
    return [%s]
def get_init_inputs():
    return %s
""" % (arguments, init or "pass", forward, inputs, values)


class Slots(support.PartyTest):
    def found(self, source):
        """[(native, uses, where, in parameters)] in order."""
        self.judge = self.reference(source)
        return [(slot["native"], [use["argument"] for use in slot["uses"]], slot["where"], slot["in_parameters"])
                for slot in self.judge.slots]

    def shapes(self, **fields):
        return [tuple(leaf.shape) for leaf in self.judge.build(**fields)["input_leaves"]]

    def test_independent_dimensions_of_one_value(self):
        slots = self.found(task("x): return x.exp()", "torch.randn(16, 16)"))
        self.assertEqual([slot[1] for slot in slots], [["dim 0 of randn"], ["dim 1 of randn"]])
        self.assertEqual(self.shapes(), [(16, 16)])
        self.assertEqual(self.shapes(sizes={"1": 5}), [(16, 5)])
        self.assertEqual(self.shapes(sizes={"0": 1, "1": 0}), [(1, 0)])

    def test_inputs_that_have_to_agree(self):
        slots = self.found(task("x, y): return x + y", "torch.rand(8, 32), torch.rand(8, 32)"))
        self.assertEqual([len(slot[1]) for slot in slots], [2, 2])
        self.assertEqual(self.shapes(sizes={"0": 3}), [(3, 32), (3, 32)])
        self.assertEqual(self.shapes(uses={"1.1": 33}), [(8, 32), (8, 33)])

    def test_equal_values_are_told_apart_by_asking(self):
        slots = self.found(task("s, m): return s.masked_fill(m == 0, -1)", "torch.randn(4, 64, 64), torch.tril(torch.ones(64, 64))"))
        self.assertEqual([slot[1] for slot in slots],
                         [["dim 0 of randn"], ["dim 1 of randn", "dim 0 of ones"], ["dim 2 of randn", "dim 1 of ones"]])
        self.assertEqual(self.shapes(sizes={"2": 10}), [(4, 64, 10), (64, 10)])

    def test_constants_of_the_module(self):
        slots = self.found(task("x): return x * 2", "torch.randn(batch, dim)", before="batch = 8\ndim = 24\n"))
        self.assertEqual([slot[0] for slot in slots], [8, 24])
        self.assertEqual(self.shapes(sizes={"0": 9, "1": 25}), [(9, 25)])

    def test_constructor_arguments_belong_to_the_inputs_that_need_them(self):
        slots = self.found(task("x): return self.fc(x)", "torch.randn(16, 32)", "self.fc = nn.Linear(i, o)", ", i, o", "[32, 10]"))
        self.assertEqual(slots, [(16, ["dim 0 of randn"], "inputs", False),
                                 (32, ["dim 1 of randn", "value 0"], "both", True),
                                 (10, ["value 1"], "init", True)])
        built = self.judge.build(sizes={"1": 7, "2": 3})
        self.assertEqual(tuple(built["state"]["fc.weight"].shape), (3, 7))
        self.assertEqual(built["init"], {"list": [{"value": 7}, {"value": 3}]})
        self.judge.put(1, self.judge.build(uses={"1.0": 31})["input_leaves"])
        with self.assertRaises(Failed):
            self.judge.call()

    def test_residual_needs_all_three(self):
        slots = self.found(task("x): return x + self.fc(x)", "torch.randn(16, 32)", "self.fc = nn.Linear(i, o)", ", i, o", "[32, 32]"))
        self.assertEqual(slots[1][1], ["dim 1 of randn", "value 0", "value 1"])

    def test_hyper_parameters_are_left_alone(self):
        slots = self.found(task("x): return F.max_pool1d(x, self.k, stride=self.s)", "torch.randn(2, 3, 32)",
                                "self.k, self.s = k, s", ", k, s", "[4, 2]"))
        self.assertEqual([slot[0] for slot in slots], [2, 3, 32])

    def test_sizes_that_the_reference_never_accepts_stay(self):
        slots = self.found(task("x): return self.c(x)", "torch.randn(2, 3, 16, 16)", "self.c = nn.Conv2d(3, 4, 3)"))
        self.assertEqual(slots[1], (3, ["dim 1 of randn"], "inputs", False))
        with self.assertRaises(Failed):
            self.judge.put(1, self.judge.build(sizes={"1": 4})["input_leaves"])
            self.judge.call()

    def test_sizes_that_follow_another_input(self):
        source = task("x, m): return x * m", "x, torch.ones(x.shape[0], x.shape[1])").replace(
            "def get_inputs():\n", "def get_inputs():\n    x = torch.randn(6, 9)\n")
        self.found(source)
        self.assertEqual(self.shapes(sizes={"0": 4}), [(4, 9), (4, 9)])

    def test_many_factories(self):
        source = task("*xs): return [x + 0 for x in xs]",
                      "torch.zeros((2, 3)), torch.full((4, 5), 1.5), torch.randint(0, 7, (6, 8)), torch.empty(9).normal_(), "
                      "torch.arange(11), torch.linspace(0, 1, 12), torch.eye(13), torch.ones(size=[14]), torch.zeros(1).new_ones(15, 16), "
                      "torch.randperm(17), torch.normal(0.0, 1.0, (18,))")
        slots = self.found(source)
        natives = [slot[0] for slot in slots]
        for n in (2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18):
            self.assertIn(n, natives)
        chosen = {str(self.judge.slots[number]["id"]): n + 20 for number, n in enumerate(natives) if n != 1}
        self.assertEqual(self.shapes(sizes=chosen), [(22, 23), (24, 25), (26, 28), (29,), (31,), (32,), (33, 33), (34,), (35, 36), (37,), (38,)])

    def test_a_reference_that_cannot_run_without_memory(self):
        slots = self.found(task("x): return x[x > 0].sum() + torch.zeros(int(x.shape[0] * (x[0, 0] * 0 + 1).item())).sum() + x.sum(1)[:8].sum()",
                                "torch.rand(8, 32)"))
        self.assertEqual([slot[0] for slot in slots], [8, 32])

    def test_get_inputs_is_needed(self):
        with self.assertRaises(Failed) as caught:
            self.reference(HEAD + "class Model(nn.Module): pass\n")
        self.assertEqual(caught.exception.failure["kind"], "no_entry")

    def test_without_constructor_arguments(self):
        self.reference(HEAD + "class Model(nn.Module):\n    def forward(self, x): return x\ndef get_inputs(): return [torch.zeros(2)]\n").build()


if __name__ == "__main__":
    unittest.main()
