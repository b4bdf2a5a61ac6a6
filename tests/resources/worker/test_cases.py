# SPDX-License-Identifier: Apache-2.0
"""Every reference/candidate pair of the shared cases crosses: native runs, oracle, conforming evaluations, condition, extent, vjp."""

import os
import sys
import unittest

import support
import torch

CASES = os.path.join(os.path.dirname(support.ROOT), "shared", "cases")
if not os.path.isdir(CASES):
    print("no folder of cases beside the repository")
    sys.exit(support.SKIPPED)


def pairs():
    for name in sorted(os.listdir(CASES)):
        folder = os.path.join(CASES, name)
        if os.path.isfile(os.path.join(folder, "candidate.py")):
            sources = []
            for part in ("reference.py", "candidate.py"):
                with open(os.path.join(folder, part)) as file:
                    sources.append(file.read())
            yield (name,) + tuple(sources)


class Cases(support.PartyTest):
    def test_every_pair(self):
        count = 0
        for name, reference, candidate in pairs():
            with self.subTest(name):
                self.one(reference, candidate)
            self.doCleanups()
            count += 1
        self.assertGreater(count, 30)

    def one(self, reference, candidate):
        judge, other, built = self.pair(reference, candidate)
        native, truth = judge.call(), judge.call(precision="r64")
        self.assertEqual([leaf.shape for leaf in other.call()], [leaf.shape for leaf in native])
        scales = judge.condition()
        extents = judge.extent()
        for precision in ["r32", "r32n"] + ["conforming:" + name for name in built["conforming"]]:
            for value, exact, scale, extent in zip(judge.call(precision=precision), truth, scales, extents):
                if not exact.is_floating_point():
                    self.assertTrue(torch.equal(value, exact), precision)
                    continue
                self.assertIs(exact.dtype, torch.float64)
                unit = torch.finfo(value.dtype).eps / 2
                bound = 2 * extent * 2.0 ** -23 * (scale + exact.abs()) + unit * exact.abs() + torch.finfo(value.dtype).tiny
                self.assertTrue(bool(((value.double() - exact).abs() <= bound).all()), precision)
        floating = [leaf for leaf in native if leaf.is_floating_point()]
        judge.put(2, [torch.ones_like(leaf) for leaf in floating])
        gradients = judge.run([{"do": "input", "as": "a", "stimulus": 1}, {"do": "vjp", "input": "a", "stimulus": 2}], "r64")[1]
        self.assertNotIn("failure", gradients)
        self.assertEqual(len(gradients["input_grads"]), len(built["input_leaves"]))


if __name__ == "__main__":
    unittest.main()
