# SPDX-License-Identifier: Apache-2.0
"""The families, by the names and with the inputs that kernels/gdn/family.h gives them."""

from typing import NamedTuple

from .gates import Gates
from .steps import Mamba2, Mamba3

KEYS = "[B, T, H, K]"
VALUES = "[B, T, H, V]"
TOKENS = "[B, T, H]"
HEADS = "[H]"


class Family(NamedTuple):
    name: str
    title: str
    extents: dict  # name of an input besides q k v -> its letters
    mapping: object  # what makes operands of the inputs, and the way back

    def takes(self):
        """ "q k v beta g" """
        return " ".join(("q", "k", "v", *self.extents))


_FAMILIES = (
    Family("gdn2", "Gated DeltaNet-2", {"b": KEYS, "w": VALUES, "g": KEYS}, Gates(erase="b", write="w", decay="g")),
    Family("kda", "Kimi Delta Attention", {"beta": TOKENS, "g": KEYS}, Gates(erase="beta", write="beta", decay="g")),
    Family("gdn", "Gated DeltaNet", {"beta": TOKENS, "g": TOKENS}, Gates(erase="beta", write="beta", decay="g")),
    Family("delta", "DeltaNet", {"beta": TOKENS}, Gates(erase="beta", write="beta")),
    Family("gla", "Gated linear attention", {"g": KEYS}, Gates(decay="g")),
    Family("mamba2", "Mamba-2", {"dt": TOKENS, "A": HEADS}, Mamba2()),
    Family("mamba3", "Mamba-3, one input and one output", {"dt": TOKENS, "A": TOKENS, "lam": TOKENS}, Mamba3()),
)
FAMILIES = {family.name: family for family in _FAMILIES}

WHY_NOT_MAMBA1 = ("Mamba-1 decays every element of its K x V state at a rate of its own, this operator one rate per key channel: "
                  "it cannot be computed here")


def named(name):
    """The family called `name`; ValueError says which there are, or why Mamba-1 is none."""
    if name in FAMILIES:
        return FAMILIES[name]
    if name in ("mamba", "mamba1"):
        raise ValueError(WHY_NOT_MAMBA1)
    raise ValueError("no family is called %r, there are %s" % (name, ", ".join(FAMILIES)))
