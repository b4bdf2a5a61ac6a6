# SPDX-License-Identifier: Apache-2.0
"""The pairs: defects show themselves and their twins do not, correct candidates are correct, and a fixed-shape check accepts all."""
import copy
import unittest

import torch

import probes
import variations
from loading import built, call, facts_at, inputs_of, module_at, pair_folders
from pair_stimuli import CORRECT, DEFECTS, ISOLATED
from truth import disagreement, popular_check

FOLDERS = pair_folders()
COMPARISONS = ((torch, ("allclose", "equal")), (torch.Tensor, ("allclose", "equal")), (torch.testing, ("assert_close",)))


class PairTest(unittest.TestCase):
    def setUp(self):
        # Two candidates replace torch's comparisons; the tests after them must not believe those.
        kept = [(owner, name, getattr(owner, name)) for owner, names in COMPARISONS for name in names]
        self.addCleanup(lambda: [setattr(*entry) for entry in kept])

    def each(self, kind, check):
        """Runs check(folder) for every pair of @kind."""
        for folder in FOLDERS:
            if facts_at(folder / "expected.json")["kind"] == kind:
                with self.subTest(pair=f"{folder.parent.name}/{folder.name}"):
                    check(folder)

    def subject(self, folder, name):
        reference = module_at(folder / "reference.py")
        return reference, built(reference, "Model", reference), built(module_at(folder / name), "ModelNew", reference)

    def test_every_pair_has_its_stimulus_and_no_stimulus_lacks_a_pair(self):
        names = [folder.name for folder in FOLDERS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(names), set(DEFECTS) | set(ISOLATED) | set(CORRECT))

    def test_every_kind_has_two_pairs(self):
        kinds = [folder.parent.name for folder in FOLDERS]
        self.assertEqual({2}, {kinds.count(kind) for kind in kinds})

    def test_defects_show_themselves_and_their_twins_do_not(self):
        def check(folder):
            if folder.name in ISOLATED:
                return
            reference, model, candidate = self.subject(folder, "candidate.py")
            inputs = inputs_of(reference, 1)
            self.assertIsNotNone(DEFECTS[folder.name](model, candidate, inputs))
            reference, model, twin = self.subject(folder, "twin.py")
            self.assertIsNone(DEFECTS[folder.name](model, twin, inputs))

        self.each("defect", check)

    def test_attacks_on_the_judge_fail_in_a_process_of_their_own(self):
        for folder in (f for f in FOLDERS if f.name in ISOLATED):
            with self.subTest(pair=folder.name):
                reference = module_at(folder / "reference.py")
                model, inputs = built(reference, "Model", reference), inputs_of(reference, 1)
                for name, wrong in (("candidate.py", True), ("twin.py", False)):
                    reason = probes.alone(folder / name, folder / "reference.py")(model, None, inputs)
                    self.assertEqual(wrong, reason is not None, reason)

    def each_right_form(self, check):
        """Runs check(reference, model, subject) for the twins and the correct candidates."""
        for kind, name in (("defect", "twin.py"), ("correct", "candidate.py")):
            self.each(kind, lambda folder: check(*self.subject(folder, name)))

    def test_right_forms_round_honestly(self):
        def check(reference, model, subject):
            for seed in range(3):
                self.assertIsNone(variations.dissent(model, subject, inputs_of(reference, seed)))

        self.each_right_form(check)

    def test_right_forms_follow_other_values_and_strides(self):
        def check(reference, model, subject):
            inputs = inputs_of(reference, 1)
            for change, changed in [*variations.regimes(inputs), *variations.restrided(inputs)]:
                self.assertIsNone(variations.dissent(model, subject, changed), change)

        self.each_right_form(check)

    def test_right_forms_take_and_refuse_shapes_like_the_reference(self):
        def check(reference, model, subject):
            for change, reason in variations.shape_dissent(model, subject, inputs_of(reference, 1)):
                self.assertIsNone(reason, change)

        self.each_right_form(check)

    def test_right_forms_do_not_swallow_non_finite_values(self):
        self.each_right_form(lambda reference, model, subject: self.assertIsNone(
            variations.swallowed(model, subject, inputs_of(reference, 1))))

    def test_correct_candidates_survive_their_stimuli(self):
        def check(folder):
            reference, model, candidate = self.subject(folder, "candidate.py")
            for change in CORRECT[folder.name]:
                self.assertIsNone(probes.values(change)(model, candidate, inputs_of(reference, 1)))

        self.each("correct", check)

    def test_correct_candidates_treat_their_inputs_like_the_reference(self):
        def check(folder):
            reference, model, candidate = self.subject(folder, "candidate.py")
            sides = []
            for side in (model, candidate):
                held = inputs_of(reference, 1)
                torch.manual_seed(2)
                with torch.no_grad():
                    side(*held)
                sides.append(held)
            self.assertIsNone(disagreement(sides[1], sides[0], [v.double() for v in sides[0]]))

        self.each("correct", check)

    def test_random_layers_agree_after_reseeding_in_both_modes(self):
        for folder in (f for f in FOLDERS if f.parent.name == "dropout-seeded"):
            reference, model, candidate = self.subject(folder, "candidate.py")
            inputs = inputs_of(reference, 1)
            for mode in (True, False):
                shipped, result = call(model.train(mode), inputs), call(candidate.train(mode), inputs)
                self.assertIsNone(disagreement(result, shipped, shipped))

    def test_wrong_shapes_are_refused_like_the_reference_does(self):
        for folder in (f for f in FOLDERS if f.parent.name == "linear-fixed-features"):
            reference, model, candidate = self.subject(folder, "candidate.py")
            axis = -1 if folder.name == "norm-with-fixed-width" else 1
            for size in (1, 3):
                inputs = [value.narrow(axis, 0, size) for value in inputs_of(reference, 1)]
                for side in (model, candidate):
                    with self.assertRaises(Exception):
                        call(side, inputs)

    def test_the_popular_check_accepts_every_candidate(self):
        def check(folder):
            for name in ("candidate.py", "twin.py"):
                if not (folder / name).exists():
                    continue
                reference, model, subject = self.subject(folder, name)
                for seed in range(5):
                    inputs = inputs_of(reference, seed)
                    output = call(copy.deepcopy(model), inputs)
                    accepted = torch.allclose if folder.parent.name == "tampered-comparison" else popular_check
                    self.assertTrue(accepted(output, call(subject, inputs)), f"{name}, seed {seed}")

        self.each("defect", check)
        self.each("correct", check)


if __name__ == "__main__":
    unittest.main()
