# SPDX-License-Identifier: Apache-2.0
"""The operator on a CUDA device. Skipped without one, and without the library.

usage: test_cuda.py FOLDER_WITH_ASSAY_WORKER [REPEATS]        REPEATS: runs that must give the same bits, 20 unless said"""

import os
import sys
import unittest

import torch
from support import NAMES, SKIPPED, allowed, draw, gdn, ratio, require_rounding_alone, run

from assay_worker.gdn import library

REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
DTYPES = (torch.bfloat16, torch.float16)


def on(device, x):
    return {name: tensor.to(device) for name, tensor in x.items()}


def grads_for(x, dtype, seed=7):
    """do and dST for inputs with an initial state."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(x["v"].shape, generator=generator).to(dtype), torch.randn(x["initial_state"].shape, generator=generator))


class Accuracy(unittest.TestCase):
    def check(self, family, x, *grads, device="cuda:0", **options):
        """Every output and gradient against the recurrence in fp64 on the CPU."""
        found = run(family, on(device, x), *(grad.to(device) for grad in grads), **options)
        require_rounding_alone(self, family, x, found, *grads, say=print, **options)

    def test_every_family(self):
        for dtype in DTYPES:
            for family in NAMES:
                with self.subTest(family=family, dtype=dtype):
                    x = draw(family, batch=2, tokens=330, heads=4, keys=128, values=128, dtype=dtype, states=2)
                    self.check(family, x, *grads_for(x, dtype))

    def test_every_pair_of_channels(self):
        for keys, values in ((64, 64), (64, 128), (128, 64), (40, 72), (1, 1)):
            for family in ("gdn2", "gdn"):
                with self.subTest(family=family, keys=keys, values=values):
                    self.check(family, draw(family, batch=1, tokens=130, heads=2, keys=keys, values=values, dtype=torch.bfloat16, states=1))

    def test_packed_sequences(self):
        for family in NAMES:
            with self.subTest(family=family):
                x = draw(family, batch=1, tokens=300, heads=2, keys=64, values=64, dtype=torch.bfloat16, states=5)
                starts = torch.tensor([0, 1, 64, 64, 200, 300])
                self.check(family, x, *grads_for(x, torch.bfloat16), cu_seqlens=starts)
                of_cpu, of_device = (run(family, on("cuda", x), cu_seqlens=given)["o"] for given in (starts, starts.cuda()))
                self.assertTrue(torch.equal(of_cpu, of_device))

    def test_offsets_that_were_written_to_are_read_again(self):
        x = on("cuda", draw("gla", batch=1, tokens=100, heads=2, keys=64, values=64, dtype=torch.bfloat16))
        starts = torch.tensor([0, 10, 100], device="cuda")
        first = run("gla", x, cu_seqlens=starts)["o"]
        starts[1] = 64
        self.assertTrue(torch.equal(run("gla", x, cu_seqlens=starts)["o"], run("gla", x, cu_seqlens=[0, 64, 100])["o"]))
        self.assertFalse(torch.equal(first, run("gla", x, cu_seqlens=starts)["o"]))
        starts[1] = 101
        with self.assertRaisesRegex(ValueError, "cu_seqlens has 100 at 2 after 101, expected rising offsets"):
            run("gla", x, cu_seqlens=starts)

    @unittest.skipUnless(torch.cuda.device_count() > 1, "one device")
    def test_another_device_than_the_current_one(self):
        x = draw("kda", batch=1, tokens=100, heads=2, keys=64, values=64, dtype=torch.bfloat16, states=1)
        with torch.cuda.device(0):
            self.check("kda", x, device="cuda:1")
            self.assertEqual(torch.cuda.current_device(), 0)


class Running(unittest.TestCase):
    def inputs(self, family="gdn2", tokens=500, **options):
        return on("cuda", draw(family, batch=2, tokens=tokens, heads=4, keys=128, values=128, dtype=torch.bfloat16, **options))

    def assertSame(self, one, other):
        for name in one:
            self.assertTrue(torch.equal(one[name], other[name]), name)

    def test_the_same_bits_each_time(self):
        for family in ("gdn2", "gdn"):
            x = self.inputs(family, states=2)
            first = run(family, x)
            for _ in range(REPEATS):
                self.assertSame(first, run(family, x))

    def test_another_stream(self):
        """Behind work that takes the device a while, on a stream of its own: kernels of another stream would read what is not there yet."""
        x = self.inputs()
        wanted = run("gdn2", x)
        busy = torch.randn(8192, 8192, device="cuda")
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            late = {name: torch.full_like(tensor, torch.nan) for name, tensor in x.items()}
            for _ in range(20):
                busy = (busy @ busy).clamp(-1, 1)
            for name, tensor in x.items():
                late[name].copy_(tensor)
            found = run("gdn2", late)
        stream.synchronize()
        self.assertSame(wanted, found)

    def test_strided_and_repeated_inputs(self):
        x = self.inputs()
        for apart in (8, 3):
            self.assertSame(run("gdn2", x), run("gdn2", {name: torch.nn.functional.pad(tensor, (0, apart))[..., :128] for name, tensor in x.items()}))
        scalars = {name: x[name][..., :1] for name in "bwg"}
        o = gdn.gdn2(**{**x, **{name: gate.expand(x[name].shape) for name, gate in scalars.items()}})
        copied = gdn.gdn2(**{**x, **{name: gate.expand(x[name].shape).contiguous() for name, gate in scalars.items()}})
        self.assertLess(ratio(copied, o), allowed("o", 0))

    def test_no_grad(self):
        x = self.inputs()
        with torch.no_grad():
            self.assertTrue(torch.equal(gdn.gdn2(**x), gdn.gdn2(**x)))

    def test_nothing_at_all(self):
        found = run("gdn2", self.inputs(tokens=0, states=2))
        self.assertEqual((found["o"].numel(), found["ST"].shape), (0, (2, 4, 128, 128)))

    def test_into_a_graph(self):
        """Nothing of a call waits for the device, so it can be captured."""
        x = self.inputs()
        wanted = gdn.gdn2(**x)
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad():
            with torch.cuda.graph(graph):
                o = gdn.gdn2(**x)
            graph.replay()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(o, wanted))

    def test_refused(self):
        x = self.inputs()
        with self.assertRaisesRegex(TypeError, "q holds torch.float32, expected torch.bfloat16 or torch.float16 on cuda:0"):
            gdn.gdn2(**{name: tensor.float() for name, tensor in x.items()})
        with self.assertRaisesRegex(ValueError, "b is on cpu, expected cuda:0 as q is"):
            gdn.gdn2(**{**x, "b": x["b"].cpu()})
        with self.assertRaisesRegex(ValueError, "form is 'serial', expected 'chunked' for tensors on cuda:0"):
            gdn.gdn2(**x, form="serial")


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("skipped: no CUDA device")
        sys.exit(SKIPPED)
    if not os.path.exists(os.path.join(sys.argv[1], "assay_worker", library.NAME)):
        print("skipped: %s was not built" % library.NAME)
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
