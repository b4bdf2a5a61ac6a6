# SPDX-License-Identifier: Apache-2.0
"""The mutants: broken forms show their misbehaviour, conforming twins do not, GPU forms parse."""
import ast
import unittest

import variations
from loading import built, call, facts_at, inputs_of, module_at, mutant_folders
from mutant_stimuli import PROBES
from truth import disagreement, popular_check, truth

FOLDERS = mutant_folders()
NUMBERS = [*range(1, 20), *(f"E{n}" for n in range(1, 13))]


class MutantTest(unittest.TestCase):
    def each(self, device, check):
        """Runs check(folder, facts) for every mutant that has a form for @device."""
        for folder in FOLDERS:
            facts = facts_at(folder / "mutant.json")
            if device in facts["forms"]:
                with self.subTest(mutant=folder.name):
                    check(folder, facts)

    def subject(self, folder, facts, form):
        reference = module_at((folder / facts["reference"]).resolve())
        subject = built(module_at(folder / facts["forms"]["cpu"][form]), "ModelNew", reference)
        return reference, built(reference, "Model", reference), subject

    def test_all_kinds_are_there_once(self):
        self.assertEqual(sorted(map(str, NUMBERS)), sorted(str(facts_at(f / "mutant.json")["number"]) for f in FOLDERS))

    def test_facts_are_complete(self):
        keys = {"id", "number", "behaviour", "gates", "severity", "verdict", "devices", "forms", "reference", "profile", "kb_paper_expected", "notes"}
        for folder in FOLDERS:
            facts = facts_at(folder / "mutant.json")
            self.assertEqual(keys, set(facts) - {"fails_with"}, folder.name)
            self.assertEqual("pass" if facts["severity"] == "note" else "fail", facts["verdict"], folder.name)
            for forms in facts["forms"].values():
                self.assertEqual({"broken", "conforming"}, set(forms), folder.name)

    def test_every_gpu_form_parses_and_has_its_entry(self):
        def check(folder, facts):
            for name in facts["forms"]["cuda"].values():
                tree = ast.parse((folder / name).read_text())
                self.assertIn("ModelNew", [n.name for n in tree.body if isinstance(n, ast.ClassDef)])

        self.each("cuda", check)

    def test_broken_and_conforming_differ(self):
        for device in ("cpu", "cuda"):
            def check(folder, facts):
                forms = facts["forms"][device]
                self.assertNotEqual((folder / forms["broken"]).read_text(), (folder / forms["conforming"]).read_text())

            self.each(device, check)

    def test_broken_forms_show_their_misbehaviour(self):
        def check(folder, facts):
            reference, model, subject = self.subject(folder, facts, "broken")
            self.assertIsNotNone(PROBES[facts["id"]](model, subject, inputs_of(reference, 1)))

        self.each("cpu", check)

    def test_conforming_twins_do_not(self):
        def check(folder, facts):
            if facts["id"] == "parallel-reduction-bug":
                return  # both orders are legal and neither has the reference's bits
            reference, model, subject = self.subject(folder, facts, "conforming")
            self.assertIsNone(PROBES[facts["id"]](model, subject, inputs_of(reference, 1)))

        self.each("cpu", check)

    def test_conforming_twins_follow_other_values_strides_and_shapes(self):
        def check(folder, facts):
            reference, model, subject = self.subject(folder, facts, "conforming")
            inputs = inputs_of(reference, 1)
            for change, changed in [("native", inputs), *variations.regimes(inputs), *variations.restrided(inputs)]:
                self.assertIsNone(variations.dissent(model, subject, changed), change)
            for change, reason in variations.shape_dissent(model, subject, inputs):
                self.assertIsNone(reason, change)

        self.each("cpu", check)

    def test_conforming_twins_do_not_swallow_non_finite_values(self):
        def check(folder, facts):
            reference, model, subject = self.subject(folder, facts, "conforming")
            self.assertIsNone(variations.swallowed(model, subject, inputs_of(reference, 5)))

        self.each("cpu", check)

    def test_benign_reorder_stays_within_honest_rounding(self):
        folder = next(f for f in FOLDERS if f.name.endswith("parallel-reduction-bug"))
        reference, model, subject = self.subject(folder, facts_at(folder / "mutant.json"), "broken")
        inputs = inputs_of(reference, 1)
        self.assertIsNone(disagreement(call(subject, inputs), call(model, inputs), truth(model, inputs)))

    def test_popular_check_says_what_the_facts_say(self):
        def check(folder, facts):
            reference, model, subject = self.subject(folder, facts, "broken")
            trials = []
            for seed in range(5):
                inputs = inputs_of(reference, seed)
                trials.append(popular_check(call(model, inputs), call(subject, inputs)))
            expected = {"pass": True, "fail": False, "error": False}[facts["kb_paper_expected"]]
            self.assertEqual(expected, all(trials))

        self.each("cpu", check)


if __name__ == "__main__":
    unittest.main()
