#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `assay diff` says of two tensors against the same statistics computed here, in fp64 with numpy, by their definitions.

usage: test_diff_numpy.py ASSAY

Every dtype, random values with NaN, infinities, -0 and subnormals planted; .npy in all versions and orders, .safetensors. Types that
numpy lacks are kept as bit patterns and decoded by a table made from the format's definition. Ulp distances and counts must be
equal, errors agree to 1e-12 relative.
"""
import json
import math
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ASSAY = sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/assay"
TOLERANCE = 1e-12
QUANTILES = ("0.5", "0.9", "0.99", "0.999")


class Float:
    """A binary floating type as bit patterns, with the value of each pattern."""

    def __init__(self, name, tag, bits, exponent, has_infinity=True):
        self.name, self.tag, self.bits, self.exponent, self.has_infinity = name, tag, bits, exponent, has_infinity
        self.storage = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]
        self.mantissa = bits - 1 - exponent
        self.table = None
        if bits <= 16:
            self.table = np.array([self.value(pattern) for pattern in range(1 << bits)])

    def value(self, pattern):
        sign = -1.0 if pattern >> (self.bits - 1) else 1.0
        top = (1 << self.exponent) - 1
        bias = (1 << (self.exponent - 1)) - 1
        exponent = (pattern >> self.mantissa) & top
        mantissa = pattern & ((1 << self.mantissa) - 1)
        if exponent == top and self.has_infinity:
            return sign * math.inf if mantissa == 0 else math.nan
        if exponent == top and mantissa == (1 << self.mantissa) - 1:
            return math.nan
        if exponent == 0:
            return sign * mantissa * 2.0 ** (1 - bias - self.mantissa)
        return sign * (mantissa + (1 << self.mantissa)) * 2.0 ** (exponent - bias - self.mantissa)

    def decode(self, patterns):
        if self.table is not None:
            return self.table[patterns]
        return patterns.view({32: np.float32, 64: np.float64}[self.bits]).astype(np.float64)

    def ordered(self, patterns):
        magnitude = (patterns & self.storage((1 << (self.bits - 1)) - 1)).astype(object)
        return np.where(patterns >> self.storage(self.bits - 1) != 0, -magnitude, magnitude)

    def random(self, rng, shape):
        ordinary = rng.integers(0, 1 << self.bits, size=shape, dtype=self.storage)
        if self.bits > 8:
            # Ordinary sizes, so that not every difference is swallowed by the largest number.
            bias = (1 << (self.exponent - 1)) - 1
            exponent = rng.integers(bias - 6, bias + 6, size=shape).astype(self.storage)
            keep = self.storage(((1 << self.mantissa) - 1) | (1 << (self.bits - 1)))
            ordinary = (ordinary & keep) | (exponent << self.storage(self.mantissa))
        return ordinary

    def near(self, rng, patterns):
        """A candidate: mostly a few units away, sometimes equal."""
        steps = rng.integers(0, 4, size=patterns.shape).astype(self.storage)
        return patterns ^ steps

    def special(self):
        """NaN of either sign, infinities, zeros of either sign, subnormals, the largest number."""
        top, sign = ((1 << self.exponent) - 1) << self.mantissa, 1 << (self.bits - 1)
        full = top | ((1 << self.mantissa) - 1)
        patterns = [full, sign | full, 0, sign, 1, sign | 1, (1 << self.mantissa) - 1, 1 << self.mantissa]
        if self.has_infinity:
            patterns += [top, sign | top, top - 1]
        else:
            patterns += [full - 1]
        return np.array(patterns, dtype=self.storage)


class Integer:
    def __init__(self, name, tag, dtype):
        self.name, self.tag, self.storage = name, tag, dtype
        self.bits = np.dtype(dtype).itemsize * 8 if dtype != np.bool_ else 8

    def decode(self, values):
        return values.astype(np.float64)

    def ordered(self, values):
        return values.astype(object)

    def random(self, rng, shape):
        if self.storage == np.bool_:
            return rng.integers(0, 2, size=shape).astype(np.bool_)
        return rng.integers(-100 if self.name != "uint8" else 0, 100, size=shape).astype(self.storage)

    def near(self, rng, values):
        if self.storage == np.bool_:
            return values ^ (rng.integers(0, 8, size=values.shape) == 0)
        return values + rng.integers(0, 3, size=values.shape).astype(self.storage)

    def special(self):
        if self.storage == np.bool_:
            return np.array([True, False])
        limits = np.iinfo(self.storage)
        return np.array([limits.min, limits.max, 0], dtype=self.storage)


TYPES = [Float("float64", "F64", 64, 11), Float("float32", "F32", 32, 8), Float("float16", "F16", 16, 5), Float("bfloat16", "BF16", 16, 8),
         Float("float8_e4m3fn", "F8_E4M3", 8, 4, has_infinity=False), Float("float8_e5m2", "F8_E5M2", 8, 5),
         Integer("int64", "I64", np.int64), Integer("int32", "I32", np.int32), Integer("int16", "I16", np.int16), Integer("int8", "I8", np.int8),
         Integer("uint8", "U8", np.uint8), Integer("bool", "BOOL", np.bool_)]
BY_NAME = {one.name: one for one in TYPES}
NUMPY = {"float64": np.float64, "float32": np.float32, "float16": np.float16}


def plant(rng, kind, values):
    """Puts special elements at random places."""
    flat = values.reshape(-1)
    special = kind.special()
    places = rng.integers(0, flat.size, size=min(flat.size, 3 * special.size))
    flat[places] = special[rng.integers(0, special.size, size=places.size)]


def classes(values):
    return np.isnan(values) * 1 + (values == np.inf) * 2 + (values == -np.inf) * 3


def nearest(kind, values):
    """Order-preserving integers of fp64 values rounded to @p kind, to nearest, ties to even; beyond the largest number: the next one."""
    patterns = np.arange(1 << (kind.bits - 1), dtype=np.uint32)
    magnitudes = kind.table[patterns]
    finite = np.flatnonzero(np.isfinite(magnitudes))
    known = magnitudes[finite]
    limit = known[-1] + (known[-1] - known[-2]) / 2
    found = []
    for value in values:
        size = abs(value)
        if not math.isfinite(size) or size >= limit:
            found.append(int(math.copysign(known.size, value)) if not math.isnan(value) else 0)
            continue
        above = min(int(np.searchsorted(known, size)), known.size - 1)
        below = max(above - 1, 0)
        low, high = size - known[below], known[above] - size
        pick = below if low < high or (low == high and below % 2 == 0) else above
        if known[above] == size:
            pick = above
        found.append(-pick if value < 0 else pick)
    return found


def total(values):
    """The exact sum, infinite where it leaves fp64."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def expected(left, right, reference, candidate):
    r, c = left.decode(reference).reshape(-1), right.decode(candidate).reshape(-1)
    finite = np.isfinite(r) & np.isfinite(c)
    with np.errstate(all="ignore"):
        error = np.abs(c - r)
        relative = np.where(r != 0, error / np.abs(r), np.nan)
    ulp = np.full(r.size, None, dtype=object)
    if left.name != "bool":
        order = left.ordered(reference.reshape(-1))
        other = left.ordered(candidate.reshape(-1)) if left is right else np.array(nearest(left, c), dtype=object)
        for i in np.flatnonzero(finite):
            ulp[i] = abs(int(order[i]) - int(other[i]))
    errors = np.sort(error[finite])
    positions = sorted((i for i in np.flatnonzero(finite) if error[i] > 0), key=lambda i: (-error[i], i))[:20]
    same = (r == c) | (np.isnan(r) & np.isnan(c))
    if left is right:
        bits = reference.reshape(-1) == candidate.reshape(-1)
        same = bits | (np.isnan(r) & np.isnan(c))
    found = {
        "count": r.size,
        "finite_pairs": int(finite.sum()),
        "bit_equal": bool(left is right and same.all()),
        "bit_different": int((~same).sum()),
        "rel_undefined": int((finite & (r == 0) & (c != 0)).sum()),
        "mismatch": int((classes(r) != classes(c)).sum()),
        "worst": [np.unravel_index(i, reference.shape) for i in positions],
    }
    if errors.size:
        found["max_abs"] = errors[-1]
        found["max_rel"] = np.nanmax(np.append(relative[finite & (r != 0)], 0.0))
        found["max_ulp"] = None if left.name == "bool" else max(ulp[finite])
        found["mean_abs"] = total(errors) / errors.size
        with np.errstate(over="ignore"):
            found["rms"] = math.sqrt(total(errors * errors) / errors.size)
        found["quantiles"] = {q: errors[max(math.ceil(float(q) * errors.size - 1e-9), 1) - 1] for q in QUANTILES}
    for side, values in (("ref", r), ("cand", c)):
        found[side] = {"nan": int(np.isnan(values).sum()), "pinf": int((values == np.inf).sum()), "ninf": int((values == -np.inf).sum())}
    return found


def write_safetensors(path, kind, values):
    data = np.ascontiguousarray(values).tobytes()
    header = json.dumps({"t": {"dtype": kind.tag, "shape": list(values.shape), "data_offsets": [0, len(data)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def write_npy(path, kind, values, version, fortran):
    if isinstance(kind, Float):
        values = values.view(NUMPY[kind.name] if kind.name in NUMPY else f"V{kind.bits // 8}")
    with open(path, "wb") as out:
        np.lib.format.write_array(out, np.asfortranarray(values) if fortran else np.ascontiguousarray(values), version=version)


class DiffTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def assay(self, *words):
        result = subprocess.run([ASSAY, "diff", *map(str, words), "--json"], capture_output=True, text=True)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(result.returncode, 0 if found["bit_equal"] else 4)
        return found

    def check(self, found, wanted, left, right):
        self.assertEqual(found["dtype_ref"], left.name)
        self.assertEqual(found["dtype_cand"], right.name)
        for key in ("count", "finite_pairs", "bit_equal", "bit_different", "rel_undefined"):
            self.assertEqual(found[key], wanted[key], key)
        self.assertEqual(found["nonfinite"], {"ref": wanted["ref"], "cand": wanted["cand"], "mismatch": wanted["mismatch"]})
        self.assertEqual([tuple(one["index"]) for one in found["worst"]], wanted["worst"])
        if "max_abs" not in wanted:
            self.assertIsNone(found["max_abs"])
            return
        self.assertEqual(found["max_ulp"], wanted["max_ulp"])
        for key in ("max_abs", "max_rel", "mean_abs", "rms"):
            self.close(found[key], wanted[key], key)
        for key in QUANTILES:
            self.close(found["quantiles"][key], wanted["quantiles"][key], key)

    def close(self, found, wanted, what):
        found = math.inf if found == "Infinity" else found
        if found != wanted:
            self.assertLessEqual(abs(found - wanted), TOLERANCE * abs(wanted), what)

    def pair(self, rng, kind, shape):
        reference = kind.random(rng, shape)
        candidate = kind.near(rng, reference)
        plant(rng, kind, reference)
        plant(rng, kind, candidate)
        return reference, candidate

    def test_every_dtype_agrees_in_safetensors(self):
        rng = np.random.default_rng(1)
        for kind in TYPES:
            for shape in ((), (1,), (7,), (3, 5), (33, 257), (2, 3, 4, 5), (40000,)):
                with self.subTest(kind.name, shape=shape):
                    reference, candidate = self.pair(rng, kind, shape)
                    for name, values in (("ref", reference), ("cand", candidate)):
                        write_safetensors(self.path / name, kind, values)
                        (self.path / name).replace(self.path / (name + ".safetensors"))
                    found = self.assay(self.path / "ref.safetensors", self.path / "cand.safetensors")
                    self.assertEqual(found["shape"], list(shape))
                    self.check(found, expected(kind, kind, reference, candidate), kind, kind)

    def test_npy_agrees_in_every_version_and_order(self):
        rng = np.random.default_rng(2)
        for kind in TYPES:
            for version in ((1, 0), (2, 0), (3, 0)):
                for fortran in (False, True):
                    with self.subTest(kind.name, version=version, fortran=fortran):
                        reference, candidate = self.pair(rng, kind, (17, 31))
                        write_npy(self.path / "ref.npy", kind, reference, version, fortran)
                        write_npy(self.path / "cand.npy", kind, candidate, version, False)
                        words = [self.path / "ref.npy", self.path / "cand.npy"]
                        if kind.name.startswith("float8"):
                            words += ["--dtype", kind.name]
                        self.check(self.assay(*words), expected(kind, kind, reference, candidate), kind, kind)

    def test_candidates_of_another_dtype_are_rounded_to_the_references(self):
        rng = np.random.default_rng(3)
        for left, right in (("float16", "float32"), ("bfloat16", "float32"), ("float8_e5m2", "float16"), ("bfloat16", "float64"),
                            ("float8_e4m3fn", "bfloat16")):
            left, right = BY_NAME[left], BY_NAME[right]
            with self.subTest(left.name, right=right.name):
                reference, candidate = left.random(rng, (64, 65)), right.random(rng, (64, 65))
                plant(rng, left, reference)
                plant(rng, right, candidate)
                write_safetensors(self.path / "r.safetensors", left, reference)
                write_safetensors(self.path / "c.safetensors", right, candidate)
                found = self.assay(self.path / "r.safetensors", self.path / "c.safetensors")
                self.assertTrue(found["dtype_mismatch"])
                self.check(found, expected(left, right, reference, candidate), left, right)

    def test_equal_bits_end_in_zero(self):
        rng = np.random.default_rng(4)
        for kind in TYPES:
            with self.subTest(kind.name):
                reference, _ = self.pair(rng, kind, (50, 3))
                write_safetensors(self.path / "r.safetensors", kind, reference)
                self.assertTrue(self.assay(self.path / "r.safetensors", self.path / "r.safetensors")["bit_equal"])

    def test_asked_bounds_agree(self):
        rng = np.random.default_rng(5)
        kind = BY_NAME["float32"]
        reference, candidate = self.pair(rng, kind, (123, 77))
        write_safetensors(self.path / "r.safetensors", kind, reference)
        write_safetensors(self.path / "c.safetensors", kind, candidate)
        r, c = kind.decode(reference), kind.decode(candidate)
        finite = np.isfinite(r) & np.isfinite(c)
        for absolute, relative in ((1e-7, 0), (0, 1e-7), (1e-8, 1e-7)):
            with np.errstate(invalid="ignore"):
                beyond = np.where(finite, np.abs(c - r) > absolute + relative * np.abs(r), classes(r) != classes(c)).sum()
            result = subprocess.run([ASSAY, "diff", self.path / "r.safetensors", self.path / "c.safetensors", "--json", "--atol", str(absolute),
                                     "--rtol", str(relative)], capture_output=True, text=True)
            self.assertEqual(json.loads(result.stdout)["beyond_bound"], beyond)
            self.assertEqual(result.returncode, 4 if beyond else 0)


if __name__ == "__main__":
    unittest.main()
