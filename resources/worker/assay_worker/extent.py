# SPDX-License-Identifier: Apache-2.0
"""Reduction extent: how many input and parameter elements one output element depends on."""

import random

import torch

from . import primitives as p
from . import seeding, tree

_PERTURBED = 32
_nonzero = torch.count_nonzero


def extents(instance, leaves, samples, seed=0):
    """[N per output leaf], at least 1. By autograd in the oracle at `samples` elements of each output (the largest count wins); where no
    gradient reaches an output, by changing single input elements and counting the output elements that move."""
    evaluator = instance.evaluator("r64")
    evaluator.prepare(instance.state)
    leaves = [leaf.to(instance.device, p.float64) for leaf in leaves]
    chooser = random.Random(seed)
    passed = [leaf.fresh() for leaf in leaves]
    found = []
    outputs = []
    try:
        with p.enable_grad():
            sources = [p.requires_grad_(tensor, True) for tensor in passed if p.is_floating_point(tensor)]
            seeding.manual_seed(seed)
            with evaluator.context():
                # views that are no leaves, so that a forward which writes into its input stays legal
                args, kwargs = instance.arguments([p.clone(t) if p.requires_grad_of(t) else t for t in passed])
                outputs = tree.flatten(evaluator.plain(args, kwargs), scalars_are_leaves=True)[1]
            sources += [value for _, value in evaluator.state.parameters() if p.requires_grad_of(value)]
            found = [_by_gradient(leaf, sources, samples, chooser) for leaf in outputs]
    except (RuntimeError, NotImplementedError):
        if not outputs:  # autograd refuses the forward itself
            with p.no_grad():
                outputs = _evaluate(instance, evaluator, leaves, seed)
        found = [None] * len(outputs)
    if any(n is None for n in found):
        counted = _by_change(instance, evaluator, leaves, outputs, chooser, seed)
        found = [counted[i] if n is None else n for i, n in enumerate(found)]
    return found


def _by_gradient(leaf, sources, samples, chooser):
    """The largest number of source elements with a gradient other than zero; None where none has one."""
    if not isinstance(leaf, p.Tensor) or not p.requires_grad_of(leaf) or not sources:
        return None
    count = p.numel(leaf)
    if count == 0:
        return 1
    flat = leaf.reshape(-1)
    if p.is_complex(flat):
        flat = p.view_as_real(flat).sum(-1)
    nonzero = p.detach(flat).ne(0).nonzero().reshape(-1).tolist() if count <= 1 << 20 else []
    picks = {chooser.choice(nonzero) if nonzero else chooser.randrange(count) for _ in range(max(samples, 1))}
    best = 0
    for index in sorted(picks):
        grads = p.grad(flat[index], sources, retain_graph=True, allow_unused=True)
        best = max(best, sum(int(_nonzero(g)) for g in grads if g is not None))
    return best or None


def _evaluate(instance, evaluator, leaves, seed):
    evaluator.prepare(instance.state)
    seeding.manual_seed(seed)
    args, kwargs = instance.arguments([leaf.fresh() for leaf in leaves])
    return [p.clone(leaf) if isinstance(leaf, p.Tensor) else p.tensor(leaf)
            for leaf in tree.flatten(evaluator.call(args, kwargs), scalars_are_leaves=True)[1]]


def _by_change(instance, evaluator, leaves, outputs, chooser, seed):
    """Mean number of output elements that one input element moves, times inputs over outputs: the mean extent."""
    total = sum(p.numel(leaf.base) for leaf in leaves if leaf.floats())
    if not total:
        return [1] * len(outputs)
    with p.no_grad():
        base = _evaluate(instance, evaluator, leaves, seed)
        moved = [0] * len(base)
        places = [(number, leaf) for number, leaf in enumerate(leaves) if leaf.floats() and p.numel(leaf.base)]
        for _ in range(_PERTURBED):
            number, leaf = chooser.choices(places, [p.numel(leaf.base) for _, leaf in places])[0]
            element = chooser.randrange(p.numel(leaf.base))
            reach = 1e3 * (1 + float(leaf.base.abs().max()))
            touched = [None] * len(base)
            for value in (reach, -reach):
                changed = p.clone(leaf.base)
                changed[element] = value
                given = list(leaves)
                given[number] = type(leaf)(changed, leaf.shape, leaf.strides, leaf.lead)
                for index, after in enumerate(_evaluate(instance, evaluator, given, seed)):
                    if p.shape_of(after) != p.shape_of(base[index]):
                        continue
                    differs = (after != base[index]) & ~((after != after) & (base[index] != base[index]))
                    touched[index] = differs if touched[index] is None else touched[index] | differs
            for index, differs in enumerate(touched):
                moved[index] += int(_nonzero(differs)) if differs is not None else 0
    return [max(1, min(total, round(moved[i] / _PERTURBED * total / max(1, p.numel(leaf))))) for i, leaf in enumerate(base)]
