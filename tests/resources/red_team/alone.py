# SPDX-License-Identifier: Apache-2.0
"""Runs one candidate in a process without reference: alone.py CANDIDATE REFERENCE OUTPUT. The reference gives inputs only."""
import pathlib
import sys

import torch

from loading import built, call, inputs_of, module_at


def main():
    save = torch.save
    source = module_at(sys.argv[2])
    inputs = inputs_of(source, 1)
    model = built(module_at(sys.argv[1]), "ModelNew", source)
    save(call(model, inputs), pathlib.Path(sys.argv[3]))


if __name__ == "__main__":
    main()
