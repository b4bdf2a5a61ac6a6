# SPDX-License-Identifier: Apache-2.0
"""What is called: a function a family, and one that takes the family's name."""

from . import arguments, families
from .cpu import CHUNKED, FORMS, CpuForm
from .device import device_form
from .function import Call, Recurrence
from .sequences import Sequences


def recurrence(family, q, k, v, *, scale=None, initial_state=None, output_final_state=False, cu_seqlens=None, form=CHUNKED, **gates):
    """The recurrence of `family`, "gdn2", "kda", "gdn", "delta", "gla", "mamba2" or "mamba3", with gradients for every tensor but
    cu_seqlens.

    q, k               [B, T, H, K], one floating dtype with v: what is computed in
    v                  [B, T, H, V]
    gates              by name, as the family's own function lists them, of any floating dtype
    scale              a number; K^-1/2 where none is given
    initial_state      [N, H, K, V], any floating dtype; zeros where none is given
    output_final_state whether to return the final state, too
    cu_seqlens         [N + 1] rising offsets from 0 to T, int32 or int64 or a list: B is 1, and token cu_seqlens[n] is the first of
                       sequence n. Without it each batch row is a sequence. A tensor on a device is read back, once
    form               "chunked", or on the CPU "serial": token by token, in fp64 the truth that others are measured against

    Returns o [B, T, H, V] in the dtype of q; with output_final_state (o, [N, H, K, V]), the state in fp64 for fp64 and else in fp32.

    CPU: fp64 and fp32; bfloat16 and float16 as a device would compute them (cpu.py). CUDA: bfloat16 and float16, K and V up to 128
    (device.py). With operands of 16 bits b, w, beta and dt are rounded to them, decays to fp32.

    Raises TypeError, ValueError: one line that names the argument, what it is and what was expected; RuntimeError where the machine
    cannot compute it, with what to do."""
    known = families.named(family)
    arguments.require_names(known, gates)
    x = {"q": q, "k": k, "v": v, **{name: gates[name] for name in known.extents}}
    sizes = arguments.sizes_of(known, x)
    sequences = Sequences(cu_seqlens, sizes.batch, sizes.tokens)
    arguments.require_state(initial_state, q, sequences.count, sizes)
    call = Call(known, tuple(x), arguments.scale_of(scale, sizes), sequences, _form(form, x, sizes), bool(output_final_state))
    return Recurrence.apply(call, initial_state, *x.values())


def _form(name, x, sizes):
    if name not in FORMS:
        raise ValueError("form is %r, expected one of %s" % (name, ", ".join(map(repr, FORMS))))
    device = x["q"].device
    if device.type == "cpu":
        return CpuForm(name)
    if device.type != "cuda":
        raise ValueError("q is on %s, expected the CPU or a CUDA device" % device)
    if name != CHUNKED:
        raise ValueError("form is %r, expected %r for tensors on %s: only the CPU computes token by token" % (name, CHUNKED, device))
    return device_form(x, sizes)


def gdn2(q, k, v, *, b, w, g, **options):
    """Gated DeltaNet-2: b [B, T, H, K] erase gate, w [B, T, H, V] write gate, g [B, T, H, K] log decay, at most 0. For the rest and
    the options see recurrence()."""
    return recurrence("gdn2", q, k, v, b=b, w=w, g=g, **options)


def kda(q, k, v, *, beta, g, **options):
    """Kimi Delta Attention: beta [B, T, H] erases and writes alike, g [B, T, H, K] log decay, at most 0. See recurrence()."""
    return recurrence("kda", q, k, v, beta=beta, g=g, **options)


def gated_delta_rule(q, k, v, *, beta, g, **options):
    """Gated DeltaNet: beta [B, T, H] erases and writes alike, g [B, T, H] log decay, at most 0. See recurrence()."""
    return recurrence("gdn", q, k, v, beta=beta, g=g, **options)


def delta_rule(q, k, v, *, beta, **options):
    """DeltaNet: beta [B, T, H] erases and writes alike. See recurrence()."""
    return recurrence("delta", q, k, v, beta=beta, **options)


def gla(q, k, v, *, g, **options):
    """Gated linear attention: g [B, T, H, K] log decay, at most 0. See recurrence()."""
    return recurrence("gla", q, k, v, g=g, **options)


def mamba2(q, k, v, *, dt, A, **options):
    """Mamba-2, with C as q, B as k and x as v: dt [B, T, H] step size, A [H] decay rate, below 0. See recurrence(); the papers have
    scale = 1."""
    return recurrence("mamba2", q, k, v, dt=dt, A=A, **options)


def mamba3(q, k, v, *, dt, A, lam, **options):
    """Mamba-3, one input and one output, with C as q, B as k and x as v, both rotated by the cumulated angles already: dt [B, T, H] step
    size, A [B, T, H] decay rate, below 0, lam [B, T, H] share of a token's own step, the rest goes to the one before. See
    recurrence(); the papers have scale = 1."""
    return recurrence("mamba3", q, k, v, dt=dt, A=A, lam=lam, **options)


def mamba1(*_, **__):
    """Mamba-1 is no member of the family: NotImplementedError says why."""
    raise NotImplementedError(families.WHY_NOT_MAMBA1)
