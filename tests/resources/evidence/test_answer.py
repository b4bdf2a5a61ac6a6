# SPDX-License-Identifier: Apache-2.0
"""Evidence on the wire: code in the arena, everything bounded."""

import json
import os
import unittest

import support  # noqa: F401
from assay_worker import channel, resource_answer


def kernel(name="scale", backend="cuda", ptx=".version 8.7", cubin=b"\x7fELF", **more):
    target = {"backend": backend, "arch": 90, "warp_size": 32}
    return dict({"name": name, "metadata": {"name": name, "shared": 64, "target": target}, "ptx": ptx, "cubin": cubin,
                 "target": target, "loaded": True, "autotuned": False}, **more)


def found(**parts):
    return dict({"functions": 1, "triton": [], "blackwell": [], "cuda_sources": [], "errors": []}, **parts)


class AnswerTest(unittest.TestCase):
    def written(self, evidence, capability=(9, 0), blackwell=True):
        """(answer, the arena's bytes)."""
        writer = channel.ArenaWriter()
        answer = resource_answer.write(evidence, capability, blackwell, writer)
        json.dumps(answer, allow_nan=False)
        fd, size = writer.take()
        if fd < 0:
            return answer, b""
        try:
            return answer, os.pread(fd, size, 0)
        finally:
            os.close(fd)

    def test_code_lies_in_the_arena(self):
        other = kernel(cubin=b"\x7fELF of another device")
        answer, arena = self.written(found(triton=[kernel()], blackwell=[other]))
        self.assertEqual((answer["capability"], answer["functions"], answer["errors"]), ([9, 0], 1, []))
        one = answer["kernels"][0]
        self.assertEqual((one["name"], one["loaded"], one["autotuned"], one["error"]), ("scale", True, False, ""))
        self.assertEqual(json.loads(one["metadata"])["shared"], 64)

        def blob(place):
            return arena[place["offset"]:place["offset"] + place["bytes"]]

        self.assertEqual((blob(one["ptx"]), blob(one["cubin"])), (b".version 8.7", b"\x7fELF"))
        self.assertEqual(blob(one["blackwell"]["cubin"]), b"\x7fELF of another device")

    def test_a_refusal_keeps_its_text(self):
        refused = kernel(ptx="", cubin=b"", error={"type": "PTXASError", "message": "(C7907) Internal compiler error"})
        answer, arena = self.written(found(triton=[kernel(ptx="", cubin=b"")], blackwell=[refused]))
        self.assertEqual(arena, b"")
        code = answer["kernels"][0]["blackwell"]
        self.assertEqual(code["error"], "PTXASError: (C7907) Internal compiler error")
        self.assertIsNone(code["cubin"])

    def test_other_vendors_take_none_of_the_compilations(self):
        answer, _ = self.written(found(triton=[kernel("a", "hip"), kernel("b")], blackwell=[kernel("b")]))
        self.assertEqual([entry["blackwell"] is None for entry in answer["kernels"]], [True, False])

    def test_a_long_text_is_left_out_and_said(self):
        answer, arena = self.written(found(triton=[kernel(ptx="x" * (resource_answer.PTX_LIMIT + 1))]))
        self.assertIsNone(answer["kernels"][0]["ptx"])
        self.assertEqual([(error["where"], error["name"]) for error in answer["errors"]], [("limit", "scale")])
        self.assertEqual(arena, b"\x7fELF")

    def test_extensions_are_asked_about_once_for_each_source(self):
        record = {"name": "scale", "sources": ["__global__ void k() {}"], "cuda_flags": ["-DN=4", "-lineinfo"], "functions": [],
                  "library": b"a library", "at_run_time": False}
        answer, _ = self.written(found(cuda_sources=[record]))
        build = answer["builds"][0]
        self.assertEqual((build["name"], build["library"]["bytes"]), ("scale", 9))
        self.assertEqual(len(build["blackwell"]), 1)
        self.assertIn(build["blackwell"][0]["outcome"], ("absent", "compiled"))
        self.assertEqual(self.written(found(cuda_sources=[record]), blackwell=False)[0]["builds"][0]["blackwell"], [])

    def test_what_was_compiled_at_run_time_is_compiled_for_its_device(self):
        record = {"name": "k", "sources": ["__global__ void k() {}"], "cuda_flags": [], "functions": ["k"], "library": None,
                  "at_run_time": True}
        build = self.written(found(cuda_sources=[record]))[0]["builds"][0]
        self.assertIsNone(build["library"])
        self.assertEqual([len(build["device"]), len(build["blackwell"])], [1, 1])
        self.assertEqual(self.written(found(cuda_sources=[record]), capability=None)[0]["builds"][0]["device"], [])


if __name__ == "__main__":
    unittest.main()
