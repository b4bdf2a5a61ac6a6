# SPDX-License-Identifier: Apache-2.0
"""What is recorded of the extensions that foreign code builds, with a builder of the same shape as torch's."""

import os
import tempfile
import types
import unittest

import support  # noqa: F401
from assay_worker import cuda_sources, resources


def builder(library=None, error=None):
    """A module like torch.utils.cpp_extension, in the argument order of one of its versions."""
    module = types.SimpleNamespace(calls=[])

    def finish(name):
        module.calls.append(name)
        if error is not None:
            raise error
        return types.SimpleNamespace(__name__=name, __file__=library)

    def load(name, sources, extra_cflags=None, extra_cuda_cflags=None, verbose=False):
        return finish(name)

    def load_inline(name, cpp_sources, cuda_sources=None, sycl_sources=None, functions=None, extra_cuda_cflags=None):
        return module.load(name, ["main.cpp", "cuda.cu"])

    module.load, module.load_inline = load, load_inline
    return module


class RecorderTest(unittest.TestCase):
    def recorder(self, module):
        recorder = cuda_sources.Recorder()
        recorder.install(module)
        self.addCleanup(recorder.restore)
        return recorder

    def test_inline_sources_are_recorded_once(self):
        module = builder()
        recorder = self.recorder(module)
        module.load_inline("scale", "void scale();", "__global__ void k() {}", functions=["scale"], extra_cuda_cflags=["-O3"])
        self.assertEqual(module.calls, ["scale"])
        self.assertEqual(recorder.records, [{"name": "scale", "sources": ["__global__ void k() {}"], "cuda_flags": ["-O3"],
                                             "functions": ["scale"], "library": None, "at_run_time": False}])

    def test_a_kernel_compiled_at_run_time_is_recorded(self):
        compiler = types.SimpleNamespace(_compile_kernel=lambda kernel_source, kernel_name, nvcc_options=None: kernel_name)
        recorder = cuda_sources.Recorder()
        recorder.install(builder(), compiler)
        self.addCleanup(recorder.restore)
        self.assertEqual(compiler._compile_kernel("__global__ void k() {}", "k", nvcc_options=["-DN=4"]), "k")
        self.assertEqual(recorder.records, [{"name": "k", "sources": ["__global__ void k() {}"], "cuda_flags": ["-DN=4"],
                                             "functions": ["k"], "library": None, "at_run_time": True}])

    def test_names_and_lists_in_any_spelling(self):
        module = builder()
        recorder = self.recorder(module)
        module.load_inline(name="two", cpp_sources=[], cuda_sources=["a", "b"], functions={"f": "doc"})
        self.assertEqual((recorder.records[0]["sources"], recorder.records[0]["functions"]), (["a", "b"], ["f"]))

    def test_files_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.cu")
            with open(path, "w", encoding="utf-8") as file:
                file.write("__global__ void k() {}")
            module = builder()
            recorder = self.recorder(module)
            module.load("scale", [path, os.path.join(folder, "main.cpp"), os.path.join(folder, "absent.cu")])
        self.assertEqual(recorder.records[0]["sources"], ["__global__ void k() {}"])

    def test_the_library_is_kept(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as library:
            library.write(b"\x7fELF code")
            library.flush()
            module = builder(library.name)
            recorder = self.recorder(module)
            module.load_inline("scale", "", "source")
        self.assertEqual(recorder.records[0]["library"], b"\x7fELF code")

    def test_a_build_that_fails_is_recorded_and_still_fails(self):
        module = builder(error=RuntimeError("Error building extension"))
        recorder = self.recorder(module)
        with self.assertRaisesRegex(RuntimeError, "building"):
            module.load_inline("scale", "", "source")
        self.assertEqual((recorder.records[0]["sources"], recorder.records[0]["library"]), (["source"], None))
        module.load = builder().load  # the next build is recorded as well
        module.load_inline("again", "", "other")
        self.assertEqual(len(recorder.records), 2)

    def test_wrong_arguments_are_the_builder_s_to_refuse(self):
        module = builder()
        recorder = self.recorder(module)
        with self.assertRaises(TypeError):
            module.load_inline("scale", no_such_argument=1)
        self.assertEqual(recorder.records, [])

    def test_restore_puts_the_builder_back(self):
        module = builder()
        before = (module.load, module.load_inline)
        recorder = self.recorder(module)
        recorder.install(module)  # a second time changes nothing
        self.assertIsNot(module.load, before[0])
        recorder.restore()
        self.assertEqual((module.load, module.load_inline), before)

    def test_collect_hands_the_records_on(self):
        module = builder()
        recorder = self.recorder(module)
        module.load_inline("scale", "", "source")
        found = resources.collect(types.ModuleType("candidate"), recorder)
        self.assertEqual(found["cuda_sources"], recorder.records)


if __name__ == "__main__":
    unittest.main()
