# SPDX-License-Identifier: Apache-2.0
"""Times of the operator beside those of flash-linear-attention (fla), on one CUDA device in one process: the same tensors, CUDA events,
medians, samples of the two taken in turns. fla is timed as it comes, with what it keeps from the forward instead of computing it again
(disable_recompute, where it has that), and both also as CUDA graphs, which takes Python out of the times.

    gdn_peer.py FOLDER_WITH_ASSAY_WORKER [--families gdn2,gdn] [--shapes 1x32768x16,8x2048x16,1x8192x16] [--samples 20] [--json FILE]

Needs torch with CUDA and, for the peer, fla-core (with triton and einops). Where fla is absent the operator is timed alone. Prints a
table and the versions; times are milliseconds, memory is the peak of forward and backward above what was there before, in MiB."""

import argparse
import functools
import importlib.metadata
import json
import os
import statistics
import sys

os.environ.setdefault("FLA_DISABLE_BACKEND_DISPATCH", "1")  # the Triton kernels that the published times are of

import torch
from torch.nn import functional as F

CHANNELS = 128
WARM_UPS = 3


def inputs(family, batch, tokens, heads):
    """As layers start: q and k of unit length, decays by a log sigmoid around 2, gates between 0 and 1."""
    generator = torch.Generator("cuda").manual_seed(1)

    def normal(*size):
        return torch.randn(*size, device="cuda", generator=generator)

    wide, narrow = (batch, tokens, heads, CHANNELS), (batch, tokens, heads)
    gates = wide if family == "gdn2" else narrow
    made = {"q": F.normalize(normal(*wide), dim=-1), "k": F.normalize(normal(*wide), dim=-1), "v": normal(*wide)}
    names = ("b", "w") if family == "gdn2" else ("beta",)
    made.update((name, torch.rand(*gates, device="cuda", generator=generator)) for name in names)
    made = {name: tensor.to(torch.bfloat16) for name, tensor in made.items()}
    made["g"] = F.logsigmoid(normal(*gates) + 2)
    return {name: tensor.requires_grad_() for name, tensor in made.items()}, normal(*wide).to(torch.bfloat16)


def operator(family):
    from assay_worker.gdn import gated_delta_rule, gdn2

    if family == "gdn2":
        return lambda x: gdn2(x["q"], x["k"], x["v"], b=x["b"], w=x["w"], g=x["g"])
    return lambda x: gated_delta_rule(x["q"], x["k"], x["v"], beta=x["beta"], g=x["g"])


def peers(family):
    """{name: function}; none where fla is absent."""
    scale = CHANNELS**-0.5
    try:
        if family == "gdn2":
            from fla.ops.gdn2 import chunk_gdn2

            def call(**options):
                return lambda x: chunk_gdn2(x["q"], x["k"], x["v"], x["g"], x["b"], x["w"], scale=scale, **options)[0]

            return {"fla": call(), "fla, keeps more": call(disable_recompute=True)}
        import fla.ops.common.chunk_o as chunk_o
        from fla.ops.gated_delta_rule import chunk_gated_delta_rule

        # fla refuses this on Hopper with the Triton versions in between, for an error at another tile size than this device gets; the
        # times are valid as long as its errors, printed here too, are.
        if getattr(chunk_o, "IS_NVIDIA_HOPPER", False):
            chunk_o.TRITON_ABOVE_3_7_1 = True
        return {"fla": lambda x: chunk_gated_delta_rule(x["q"], x["k"], x["v"], x["g"], x["beta"], scale=scale)[0]}
    except ImportError as error:
        print("fla is absent (%s): the operator is timed alone" % error)
        return {}


class Timed:
    """A function's forward, and its backward on a kept forward."""

    def __init__(self, function, x, output_grad):
        self._leaves = list(x.values())

        def forward():
            with torch.no_grad():
                return function(x)

        def both():
            return torch.autograd.grad(function(x), self._leaves, output_grad)

        self.grads = both()
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        both()
        torch.cuda.synchronize()
        self.peak = (torch.cuda.max_memory_allocated() - before) / 2**20

        def backward():
            own = {name: tensor.detach().requires_grad_() for name, tensor in x.items()}  # of this stream
            kept = function(own)
            return lambda: torch.autograd.grad(kept, list(own.values()), output_grad, retain_graph=True)

        def whole():
            own = {name: tensor.detach().requires_grad_() for name, tensor in x.items()}
            return lambda: torch.autograd.grad(function(own), list(own.values()), output_grad)

        self.modes = {"forward": forward, "backward": backward()}
        for mode, prepare in (("forward", lambda: forward), ("backward", backward), ("both", whole)):
            graph = captured(prepare)
            if graph:
                self.modes["graph of " + mode] = graph


def captured(prepare):
    """What `prepare()` returns as a CUDA graph; None, said, where it cannot be one. A backward runs on its forward's stream, so all
    of it is on the stream that is recorded."""
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run = prepare()
            for _ in range(WARM_UPS):
                run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            run()
        return graph.replay
    except Exception as error:  # what a library does inside a capture is its own
        torch.cuda.synchronize()
        print("no CUDA graph: %s" % str(error).splitlines()[0])
        return None


def sample(run):
    """Milliseconds on the device. It has something to do before, as in a training: what Python takes to launch is not in them."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    occupied().zero_()
    start.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


@functools.lru_cache
def occupied():
    """Memory that takes a millisecond to clear, many times the caches."""
    return torch.empty(4 << 30, dtype=torch.uint8, device="cuda")


def medians(timed, samples):
    """{name: {mode: ms}}, in turns: what slows the device down slows all of them."""
    times = {name: {mode: [] for mode in one.modes} for name, one in timed.items()}
    for i in range(-WARM_UPS, samples):
        for name, one in timed.items():
            for mode, run in one.modes.items():
                time = sample(run)
                if i >= 0:
                    times[name][mode].append(time)
    return {name: {mode: statistics.median(each) for mode, each in modes.items()} for name, modes in times.items()}


def ratio(found, wanted):
    return ((found.double() - wanted.double()).square().mean().sqrt() / wanted.double().square().mean().sqrt()).item()


def measure(family, shape, samples):
    x, output_grad = inputs(family, *(int(size) for size in shape.split("x")))
    timed = {"assay": Timed(operator(family), x, output_grad)}
    for name, function in peers(family).items():
        timed[name] = Timed(function, x, output_grad)
    found = medians(timed, samples)
    rows = [dict(family=family, shape=shape, name=name, peak_mib=timed[name].peak, ms=modes) for name, modes in found.items()]
    for name, modes in found.items():
        apart = "" if name == "assay" else "; gradients from ours " + " ".join(
            "%s=%.1e" % (leaf, ratio(theirs, ours)) for leaf, theirs, ours in zip(x, timed[name].grads, timed["assay"].grads))
        print("%-5s %-12s %-16s %s  peak %.0f MiB%s" % (family, shape, name, "  ".join("%s %.3f" % each for each in modes.items()),
                                                    timed[name].peak, apart), flush=True)
    del x, output_grad, timed  # graphs keep their memory
    torch.cuda.empty_cache()
    return rows


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("worker", help="folder with assay_worker")
    parser.add_argument("--families", default="gdn2,gdn")
    parser.add_argument("--shapes", default="1x32768x16,8x2048x16,1x8192x16")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.worker)
    if not torch.cuda.is_available():
        print("no CUDA device")
        return 77
    versions = {package: version(package) for package in ("torch", "triton", "fla-core")}
    print(torch.cuda.get_device_name(), versions, flush=True)
    rows = [row for family in arguments.families.split(",") for shape in arguments.shapes.split(",")
            for row in measure(family, shape, arguments.samples)]
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"device": torch.cuda.get_device_name(), "versions": versions, "rows": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
