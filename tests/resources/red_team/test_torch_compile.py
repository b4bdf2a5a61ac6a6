# SPDX-License-Identifier: Apache-2.0
"""The references that are judged against torch.compile of themselves: they run, repeat, depend on all they get, and are small."""
import unittest

import torch

from loading import CONTROLS, built, call, inputs_of, leaves, module_at

SOURCES = sorted((CONTROLS / "torch_compile").glob("*.py"))
MEBIBYTES = 16


class TorchCompileTest(unittest.TestCase):
    def each(self, check):
        """Runs check(reference, model, inputs) for every source."""
        for source in SOURCES:
            with self.subTest(source=source.name):
                reference = module_at(source)
                check(reference, built(reference, "Model", reference), inputs_of(reference, 1))

    def test_there_are_enough_on_every_level(self):
        levels = [source.name[:2] for source in SOURCES]
        self.assertGreaterEqual(len(levels), 60)
        self.assertEqual({"l1", "l2", "l3"}, set(levels))

    def test_results_are_finite_repeatable_and_small(self):
        def check(reference, model, inputs):
            first, second = leaves(call(model, inputs)), leaves(call(model, inputs))
            for a, b in zip(first, second):
                self.assertTrue(torch.equal(a, b))
                self.assertTrue(bool(torch.isfinite(a).all()))
            total = sum(v.numel() * v.element_size() for v in [*inputs, *first, *model.parameters()])
            self.assertLess(total, MEBIBYTES << 20)

        self.each(check)

    def test_zeros_would_not_pass_the_popular_check(self):
        def check(reference, model, inputs):
            for leaf in leaves(call(model, inputs)):
                self.assertGreater(float(leaf.double().abs().max()), 1e-2)

        self.each(check)

    def test_every_input_and_weight_matters(self):
        def check(reference, model, inputs):
            before = leaves(call(model, inputs))
            for index, value in enumerate(inputs):
                torch.manual_seed(31)
                changed = list(inputs)
                changed[index] = value[torch.randperm(value.shape[0])] if not value.is_floating_point() else value + 0.5 * torch.randn_like(value)
                self.assertTrue(self.differ(before, call(model, changed)), f"input {index}")
            for name, weight in model.named_parameters():
                kept = weight.detach().clone()
                with torch.no_grad():
                    weight.add_(0.3 * torch.randn_like(weight))
                self.assertTrue(self.differ(before, call(model, inputs)), name)
                with torch.no_grad():
                    weight.copy_(kept)

        self.each(check)

    def test_inputs_are_left_alone(self):
        def check(reference, model, inputs):
            held = [value.clone() for value in inputs]
            with torch.no_grad():
                model(*held)
            self.assertTrue(all(torch.equal(a, b) for a, b in zip(held, inputs)))

        self.each(check)

    @staticmethod
    def differ(before, after):
        return any(not torch.equal(a, b) for a, b in zip(before, leaves(after)))


if __name__ == "__main__":
    unittest.main()
