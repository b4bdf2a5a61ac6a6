# SPDX-License-Identifier: Apache-2.0
"""Condition scale: how far the oracle's outputs move when every input element and parameter is off by one unit."""

import torch

from . import primitives as p
from . import seeding, tree
from .failures import Refusal

_INTEGER_DRAWS = 24
_TINY = 2.0 ** -140  # moves exact zeros, which a relative change leaves where they are

_randint = torch.randint
_rand = torch.rand
_maximum = torch.maximum
_isfinite = torch.isfinite


def scale(instance, leaves, draws, unit, seed):
    """One float64 tensor per output leaf: the largest |R64(x(1 + unit xi)) - R64(x)| / unit over `draws` random sign vectors xi on all
    floating inputs and parameters. Where an output is an integer or a bool, 24 more draws x(1 + unit xi) + 2^-140 xi with xi uniform in
    [-1, 1] are made, because sign vectors leave ties tied; for such outputs anything above 0 says that the element may change. An
    element that changes between finite and not, or between infinities, has Infinity."""
    evaluator = instance.evaluator("r64")
    leaves = [leaf.to(instance.device, p.float64) for leaf in leaves]
    generator = torch.Generator(device=instance.device)
    generator.manual_seed(seed)

    def outputs(change):
        evaluator.prepare(instance.state)
        given = [change(leaf.base) if leaf.floats() else leaf.base for leaf in leaves]
        passed = [type(leaf)(base, leaf.shape, leaf.strides, leaf.lead).fresh() for leaf, base in zip(leaves, given)]
        if change is not _same:
            for _, parameter in evaluator.state.parameters():
                p.copy_(p.detach(parameter), change(p.detach(parameter)))
        seeding.manual_seed(seed)  # a random reference draws the same numbers each time
        args, kwargs = instance.arguments(passed)
        return [_flat(leaf) for leaf in tree.flatten(evaluator.call(args, kwargs), scalars_are_leaves=True)[1]]

    def signs(base):
        xi = _randint(0, 2, _real(base), generator=generator, dtype=p.float64, device=p.device_of(base))
        return base * xi.mul_(2 * unit).add_(1 - unit)

    def uniform(base):
        xi = _rand(_real(base), generator=generator, dtype=p.float64, device=p.device_of(base)).mul_(2).sub_(1)
        return base * (1 + unit * xi) + _TINY * xi

    with p.no_grad():
        base = outputs(_same)
        integer = [not (p.is_floating_point(leaf) or p.is_complex(leaf)) for leaf in base]
        largest = [torch.zeros(p.shape_of(leaf), dtype=p.float64, device=p.device_of(leaf)) for leaf in base]
        for change, count in ((signs, draws), (uniform, _INTEGER_DRAWS if any(integer) else 0)):
            for _ in range(count):
                moved = outputs(change)
                if len(moved) != len(base):
                    raise Refusal("unsupported_value", "the reference returns another number of outputs when inputs change")
                for index, (before, after) in enumerate(zip(base, moved)):
                    if change is signs or integer[index]:
                        largest[index] = _maximum(largest[index], _distance(before, after, unit))
        evaluator.prepare(instance.state)
    return largest


def _same(base):
    return base


def _real(base):
    return p.shape_of(base)


def _flat(leaf):
    if not isinstance(leaf, p.Tensor):
        leaf = p.tensor(leaf, dtype=p.float64)
    return p.clone(p.detach(leaf))


def _distance(before, after, unit):
    if p.shape_of(before) != p.shape_of(after):
        raise Refusal("unsupported_value", "the reference's output shape depends on the values of its inputs")
    before, after = _wide(before), _wide(after)
    if p.is_complex(before):
        # complex outputs cross as pairs: one scale for both of a pair
        before, after = p.view_as_real(before), p.view_as_real(after)
        return _distance(before, after, unit).amax(-1)
    same = (before == after) | ((before != before) & (after != after))
    moved = (after - before).abs().div_(unit)
    moved = torch.where(_isfinite(before) & _isfinite(after), moved, torch.full_like(moved, float("inf")))
    return torch.where(same, torch.zeros_like(moved), moved)


def _wide(leaf):
    return leaf if p.is_complex(leaf) else p.to(leaf, p.float64)
