# SPDX-License-Identifier: Apache-2.0
"""A model trained through the operator takes the same steps as one whose recurrence is written out in torch.

usage: test_training.py FOLDER_WITH_ASSAY_WORKER"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

STEPS = 5


class Training(unittest.TestCase):
    def test_both_curves_are_one(self):
        with tempfile.TemporaryDirectory() as folder:
            curves = os.path.join(folder, "curves.csv")
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "train_two_layers.py")
            said = subprocess.run([sys.executable, script, sys.argv[1], "--device", "cpu", "--dtype", "float64", "--steps", str(STEPS),
                                   "--batch", "2", "--out", curves], check=True, capture_output=True, text=True).stdout
            with open(curves, newline="") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], list(range(1, STEPS + 1)))
        losses = [float(row["operator"]) for row in rows]
        self.assertEqual(len(set(losses)), STEPS)
        for row, loss in zip(rows, losses):  # fp64 on both sides: what a few steps make of roundoff
            self.assertAlmostEqual(loss, float(row["reference"]), delta=1e-10)
        self.assertRegex(said, r"losses apart: \S+ at most \(step \d\), \S+ on average")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
