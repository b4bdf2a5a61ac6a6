# SPDX-License-Identifier: Apache-2.0
"""Triton's caches in the shapes that its versions gave them, without Triton."""

import collections
import sys
import types
import unittest

import support  # noqa: F401
from assay_worker import resources, triton_kernels

Target = collections.namedtuple("Target", "backend arch warp_size")


class JITFunction:
    def __init__(self, fn):
        self.fn = fn


class Decorator:
    def __init__(self, fn):
        self.fn = fn


JITFunction.__module__ = "triton.runtime.jit"
Decorator.__module__ = "triton.runtime.autotuner"


class Autotuner(Decorator):
    __module__ = "triton.runtime.autotuner"


class Kernel:
    """What Triton keeps of a compiled kernel."""

    def __init__(self, name="scale", target=Target("cuda", 90, 32), asm=None, **metadata):
        fields = dict(metadata, name=name, target=target)
        self.metadata = collections.namedtuple("KernelMetadata", sorted(fields))(**fields)
        self.name = name
        self.src = "source"
        self.asm = {"ptx": ".version 8.7", "cubin": b"\x7fELF"} if asm is None else asm


class StubTriton:
    """Stands in for the package: JIT functions are of its type, and compile() answers what it was given."""

    def __init__(self, answer):
        self.asked = []
        self.answer = answer

    def __enter__(self):
        triton = types.ModuleType("triton")
        triton.compile = self._compile
        jit = types.ModuleType("triton.runtime.jit")
        jit.JITFunction = JITFunction
        tuner = types.ModuleType("triton.runtime.autotuner")
        tuner.Autotuner = Autotuner
        backend = types.ModuleType("triton.backends.compiler")
        backend.GPUTarget = Target
        self._before = {name: sys.modules.get(name) for name in (
            "triton", "triton.runtime", "triton.runtime.jit", "triton.runtime.autotuner", "triton.backends",
            "triton.backends.compiler")}
        sys.modules.update({"triton": triton, "triton.runtime": types.ModuleType("triton.runtime"), "triton.runtime.jit": jit,
                            "triton.runtime.autotuner": tuner,
                            "triton.backends": types.ModuleType("triton.backends"), "triton.backends.compiler": backend})
        return self

    def __exit__(self, *_):
        for name, module in self._before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module

    def _compile(self, source, target, options):
        self.asked.append((source, target, options))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def candidate(**names):
    module = types.ModuleType("candidate")
    vars(module).update(names)
    return module


def function_with(*kernels):
    """A JIT function as 3.2 and later keep it."""
    function = JITFunction(lambda: None)
    function.device_caches = {0: (dict(enumerate(kernels)), {}, None, None, None)}
    return function


BLACKWELL = Kernel(target=Target("cuda", 100, 32), shared=98320, tmem_size=128, num_warps=4)


class CollectTest(unittest.TestCase):
    def test_without_triton_nothing_is_known(self):
        self.assertNotIn("triton.runtime.jit", sys.modules)
        self.assertEqual(resources.collect(candidate()), {"functions": 0, "triton": [], "blackwell": [], "cuda_sources": [],
                                                           "errors": []})

    def test_a_compiled_kernel_is_described(self):
        kernel = Kernel(shared=24576, tmem_size=0, num_warps=8, num_ctas=1, extern=object(), names=("a", 1))
        kernel.n_regs, kernel.n_spills = 64, 12
        with StubTriton(BLACKWELL):
            found = resources.collect(candidate(scale=function_with(kernel)))
        self.assertEqual(found["errors"], [])
        self.assertEqual(len(found["triton"]), 1)
        described = found["triton"][0]
        self.assertEqual((described["name"], described["ptx"], described["cubin"]), ("scale", ".version 8.7", b"\x7fELF"))
        self.assertEqual(described["target"], {"backend": "cuda", "arch": 90, "warp_size": 32})
        metadata = described["metadata"]
        self.assertEqual((metadata["shared"], metadata["num_warps"]), (24576, 8))
        self.assertEqual((metadata["n_regs"], metadata["n_spills"]), (64, 12))
        self.assertEqual(metadata["names"], ("a", 1))
        self.assertNotIn("extern", metadata)  # no plain value
        self.assertNotIn("n_max_threads", metadata)  # never loaded

    def test_it_is_compiled_for_blackwell_with_the_options_of_its_launch(self):
        kernel = Kernel(num_warps=8, num_stages=3, num_ctas=1, maxnreg=None, arch="sm90")
        with StubTriton(BLACKWELL) as triton:
            found = resources.collect(candidate(scale=function_with(kernel)))
        self.assertEqual(triton.asked, [("source", Target("cuda", 100, 32), {"num_warps": 8, "num_stages": 3, "num_ctas": 1})])
        self.assertEqual(found["blackwell"][0]["metadata"]["tmem_size"], 128)
        self.assertNotIn("error", found["blackwell"][0])

    def test_a_kernel_of_blackwell_is_not_compiled_again(self):
        with StubTriton(BLACKWELL) as triton:
            found = resources.collect(candidate(scale=function_with(BLACKWELL)))
        self.assertEqual(triton.asked, [])
        self.assertEqual(found["blackwell"], found["triton"])

    def test_what_the_assembler_says_is_kept(self):
        error = RuntimeError("`ptxas` failed with error code 255:\nptxas fatal   : (C7907) Internal compiler error\n")
        with StubTriton(error):
            found = resources.collect(candidate(scale=function_with(Kernel())))
        self.assertEqual(found["errors"], [])
        refused = found["blackwell"][0]
        self.assertEqual((refused["name"], refused["ptx"], refused["cubin"]), ("scale", "", b""))
        self.assertEqual(refused["error"]["type"], "RuntimeError")
        self.assertIn("C7907", refused["error"]["message"])

    def test_other_vendors_are_not_compiled_for_blackwell(self):
        kernel = Kernel(target=Target("hip", "gfx942", 64), asm={"amdgcn": "text", "hsaco": b"code"})
        with StubTriton(BLACKWELL) as triton:
            found = resources.collect(candidate(scale=function_with(kernel)))
        self.assertEqual((triton.asked, found["blackwell"]), ([], []))
        self.assertEqual((found["triton"][0]["ptx"], found["triton"][0]["cubin"]), ("", b""))

    def test_what_the_driver_took_comes_first(self):
        refused, block, loaded = Kernel("refused", num_warps=4), Kernel("block", num_warps=32), Kernel("loaded", num_warps=4)
        for kernel in (block, loaded):
            kernel.n_regs, kernel.n_max_threads = 64, 512
        with StubTriton(BLACKWELL):
            found = resources.collect(candidate(scale=function_with(refused, block, loaded)))
        self.assertEqual([(kernel["name"], kernel["loaded"]) for kernel in found["triton"]],
                         [("loaded", True), ("refused", False), ("block", False)])

    def test_autotuned_kernels_are_marked(self):
        tuned = Autotuner(function_with(Kernel("tuned")))
        with StubTriton(BLACKWELL):
            found = resources.collect(candidate(tuned=tuned, plain=Decorator(function_with(Kernel("plain")))))
        self.assertEqual(found["functions"], 2)
        self.assertEqual({kernel["name"]: kernel["autotuned"] for kernel in found["triton"]}, {"tuned": True, "plain": False})

    def test_what_there_is_no_time_for_is_said(self):
        with StubTriton(BLACKWELL) as triton:
            found = resources.collect(candidate(scale=function_with(Kernel())), seconds=-1)
        self.assertEqual(triton.asked, [])
        self.assertEqual(found["blackwell"][0]["error"]["type"], "TimeoutError")

    def test_an_unreadable_kernel_is_an_error_of_its_own(self):
        broken = Kernel()
        broken.metadata = 5
        with StubTriton(BLACKWELL):
            found = resources.collect(candidate(scale=function_with(broken, Kernel(name="other"))))
        self.assertEqual([kernel["name"] for kernel in found["triton"]], ["other"])
        self.assertEqual([(error["where"], error["name"]) for error in found["errors"]], [("read", "scale")])


class FindTest(unittest.TestCase):
    def found(self, **names):
        with StubTriton(BLACKWELL):
            return [kernel["name"] for kernel in resources.collect(candidate(**names), blackwell=False)["triton"]]

    def test_under_decorators(self):
        self.assertEqual(self.found(scale=Decorator(Decorator(function_with(Kernel())))), ["scale"])

    def test_once_under_two_names(self):
        function = function_with(Kernel())
        self.assertEqual(self.found(scale=function, again=Decorator(function)), ["scale"])

    def test_in_classes_and_tables(self):
        holder = type("Holder", (), {"kernel": function_with(Kernel("inner")), "__module__": "candidate"})
        self.assertEqual(sorted(self.found(Holder=holder, table={"a": function_with(Kernel("tabled"))})), ["inner", "tabled"])

    def test_made_inside_a_function(self):
        function = function_with(Kernel("local"))
        function.fn.__module__ = "candidate"
        self.assertEqual(self.found(), ["local"])

    def test_in_the_caches_of_older_versions(self):
        function = JITFunction(lambda: None)
        function.cache = {0: {"key": Kernel("older")}, 1: {}}
        self.assertEqual(self.found(older=function), ["older"])

    def test_not_while_it_is_being_compiled(self):
        self.assertEqual(self.found(scale=function_with(object())), [])

    def test_every_configuration(self):
        self.assertEqual(self.found(scale=function_with(Kernel("one"), Kernel("two"))), ["one", "two"])


if __name__ == "__main__":
    unittest.main()
