# SPDX-License-Identifier: Apache-2.0
"""One constructed module of a party, with everything that evaluates it."""

import functools

from . import evaluators, oracle, settings, tree
from . import primitives as p
from .failures import Refusal
from .state import ModuleState


class Instance:
    """`inputs` is the tree of forward's arguments; `widening` are the modes that the oracle needs (oracle.casts)."""

    def __init__(self, module, inputs, device, widening, is_reference):
        self.module = module
        self.inputs = inputs
        self.device = device
        self.is_reference = is_reference
        self.state = ModuleState(module, trusts_versions=is_reference)
        self.output_bytes = []  # of the last call: what poisoning fills
        self.conforming = {}  # name -> what makes its evaluator
        self._widening = widening
        self._evaluators = {}
        self._twins = {}

    def evaluator(self, precision):
        """The evaluator of a precision. Raises Refusal("unsupported_value") for one that this instance does not have."""
        made = self._evaluators.get(precision)
        if made is None:
            made = self._evaluators[precision] = self._make(precision)
        return made

    def arguments(self, tensors):
        """(args, kwargs) of forward over input leaves."""
        if self.inputs is None:
            return tuple(tensors), {}
        return tree.arguments(tree.unflatten(self.inputs, tensors))

    def _make(self, precision):
        pinned = functools.partial(settings.pinned, self.device)
        if precision == "native" or precision == "r32n" and self.is_reference:
            return evaluators.Evaluator(self.module, self.state)
        if precision in ("float32", "float16", "bfloat16"):
            return evaluators.Evaluator(*self._twin(evaluators.CASTS[precision]), dtype=evaluators.CASTS[precision])
        if self.is_reference:
            if precision == "r32":
                return evaluators.Evaluator(self.module, self.state, pinned)
            if precision == "r64":
                module, state = self._twin(p.float64)
                return evaluators.Evaluator(module, state, functools.partial(oracle.evaluating, self._widening), p.float64)
            kind, _, name = precision.partition(":")
            if kind == "conforming" and name in self.conforming:
                return self.conforming[name](self.module, self.state, pinned)
        raise Refusal("unsupported_value", "this party has no evaluation %s of this instance" % precision)

    def _twin(self, dtype):
        if dtype not in self._twins:
            module = oracle.converted(self.module, dtype)
            self._twins[dtype] = module, ModuleState(module, trusts_versions=self.is_reference)
        return self._twins[dtype]
