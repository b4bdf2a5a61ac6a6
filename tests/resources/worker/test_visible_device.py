# SPDX-License-Identifier: Apache-2.0
"""Which GPU a party sees. None is needed."""

import os
import unittest

import support  # noqa: F401: finds the worker
from assay_worker import visible_device

NAMES = "CUDA_VISIBLE_DEVICES"


class VisibleDevice(unittest.TestCase):
    def setUp(self):
        kept = os.environ.pop(NAMES, None)
        self.addCleanup(lambda: os.environ.pop(NAMES, None) if kept is None else os.environ.__setitem__(NAMES, kept))

    def test_the_chosen_one_is_the_first_and_only_one(self):
        self.assertEqual(visible_device.only("cuda:3"), "cuda:0")
        self.assertEqual(os.environ[NAMES], "3")

    def test_devices_are_counted_as_the_environment_leaves_them(self):
        os.environ[NAMES] = "GPU-b,GPU-a"
        self.assertEqual(visible_device.only("cuda:1"), "cuda:0")
        self.assertEqual(os.environ[NAMES], "GPU-a")

    def test_one_that_is_not_there_keeps_its_name(self):
        os.environ[NAMES] = "0"
        self.assertEqual(visible_device.only("cuda:1"), "cuda:1")
        self.assertEqual(os.environ[NAMES], "0")

    def test_other_devices_change_nothing(self):
        for name in ("cpu", "cuda", "meta"):
            self.assertEqual(visible_device.only(name), name)
        self.assertNotIn(NAMES, os.environ)


if __name__ == "__main__":
    unittest.main()
