# SPDX-License-Identifier: Apache-2.0
"""Copies of modules that leave nothing of the original in use."""

import copy
import types

from . import primitives as p


def copied(module):
    """A deep copy. Python copies a function by reference: one that a module keeps and that closes over the module, as the product of
    torch.compile(self.method) does, would compute with the original's parameters. Here it closes over the copy's."""
    memo = {}
    twin = copy.deepcopy(module, memo)
    if isinstance(twin, p.Module):
        for part in twin.modules():
            for key, value in list(part.__dict__.items()):
                if isinstance(value, types.FunctionType):
                    part.__dict__[key] = _following(value, memo, set())
    return twin


def _following(value, memo, open_functions):
    """`value` with what it closes over replaced by copies where `memo` has them."""
    if isinstance(value, types.MethodType):
        return types.MethodType(value.__func__, memo[id(value.__self__)]) if id(value.__self__) in memo else value
    if isinstance(value, (p.Module, p.Tensor)):
        return memo.get(id(value), value)
    if not isinstance(value, types.FunctionType) or not value.__closure__ or id(value) in open_functions:
        return value
    open_functions.add(id(value))
    cells = tuple(_cell(cell, memo, open_functions) for cell in value.__closure__)
    open_functions.discard(id(value))
    if all(old is new for old, new in zip(value.__closure__, cells)):
        return value
    made = types.FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, cells)
    made.__kwdefaults__ = value.__kwdefaults__
    made.__dict__.update(value.__dict__)
    return made


def _cell(cell, memo, open_functions):
    try:
        held = cell.cell_contents
    except ValueError:  # empty
        return cell
    followed = _following(held, memo, open_functions)
    return cell if followed is held else types.CellType(followed)
