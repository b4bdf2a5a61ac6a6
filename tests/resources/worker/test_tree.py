# SPDX-License-Identifier: Apache-2.0
"""Nested values as trees, tensors as descriptors, frames."""

import json
import math
import os
import unittest

import support
import torch
from assay_worker import tensors, tree
from assay_worker.channel import ArenaWriter
from assay_worker.failures import Refusal


class Trees(unittest.TestCase):
    def round_trip(self, value):
        built, leaves = tree.flatten(value)
        return tree.unflatten(json.loads(json.dumps(built, allow_nan=False)), leaves)

    def test_nested_values_come_back(self):
        x, y = torch.zeros(2), torch.ones(3)
        value = [x, (1, 2.5, True, "s", None), {"k": y, "n": [x]}, torch.float16, torch.Size([2, 3]), 1 + 2j]
        back = self.round_trip(value)
        self.assertIs(back[0], x)
        self.assertIs(back[2]["k"], y)
        self.assertIs(back[2]["n"][0], x)
        self.assertEqual(back[1], (1, 2.5, True, "s", None))
        self.assertIs(back[1][2], True)
        self.assertEqual(back[3:], [torch.float16, torch.Size([2, 3]), 1 + 2j])
        self.assertIsInstance(back[4], torch.Size)

    def test_numbers_that_are_not_finite(self):
        back = self.round_trip([math.nan, math.inf, -math.inf])
        self.assertTrue(math.isnan(back[0]))
        self.assertEqual(back[1:], [math.inf, -math.inf])

    def test_named_tuples_cross_as_tuples(self):
        built, leaves = tree.flatten(torch.max(torch.zeros(2, 3), dim=1))
        self.assertEqual(built, {"tuple": [{"tensor": 0}, {"tensor": 1}]})
        self.assertEqual(len(leaves), 2)

    def test_what_cannot_cross_is_named(self):
        with self.assertRaises(Refusal) as caught:
            tree.flatten([object()])
        self.assertEqual(caught.exception.kind, "unsupported_value")
        self.assertIn("object", str(caught.exception))

    def test_a_list_that_holds_itself_is_refused(self):
        value = []
        value.append(value)
        with self.assertRaises(Refusal):
            tree.flatten(value)

    def test_numbers_as_leaves(self):
        built, leaves = tree.flatten((3, 2.5, True, None), scalars_are_leaves=True)
        self.assertEqual(leaves, [3, 2.5, True])
        self.assertEqual(built["tuple"][3], {"none": True})

    def test_no_tree(self):
        for wrong in ({}, [], {"tensor": 0, "list": []}, {"what": 1}):
            with self.assertRaises((ValueError, KeyError)):
                tree.unflatten(wrong, [0])


class Descriptors(unittest.TestCase):
    def arena_of(self, tensor):
        """The bytes of a contiguous tensor as a received arena."""
        import os
        from assay_worker.channel import ArenaView
        writer = ArenaWriter()
        described = tensors.write(tensor, writer)
        fd, size = writer.take()
        view = ArenaView(fd, size) if size else None
        if fd >= 0:
            os.close(fd)
        return described, view

    def test_every_dtype_comes_back(self):
        for name, dtype in tensors.p.DTYPES.items():
            made = torch.tensor([0, 1, 1, 0]).to(dtype)
            back = tensors.read(*self.arena_of(made)).view()
            self.assertIs(back.dtype, dtype, name)
            self.assertTrue(torch.equal(back.to(torch.complex64), made.to(torch.complex64)), name)

    def test_strides_gaps_and_lead(self):
        base = torch.arange(24.0)
        described, arena = self.arena_of(base)
        leaf = tensors.read(dict(described, shape=[3, 4], strides=[8, 2], offset=4, lead=1), arena)
        fresh = leaf.fresh()
        self.assertEqual(fresh.tolist(), [[1 + 8 * i + 2 * j for j in range(4)] for i in range(3)])
        self.assertEqual(fresh.stride(), (8, 2))
        self.assertEqual(fresh.storage_offset(), 1)
        self.assertFalse(fresh._is_view())
        gaps = fresh.as_strided((23,), (1,), 0)
        self.assertEqual(gaps.tolist(), base[:23].tolist())

    def test_expanded_and_mirrored(self):
        described, arena = self.arena_of(torch.arange(6.0))
        wide = tensors.read(dict(described, shape=[4, 3], strides=[0, 1]), arena).fresh()
        self.assertEqual(wide.stride(), (0, 1))
        self.assertEqual(wide.tolist(), [[0, 1, 2]] * 4)
        mirrored = tensors.read(dict(described, shape=[2, 3], strides=[3, -1], offset=8), arena).fresh()
        self.assertEqual(mirrored.tolist(), [[2, 1, 0], [5, 4, 3]])

    def test_a_copy_shares_nothing(self):
        described, arena = self.arena_of(torch.zeros(4))
        leaf = tensors.read(described, arena)
        first, second = leaf.fresh(), leaf.fresh()
        first.fill_(1)
        self.assertEqual(second.sum().item(), 0)
        self.assertEqual(tensors.read(described, arena).view().sum().item(), 0)

    def test_outside_the_arena(self):
        described, arena = self.arena_of(torch.zeros(4))
        for wrong in ({"shape": [5]}, {"offset": 4}, {"offset": -4}, {"shape": [2, 2], "strides": [3, 1]}):
            with self.assertRaises(ValueError):
                tensors.read(dict(described, **wrong), arena)

    def test_empty_and_scalar(self):
        for shape in ((0,), (3, 0, 2), ()):
            described, arena = self.arena_of(torch.zeros(shape))
            self.assertEqual(tuple(tensors.read(described, arena).fresh().shape), shape)

    def test_conjugate_and_negative_views(self):
        made = torch.tensor([1 + 2j, 3 - 4j])
        back = tensors.read(*self.arena_of(made.conj())).view()
        self.assertTrue(torch.equal(back, torch.tensor([1 - 2j, 3 + 4j])))
        imaginary = tensors.read(*self.arena_of(made.conj().imag)).view()
        self.assertEqual(imaginary.tolist(), [-2, 4])

    def test_what_has_no_bytes_is_refused(self):
        for tensor in (torch.zeros(2, device="meta"), torch.eye(2).to_sparse()):
            with self.assertRaises(Refusal):
                tensors.write(tensor, ArenaWriter())


class Frames(support.PartyTest):
    def test_a_party_ends_with_its_judge(self):
        judge = support.Judge()
        judge.ask("hello")
        judge.close()

    def test_unknown_requests_fail_and_the_party_lives(self):
        judge = support.Judge()
        self.addCleanup(judge.close)
        with self.assertRaises(support.Failed):
            judge.ask("nonsense")
        with self.assertRaises(support.Failed) as caught:
            judge.ask("run", instance=5, steps=[])
        self.assertEqual(caught.exception.failure["kind"], "missing")
        self.assertIn("torch", judge.ask("hello")[0]["versions"])

    def test_large_frames_cross_in_parts(self):
        judge = self.reference("def get_inputs(): return []\nclass Model:\n    text = %r\n    def __call__(self): return self.text\n"
                               % ("x" * 3000000))
        judge.build()
        judge.put(1, [])
        outputs = judge.run([{"do": "input", "as": "a", "stimulus": 1}, {"do": "call", "input": "a"}])[1]["calls"][0]["outputs"]
        self.assertEqual(len(outputs["value"]), 3000000)



class Arenas(unittest.TestCase):
    def test_an_empty_tensor_may_come_last(self):
        writer = ArenaWriter()
        writer.append(b"seven__")
        self.assertEqual(writer.append(b""), 64)
        descriptor, size = writer.take()
        try:
            self.assertEqual(os.fstat(descriptor).st_size, size)
        finally:
            os.close(descriptor)


if __name__ == "__main__":
    unittest.main()
