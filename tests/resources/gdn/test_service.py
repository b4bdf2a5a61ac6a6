# SPDX-License-Identifier: Apache-2.0
"""The service that times the operator on a device and holds it against fp64, as assay asks it.

usage: test_service.py FOLDER_WITH_ASSAY_WORKER"""

import json
import os
import subprocess
import sys
import unittest

import torch
from support import NAMES

from assay_worker import gdn_service

WORKER = sys.argv[1]

SHAPE = [1, 40, 2, 12, 9]


def ask(**request):
    return gdn_service.answer(dict({"id": 7, "op": "errors", "family": "gdn2", "shape": SHAPE, "dtype": "float32", "device": "cpu"}, **request))


class Service(unittest.TestCase):
    def test_every_family_is_within_its_tolerance(self):
        for family in NAMES:
            for dtype in ("float64", "float32", "bfloat16"):
                with self.subTest(family=family, dtype=dtype):
                    said = ask(family=family, dtype=dtype)
                    self.assertNotIn("problem", said)
                    self.assertEqual(said["id"], 7)
                    self.assertIn("dlambda" if family == "mamba3" else "dq", [output["name"] for output in said["outputs"]])
                    for output in said["outputs"]:
                        self.assertLess(output["error"], output["tolerance"], output["name"])
                        self.assertGreaterEqual(output["error"], 0)

    def test_what_is_not_there_is_the_answer(self):
        self.assertIn("no family is called", ask(family="rwkv")["problem"])
        self.assertIn("problem", ask(device="cuda:63"))
        self.assertIn("remedy", ask(device="cuda:63"))

    def test_inputs_are_the_same_for_a_seed(self):
        one, do = gdn_service.draw("kda", SHAPE, torch.float32, 3)
        two, again = gdn_service.draw("kda", SHAPE, torch.float32, 3)
        self.assertTrue(torch.equal(do, again) and all(torch.equal(one[name], two[name]) for name in one))
        self.assertFalse(torch.equal(do, gdn_service.draw("kda", SHAPE, torch.float32, 4)[1]))

    def test_lines_are_answered_in_order(self):
        lines = [json.dumps({"id": number, "op": "errors", "family": family, "shape": SHAPE, "dtype": "float32", "device": "cpu"})
                 for number, family in enumerate(("gla", "mamba1", "delta"))]
        done = subprocess.run([sys.executable, "-m", "assay_worker", "gdn"], input="no JSON\n" + "\n".join(lines) + "\n", text=True,
                              capture_output=True, env=dict(os.environ, PYTHONPATH=WORKER), check=True)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        said = [each for each in said if each["event"] != "alive"]
        self.assertEqual([each["id"] for each in said], [0, 1, 2])
        self.assertEqual(["problem" in each for each in said], [False, True, False])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
