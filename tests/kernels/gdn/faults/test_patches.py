# SPDX-License-Identifier: Apache-2.0
"""test_patches.py SOURCE: every fault has its one place in the sources, and one that has not is an error, not a pass."""

import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import patches

SOURCE = sys.argv[1]


class Patches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        shutil.copytree(os.path.join(SOURCE, "kernels", "gdn"), os.path.join(self.root, "kernels", "gdn"))

    def text(self, fault):
        with open(os.path.join(self.root, fault.file), encoding="utf-8") as file:
            return file.read()

    def test_each_changes_one_place(self):
        for fault in patches.CPU + patches.CUDA + (patches.SELF_TEST,):
            with self.subTest(fault=fault.name, file=fault.file):
                before = self.text(fault)
                patches.apply(fault, self.root)
                self.assertNotEqual(self.text(fault), before)
                with open(os.path.join(self.root, fault.file), "w", encoding="utf-8") as file:
                    file.write(before)

    def test_a_place_that_is_gone_or_there_twice_is_an_error(self):
        fault = patches.CPU[0]
        with self.assertRaises(ValueError):
            patches.apply(fault._replace(old="no such line"), self.root)
        with self.assertRaises(ValueError):
            patches.apply(fault._replace(old="m_state"), self.root)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
