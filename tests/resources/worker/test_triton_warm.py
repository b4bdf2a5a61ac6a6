# SPDX-License-Identifier: Apache-2.0
"""What is done for Triton before parties are forked. Triton is not needed, but for the test that compiles."""

import importlib.util
import os
import tempfile
import types
import unittest
import unittest.mock

import support  # noqa: F401: finds the worker
import assay_worker
from assay_worker import triton_warm


class Rehearsal(unittest.TestCase):
    def rehearse(self, compile_one):
        made = types.SimpleNamespace(compile_one=compile_one)
        with unittest.mock.patch.object(assay_worker, "triton_rehearsal", made, create=True):
            with tempfile.TemporaryDirectory() as folder:
                triton_warm._rehearse(folder)
                return folder

    def test_what_is_compiled_lies_in_a_folder_that_goes(self):
        for before in (None, "/elsewhere"):
            with unittest.mock.patch.dict(os.environ):
                os.environ.pop("TRITON_CACHE_DIR", None)
                if before is not None:
                    os.environ["TRITON_CACHE_DIR"] = before
                seen = []
                folder = self.rehearse(lambda: seen.append(os.environ["TRITON_CACHE_DIR"]))
                self.assertEqual(seen, [folder])
                self.assertEqual(os.environ.get("TRITON_CACHE_DIR"), before)

    def test_a_compiler_of_another_make_stops_nothing(self):
        def refuse():
            raise TypeError("unexpected keyword")
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("TRITON_CACHE_DIR", None)
            self.rehearse(refuse)
            self.assertNotIn("TRITON_CACHE_DIR", os.environ)

    @unittest.skipIf(importlib.util.find_spec("triton") is None, "no Triton")
    def test_the_kernel_compiles_without_a_gpu(self):
        from assay_worker import triton_rehearsal
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TRITON_CACHE_DIR=folder):
            self.assertIn("cubin", triton_rehearsal.compile_one().asm)


if __name__ == "__main__":
    unittest.main()
