#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes problems and the answers of an independent oracle, one folder of .npy files a case.

    oracle_cases.py FOLDER_OF_ORACLE OUT

Tensors are [B, T, H, channels] and states [N, H, K, V], as the operator takes them; the oracle has tokens last but one.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import oracle  # noqa: E402

OUT = pathlib.Path(sys.argv[2])
GRADS = ("dq", "dk", "dv", "db", "dw", "dg")


def save(name, tensors):
    folder = OUT / name
    folder.mkdir(parents=True)
    for key, value in tensors.items():
        np.save(folder / f"{key}.npy", np.ascontiguousarray(value))


def gates(rng, lead, tokens, keys, values, decay):
    """q k v b w g of one batch row, tokens last but one."""
    q, k, v, b, w, g, _, do, _ = oracle.rand_case(rng, tokens, keys, values, lead=lead, gmin=decay if decay > 0 else 0.0)
    if decay < 0:
        g = np.full_like(g, decay)
    return dict(q=q, k=k, v=v, b=b, w=w, g=g, do=do)


def answer(x, scale, starts, s0, dst):
    """The oracle's outputs for every sequence of x, whose tensors are [B, H, T, channels]."""
    batch, tokens = x["q"].shape[0], x["q"].shape[2]
    spans = [(0, a, e) for a, e in zip(starts, starts[1:])] if starts else [(row, 0, tokens) for row in range(batch)]
    out = {n: np.zeros_like(x["q" if n in ("dq", "dk", "db", "dg") else "v"]) for n in GRADS + ("o",)}
    states = {"ST": [], "dS0": []}
    for n, (row, a, e) in enumerate(spans):
        part = {key: value[row, :, a:e] for key, value in x.items()}
        args = [part[key] for key in ("q", "k", "v", "b", "w", "g")]
        first = None if s0 is None else s0[n]
        last = None if dst is None else dst[n]
        o, final = oracle.serial_fwd(*args, first, scale)
        grads = oracle.serial_bwd(*args, part["do"], last, first, scale)
        out["o"][row, :, a:e] = o
        for key in GRADS:
            out[key][row, :, a:e] = grads[key]
        states["ST"].append(final)
        states["dS0"].append(grads["dS0"])
    out = {key: np.swapaxes(value, 1, 2) for key, value in out.items()}
    return {**out, **{key: np.stack(value) for key, value in states.items()}}


def case(rng, name, batch, tokens, heads, keys, values, decay=0.0, starts=None, state=True, change=None):
    x = gates(rng, (batch, heads), tokens, keys, values, decay)
    if change:
        change(x)
    count = len(starts) - 1 if starts else batch
    s0 = 0.5 * rng.standard_normal((count, heads, keys, values)) if state else None
    dst = rng.standard_normal((count, heads, keys, values)) if state else None
    scale = keys ** -0.5
    tensors = {key: np.swapaxes(value, 1, 2) for key, value in x.items()}
    tensors["scale"] = np.array([scale])
    if starts:
        tensors["cu_seqlens"] = np.array(starts, np.int32)
    if state:
        tensors.update(S0=s0, dST=dst)
    tensors.update({f"want_{key}": value for key, value in answer(x, scale, starts, s0, dst).items()})
    save(name, tensors)


def scalar_gates(x):
    x["b"][:] = x["b"][..., :1]
    x["w"][:] = x["b"][..., :1]
    x["g"][:] = x["g"][..., :1]


def no_erase(x):
    x["b"][:] = 0
    x["w"][:] = 1


def no_decay(x):
    x["g"][:] = 0
    x["b"][:] = 2


def resets(x):
    x["g"][:, :, 7::13] = -1e4


def families(rng):
    """Inputs of families in their own words, and what the oracle's maps make of them: [T, channels], one head."""
    tokens, keys, values = 70, 12, 9
    n = rng.standard_normal
    q, k, v = n((tokens, keys)), n((tokens, keys)) / 4, n((tokens, values))
    beta, decay, decays = rng.random(tokens), -rng.random(tokens), -rng.random((tokens, keys))
    step, a, lam = rng.random(tokens), -rng.random(tokens), rng.random(tokens)
    a_head = np.full(tokens, -0.7)
    native = dict(q=q, k=k, v=v)
    mapped, diagonal = oracle.fam_mamba3_siso(q, k, v, step, a, lam)
    known = {
        "mamba2": (dict(dt=step, A=a_head[:1]), oracle.fam_mamba2(q, k, v, step, a_head)),
        "gla": (dict(g=decays), oracle.fam_gla(q, k, v, decays)),
        "delta": (dict(beta=beta), oracle.fam_deltanet(q, k, v, beta)),
        "gdn": (dict(beta=beta, g=decay), oracle.fam_gdn(q, k, v, beta, decay)),
        "kda": (dict(beta=beta, g=decays), oracle.fam_kda(q, k, v, beta, decays)),
        "mamba3": (dict(dt=step, A=a, **{"lambda": lam}), mapped),
    }
    for name, (own, inputs) in known.items():
        o, _ = oracle.serial_fwd(*inputs, None, 0.37)
        if name == "mamba3":
            o = o + 0.37 * (diagonal * (q * k).sum(-1))[:, None] * v
        save(f"family_{name}", {**native, **own, "want_o": o})


def emulation(rng):
    """Errors that products of bf16 operands cost, by the oracle: the solving form backward, the long form forward."""
    def bf16(x):
        bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)
    x = gates(rng, (1, 2), 512, 64, 64, 0.0)
    x = {key: bf16(value) for key, value in x.items()}
    scale = np.float32(0.125)
    args = [x[key] for key in ("q", "k", "v", "b", "w", "g")]
    o, _ = oracle.chunk_fwd(*args, None, scale, 64, rnd=bf16)
    got = oracle.chunk_bwd_solve(*args, x["do"], None, None, scale, 64, rnd=bf16)
    want = answer({key: value.astype(np.float64) for key, value in x.items()}, 0.125, None, None, None)
    ratios = {f"error_{key}": np.array([oracle.ratio(want[key], np.swapaxes(got[key], 1, 2))]) for key in GRADS}
    ratios["error_o"] = np.array([oracle.ratio(want["o"], np.swapaxes(o, 1, 2))])
    tensors = {key: np.swapaxes(value, 1, 2).astype(np.float64) for key, value in x.items()}
    save("emulation", {**tensors, **ratios, "scale": np.array([0.125])})


def main():
    rng = np.random.default_rng(20260812)
    case(rng, "one_token", 1, 1, 1, 4, 4)
    case(rng, "one_channel", 1, 40, 1, 1, 1)
    case(rng, "ragged", 2, 50, 3, 8, 12)
    case(rng, "wide_keys", 1, 193, 2, 40, 20)
    case(rng, "wide_values", 1, 130, 2, 16, 72)
    case(rng, "full", 1, 128, 1, 128, 128)
    case(rng, "packed", 1, 150, 2, 16, 9, starts=[0, 1, 65, 65, 128, 150])
    case(rng, "packed_without_states", 1, 90, 1, 8, 8, starts=[0, 17, 90], state=False)
    case(rng, "without_states", 2, 70, 2, 8, 8, state=False)
    case(rng, "mixed_strong_decays", 1, 150, 2, 16, 16, decay=30.0)
    case(rng, "strong_decays", 1, 100, 2, 16, 16, decay=-30.0)
    case(rng, "no_decay_full_erase", 1, 130, 2, 16, 16, change=no_decay)
    case(rng, "scalar_gates", 1, 100, 2, 16, 12, change=scalar_gates)
    case(rng, "no_erase", 1, 100, 2, 16, 12, change=no_erase)
    case(rng, "resets", 1, 100, 2, 16, 12, change=resets)
    families(rng)
    emulation(rng)


main()
