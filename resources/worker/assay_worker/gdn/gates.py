# SPDX-License-Identifier: Apache-2.0
"""Families whose gates are inputs: gdn2, kda, gdn, delta, gla."""

from typing import NamedTuple, Optional

import torch

from .arithmetic import NARROW, constant, result_dtype, spread, total


class Operands(NamedTuple):
    """What the operator itself takes; a gate that is the same for all channels repeats one element."""

    q: torch.Tensor  # [B, T, H, K], as k b g
    k: torch.Tensor
    v: torch.Tensor  # [B, T, H, V], as w
    b: torch.Tensor
    w: torch.Tensor
    g: torch.Tensor


class Grads(NamedTuple):
    """Of the operands, of their shapes, and of the initial state [N, H, K, V]."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    b: torch.Tensor
    w: torch.Tensor
    g: torch.Tensor
    initial_state: torch.Tensor


def as_gate(gate, q):
    """b and w: products with operands of 16 bits take them as such, too."""
    return gate.to(q.dtype) if q.dtype in NARROW else gate


def as_decay(decay, q):
    """g: fp32 beside operands of 16 bits."""
    return decay.to(result_dtype(q.dtype)) if q.dtype in NARROW else decay


class Gates(NamedTuple):
    """Names of the inputs that erase, write and decay; without one nothing is erased, all is written, nothing decays."""

    erase: Optional[str] = None
    write: Optional[str] = None
    decay: Optional[str] = None

    def operands(self, x, sequences):
        q, v = x["q"], x["v"]
        erase = self._gate(x, self.erase, as_gate, q) if self.erase else constant(0.0, q.shape, q.dtype, q.device)
        write = self._gate(x, self.write, as_gate, v) if self.write else constant(1.0, v.shape, q.dtype, q.device)
        decay = self._gate(x, self.decay, as_decay, q) if self.decay else constant(0.0, q.shape, result_dtype(q.dtype), q.device)
        return Operands(q, x["k"], v, erase, write, decay)

    @staticmethod
    def _gate(x, name, cast, like):
        given = cast(x[name], x["q"])
        return given if given.dim() == 4 else spread(given, like.shape[3])

    def output(self, x, sequences, scale, o):
        return o

    def gradients(self, x, sequences, scale, grads, do):
        found = {"q": grads.q, "k": grads.k, "v": grads.v}
        for name, gradient in ((self.erase, grads.b), (self.write, grads.w), (self.decay, grads.g)):
            if name is None:
                continue
            own = gradient if x[name].dim() == 4 else total(gradient)
            found[name] = found[name] + own if name in found else own
        return found
