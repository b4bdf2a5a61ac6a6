# SPDX-License-Identifier: Apache-2.0
"""Constructs modules: the reference with arguments of its own making, the candidate with the same ones."""

import torch

from . import conforming, seeding, tensors, tree
from . import primitives as p
from .instance import Instance
from .tensors import Leaf


def reference(module, entry, sizes, seed, device, widening, earlier, writer):
    """(Instance, answer): constructor arguments, inputs and module, each made under `seed`. `sizes` (a sizes.Choice) rewrites the sizes
    on the way, `earlier` is what conforming.examine found for another instance. Raises what the source raises."""
    init, inputs = sizes.make(module, seed)
    init_tree, init_leaves = tree.flatten(init)
    input_tree, input_leaves = tree.flatten(inputs)
    answer = {
        "init": init_tree,
        "inputs": input_tree,
        "init_leaves": [tensors.write_leaf(leaf, writer) for leaf in init_leaves],
        "input_leaves": [tensors.write_leaf(leaf, writer) for leaf in input_leaves],
    }
    instance = Instance(_construct(entry, init, seed, device), input_tree, device, widening, True)
    given = [Leaf.of(leaf).to(device) for leaf in input_leaves]
    answer["state"] = instance.state.describe(writer)
    answer.update(conforming.examine(instance, given, earlier))
    return instance, answer


def candidate(entry, request, init_leaves, seed, device, writer):
    """(Instance, answer): the candidate with the reference's constructor arguments. Raises what the source raises."""
    init = tree.unflatten(request["init"], init_leaves)
    instance = Instance(_construct(entry, init, seed, device), request.get("inputs"), device, (), False)
    return instance, {"state": instance.state.describe(writer)}


def _construct(entry, init, seed, device):
    args, kwargs = tree.arguments(init)
    seeding.manual_seed(seed)
    with p.no_grad():
        made = entry(*_on(args, device), **_on(kwargs, device))
    if isinstance(made, torch.nn.Module):
        made.to(device)
        made.train(False)
    p.synchronize(device)
    return made


def _on(value, device):
    """`value` with its tensors on `device`."""
    if device.type == "cpu":
        return value
    if isinstance(value, p.Tensor):
        return p.to(value, device)
    if type(value) in (list, tuple):
        return type(value)(_on(item, device) for item in value)
    if isinstance(value, dict):
        return {key: _on(item, device) for key, item in value.items()}
    return value
