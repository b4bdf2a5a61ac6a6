# SPDX-License-Identifier: Apache-2.0
"""Device code that a candidate loads by itself is evidence about its resources."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import support  # noqa: F401  (puts the worker on the path)

from assay_worker import loaded_libraries


def library(folder, name, mark):
    """A shared object with or without a section of device code."""
    source = os.path.join(folder, name + ".c")
    with open(source, "w") as file:
        file.write("int answer(void) { return 42; }\n")
        if mark:
            file.write('__attribute__((section(".nv_fatbin"), used)) static const char code[8] = "device";\n')
    path = os.path.join(folder, name + ".so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source], check=True)
    return path


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class LoadedLibraries(unittest.TestCase):
    def test_only_new_ones_with_device_code_count(self):
        with tempfile.TemporaryDirectory() as folder:
            ctypes.CDLL(library(folder, "libearlier", True))
            loaded = loaded_libraries.LoadedLibraries()
            self.assertEqual(loaded.records(), [])
            ctypes.CDLL(library(folder, "libhost", False))
            ctypes.CDLL(library(folder, "libcudavendor", True))
            device = library(folder, "libdevice", True)
            self.assertEqual(ctypes.CDLL(device).answer(), 42)
            records = loaded.records()
            self.assertEqual([record["name"] for record in records], ["libdevice.so"])
            with open(device, "rb") as file:
                content = file.read()
            self.assertEqual(records[0]["library"], content)
            self.assertFalse(records[0]["at_run_time"])
            self.assertEqual(loaded.records([content]), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
