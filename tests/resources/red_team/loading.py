# SPDX-License-Identifier: Apache-2.0
"""Loads reference and candidate sources as modules and builds them with equal weights."""
import importlib.util
import itertools
import json
import pathlib

import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
MUTANTS = ROOT / "resources" / "mutants"
CONTROLS = ROOT / "resources" / "controls"
PAIRS = ROOT / "tests" / "pairs"
_serial = itertools.count()


def module_at(path):
    """The source at @path executed as a module of its own, never cached."""
    spec = importlib.util.spec_from_file_location(f"subject_{next(_serial)}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def facts_at(path):
    return json.loads(path.read_text())


def mutant_folders():
    return sorted(path.parent for path in MUTANTS.glob("*/mutant.json"))


def pair_folders():
    return sorted(path.parent for path in PAIRS.glob("*/*/expected.json"))


def control_folders():
    return sorted(path.parent for path in CONTROLS.glob("*/reference.py"))


def inputs_of(reference, seed):
    torch.manual_seed(seed)
    return reference.get_inputs()


def built(module, entry, reference, seed=42):
    """`entry` of @module, constructed under @seed with the initial arguments of @reference, in eval mode."""
    torch.manual_seed(seed)
    arguments = reference.get_init_inputs()
    torch.manual_seed(seed)
    return getattr(module, entry)(*arguments).eval()


def cloned(inputs):
    """Copies with equal values and strides in storages of their own."""
    return [_clone(value) if isinstance(value, torch.Tensor) else value for value in inputs]


def _clone(tensor):
    if tensor.is_contiguous() or 0 in tensor.stride():
        return tensor.clone()
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(tensor)


def call(model, inputs, seed=7):
    """One forward on clones of @inputs, without gradients and with a seeded generator."""
    torch.manual_seed(seed)
    with torch.no_grad():
        return model(*cloned(inputs))


def leaves(tree):
    """The tensors and numbers of a nested result, in order; dictionaries by key."""
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in leaves(item)]
    return [tree if isinstance(tree, torch.Tensor) else torch.tensor(tree)]
