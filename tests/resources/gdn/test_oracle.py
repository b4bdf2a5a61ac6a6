# SPDX-License-Identifier: Apache-2.0
"""fp64 against an oracle in numpy that shares no line with the operator. Skipped where that is absent.

usage: test_oracle.py FOLDER_WITH_ASSAY_WORKER FOLDER_OF_ORACLE"""

import os
import sys
import unittest

import numpy
import torch
from support import NAMES, SKIPPED, draw, run

FOLDER = sys.argv[2]
if not os.path.exists(os.path.join(FOLDER, "oracle.py")):
    print("skipped: no oracle in %s" % FOLDER)
    sys.exit(SKIPPED)
sys.path.insert(0, FOLDER)
import oracle  # noqa: E402

CLOSE = 1e-10  # of the largest element


def heads_first(tensor):
    """[B, T, H, ...] -> [B, H, T, ...]"""
    return numpy.swapaxes(tensor.numpy(), 1, 2)


def answer(operands, do, state, final_grad, scale, spans):
    """The oracle's outputs, tokens before heads; `spans` are (batch row, first, end) of the sequences."""
    out, states = {}, {"ST": [], "dS0": []}
    for n, (row, first, end) in enumerate(spans):
        part = [x[row, :, first:end] for x in operands]
        o, final = oracle.serial_fwd(*part, state[n], scale)
        grads = oracle.serial_bwd(*part, do[row, :, first:end], final_grad[n], state[n], scale)
        states["ST"].append(final)
        states["dS0"].append(grads.pop("dS0"))
        for name, value in (("o", o), *grads.items()):
            out.setdefault(name, {}).setdefault(row, []).append(value)
    tokens = {name: numpy.stack([numpy.concatenate(rows[row], axis=1) for row in sorted(rows)]) for name, rows in out.items()}
    return {**{name: numpy.swapaxes(value, 1, 2) for name, value in tokens.items()},
            **{name: numpy.stack(value) for name, value in states.items()}}


def operands_of(family, x):
    """q k v b w g [B, H, T, channels], as gdn.md's table of families has them; Mamba-3 as the oracle maps it, sequence by sequence."""
    q, k, v = (heads_first(x[name]) for name in "qkv")
    own = {name: heads_first(tensor) for name, tensor in x.items() if tensor.dim() >= 3}
    keys, values = numpy.ones_like(k), numpy.ones_like(v)
    if family == "gdn2":
        return [q, k, v, own["b"], own["w"], own["g"]]
    if family == "gla":
        return list(oracle.fam_gla(q, k, v, own["g"]))
    if family == "mamba2":
        rate = x["A"].numpy()[None, :, None]
        return [q, k, v, 0 * k, own["dt"][..., None] * values, (own["dt"] * rate)[..., None] * keys]
    maps = {"kda": oracle.fam_kda, "gdn": oracle.fam_gdn}
    if family == "delta":
        return list(oracle.fam_deltanet(q, k, v, own["beta"]))
    return list(maps[family](q, k, v, own["beta"], own["g"]))


def reduced(family, x, grads):
    """Gradients of a family's inputs from those of the operands, [B, T, H, channels], by the same table."""
    found = {name: grads[name] for name in ("o", "ST", "dq", "dk", "dv")}
    found["dinitial_state"] = grads["dS0"]
    if family == "gdn2":
        found.update((name, grads[name]) for name in ("db", "dw"))
    if "beta" in x:
        found["dbeta"] = grads["db"].sum(-1) + grads["dw"].sum(-1)
    if "g" in x:
        found["dg"] = grads["dg"] if x["g"].dim() == 4 else grads["dg"].sum(-1)
    if family == "mamba2":
        decay = grads["dg"].sum(-1)
        found["ddt"] = grads["dw"].sum(-1) + x["A"].numpy() * decay
        found["dA"] = (x["dt"].numpy() * decay).sum((0, 1))
    return found


class Agreement(unittest.TestCase):
    def compare(self, found, wanted):
        self.assertEqual(set(found), set(wanted))
        for name, tensor in found.items():
            error = numpy.abs(tensor.numpy() - wanted[name]).max() / numpy.abs(wanted[name]).max()
            self.assertLess(error, CLOSE, name)

    def check(self, family, form, spans, starts=None, **sizes):
        x = draw(family, batch=spans[-1][0] + 1, states=len(spans), **sizes)
        generator = torch.Generator().manual_seed(3)
        do, final_grad = (torch.randn(x[name].shape, generator=generator, dtype=torch.float64) for name in ("v", "initial_state"))
        found = run(family, x, do, final_grad, form=form, cu_seqlens=starts)
        grads = answer(operands_of(family, x), heads_first(do), x["initial_state"].numpy(), final_grad.numpy(), x["q"].shape[3] ** -0.5, spans)
        self.compare(found, reduced(family, x, grads))

    def test_every_family_whose_output_is_the_operators(self):
        for family in NAMES:
            if family == "mamba3":
                continue
            for form in ("chunked", "serial"):
                with self.subTest(family=family, form=form):
                    self.check(family, form, [(0, 0, 70), (1, 0, 70)])

    def test_ragged_lengths_and_channels(self):
        for tokens, keys, values in ((1, 5, 3), (63, 16, 40), (64, 40, 16), (65, 1, 1), (193, 8, 8)):
            with self.subTest(tokens=tokens, keys=keys, values=values):
                self.check("gdn2", "chunked", [(0, 0, tokens)], tokens=tokens, keys=keys, values=values)

    def test_packed_sequences(self):
        starts = [0, 1, 65, 129, 150]
        for family in ("gdn2", "kda", "mamba2"):
            with self.subTest(family=family):
                self.check(family, "chunked", [(0, first, end) for first, end in zip(starts, starts[1:])], starts, tokens=150)

    def test_mamba3_with_what_a_successor_has_yet_to_write_taken_away(self):
        x = draw("mamba3", batch=1, heads=1)
        one = {name: tensor.numpy()[0, :, 0] for name, tensor in x.items()}
        operands, diagonal = oracle.fam_mamba3_siso(one["q"], one["k"], one["v"], one["dt"], one["A"], one["lam"])
        o, _ = oracle.serial_fwd(*operands, None, 0.37)
        o = o + 0.37 * (diagonal * (one["q"] * one["k"]).sum(-1))[:, None] * one["v"]
        found = run("mamba3", x, scale=0.37)["o"]
        self.compare({"o": found[0, :, 0]}, {"o": o})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
