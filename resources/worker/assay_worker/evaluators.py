# SPDX-License-Identifier: Apache-2.0
"""The ways in which one instance can be evaluated: as shipped, pinned fp32, the fp64 oracle, a half precision."""

import contextlib

from . import primitives as p

CASTS = {"r64": p.float64, "float32": p.float32, "float16": p.float16, "bfloat16": p.bfloat16}


class Evaluator:
    """A module with its state and the setting in which it is called.

    `context` makes the setting, `dtype` is what floating inputs are cast to (None: left alone) and `forward` replaces the plain call
    (used by evaluations that call the module several times)."""

    def __init__(self, module, state, context=contextlib.nullcontext, dtype=None, forward=None):
        self.module = module
        self.state = state
        self.context = context
        self.dtype = dtype
        self.rewrites = None  # evaluations that rewrite operations count them here
        self._forward = forward
        self._followed = None

    def prepare(self, leader):
        """Before a run: the start values of `leader` (the instance's state), eval mode."""
        if self.state is not leader and self._followed != leader.version:
            self.state.set(leader.values)
            self._followed = leader.version
        self.state.restore()
        self.train(False)

    def train(self, on):
        if isinstance(self.module, p.Module) and self.module.training is not on:
            self.module.train(on)

    def call(self, args, kwargs):
        """One forward in its setting."""
        with self.context():
            return self.plain(args, kwargs)

    def plain(self, args, kwargs):
        """One forward, for callers that are inside context() already."""
        if self._forward is not None:
            return self._forward(self.module, args, kwargs)
        return self.module(*args, **kwargs)
