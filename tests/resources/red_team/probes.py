# SPDX-License-Identifier: Apache-2.0
"""Ways in which a candidate can misbehave. Each probe returns what it saw, or None where it saw nothing wrong."""
import contextlib
import copy
import pathlib
import subprocess
import sys
import tempfile

import torch

from loading import call, cloned, leaves
from truth import disagreement, truth

REPEATS = 12
LINE_LIMIT = 200_000


def values(change=lambda inputs: inputs):
    """Other values, classes, shapes or dtypes than the reference gives on the changed inputs; raising counts as well."""
    def probe(model, subject, inputs):
        changed = change(cloned(inputs))
        exact = truth(model, changed)
        try:
            result = call(subject, changed)
        except Exception as error:
            return f"raises {type(error).__name__}: {error}"
        return disagreement(result, call(model, changed), exact)
    return probe


def accepts(change):
    """Takes what the reference refuses."""
    def probe(model, subject, inputs):
        changed = change(cloned(inputs))
        for candidate in (model, subject):
            try:
                call(candidate, changed)
            except Exception:
                continue
            if candidate is model:
                raise AssertionError("the reference accepts this stimulus")
            return "accepts what the reference refuses"
        return None
    return probe


def repeats(change=lambda inputs: inputs):
    """Different bits for equal inputs."""
    def probe(model, subject, inputs):
        changed = change(cloned(inputs))
        first = call(subject, changed)
        for _ in range(REPEATS):
            if any(not _same_bits(a, b) for a, b in zip(leaves(first), leaves(call(subject, changed)))):
                return "different bits for equal inputs"
        return None
    return probe


def other_bits(model, subject, inputs):
    """Other bits than the reference has, however close."""
    same = all(_same_bits(a, b) for a, b in zip(leaves(call(model, inputs)), leaves(call(subject, inputs))))
    return None if same else "other bits than the reference"


def mutates(model, subject, inputs):
    """Changes inputs that the reference leaves alone."""
    for candidate in (model, subject):
        held = cloned(inputs)
        with torch.no_grad():
            candidate(*held)
        if any(isinstance(a, torch.Tensor) and not _same_bits(a, b) for a, b in zip(held, inputs)):
            return "changes its inputs" if candidate is subject else None
    return None


def stale(second, change_model=None):
    """The answer of an earlier call, after @second has refilled the inputs in place or @change_model has touched the weights."""
    def probe(model, subject, inputs):
        held = cloned(inputs)
        with torch.no_grad():
            subject(*held)
            if change_model:
                for candidate in (model, subject):
                    change_model(candidate)
            second(held)
            result = subject(*held)
        return disagreement(result, call(model, held), truth(model, held))
    return probe


def aliases(model, subject, inputs):
    """Two results that live at the same time share memory."""
    with torch.no_grad():
        first, second = subject(*cloned(inputs)), subject(*[0.5 * value for value in inputs])
    shared = {leaf.data_ptr() for leaf in leaves(first)} & {leaf.data_ptr() for leaf in leaves(second)}
    return "results share storage" if shared else None


def gradients(model, subject, inputs):
    """A missing or wrong gradient of an input or a parameter, against autograd of the reference in fp64."""
    expected = _gradients(_double(model), [v.double() for v in inputs])
    got = _gradients(_double(subject), [v.double() for v in inputs])
    for name, gradient in expected.items():
        if got.get(name) is None or (got[name] - gradient).abs().max() > 1e-6 * (1 + gradient.abs().max()):
            return f"gradient of {name} is missing or wrong"
    return None


def poisoned(change=lambda inputs: inputs):
    """Depends on what uninitialised memory holds."""
    def probe(model, subject, inputs):
        changed = change(cloned(inputs))
        expected, exact = call(model, changed), truth(model, changed)
        with _poison():
            result = call(subject, changed)
        return disagreement(result, expected, exact)
    return probe


def guard_band(model, subject, inputs):
    """Writes behind the end of its input."""
    backing = torch.full((inputs[0].numel() + 64,), 12345.0)
    view = backing[32:32 + inputs[0].numel()].view(inputs[0].shape)
    view.copy_(inputs[0])
    with torch.no_grad():
        subject(view)
    intact = bool((backing[:32] == 12345.0).all() and (backing[-32:] == 12345.0).all())
    return None if intact else "writes behind its input"


def endless(change):
    """Executes more than LINE_LIMIT lines of Python for one call."""
    def probe(model, subject, inputs):
        lines = [0]

        def count(frame, event, argument):
            lines[0] += 1
            if lines[0] > LINE_LIMIT:
                raise TimeoutError("too many lines")
            return count

        sys.settrace(count)
        try:
            call(subject, change(cloned(inputs)))
        except TimeoutError:
            return "does not end"
        finally:
            sys.settrace(None)
        return None
    return probe


def alone(source, reference_source):
    """Wrong where neither reference nor comparison live in its process."""
    def probe(model, subject, inputs):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "output.pt"
            subprocess.run([sys.executable, "-B", str(pathlib.Path(__file__).with_name("alone.py")), str(source), str(reference_source), str(target)], check=True)
            result = torch.load(target)
        return disagreement(result, call(model, inputs), truth(model, inputs))
    return probe


def _same_bits(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    view = {2: torch.int16, 4: torch.int32, 8: torch.int64}.get(a.element_size()) if a.is_floating_point() else None
    return torch.equal(a.contiguous().view(view), b.contiguous().view(view)) if view else torch.equal(a, b)


def _double(model):
    return copy.deepcopy(model).double()


def _gradients(model, inputs):
    inputs = [value.clone().requires_grad_() for value in inputs]
    output = leaves(model(*inputs))[0]
    named = {f"input {i}": value for i, value in enumerate(inputs)} | dict(model.named_parameters())
    if not output.requires_grad:
        return {}
    torch.manual_seed(3)
    found = torch.autograd.grad(output, list(named.values()), torch.randn(output.shape, dtype=output.dtype), allow_unused=True)
    return dict(zip(named, found))


@contextlib.contextmanager
def _poison():
    kept = {name: getattr(torch, name) for name in ("empty", "empty_like")}
    new_empty = torch.Tensor.new_empty

    def filled(make):
        def wrapper(*args, **kwargs):
            out = make(*args, **kwargs)
            return out.fill_(float("nan")) if out.is_floating_point() else out
        return wrapper

    for name, make in kept.items():
        setattr(torch, name, filled(make))
    torch.Tensor.new_empty = filled(new_empty)
    try:
        yield
    finally:
        for name, make in kept.items():
            setattr(torch, name, make)
        torch.Tensor.new_empty = new_empty
