#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pair of tensors that the README shows: reference.npy and candidate.npy in the folder named.

The candidate is wrong in its last 37 columns and in every 64th row, and NaN in one block, as kernels with a forgotten mask, a
tile border and an overflow would be.
"""
import array
import math
import random
import sys

ROWS, COLUMNS = 768, 1024


def write(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, {COLUMNS}), }}".ljust(117) + "\n"
    if sys.byteorder == "big":
        values.byteswap()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        values.tofile(file)


def wrong(row, column, value, noise):
    if 200 <= row < 208 and 300 <= column < 420:
        return math.nan
    if column >= COLUMNS - 37:
        return value + 0.3 * noise.random()
    return 1.02 * value if row % 64 == 63 else value


def main():
    noise = random.Random(3)
    reference, candidate = array.array("f"), array.array("f")
    for row in range(ROWS):
        for column in range(COLUMNS):
            value = math.sin(column / 97) * math.cos(row / 61) + noise.gauss(0, 0.1)
            reference.append(value)
            candidate.append(wrong(row, column, reference[-1], noise))
    write(f"{sys.argv[1]}/reference.npy", reference)
    write(f"{sys.argv[1]}/candidate.npy", candidate)


main()
