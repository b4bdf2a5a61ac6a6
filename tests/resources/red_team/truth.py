# SPDX-License-Identifier: Apache-2.0
"""The fp64 truth of a reference, and what counts as agreeing with it within honest rounding."""
import contextlib
import copy

import torch

from loading import cloned, leaves

LOW = (torch.float32, torch.float16, torch.bfloat16)


@contextlib.contextmanager
def _wide_casts():
    """Every cast below fp64 becomes a cast to fp64, and so does the default dtype."""
    kept = {name: getattr(torch.Tensor, name) for name in ("float", "half", "bfloat16", "to")}
    default = torch.get_default_dtype()

    def to(self, *args, **kwargs):
        args = [torch.float64 if arg in LOW else arg for arg in args if not isinstance(arg, torch.Tensor)] or [
            arg.dtype for arg in args]
        kwargs = {key: torch.float64 if value in LOW else value for key, value in kwargs.items()}
        return kept["to"](self, *args, **kwargs)

    for name in ("float", "half", "bfloat16"):
        setattr(torch.Tensor, name, torch.Tensor.double)
    torch.Tensor.to = to
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(default)
        for name, method in kept.items():
            setattr(torch.Tensor, name, method)


def truth(model, inputs, seed=7):
    """The reference evaluated in fp64 on the same bits."""
    wide = copy.deepcopy(model).double()
    values = [v.double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in cloned(inputs)]
    torch.manual_seed(seed)
    with torch.no_grad(), _wide_casts():
        return wide(*values)


def wobble(model, inputs, draws=4):
    """How far the truth moves, as the largest root mean square over @draws, when every input and weight is off by one rounding."""
    exact, moved = leaves(truth(model, inputs)), []
    for draw in range(draws):
        torch.manual_seed(100 + draw)
        shaken = copy.deepcopy(model).double()
        with torch.no_grad():
            for weight in shaken.parameters():
                weight.copy_(_shaken(weight))
        moved.append(leaves(truth(shaken, [_shaken(v) if v.is_floating_point() else v for v in inputs])))
    return [max(_rms(torch.nan_to_num((m[i] - t).abs().double())) for m in moved) for i, t in enumerate(exact)]


def _shaken(value):
    sign = torch.randint(0, 2, value.shape).double() * 2 - 1
    return value.double() * (1 + 2.0 ** -24 * sign)


def disagreement(candidate, reference, exact, spreads=None):
    """Why @candidate is not an honest evaluation, or None.

    @param candidate, reference  results in the task's dtype, any nesting
    @param exact                 the same in fp64
    @param spreads               wobble() of the task, for ill-conditioned inputs
    Rounding is honest when the candidate's root mean square error is at most four times the reference's own plus eight
    units in the last place, and its largest error six times plus 64 units at the largest magnitude; in 16 bits, where
    one rounding outweighs the arithmetic, plus one and four units.
    """
    got, shipped, true = leaves(candidate), leaves(reference), leaves(exact)
    if len(got) != len(shipped):
        return f"{len(got)} outputs instead of {len(shipped)}"
    for index, (c, r, t) in enumerate(zip(got, shipped, true)):
        reason = _leaf(c, r, t, spreads[index] if spreads else 0.0)
        if reason:
            return f"output {index}: {reason}"
    return None


def _leaf(c, r, t, spread):
    if c.shape != r.shape or c.dtype != r.dtype or c.device != r.device:
        return f"{tuple(c.shape)} {c.dtype} {c.device} instead of {tuple(r.shape)} {r.dtype} {r.device}"
    if r.is_complex():
        return _leaf(torch.view_as_real(c), torch.view_as_real(r), torch.view_as_real(t), spread)
    if not r.is_floating_point():
        return None if torch.equal(c, r) else f"{int((c != r).sum())} of {c.numel()} integers differ"
    wide = c.double()
    for name, test in (("NaN", torch.isnan), ("+Inf", torch.isposinf), ("-Inf", torch.isneginf)):
        # Where the shipped precision overflows and fp64 does not, either answer is right.
        wrong = (test(wide) != test(r.double())) & (test(wide) != test(t))
        if wrong.any():
            return f"{name} differs at {int(wrong.sum())} of {wrong.numel()}"
    finite = torch.isfinite(t) & torch.isfinite(wide) & torch.isfinite(r)
    if not finite.any():
        return None
    error, own, size = (wide - t)[finite].abs(), (r.double() - t)[finite].abs(), t[finite].abs()
    unit = torch.finfo(r.dtype).eps / 2
    tiny = 0.0 if error.max() > 0 and size.max() < torch.finfo(r.dtype).tiny else torch.finfo(r.dtype).tiny
    # With few outputs the reference may just have been lucky.
    slack = unit if r.element_size() == 2 else 8 * unit if r.numel() > 16 else 64 * unit
    if _rms(error) > 4 * _rms(own) + slack * _rms(size) + 2 * spread + tiny:
        return f"root mean square error {_rms(error):.3g}, the reference's own {_rms(own):.3g}"
    if error.max() > 6 * own.max() + (4 if r.element_size() == 2 else 64) * unit * size.max() + 6 * spread + tiny:
        return f"error {error.max():.3g}, the reference's own {own.max():.3g}"
    return None


def _rms(values):
    return float(values.square().mean().sqrt())


def popular_check(reference, candidate):
    """allclose at 1e-2, the fixed-shape check of the popular benchmark. Its own copy of the function: candidates patch it."""
    pairs = list(zip(leaves(reference), leaves(candidate)))
    return bool(pairs) and len(leaves(reference)) == len(leaves(candidate)) and all(
        r.shape == c.shape and r.device == c.device and bool(((r.double() - c.double()).abs() <= 1e-2 + 1e-2 * c.double().abs()).logical_or(r == c).all())
        for r, c in pairs)
