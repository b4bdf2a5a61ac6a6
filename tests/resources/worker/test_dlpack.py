# SPDX-License-Identifier: Apache-2.0
"""Tensors of other frameworks, in and out of the extension by DLPack: what is compared, and who deletes what.

usage: test_dlpack.py FOLDER_WITH_ASSAY_WORKER
"""

import gc
import json
import math
import resource
import sys
import unittest
import weakref

import numpy
import torch
from torch.utils.dlpack import from_dlpack, to_dlpack

sys.path.insert(0, sys.argv[1])
from assay_worker import _judge  # noqa: E402


def compare(reference, candidate, **options):
    return _judge.compare(to_dlpack(reference), to_dlpack(candidate), json.dumps(options))


class Compared(unittest.TestCase):
    def test_statistics_of_a_pair(self):
        reference = torch.tensor([[1.0, 2.0], [0.0, math.inf]])
        candidate = torch.tensor([[1.5, 2.0], [0.25, math.nan]])
        found = compare(reference, candidate, quantiles=[0.5, 1], worst=1, threads=1)
        self.assertEqual(found["count"], 4)
        self.assertEqual(found["bit_different"], 3)
        self.assertEqual(found["nonfinite"], {"ref": {"nan": 0, "pinf": 1, "ninf": 0}, "cand": {"nan": 1, "pinf": 0, "ninf": 0}, "mismatch": 1})
        self.assertEqual(found["finite_pairs"], 3)
        self.assertEqual(found["rel_undefined"], 1)
        self.assertEqual(found["max_abs"], 0.5)
        self.assertEqual(found["max_rel"], 0.5)
        self.assertEqual(found["mean_abs"], 0.25)
        self.assertEqual(found["rms"], math.sqrt((0.25 + 0.0625) / 3))
        self.assertEqual(found["quantiles"], [0.25, 0.5])
        self.assertEqual(found["worst"], [{"position": 0, "ref": 1.0, "cand": 1.5, "abs": 0.5, "rel": 0.5, "ulp": 1 << 22}])

    def test_every_type_that_torch_hands_out(self):
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            reference = torch.arange(100).to(dtype)
            candidate = reference.clone()
            candidate[7] = 9
            found = compare(reference, candidate)
            self.assertEqual((found["bit_different"], found["max_abs"], found["worst"][0]["position"]), (1, 2.0, 7), dtype)

    def test_strides_and_offsets_are_honoured(self):
        base = torch.arange(24.0).reshape(4, 6)
        self.assertEqual(compare(base.t(), base.t().contiguous())["bit_different"], 0)
        self.assertEqual(compare(base[1:, ::2], base[1:, ::2].contiguous())["bit_different"], 0)
        self.assertEqual(compare(base[1:, ::2], base[:3, ::2].contiguous())["max_abs"], 6.0)
        self.assertEqual(compare(torch.ones(1).expand(5), torch.ones(5))["bit_different"], 0)

    def test_bytes_stand_for_what_is_said(self):
        ones = torch.tensor([0, 1, 0x38], dtype=torch.uint8)
        others = torch.tensor([0, 0, 0x39], dtype=torch.uint8)
        self.assertEqual(compare(ones, others)["max_abs"], 1.0)
        self.assertIsNone(compare(ones[:2], others[:2], dtype="bool")["max_ulp"])
        self.assertEqual(compare(ones, others, dtype="float8_e4m3fn")["max_abs"], 0.125)  # 1 and its successor
        self.assertEqual(compare(ones, others, dtype="float8_e5m2")["max_abs"], 0.125)
        with self.assertRaisesRegex(ValueError, "cannot stand for"):
            compare(torch.ones(2), torch.ones(2), dtype="bool")

    def test_scalars_and_nothing(self):
        self.assertEqual(compare(torch.tensor(2.0), torch.tensor(2.5))["max_abs"], 0.5)
        self.assertEqual(compare(torch.zeros(0, 3), torch.zeros(0, 3))["count"], 0)


class Owned(unittest.TestCase):
    def lent(self):
        """A capsule, and what tells whether the memory behind it is still there."""
        array = numpy.ones(1000, numpy.float32)
        return to_dlpack(torch.from_numpy(array)), weakref.ref(array)

    def test_taken_tensors_are_deleted_and_their_capsules_say_so(self):
        reference, first = self.lent()
        candidate, second = self.lent()
        self.assertIsNotNone(first())
        _judge.compare(reference, candidate, "{}")
        gc.collect()
        self.assertIsNone(first())
        self.assertIsNone(second())
        self.assertIn('"used_dltensor"', repr(reference))
        with self.assertRaisesRegex(ValueError, "nobody has taken"):
            _judge.compare(reference, candidate, "{}")
        del reference, candidate  # a capsule that was taken deletes nothing

    def test_what_is_refused_stays_its_owners(self):
        reference, first = self.lent()
        other = to_dlpack(torch.zeros(3))
        for options in ("{}", '{"quantiles": [2]}', '{"dtype": "float3"}', "no JSON"):
            with self.assertRaises(ValueError):
                _judge.compare(reference, other, options)
        with self.assertRaises(ValueError):
            _judge.compare(reference, object(), "{}")
        self.assertIn('"dltensor"', repr(reference))
        self.assertEqual(from_dlpack(reference).sum().item(), 1000)
        gc.collect()
        self.assertIsNone(first())

    def test_one_capsule_is_no_pair(self):
        capsule, memory = self.lent()
        with self.assertRaisesRegex(ValueError, "twice"):
            _judge.compare(capsule, capsule, "{}")
        gc.collect()
        self.assertIsNone(memory())

    def test_a_dtype_that_is_not_compared_is_named(self):
        with self.assertRaisesRegex(ValueError, "code 5, 64 bits"):
            compare(torch.zeros(2, dtype=torch.complex64), torch.zeros(2, dtype=torch.complex64))


class HandedOut(unittest.TestCase):
    def errors(self, reference, candidate):
        return _judge.errors(to_dlpack(reference), to_dlpack(candidate), "{}")

    def test_errors_come_as_a_tensor(self):
        reference = torch.tensor([[1.0, -2.0, math.inf], [0.0, 4.0, 5.0]])
        candidate = torch.tensor([[1.5, 2.0, 1.0], [0.0, math.nan, 5.0]])
        errors = from_dlpack(self.errors(reference.t(), candidate.t()))
        self.assertEqual(errors.dtype, torch.float64)
        self.assertEqual(errors.shape, (3, 2))
        torch.testing.assert_close(errors, torch.tensor([[0.5, 0.0], [4.0, math.nan], [math.nan, 0.0]], dtype=torch.float64), rtol=0,
                                   atol=0, equal_nan=True)
        errors += 1  # memory of its own, to do with as one likes
        self.assertEqual(errors[0, 0].item(), 1.5)

    def test_the_tensor_outlives_its_capsule(self):
        capsule = self.errors(torch.zeros(5), torch.ones(5))
        errors = from_dlpack(capsule)
        del capsule
        gc.collect()
        self.assertEqual(errors.tolist(), [1.0] * 5)

    def test_memory_is_given_back_taken_or_not(self):
        zeros, ones = torch.zeros(1 << 20), torch.ones(1 << 20)
        self.errors(zeros, ones)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for turn in range(128):  # 8 MiB each
            capsule = self.errors(zeros, ones)
            if turn % 2:
                from_dlpack(capsule)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 256 << 10)  # KiB: half of either half would be seen


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
