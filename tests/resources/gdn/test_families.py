# SPDX-License-Identifier: Apache-2.0
"""Every family in its own words: gradients against differences, and the same numbers as the command line.

usage: test_families.py FOLDER_WITH_ASSAY_WORKER [ASSAY]"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import torch
from support import NAMES, draw, gdn, run

ASSAY = sys.argv[2] if len(sys.argv) > 2 else ""


class Gradients(unittest.TestCase):
    def check(self, family, form, **options):
        x = draw(family, tokens=19, keys=4, values=3, states=2)
        names = list(x)

        def function(*tensors):
            return gdn.recurrence(family, **dict(zip(names, tensors)), output_final_state=True, scale=0.7, form=form, **options)

        self.assertTrue(torch.autograd.gradcheck(function, [tensor.requires_grad_() for tensor in x.values()]))

    def test_against_differences(self):
        for family in NAMES:
            for form in ("chunked", "serial"):
                with self.subTest(family=family, form=form):
                    self.check(family, form)

    def test_against_differences_with_packed_sequences(self):
        for family in NAMES:
            with self.subTest(family=family):
                x = draw(family, batch=1, tokens=15, keys=3, values=2, states=4)
                names = list(x)
                self.assertTrue(torch.autograd.gradcheck(
                    lambda *tensors: gdn.recurrence(family, **dict(zip(names, tensors)), cu_seqlens=[0, 0, 7, 8, 15], output_final_state=True),
                    [tensor.requires_grad_() for tensor in x.values()]))

    def test_more_than_a_chunk(self):
        for family in NAMES:
            with self.subTest(family=family):
                x = draw(family, batch=1, tokens=140, heads=1, keys=3, values=2)
                names = list(x)
                self.assertTrue(torch.autograd.gradcheck(lambda *tensors: gdn.recurrence(family, **dict(zip(names, tensors))),
                                                         [tensor.requires_grad_() for tensor in x.values()], fast_mode=True))

    def test_functions_are_the_families(self):
        functions = {"gdn2": gdn.gdn2, "kda": gdn.kda, "gdn": gdn.gated_delta_rule, "delta": gdn.delta_rule, "gla": gdn.gla,
                     "mamba2": gdn.mamba2, "mamba3": gdn.mamba3}
        self.assertEqual(set(functions), set(NAMES))
        for family, function in functions.items():
            x = draw(family)
            self.assertTrue(torch.equal(function(**x, scale=0.5), gdn.recurrence(family, **x, scale=0.5)), family)

    def test_mamba1_is_refused_with_the_reason(self):
        for call in (lambda: gdn.mamba1(1, dt=2), lambda: gdn.recurrence("mamba1", None, None, None)):
            with self.assertRaisesRegex(Exception, "every element of its K x V state at a rate of its own"):
                call()
        with self.assertRaisesRegex(ValueError, "no family is called 'rwkv', there are gdn2, kda, gdn, delta, gla, mamba2, mamba3"):
            gdn.recurrence("rwkv", None, None, None)


@unittest.skipUnless(os.access(ASSAY, os.X_OK), "the command line is not built")
class CommandLine(unittest.TestCase):
    """assay gdn run maps families in C++, this package with torch."""

    SPELLED = {"lam": "lambda", "initial_state": "S0"}

    def test_both_give_the_same(self):
        for family in NAMES:
            for starts, batch, states in ((None, 2, 2), ([0, 0, 31, 32, 70], 1, 4)):
                with self.subTest(family=family, starts=starts):
                    x = draw(family, batch=batch, states=states)
                    generator = torch.Generator().manual_seed(2)
                    do, final_grad = (torch.randn(x[name].shape, generator=generator, dtype=torch.float64) for name in ("v", "initial_state"))
                    found = run(family, x, do, final_grad, scale=0.3, cu_seqlens=starts)
                    tensors = {self.SPELLED.get(name, name): tensor for name, tensor in x.items()}
                    tensors.update(do=do, dST=final_grad)
                    if starts:
                        tensors["cu_seqlens"] = torch.tensor(starts, dtype=torch.int32)
                    wanted = self.ask(family, tensors)
                    self.assertEqual(set(wanted), {self.spelled(name) for name in found})
                    for name, tensor in found.items():
                        torch.testing.assert_close(tensor, wanted[self.spelled(name)], rtol=0, atol=1e-12, msg=name)

    def spelled(self, name):
        return "d" + self.SPELLED[name[1:]] if name[1:] in self.SPELLED else name

    def ask(self, family, tensors):
        with tempfile.TemporaryDirectory() as folder:
            given, answer = os.path.join(folder, "in.safetensors"), os.path.join(folder, "out.safetensors")
            write(given, tensors)
            subprocess.run([ASSAY, "gdn", "run", given, "--out", answer, "--family", family, "--scale", "0.3"], check=True,
                           stdout=subprocess.DEVNULL)
            return read(answer)


KINDS = {torch.float64: "F64", torch.int32: "I32"}


def write(path, tensors):
    """A .safetensors file: the length of a JSON header, the header, the bytes."""
    header, at, parts = {}, 0, []
    for name, tensor in sorted(tensors.items(), key=lambda item: -item[1].element_size()):
        data = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": KINDS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(parts))


def read(path):
    with open(path, "rb") as file:
        text = file.read(int.from_bytes(file.read(8), "little"))
        data = bytearray(file.read())
    tensors = {}
    for name, entry in json.loads(text).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            tensors[name] = torch.frombuffer(data[first:last], dtype=torch.float64).reshape(entry["shape"])
    return tensors


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
