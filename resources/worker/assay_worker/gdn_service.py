# SPDX-License-Identifier: Apache-2.0
"""The operator of gdn/ on a device, timed and held against fp64: `python -m assay_worker gdn`.

Requests are JSON objects, one a line on standard input, answers likewise on standard output:
{"id", "op": "time" | "errors", "family", "shape": [B, T, H, K, V], "dtype", "device", "samples", "seed"} ->
{"id", "event": "gdn", ...}; what could not be done has "problem" and "remedy" there. While it works, {"event": "alive"} comes every
few seconds."""

import contextlib
import json
import sys
import threading

import torch

from . import gdn

_ALIVE_SECONDS = 5
# rms(error) / rms(truth) that kernels with operands of 16 bits are held to; see kernels/gdn/accuracy.h.
_TOLERANCE, _ERASE_TOLERANCE = 8e-3, 1.5e-2
_OWN_FACTOR = 2  # over what rounding operands to 16 bits costs on the same inputs
_ROUNDOFF = {torch.bfloat16: 2.0 ** -8, torch.float16: 2.0 ** -11, torch.float32: 2.0 ** -24, torch.float64: 2.0 ** -53}
_LONG = ("g", "dt", "A", "lam")  # sums over tokens: fp32 whatever the dtype


def main():
    """Answers until the input ends. @return 0"""
    lock = threading.Lock()

    def say(answer):
        with lock:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()

    for line in sys.stdin:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if request.get("op") == "cancel":
            continue
        with _alive(say):
            say(answer(request))
    return 0


@contextlib.contextmanager
def _alive(say):
    ended = threading.Event()

    def beat():
        while not ended.wait(_ALIVE_SECONDS):
            say({"event": "alive"})

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def answer(request):
    """The answer to one request."""
    said = {"id": request.get("id"), "event": "gdn"}
    try:
        device = _device(request["device"])
        done = {"time": _time, "errors": _errors}[request["op"]](request, device)
        return dict(said, **done)
    except Exception as error:  # whatever the machine lacks or the kernels refuse is the answer
        text = str(error) or type(error).__name__
        return dict(said, problem=text.splitlines()[0][:1000], remedy="assay doctor says what this machine can do")


def _device(name):
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("this machine's torch sees no CUDA device")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise RuntimeError("there is no %s, only %d device(s)" % (name, torch.cuda.device_count()))
    return device


def draw(family, shape, dtype, seed):
    """({name: tensor}, do) on the CPU: q and k of length 1, v and do normal, gates between 0 and 1, e^g from 1/2 to 1."""
    b, t, h, k, v = shape
    generator = torch.Generator().manual_seed(seed)

    def normal(*sizes):
        return torch.randn(*sizes, generator=generator, dtype=torch.float64)

    def uniform(*sizes):
        return torch.rand(*sizes, generator=generator, dtype=torch.float64)

    def unit(x):
        return x / x.norm(dim=-1, keepdim=True)

    sizes = {"[B, T, H, K]": (b, t, h, k), "[B, T, H, V]": (b, t, h, v), "[B, T, H]": (b, t, h), "[H]": (h,)}
    given = {"q": unit(normal(b, t, h, k)), "k": unit(normal(b, t, h, k)), "v": normal(b, t, h, v)}
    for name, letters in gdn.families.named(family).extents.items():
        x = uniform(*sizes[letters])
        given[name] = torch.log(1 - 0.5 * x) if name == "g" else -x if name == "A" else x
    cast = {name: x.to(torch.float32 if name in _LONG and dtype is not torch.float64 else dtype) for name, x in given.items()}
    return cast, normal(b, t, h, v).to(dtype)


def _leaves(given, device):
    return {name: x.to(device).requires_grad_(True) for name, x in given.items()}


def _time(request, device):
    dtype = getattr(torch, request["dtype"])
    given, do = draw(request["family"], request["shape"], dtype, request.get("seed", 1))
    leaves, do = _leaves(given, device), do.to(device)
    samples = max(1, int(request.get("samples", 20)))

    def forward():
        with torch.no_grad():
            gdn.recurrence(request["family"], **leaves)

    o = gdn.recurrence(request["family"], **leaves)

    def backward():
        torch.autograd.grad(o, list(leaves.values()), do, retain_graph=True)

    found = {"forward_ms": _median(forward, device, samples), "backward_ms": _median(backward, device, samples), "samples": samples}
    found["device_name"] = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    capability = "sm_%d%d" % torch.cuda.get_device_capability(device) if device.type == "cuda" else "cpu"
    return dict(found, kernel="device kernels on %s, through the torch operator" % capability)


def _median(call, device, samples):
    """Milliseconds by the device's own events, three calls to warm up."""
    times = []
    for number in range(-3, samples):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record(torch.cuda.current_stream(device))
        call()
        end.record(torch.cuda.current_stream(device))
        end.synchronize()
        if number >= 0:
            times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def _outputs(family, given, do, **options):
    """{name: fp64 tensor on the CPU}"""
    leaves = {name: x.detach().requires_grad_(True) for name, x in given.items()}
    o = gdn.recurrence(family, **leaves, **options)
    gradients = torch.autograd.grad(o, list(leaves.values()), do)
    found = {"o": o.detach()}
    found.update(("d" + name, gradient) for name, gradient in zip(leaves, gradients))
    return {name: x.to("cpu", torch.float64) for name, x in found.items()}


def _rms(x):
    return float(x.pow(2).mean().sqrt())


def _ratio(truth, found):
    scale = _rms(truth)
    return _rms(found - truth) / scale if scale > 0 else _rms(found)


def _errors(request, device):
    family, dtype = request["family"], getattr(torch, request["dtype"])
    given, do = draw(family, request["shape"], dtype, request.get("seed", 1))
    wide = {name: x.double() for name, x in given.items()}
    truth = _outputs(family, wide, do.double(), form="serial")
    emulated = _outputs(family, given, do)
    on_device = {name: x.to(device) for name, x in given.items()}
    found = _outputs(family, on_device, do.to(device))
    outputs = []
    for name, want in truth.items():
        base = _ERASE_TOLERANCE if name in ("db", "dbeta") else _TOLERANCE
        tolerance = max(base, _OWN_FACTOR * _ratio(want, emulated[name]))
        if name == "dg":
            tolerance += _cancellation(wide, truth, _ROUNDOFF[dtype])
        outputs.append({"name": "dlambda" if name == "dlam" else name, "error": _ratio(want, found[name]), "tolerance": tolerance})
    return {"outputs": outputs, "device_name": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"}


def _cancellation(given, truth, roundoff):
    """What dg = revcumsum(q dq + 2 b db - k dk) may err by where it subtracts terms far above itself, relative to dg: a unit roundoff of
    what they are made of; see DecayError in kernels/gdn/accuracy.h."""
    terms = (given["q"] * truth["dq"]).abs() + (given["k"] * truth["dk"]).abs()
    if "db" in truth:
        terms = terms + 2 * (given["b"] * truth["db"]).abs()
    scale = _rms(truth["dg"])
    return 4 * roundoff * _rms(terms) / scale if scale > 0 else 0.0
