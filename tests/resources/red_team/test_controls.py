# SPDX-License-Identifier: Apache-2.0
"""The controls: other ways to compute the same, which every right verifier accepts."""
import unittest

import torch
from torch.utils._python_dispatch import TorchDispatchMode

import variations
from loading import built, call, cloned, control_folders, inputs_of, leaves, module_at
from truth import disagreement, popular_check

FOLDERS = control_folders()
# Ill-conditioned there: rounding decides what remains.
UNDEFINED_REGIMES = {
    ("expert-routing-gathered", "zeros"), ("expert-routing-gathered", "ones"), ("expert-routing-gathered", "ties"),
    ("kl-divergence-fused", "small"),
}
RANDOM_ORDER_OF_TIES = ("top-k-by-sort",)


def widened(result):
    return [leaf.to(torch.complex128 if leaf.is_complex() else torch.float64) for leaf in leaves(result)]


class HostReads(TorchDispatchMode):
    """Counts how often values go from the device to the host."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func._schema.name == "aten::_local_scalar_dense"
        return func(*args, **(kwargs or {}))


def host_reads(model, inputs):
    with HostReads() as reads:
        call(model, inputs)
    return reads.count


class ControlTest(unittest.TestCase):
    def each(self, check):
        """Runs check(name, reference, model, candidate, inputs) for every control."""
        for folder in FOLDERS:
            with self.subTest(control=folder.name):
                reference = module_at(folder / "reference.py")
                model = built(reference, "Model", reference)
                candidate = built(module_at(folder / "candidate.py"), "ModelNew", reference)
                check(folder.name, model, candidate, inputs_of(reference, 1))

    def agree(self, model, candidate, inputs):
        self.assertIsNone(variations.dissent(model, candidate, inputs))

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(FOLDERS), 48)

    def test_native_inputs_round_honestly(self):
        def check(name, model, candidate, inputs):
            self.agree(model, candidate, inputs)
            self.assertTrue(popular_check(call(model, inputs), call(candidate, inputs)))

        self.each(check)

    def test_no_candidate_reads_more_on_the_host_than_its_reference(self):
        def check(name, model, candidate, inputs):
            self.assertLessEqual(host_reads(candidate, inputs), host_reads(model, inputs))

        self.each(check)

    def test_other_values_round_honestly(self):
        def check(name, model, candidate, inputs):
            for regime, changed in variations.regimes(inputs):
                if (name, regime) not in UNDEFINED_REGIMES and (name not in RANDOM_ORDER_OF_TIES or regime in ("uniform", "small", "large")):
                    with self.subTest(regime=regime):
                        self.agree(model, candidate, changed)

        self.each(check)

    def test_other_strides_give_the_same(self):
        def check(name, model, candidate, inputs):
            for layout, changed in variations.restrided(inputs):
                with self.subTest(layout=layout):
                    self.agree(model, candidate, changed)

        self.each(check)

    def test_other_shapes_are_taken_and_refused_like_the_reference_does(self):
        def check(name, model, candidate, inputs):
            for change, reason in variations.shape_dissent(model, candidate, inputs):
                self.assertIsNone(reason, change)

        self.each(check)

    def test_non_finite_values_are_not_swallowed(self):
        self.each(lambda name, model, candidate, inputs: self.assertIsNone(variations.swallowed(model, candidate, inputs)))

    def test_repeats_have_equal_bits_and_inputs_are_treated_alike(self):
        def check(name, model, candidate, inputs):
            self.assertIsNone(disagreement(call(candidate, inputs), call(candidate, inputs), widened(call(candidate, inputs))))
            held = [cloned(inputs), cloned(inputs)]
            with torch.no_grad():
                model(*held[0]), candidate(*held[1])
            for a, b in zip(*held):
                self.assertTrue(torch.allclose(a.double(), b.double(), rtol=1e-6, atol=1e-6))

        self.each(check)

    def test_gradients_follow_the_reference(self):
        def check(name, model, candidate, inputs):
            held = [[v.clone().requires_grad_() if v.is_floating_point() else v for v in inputs] for _ in range(2)]
            gradients = []
            for side, values in zip((model, candidate), held):
                try:
                    outputs = [leaf for leaf in leaves(side(*values)) if leaf.requires_grad]
                except RuntimeError as error:
                    if side is model and "in-place" in str(error):
                        return  # the reference writes into its input, which a leaf forbids
                    raise
                sources = [v for v in values if v.is_floating_point()] + list(side.parameters())
                total = sum((leaf.abs().square() if leaf.is_complex() else leaf.square()).sum() for leaf in outputs)
                gradients.append(torch.autograd.grad(total, sources, allow_unused=True) if outputs else [None] * len(sources))
            self.assertEqual(len(gradients[0]), len(gradients[1]))
            for expected, got in zip(*gradients):
                if got is None and expected is not None and not expected.any():
                    continue  # none is as right as one of zeros
                self.assertEqual(expected is None, got is None)
                if expected is not None:
                    slack = 2e-2 if expected.element_size() == 2 else 1e-4
                    self.assertLessEqual(float((got - expected).abs().max()), slack * float(1 + expected.abs().max()))

        self.each(check)

    def test_train_mode_does_what_the_reference_does(self):
        def check(name, model, candidate, inputs):
            shipped, result = call(model.train(), inputs), call(candidate.train(), inputs)
            self.assertIsNone(disagreement(result, shipped, widened(shipped)))
            for expected, got in zip(model.buffers(), candidate.buffers()):
                self.assertTrue(torch.allclose(got.double(), expected.double(), rtol=1e-5, atol=1e-6))

        self.each(check)


if __name__ == "__main__":
    unittest.main()
