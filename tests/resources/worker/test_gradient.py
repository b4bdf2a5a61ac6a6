# SPDX-License-Identifier: Apache-2.0
"""Vector-Jacobian products."""

import unittest

import support
import torch
from assay_worker.channel import ArenaWriter

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
REFERENCE = HEAD + """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(6, 5))
        self.unused = nn.Parameter(torch.randn(2))
        self.frozen = nn.Parameter(torch.randn(5), requires_grad=False)
    def forward(self, x, i):
        return x @ self.w + self.frozen, x.argmax(1), i
def get_inputs():
    return [torch.randn(4, 6), torch.arange(3)]
"""


class Gradients(support.PartyTest):
    def vjp(self, judge, precision="native", stimulus=1, cotangents=None):
        writer = ArenaWriter()
        described = [support.send(leaf, writer) for leaf in cotangents]
        return judge.run([{"do": "input", "as": "a", "stimulus": stimulus}, {"do": "vjp", "input": "a", "cotangents": described}],
                         precision, writer=writer)[1]

    def test_against_the_formula(self):
        judge, _, built = self.pair(REFERENCE, REFERENCE.replace("Model", "ModelNew"))
        v = torch.randn(4, 5)
        for precision, dtype in (("native", torch.float32), ("r64", torch.float64)):
            found = self.vjp(judge, precision, cotangents=[v])
            x, w = built["input_leaves"][0], built["state"]["w"]
            self.assertTrue(torch.allclose(found["input_grads"][0], (v @ w.t()).to(dtype), atol=1e-5))
            self.assertIs(found["input_grads"][0].dtype, dtype)
            self.assertIsNone(found["input_grads"][1])
            self.assertTrue(torch.allclose(found["state_grads"]["w"], (x.t() @ v).to(dtype), atol=1e-5))
            self.assertIsNone(found["state_grads"]["unused"])
            self.assertNotIn("frozen", found["state_grads"])
            self.assertEqual(found["requires_grad"], [True, False, False])

    def test_a_severed_graph(self):
        severed = REFERENCE.replace("Model", "ModelNew").replace("return x @ self.w + self.frozen,", "return (x @ self.w + self.frozen).detach(),")
        judge = self.pair(REFERENCE, severed)[1]
        found = self.vjp(judge, cotangents=[torch.randn(4, 5)])
        self.assertEqual(found["requires_grad"], [False, False, False])
        self.assertIsNone(found["input_grads"][0])
        self.assertIsNone(found["state_grads"]["w"])

    def test_a_complex_output_takes_pairs(self):
        source = HEAD + "class Model(nn.Module):\n    def forward(self, x): return torch.complex(2 * x, 3 * x)\n" \
            "def get_inputs(): return [torch.randn(3, 4)]\n"
        judge = self.reference(source)
        judge.put(1, judge.build()["input_leaves"])
        v = torch.randn(3, 4, 2)
        for precision, dtype in (("native", torch.float32), ("r64", torch.float64)):
            found = self.vjp(judge, precision, cotangents=[v])["input_grads"][0]
            self.assertIs(found.dtype, dtype)
            self.assertTrue(torch.allclose(found, (2 * v[..., 0] + 3 * v[..., 1]).to(dtype), atol=1e-5))

    def test_forward_that_writes_into_its_input(self):
        source = HEAD + "class Model(nn.Module):\n    def forward(self, x): return F.relu(x, inplace=True)\n" \
            "def get_inputs(): return [torch.randn(3, 4)]\n"
        judge = self.reference(source)
        built = judge.build()
        judge.put(1, built["input_leaves"])
        found = self.vjp(judge, cotangents=[torch.ones(3, 4)])
        self.assertTrue(torch.equal(found["input_grads"][0], (built["input_leaves"][0] > 0).float()))

    def test_a_backward_that_raises(self):
        source = REFERENCE.replace("Model", "ModelNew") + """
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): raise NotImplementedError("no backward kernel")
class ModelNew(ModelNew):
    def forward(self, x, i): return Bad.apply(x), x.argmax(1), i
"""
        judge = self.pair(REFERENCE, source)[1]
        failure = self.vjp(judge, cotangents=[torch.ones(4, 6)])["failure"]
        self.assertEqual((failure["type"], failure["where"]), ("NotImplementedError", "vjp"))

    def test_views_keep_their_layout(self):
        source = HEAD + "class Model(nn.Module):\n    def forward(self, x): return x * torch.tensor(float(x.stride(0) == 1))\n" \
            "def get_inputs(): return [torch.randn(3, 4)]\n"
        judge = self.reference(source)
        judge.build()
        judge.put(1, [torch.randn(4, 3).t()])
        self.assertEqual(self.vjp(judge, cotangents=[torch.ones(3, 4)])["input_grads"][0].unique().tolist(), [1])


if __name__ == "__main__":
    unittest.main()
