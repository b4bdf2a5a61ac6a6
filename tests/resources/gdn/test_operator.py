# SPDX-License-Identifier: Apache-2.0
"""What the operator takes on the CPU, what it gives back, and what it refuses with which words.

usage: test_operator.py FOLDER_WITH_ASSAY_WORKER"""

import json
import subprocess
import sys
import threading
import unittest

import torch
from support import NAMES, allowed, draw, gdn, ratio, run
from torch.utils.dlpack import to_dlpack

NARROW = (torch.bfloat16, torch.float16)


class Given(unittest.TestCase):
    def test_strided_inputs_are_read_where_they_lie(self):
        x = draw("gdn2", states=2)
        wanted = run("gdn2", x)
        apart = {name: torch.stack([torch.full_like(tensor, torch.nan), tensor], -1)[..., 1] for name, tensor in x.items()}
        turned = {name: tensor.transpose(1, 2).contiguous().transpose(1, 2) for name, tensor in x.items()}
        for strided in (apart, turned):
            found = run("gdn2", strided)
            for name in wanted:
                self.assertTrue(torch.equal(found[name], wanted[name]), name)

    def test_expanded_inputs_get_the_sum_of_their_gradients(self):
        x = draw("gdn2")
        one = {"b": x["b"][..., :1], "w": x["w"][:, :, :1, :1], "g": x["g"][:1, :, :, :1], "q": x["q"][:, :1]}
        leaves = {name: tensor.clone().requires_grad_() for name, tensor in one.items()}
        gdn.gdn2(**{**x, **{name: leaf.expand(x[name].shape) for name, leaf in leaves.items()}}).square().sum().backward()
        copies = {name: tensor.expand(x[name].shape).clone().requires_grad_() for name, tensor in one.items()}
        gdn.gdn2(**{**x, **copies}).square().sum().backward()
        for name, leaf in leaves.items():
            torch.testing.assert_close(leaf.grad, copies[name].grad.sum_to_size(leaf.shape), rtol=1e-12, atol=1e-12)

    def test_packed_sequences_are_sequences(self):
        starts = [0, 0, 64, 65, 150]
        for family in NAMES:
            x = draw(family, batch=1, tokens=150, states=4)
            found = run(family, x, scale=0.5, cu_seqlens=torch.tensor(starts))
            for n in (1, 2, 3):
                part = {name: tensor[:, starts[n]:starts[n + 1]] if tensor.dim() > 1 else tensor for name, tensor in x.items()}
                part["initial_state"] = x["initial_state"][n:n + 1]
                alone = run(family, part, scale=0.5)
                for name, tensor in alone.items():
                    if name == "dA" and family == "mamba2":
                        continue  # of all sequences together
                    of_all = found[name][n:n + 1] if name in ("ST", "dinitial_state") else found[name][:, starts[n]:starts[n + 1]]
                    torch.testing.assert_close(of_all, tensor, rtol=1e-12, atol=1e-12, msg="%s %s" % (family, name))
            self.assertTrue(torch.equal(found["ST"][0], x["initial_state"][0]))

    def test_every_length(self):
        for tokens in (1, 2, 63, 64, 65, 129):
            x = draw("gdn2", tokens=tokens, states=2)
            chunked, serial = run("gdn2", x), run("gdn2", x, form="serial")
            for name in chunked:
                torch.testing.assert_close(chunked[name], serial[name], rtol=1e-11, atol=1e-11, msg="%d %s" % (tokens, name))

    def test_nothing_at_all(self):
        for sizes in ({"tokens": 0}, {"batch": 0}, {"heads": 0}):
            x = draw("gdn2", **sizes, states=sizes.get("batch", 2))
            found = run("gdn2", x)
            self.assertEqual(found["o"].shape, x["v"].shape)
            self.assertTrue(torch.equal(found["ST"], x["initial_state"]))
        self.assertEqual(run("mamba3", draw("mamba3", tokens=0))["ddt"].shape, (2, 0, 2))

    def test_a_state_handed_on_is_the_same_as_one_call(self):
        for family in ("gdn2", "kda", "gdn", "delta", "gla", "mamba2"):  # Mamba-3 looks one token ahead
            x = draw(family, tokens=100, states=2)
            whole, final_state = gdn.recurrence(family, **x, output_final_state=True)
            state, parts = x.pop("initial_state"), []
            for first, end in ((0, 37), (37, 100)):
                part = {name: tensor[:, first:end] if tensor.dim() > 1 else tensor for name, tensor in x.items()}
                o, state = gdn.recurrence(family, **part, initial_state=state, output_final_state=True)
                parts.append(o)
            torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-12, atol=1e-12)
            torch.testing.assert_close(state, final_state, rtol=1e-12, atol=1e-12)


class Gradients(unittest.TestCase):
    def test_no_grad_and_inputs_that_need_none(self):
        x = draw("gdn2")
        with torch.no_grad():
            self.assertIsNone(gdn.gdn2(**{name: tensor.requires_grad_() for name, tensor in x.items()}).grad_fn)
        self.assertFalse(gdn.gdn2(**draw("gdn2")).requires_grad)
        with torch.inference_mode():
            self.assertEqual(gdn.gdn2(**draw("gdn2")).shape, x["v"].shape)
        x = draw("kda")
        x["beta"].requires_grad_()
        gdn.kda(**x).sum().backward()
        self.assertEqual([name for name, tensor in x.items() if tensor.grad is not None], ["beta"])
        wanted = run("kda", draw("kda"))["dbeta"]
        self.assertTrue(torch.equal(x["beta"].grad, wanted))

    def test_of_the_final_state_alone(self):
        x = {name: tensor.requires_grad_() for name, tensor in draw("gdn2", states=2).items()}
        o, final_state = gdn.gdn2(**x, output_final_state=True)
        final_state.square().sum().backward()
        self.assertEqual(x["q"].grad.abs().max().item(), 0)
        self.assertGreater(x["initial_state"].grad.abs().max().item(), 0)

    def test_twice_is_refused(self):
        x = {name: tensor.requires_grad_() for name, tensor in draw("delta").items()}
        grad, = torch.autograd.grad(gdn.delta_rule(**x).square().sum(), [x["q"]], create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "once_differentiable"):
            grad.sum().backward()

    def test_inputs_are_left_alone(self):
        x = draw("mamba3", states=2)
        before = {name: tensor.clone() for name, tensor in x.items()}
        run("mamba3", x)
        for name, tensor in x.items():
            self.assertTrue(torch.equal(tensor, before[name]), name)


class Types(unittest.TestCase):
    def test_outputs_and_gradients_have_the_inputs_types(self):
        for dtype, state in ((torch.float64, torch.float64), (torch.float32, torch.float32), *((narrow, torch.float32) for narrow in NARROW)):
            x = draw("kda", states=2, dtype=dtype)
            x["g"] = x["g"].float()
            found = run("kda", x)
            self.assertEqual((found["o"].dtype, found["ST"].dtype, found["dg"].dtype), (dtype, state, torch.float32))
            for name in ("q", "k", "v", "beta", "initial_state"):
                self.assertEqual(found["d" + name].dtype, dtype, name)

    def test_fp32_is_computed_in_fp32(self):
        for family in NAMES:
            for form in ("chunked", "serial"):
                x = draw(family, states=2)
                wanted = run(family, x, form="serial")
                found = run(family, {name: tensor.float() for name, tensor in x.items()}, form=form)
                for name in wanted:  # sums of some hundred terms of unit roundoff 6e-8, inputs rounded to it
                    self.assertLess(ratio(wanted[name], found[name]), 2e-5, "%s %s" % (family, name))

    def test_sixteen_bits_err_as_rounded_operands_do(self):
        for dtype in NARROW:
            for family in NAMES:
                x = draw(family, tokens=130, keys=64, values=64, states=2, dtype=dtype)
                wanted = run(family, {name: tensor.double() for name, tensor in x.items()}, form="serial")
                found, serial = run(family, x), run(family, x, form="serial")
                for name in wanted:
                    error = ratio(wanted[name], found[name])
                    self.assertLess(error, allowed(name, 0), "%s %s %s" % (dtype, family, name))
                    # The serial form rounds nothing but inputs and results.
                    self.assertLess(ratio(wanted[name], serial[name]), allowed(name, 0))
                self.assertGreater(ratio(wanted["o"], found["o"]), ratio(wanted["o"], serial["o"]))

    def test_the_same_bits_for_any_number_of_threads(self):
        x = draw("gdn2", tokens=130, keys=32, values=32, dtype=torch.float32, states=2)
        threads = torch.get_num_threads()
        try:
            torch.set_num_threads(1)
            one = run("gdn2", x)
            torch.set_num_threads(3)
            three = run("gdn2", x)
        finally:
            torch.set_num_threads(threads)
        for name in one:
            self.assertTrue(torch.equal(one[name], three[name]), name)

    def test_python_goes_on_meanwhile(self):
        """Another thread runs during one of the calls, though nobody is made to give up Python's lock and only the calls may."""
        from assay_worker import _judge
        x = draw("gdn2", batch=1, tokens=256, keys=32, values=32)
        calls = [{name: to_dlpack(tensor) for name, tensor in x.items()} for _ in range(100)]
        options = json.dumps({"scale": 1, "form": "chunked", "arithmetic": "float64", "threads": 1, "starts": []})
        gate, ran = threading.Lock(), []
        gate.acquire()
        other = threading.Thread(target=lambda: ran.append(gate.acquire()))
        other.start()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e4)
        try:
            gate.release()
            for call in calls:
                _judge.gdn_forward(call, options)
                if ran:
                    break
            has_run = bool(ran)
        finally:
            sys.setswitchinterval(interval)
            other.join()
        self.assertTrue(has_run)


class Refused(unittest.TestCase):
    def refuses(self, error, line, **changes):
        x = {**draw("kda"), **changes}
        with self.assertRaises(error) as caught:
            gdn.kda(**x)
        self.assertEqual(str(caught.exception), line)

    def test_shapes(self):
        self.refuses(ValueError, "q has shape [70, 2, 12], expected four sizes [B, T, H, K]", q=torch.zeros(70, 2, 12))
        self.refuses(ValueError, "k has shape [2, 70, 2, 11], expected [B, T, H, K] [2, 70, 2, 12]", k=torch.zeros(2, 70, 2, 11).double())
        self.refuses(ValueError, "v has shape [2, 71, 2, 9], expected [B, T, H, V] [2, 70, 2, 9]", v=torch.zeros(2, 71, 2, 9).double())
        self.refuses(ValueError, "v has shape [2, 70, 2, 0], expected at least one channel", v=torch.zeros(2, 70, 2, 0).double())
        self.refuses(ValueError, "beta has shape [2, 70, 2, 12], expected [B, T, H] [2, 70, 2]", beta=torch.zeros(2, 70, 2, 12))
        self.refuses(ValueError, "initial_state has shape [2, 2, 9, 12], expected [N, H, K, V] [2, 2, 12, 9]",
                     initial_state=torch.zeros(2, 2, 9, 12))
        with self.assertRaisesRegex(ValueError, r"A has shape \[2, 70, 2\], expected \[H\] \[2\]"):
            gdn.mamba2(**{**draw("mamba2"), "A": torch.zeros(2, 70, 2)})

    def test_types(self):
        self.refuses(TypeError, "q is of type list, expected a tensor", q=[1.0])
        self.refuses(TypeError, "k holds torch.float32, expected torch.float64 as q does", k=draw("kda")["k"].float())
        self.refuses(TypeError, "beta holds torch.int64, expected one of torch.float64, torch.float32, torch.bfloat16, torch.float16",
                     beta=torch.zeros(2, 70, 2, dtype=torch.int64))
        self.refuses(TypeError, "scale is a tensor, expected a number: the operator has no gradient for it", scale=torch.tensor(1.0))
        self.refuses(ValueError, "scale is nan, expected a finite number", scale=float("nan"))

    def test_devices(self):
        self.refuses(ValueError, "g is on meta, expected cpu as q is", g=draw("kda")["g"].to("meta"))
        self.refuses(ValueError, "initial_state is on meta, expected cpu as q is", initial_state=torch.zeros(2, 2, 12, 9, device="meta"))
        with self.assertRaisesRegex(ValueError, "q is on meta, expected the CPU or a CUDA device"):
            gdn.kda(**{name: tensor.to("meta") for name, tensor in draw("kda").items()})

    def test_sequences(self):
        self.refuses(ValueError, "cu_seqlens packs the sequences of one batch row, expected q with B = 1 and not 2", cu_seqlens=[0, 70])
        x = draw("kda", batch=1)
        for starts, line in (([0, 69], "cu_seqlens runs from 0 to 69, expected from 0 to T = 70"),
                             ([0, 9, 8, 70], "cu_seqlens has 8 at 2 after 9, expected rising offsets"),
                             ([], "cu_seqlens is empty, expected from 0 to T = 70"),
                             (torch.zeros(2), "cu_seqlens has shape [2] and holds torch.float32, expected [N + 1] offsets in int32 or int64")):
            with self.assertRaises((ValueError, TypeError)) as caught:
                gdn.kda(**x, cu_seqlens=starts)
            self.assertEqual(str(caught.exception), line)

    def test_names_and_forms(self):
        self.refuses(TypeError, "kda takes q k v beta g, and no b", b=torch.zeros(1))
        self.refuses(TypeError, "beta [B, T, H] is missing, kda takes q k v beta g", beta=None)
        self.refuses(ValueError, "form is 'fast', expected one of 'chunked', 'serial'", form="fast")


class Surroundings(unittest.TestCase):
    def test_without_the_extension_it_says_what_to_do(self):
        program = """
import sys, torch
sys.modules["assay_worker._judge"] = None
from assay_worker import gdn
x = torch.zeros(1, 1, 1, 1)
try:
    gdn.gla(x, x, x, g=x)
except RuntimeError as error:
    print(error)
"""
        said = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": sys.argv[1]}, check=True, capture_output=True, text=True).stdout
        self.assertRegex(said, "^tensors on the CPU need the extension module _judge beside the package assay_worker, .*: build the target .*\n$")

    def test_without_the_library_it_says_what_to_do(self):
        from assay_worker.gdn import library
        name, library.NAME = library.NAME, "libabsent.so"
        library.loaded.cache_clear()
        try:
            with self.assertRaisesRegex(RuntimeError, "^tensors on a CUDA device need libabsent.so .*: build it where nvcc is, or move .* CPU$"):
                library.loaded()
        finally:
            library.NAME = name


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
