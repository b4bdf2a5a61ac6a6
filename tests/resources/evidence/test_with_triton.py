# SPDX-License-Identifier: Apache-2.0
"""Evidence from the real Triton. Kernels are compiled for one GPU without any and placed where a launch would leave them."""

import unittest

import support
from assay_worker import resources

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

CANDIDATE = """
    import triton
    import triton.language as tl

    @triton.jit
    def product(a, b, c, k_size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
        rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
        total = tl.zeros((M, N), tl.float32)
        for k in range(0, k_size, K):
            left = tl.load(a + rows[:, None] * k_size + (k + inner)[None, :])
            right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
            total = tl.dot(left, right, total)
        tl.store(c + rows[:, None] * N + columns[None, :], total)

    @triton.jit
    def products(a, b, c, k_size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
        rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
        one = tl.zeros((M, N), tl.float32)
        two = tl.zeros((M, N), tl.float32)
        three = tl.zeros((M, N), tl.float32)
        for k in range(0, k_size, K):
            left = tl.load(a + rows[:, None] * k_size + (k + inner)[None, :])
            right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
            one = tl.dot(left, right, one)
            two = tl.dot(left, right + 1.0, two)
            three = tl.dot(left + 1.0, right, three)
        at = rows[:, None] * N + columns[None, :]
        tl.store(c + at, one)
        tl.store(c + M * N + at, two)
        tl.store(c + 2 * M * N + at, three)
    """


def launched(function, arch, m, n, k, warps):
    """Leaves `function`, compiled for `arch`, in its cache as a launch does."""
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "k_size": "i32", "M": "constexpr", "N": "constexpr", "K": "constexpr"}
    source = ASTSource(function, signature, {"M": m, "N": n, "K": k}, {(i,): [["tt.divisibility", 16]] for i in range(4)})
    kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": warps})
    if hasattr(function, "device_caches"):
        function.device_caches[0] = ({"key": kernel}, {}, None, None, None)
    else:
        function.cache[0]["key"] = kernel


def version():
    return tuple(int(part) for part in triton.__version__.split(".")[:2])


@unittest.skipIf(version() < (3, 3), "Triton %s makes no code for Blackwell" % triton.__version__)
class TritonTest(unittest.TestCase):
    def test_a_hopper_kernel_gets_its_blackwell_figures(self):
        module = support.module_of(CANDIDATE)
        launched(module.product, 90, 128, 128, 64, 4)
        found = resources.collect(module)
        self.assertEqual(found["errors"], [])
        hopper, blackwell = found["triton"][0], found["blackwell"][0]
        self.assertNotIn("error", blackwell)
        self.assertEqual((hopper["target"]["arch"], blackwell["target"]["arch"]), (90, 100))
        self.assertEqual((hopper["loaded"], hopper["autotuned"], found["functions"]), (False, False, 2))
        self.assertEqual(blackwell["metadata"]["tmem_size"], 128)  # one accumulator of 128 columns
        self.assertIn("wgmma", hopper["ptx"])
        self.assertIn("tcgen05.alloc", blackwell["ptx"])
        self.assertEqual(blackwell["metadata"]["num_warps"], 4)
        self.assertTrue(hopper["cubin"].startswith(b"\x7fELF") and blackwell["cubin"].startswith(b"\x7fELF"))

    def test_too_many_columns_show_in_the_metadata(self):
        module = support.module_of(CANDIDATE)
        launched(module.products, 90, 128, 256, 32, 8)
        found = resources.collect(module)
        blackwell = found["blackwell"][0]
        self.assertNotIn("error", blackwell)
        self.assertGreater(blackwell["metadata"]["tmem_size"], 512)


    def test_an_autotuned_kernel_is_known_as_such(self):
        source = CANDIDATE.replace("@triton.jit\n    def products", "@triton.autotune([triton.Config({'K': 32}, num_warps=8)], key=[])\n    "
                                   "@triton.jit\n    def products")
        module = support.module_of(source)
        launched(module.products.fn, 90, 128, 256, 32, 8)
        launched(module.product, 90, 128, 128, 64, 4)
        found = resources.collect(module, blackwell=False)
        self.assertEqual({kernel["name"]: kernel["autotuned"] for kernel in found["triton"]}, {"product": False, "products": True})


if __name__ == "__main__":
    unittest.main()
