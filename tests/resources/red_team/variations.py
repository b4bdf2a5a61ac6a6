# SPDX-License-Identifier: Apache-2.0
"""Changed inputs for a conforming kernel: other shapes, other values, one non-finite element at a time."""
import torch

from loading import call, cloned, leaves
from truth import disagreement, truth, wobble

NON_FINITE = (float("nan"), float("inf"), -float("inf"))
PROBES = (1e3, -1e3, 0.37)


def floating(inputs):
    return [i for i, value in enumerate(inputs) if isinstance(value, torch.Tensor) and value.is_floating_point()]


def is_mask(value):
    return bool(((value == 0) | (value == 1)).all())


def resized(inputs):
    """Every size of the inputs changed wherever it appears, to 0, 1, one more, and almost twice."""
    sizes = sorted({size for value in inputs for size in value.shape})
    for size in sizes:
        for new in (0, 1, size + 1, 2 * size - 1):
            yield f"{size} -> {new}", [_refilled(value, [new if s == size else s for s in value.shape], seed) for seed, value in enumerate(inputs)]


def _refilled(value, shape, seed):
    count = torch.Size(shape).numel()
    torch.manual_seed(23 + seed)
    if value.is_floating_point() and not is_mask(value):
        return (torch.randn(shape) * value.double().std() + value.double().mean()).to(value.dtype)
    return value.flatten()[torch.randperm(max(count, value.numel()))[:count] % value.numel()].reshape(shape)


def dissent(model, subject, inputs):
    """Why @subject is not an honest evaluation on @inputs, or None; asks for the task's conditioning where its terms may cancel."""
    sides = call(subject, inputs), call(model, inputs), truth(model, inputs)
    return disagreement(*sides) and disagreement(*sides, wobble(model, inputs))


def shape_dissent(model, subject, inputs):
    """(change, reason) for every resizing of the inputs; the reason is None where both agree or both refuse."""
    for change, changed in resized(inputs):
        try:
            call(model, changed)
        except Exception:
            yield change, _acceptance(subject, changed)
        else:
            yield change, _refusal(subject, changed) or dissent(model, subject, changed)


def _acceptance(subject, inputs):
    return None if _refusal(subject, inputs) else "accepts what the reference refuses"


def _refusal(subject, inputs):
    try:
        call(subject, inputs)
    except Exception as error:
        return f"refuses: {error}"
    return None


def regimes(inputs):
    """Other values at the native shape; masks and integers keep theirs."""
    changes = {
        "uniform": lambda v: torch.rand(v.shape),
        "small": lambda v: 1e-3 * torch.randn(v.shape),
        "large": lambda v: 30.0 * torch.randn(v.shape),
        "zeros": lambda v: torch.zeros(v.shape),
        "ones": lambda v: torch.ones(v.shape),
        "ties": lambda v: torch.randint(0, 4, v.shape).float(),
        "one row of zeros": lambda v: torch.cat([torch.zeros_like(v[:1]), v[1:]]) if v.dim() else v,
        "subnormal": lambda v: torch.full(v.shape, 1e-40),
    }
    for name, change in changes.items():
        torch.manual_seed(29)
        yield name, [change(v).to(v.dtype) if v.is_floating_point() and not is_mask(v) else v for v in inputs]


def restrided(inputs):
    """Equal values behind other strides."""
    yield "transposed", [v.transpose(0, -1).contiguous().transpose(0, -1) if v.dim() > 1 else v for v in inputs]
    yield "sliced", [torch.stack([v, v], dim=-1)[..., 0] for v in inputs]


def swallowed(model, subject, inputs):
    """Sensitive outputs that are finite although the reference's is not, and outputs that are not finite on clean inputs.

    An output is sensitive to an element when finite replacements of it change the fp64 truth: a non-finite value that reaches
    it through a product with zero only may legally be left out.
    """
    for index in floating(inputs):
        if is_mask(inputs[index]) or not inputs[index].numel():
            continue
        for place in {0, inputs[index].numel() // 2, inputs[index].numel() - 1}:
            replaced = [leaves(truth(model, _with(inputs, index, place, value))) for value in PROBES]
            for value in NON_FINITE:
                injected = _with(inputs, index, place, value)
                shipped, exact, got = (leaves(f) for f in (call(model, injected), truth(model, injected), call(subject, injected)))
                for k, (r, t, c) in enumerate(zip(shipped, exact, got)):
                    if not r.is_floating_point():
                        continue
                    a, b, d = (probe[k] for probe in replaced)
                    sensitive = ~(torch.isclose(a, b, rtol=1e-12, atol=1e-12) & torch.isclose(a, d, rtol=1e-12, atol=1e-12))
                    lost = torch.isfinite(c) & ~torch.isfinite(r) & ~torch.isfinite(t) & sensitive
                    if lost.any():
                        return f"{value} at {place} of input {index} is lost at {int(lost.sum())} of {lost.numel()} outputs"
    return None


def _with(inputs, index, place, value):
    changed = [v.contiguous() for v in cloned(inputs)]
    changed[index].view(-1)[place] = value
    return changed
