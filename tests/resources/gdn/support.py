# SPDX-License-Identifier: Apache-2.0
"""The operator of the worker's folder, which a test's first argument names, and inputs for it."""

import sys

SKIPPED = 77

try:
    import torch
except ImportError:
    print("torch is absent: the operator for torch cannot be tested")
    sys.exit(SKIPPED)

sys.path.insert(0, sys.argv[1])
from assay_worker import gdn  # noqa: E402
from assay_worker.gdn.families import FAMILIES, HEADS, KEYS, TOKENS, VALUES  # noqa: E402

NAMES = tuple(FAMILIES)


def draw(family, batch=2, tokens=70, heads=2, keys=12, values=9, seed=1, dtype=torch.float64, states=None):
    """Inputs of a family by name, on the CPU: q and k of length 1, v normal, gates from 0 to 1, log decays from -1 to 0. With
    `states` also initial_state, for so many sequences."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    def uniform(*shape):
        return torch.rand(*shape, generator=generator, dtype=torch.float64)

    shapes = {KEYS: (batch, tokens, heads, keys), VALUES: (batch, tokens, heads, values), TOKENS: (batch, tokens, heads), HEADS: (heads,)}
    x = {name: torch.nn.functional.normalize(normal(*shapes[KEYS]), dim=-1) for name in ("q", "k")}
    x["v"] = normal(*shapes[VALUES])
    for name, letters in FAMILIES[family].extents.items():
        x[name] = uniform(*shapes[letters]) * (-1 if name in ("g", "A") else 1)
    if states is not None:
        x["initial_state"] = normal(states, heads, keys, values)
    return {name: tensor.to(dtype) for name, tensor in x.items()}


def run(family, x, do=None, final_grad=None, **options):
    """Outputs and gradients by name: o, ST and, of every input, d and its name. Inputs are left alone."""
    leaves = {name: tensor.detach().requires_grad_() for name, tensor in x.items()}
    o, final_state = gdn.recurrence(family, **leaves, output_final_state=True, **options)
    if do is None:
        do = torch.ones_like(o)
    grads = [do] if final_grad is None else [do, final_grad]
    torch.autograd.backward([o] if final_grad is None else [o, final_state], grads)
    return {"o": o.detach(), "ST": final_state.detach(), **{"d" + name: leaf.grad for name, leaf in leaves.items()}}


def root_of_squares(tensor):
    return tensor.double().square().sum().sqrt().item()


def ratio(wanted, found):
    """Root mean square of the error over that of what is wanted, in fp64 on the CPU."""
    wanted = wanted.detach().double().cpu()
    return root_of_squares(found.detach().double().cpu() - wanted) / root_of_squares(wanted)


def allowed(name, emulated):
    """What operands of 16 bits may cost an output: 8e-3, db 1.5e-2, or twice what an emulation of them errs by (gdn.md, section 2)."""
    return max(1.5e-2 if name == "db" else 8e-3, 2 * emulated)


def require_rounding_alone(test, family, x, found, do=None, final_grad=None, say=lambda line: None, **options):
    """Fails `test` unless every output and gradient that run() found on other code is as near to the recurrence in fp64 as operands
    of 16 bits allow, and of the shape and type that the CPU gives it."""
    wide = {name: tensor.double() for name, tensor in x.items()}
    wide_grads = [None if grad is None else grad.double() for grad in (do, final_grad)]
    wanted = run(family, wide, *wide_grads, form="serial", **options)
    emulated = run(family, x, do, final_grad, **options)
    test.assertEqual(set(found), set(wanted))
    for name in wanted:
        test.assertEqual((found[name].shape, found[name].dtype), (emulated[name].shape, emulated[name].dtype), name)
        # A's gradient in Mamba-2 is one sum over all tokens of a head, which may nearly cancel while its terms' errors, which go one
        # way from token to token, do not: it is held against the sum of the terms' sizes.
        share = 1
        if (family, name) == ("mamba2", "dA"):
            share = root_of_squares(wanted[name]) / root_of_squares(_rate_terms(wide, *wide_grads, **options).abs().sum((0, 1)))
        error, limit = share * ratio(wanted[name], found[name]), allowed(name, share * ratio(wanted[name], emulated[name]))
        say("%-7s %-20s %-7s %.1e of %.1e" % (family, tuple(x["v"].shape), name, error, limit))
        test.assertLessEqual(error, limit, "%s %s" % (family, name))


def _rate_terms(x, do, final_grad, scale=None, **options):
    """What Mamba-2 adds up to A's gradient, [B, T, H]: dt_t times the gradient of that token's decay."""
    decay = (x["dt"] * x["A"]).requires_grad_()
    operands = {"b": torch.zeros_like(x["k"]), "w": x["dt"].unsqueeze(-1).expand_as(x["v"]), "g": decay.unsqueeze(-1).expand_as(x["k"])}
    o, final_state = gdn.gdn2(x["q"], x["k"], x["v"], **operands, initial_state=x.get("initial_state"), output_final_state=True,
                              scale=scale, form="serial", **options)
    torch.autograd.backward([o] if final_grad is None else [o, final_state],
                            [torch.ones_like(o) if do is None else do] + ([] if final_grad is None else [final_grad]))
    return x["dt"] * decay.grad
