# SPDX-License-Identifier: Apache-2.0
"""The way from torch's tensors to the kernels of a device, and these kernels' own code, run lane by lane on tensors in host memory:
strides, channels that are filled up, states, packed sequences, families. What is the device's alone is test_cuda.py's.

usage: test_device_code.py FOLDER_WITH_ASSAY_WORKER LIBRARY_FOR_HOST_MEMORY"""

import sys
import unittest

import torch
from support import NAMES, draw, require_rounding_alone, run

from assay_worker.gdn import device, layout, operators
from assay_worker.gdn.library import Library, LibraryCall

LIBRARY = Library(sys.argv[2])


class OnDeviceCode:
    """While this is entered, tensors in host memory are computed by the device's code."""

    def __enter__(self):
        self._own = operators._form
        operators._form = lambda name, x, sizes: device.DeviceForm(LIBRARY)

    def __exit__(self, *_):
        operators._form = self._own


def run_on_device_code(family, x, *grads, **options):
    with OnDeviceCode():
        return run(family, x, *grads, **options)


class Accuracy(unittest.TestCase):
    def check(self, family, x, *grads, **options):
        require_rounding_alone(self, family, x, run_on_device_code(family, x, *grads, **options), *grads, **options)

    def test_every_family(self):
        for family in NAMES:
            with self.subTest(family=family):
                x = draw(family, batch=1, tokens=70, heads=2, keys=64, values=64, dtype=torch.bfloat16, states=1)
                final_grad = torch.randn(x["initial_state"].shape, generator=torch.Generator().manual_seed(4))
                self.check(family, x, torch.randn(x["v"].shape, generator=torch.Generator().manual_seed(5)).bfloat16(), final_grad)

    def test_float16_and_a_scale(self):
        self.check("kda", draw("kda", batch=2, tokens=33, heads=1, keys=64, values=64, dtype=torch.float16), scale=0.25)

    def test_channels_that_are_filled_up(self):
        for family, keys, values in (("gdn2", 40, 64), ("gdn", 64, 9), ("kda", 65, 33), ("gla", 1, 1)):
            with self.subTest(family=family, keys=keys, values=values):
                self.check(family, draw(family, batch=1, tokens=20, heads=2, keys=keys, values=values, dtype=torch.bfloat16, states=1))

    def test_packed_sequences(self):
        for family in ("gdn2", "mamba3"):
            with self.subTest(family=family):
                x = draw(family, batch=1, tokens=90, heads=1, keys=64, values=64, dtype=torch.bfloat16, states=4)
                self.check(family, x, cu_seqlens=torch.tensor([0, 5, 5, 69, 90]))

    def test_gates_of_other_types(self):
        x = draw("kda", batch=1, tokens=20, heads=2, keys=64, values=64, dtype=torch.bfloat16)
        self.check("kda", {**x, "beta": x["beta"].float(), "g": x["g"].double()})

    def test_nothing_at_all(self):
        x = draw("gdn2", tokens=0, keys=64, values=64, dtype=torch.bfloat16, states=2)
        found = run_on_device_code("gdn2", x)
        self.assertTrue(torch.equal(found["ST"], x["initial_state"].float()))

    def test_the_library_says_what_is_wrong(self):
        with self.assertRaisesRegex(RuntimeError, "^the recurrence could not be computed on the device: element type 7 is unknown"):
            LIBRARY.forward(LibraryCall(element=7))
        call = LibraryCall(batch=1, tokens=1, heads=1, keys=64, values=64, sequences=1)
        with self.assertRaisesRegex(RuntimeError, "device: q is missing"):
            LIBRARY.backward(call)
        self.assertGreater(LIBRARY.workspace_bytes(call, True), LIBRARY.workspace_bytes(call, False))


class Layout(unittest.TestCase):
    """What is read where it lies, and what is copied first."""

    def tensor(self, dtype=torch.bfloat16):
        return torch.randn(2, 10, 3, 64).to(dtype)

    def assertCopied(self, name, tensor):
        made = layout.readable(name, tensor)
        self.assertNotEqual(made.data_ptr(), tensor.data_ptr())
        self.assertTrue(torch.equal(made, tensor))
        self.assertTrue(layout._fits(layout.RULES[name], made))

    def assertRead(self, name, tensor):
        self.assertIs(layout.readable(name, tensor), tensor)

    def test_whole_rows_are_read(self):
        packed = torch.randn(2, 10, 3, 3 * 64).bfloat16()
        for name, part in zip("qkv", packed.split(64, -1)):
            self.assertRead(name, part)
        self.assertRead("q", self.tensor().transpose(1, 2).contiguous().transpose(1, 2))
        self.assertRead("k", self.tensor()[:1].expand(4, -1, -1, -1))
        self.assertRead("do", self.tensor()[:, ::2])

    def test_a_repeated_gate_is_read_and_a_repeated_query_copied(self):
        for name in "bwg":
            self.assertRead(name, self.tensor()[..., 5:6].expand(-1, -1, -1, 64))
        for name in ("q", "k", "v", "do"):
            self.assertCopied(name, self.tensor()[..., :1].expand(-1, -1, -1, 64))

    def test_rows_that_start_in_between_are_copied(self):
        odd = torch.randn(2, 10, 3, 67).bfloat16()
        for name in RULE_NAMES:
            if name != "g":
                self.assertCopied(name, odd[..., 3:])
        even = torch.randn(2, 10, 3, 66).bfloat16()[..., 2:]
        for name in "bvw":
            self.assertCopied(name, even)
            self.assertRead(name, torch.randn(2, 10, 3, 72).bfloat16()[..., 8:])
        self.assertRead("g", odd.float()[..., 3:])
        self.assertCopied("q", torch.randn(2, 10, 3, 65).bfloat16().flatten()[1:1 + 64].view(1, 1, 1, 64))

    def test_channels_apart_are_copied(self):
        for name in RULE_NAMES:
            self.assertCopied(name, torch.randn(2, 10, 3, 128)[..., ::2])

    def test_the_stride_of_one_element_does_not_count(self):
        self.assertRead("q", torch.randn(65).bfloat16()[:64].as_strided((1, 1, 1, 64), (3, 5, 7, 1)))

    def test_strided_inputs_come_out_the_same(self):
        x = draw("gdn2", batch=2, tokens=20, heads=2, keys=64, values=64, dtype=torch.bfloat16)
        wanted = run_on_device_code("gdn2", x)
        for apart in (8, 3):  # the first is read in place, the second copied
            strided = {name: torch.nn.functional.pad(tensor, (0, apart))[..., :64] for name, tensor in x.items()}
            found = run_on_device_code("gdn2", strided)
            for name in wanted:
                self.assertTrue(torch.equal(found[name], wanted[name]), name)

    def test_what_no_kernel_is_made_for(self):
        x = draw("gdn2", tokens=3, keys=129, values=64, dtype=torch.bfloat16)
        sizes = operators.arguments.sizes_of(operators.families.named("gdn2"), x)
        with self.assertRaisesRegex(ValueError, r"q has shape \[2, 3, 2, 129\], expected at most 128 channels K on cpu"):
            device.device_form(x, sizes)
        wide = {name: tensor.float() for name, tensor in x.items()}
        with self.assertRaisesRegex(TypeError, "q holds torch.float32, expected torch.bfloat16 or torch.float16 on cpu"):
            device.device_form(wide, sizes)


RULE_NAMES = tuple(layout.RULES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
