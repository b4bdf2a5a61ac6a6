# SPDX-License-Identifier: Apache-2.0
"""One party of a judgement: answers the judge's requests over a socket until it goes. See ../PROTOCOL.md.

Importing this module imports torch and does not touch CUDA, so that a warmed process can fork parties.
"""

import functools
import importlib.metadata
import os
import platform
import sys
import tempfile

import torch

from . import (baseline, builder, condition, cuda_sources, cuda_waiting, extent, failures, loaded_libraries, module_source, oracle,
               residency, resource_answer, resources, seeding, settings, sizes, source_traits, tensors, triton_kernels, visible_device)
from . import primitives as p
from .channel import ArenaWriter, Channel, ChannelClosed
from .failures import Refusal
from .script import Script


class Party:
    """What one process knows: its source, instances, stimuli. The role comes with load's entry: Model is the reference."""

    def __init__(self, isolation=(), folder=None):
        self._isolation = list(isolation)
        self._folder = folder
        self._module = None
        self._source = ""
        self._task = None  # what tells one load from another
        self._traits = {}
        self._examined = None  # what the first instance with conforming evaluations has
        self._is_reference = False
        self._device = p.Device("cpu")
        self._instances = {}
        self._stimuli = {}
        self._launches = residency.OwnLaunches()
        self._recorder = cuda_sources.Recorder()
        self._libraries = None  # loaded_libraries.LoadedLibraries, from before the source ran
        self._names = {}  # of devices: what the judge calls them -> here
        self._requests = {name: getattr(self, "_" + name) for name in
                          "hello load footprint build state put drop run condition extent resources baseline".split()}

    def answer(self, request, arena, writer):
        """The answer to one request, its tensors in `writer`."""
        op = request.get("op")
        handler = self._requests.get(op)
        where = op if op in ("load", "build") else "call"
        try:
            if handler is None:
                raise Refusal("missing", "there is no request %.40r" % (op,))
            return dict(handler(request, arena, writer), ok=True)
        except BaseException as error:  # foreign code may raise anything, SystemExit included
            return {"ok": False, "failure": failures.describe(error, where)}

    def _hello(self, request, arena, writer):
        device = self._called(request)
        if device.type == "cuda":
            cuda_waiting.yield_while_waiting(device)
            about = {"name": torch.cuda.get_device_name(device), "capability": list(torch.cuda.get_device_capability(device))}
        else:
            about = {"name": platform.processor() or platform.machine(), "capability": None}
        return {"versions": {"python": platform.python_version(), "torch": str(torch.__version__),
                             "triton": _version("triton"), "cuda": torch.version.cuda},
                "device": about, "threads": torch.get_num_threads(), "tf32": settings.tf32(), "isolation": self._isolation}

    def _called(self, request):
        """The device that `request` names, as this process calls it: the only GPU that it sees."""
        name = request.get("device", "cpu")
        if name not in self._names:
            self._names[name] = p.Device(visible_device.only(name))
        return self._names[name]

    def _load(self, request, arena, writer):
        entry = request["entry"]
        self._is_reference = entry == "Model"
        self._device = self._called(request)
        task = [request.get(key) for key in ("source", "entry", "device", "seed")]
        is_same, self._task = task == self._task, task
        self._source = request["source"]
        if self._is_reference:
            settings.prepare_deterministic()
            self._traits = source_traits.read(self._source)
        seeding.choose_device(self._device)
        seeding.manual_seed(request.get("seed", 0))
        if "cpp_extension" in self._source or "_compile_kernel" in self._source:
            self._launches.watch_extensions()
            if not self._is_reference:
                self._recorder.install()
        triton_kernels.tune_quickly()
        triton_kernels.build_launchers_quickly()
        again = self._module is not None
        if not self._is_reference and self._libraries is None:
            self._libraries = loaded_libraries.LoadedLibraries()
        self._module = module_source.load(self._source, entry, self._folder)
        self._entry = getattr(self._module, entry)
        self._launches.install()
        self._instances.clear()
        if not is_same:
            self._examined = None
        if again and self._device.type == "cuda":
            torch.cuda.empty_cache()  # of the instances of another judgement
        if not self._is_reference:
            return {}
        self._slots = sizes.discover(self._module, request.get("seed", 0))
        return {"slots": [slot.describe() for slot in self._slots]}

    def _footprint(self, request, arena, writer):
        if not self._is_reference:
            raise Refusal("missing", "the candidate's sizes are the reference's")
        return {"footprint": sizes.footprint(self._module, self._choice(request), request.get("seed", 0))}

    def _choice(self, request):
        return sizes.choice(self._slots, request.get("sizes") or {}, request.get("uses") or {})

    def _build(self, request, arena, writer):
        number, seed = request["instance"], request["seed"]
        self._instances.pop(number, None)  # its memory first
        if self._is_reference:
            instance, answer = builder.reference(self._module, self._entry, self._choice(request), seed, self._device,
                                                 oracle.casts(self._source), self._examined, writer)
            if answer["conforming"] and self._examined is None:
                self._examined = {key: answer[key] for key in ("conforming", "outputs_require_grad")}
            answer["source_traits"] = self._traits
        else:
            leaves = [tensors.read(entry, arena).fresh() for entry in request.get("init_leaves", ())]
            instance, answer = builder.candidate(self._entry, request, leaves, seed, self._device, writer)
        self._launches.install()
        self._instances[number] = instance
        return answer

    def _state(self, request, arena, writer):
        instance = self._instance(request)
        known = set(instance.state.names())
        for entry in request["values"]:
            if entry["name"] not in known:
                raise Refusal("missing", "instance %s has no parameter or buffer %s" % (request["instance"], entry["name"]))
        instance.state.set({entry["name"]: tensors.read(entry, arena).view() for entry in request["values"]})
        return {}

    def _put(self, request, arena, writer):
        self._stimuli[request["stimulus"]] = [tensors.read(entry, arena).to(self._device) for entry in request["leaves"]]
        return {}

    def _drop(self, request, arena, writer):
        for stimulus in request["stimuli"]:
            self._stimuli.pop(stimulus, None)
        return {}

    def _run(self, request, arena, writer):
        script = Script(self._instance(request), request.get("precision", "native"), self._stimuli, arena, writer,
                        self._launches)
        return {"steps": script.run(request["steps"])}

    def _condition(self, request, arena, writer):
        found = condition.scale(self._instance(request), self._leaves(request), request.get("draws", 8),
                                request.get("unit", 2.0 ** -24), request.get("seed", 0))
        return {"leaves": [tensors.write(leaf, writer) for leaf in found]}

    def _extent(self, request, arena, writer):
        return {"extent": extent.extents(self._instance(request), self._leaves(request), request.get("samples", 3),
                                         request.get("seed", 0))}

    def _resources(self, request, arena, writer):
        if self._is_reference:
            raise Refusal("missing", "the reference's kernels are not looked at")
        self._instance(request)
        found = resources.collect(self._module, self._recorder, request.get("blackwell", True))
        known = [record["library"] for record in found["cuda_sources"]]
        found["cuda_sources"] += self._libraries.records(known)
        capability = torch.cuda.get_device_capability(self._device) if self._device.type == "cuda" else None
        return resource_answer.write(found, capability, request.get("blackwell", True), writer)

    def _baseline(self, request, arena, writer):
        # In a fork of this process, which has loaded nothing and left CUDA alone: the fork may touch it.
        pair = request["pair"]
        return {"result": baseline.run(dict(pair, device=str(self._called(pair))))}

    def _instance(self, request):
        instance = self._instances.get(request["instance"])
        if instance is None:
            raise Refusal("missing", "instance %s has not been built" % request["instance"])
        return instance

    def _leaves(self, request):
        leaves = self._stimuli.get(request["stimulus"])
        if leaves is None:
            raise Refusal("missing", "stimulus %s has not been put" % request["stimulus"])
        return leaves


_REHEARSAL = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
    def forward(self, x):
        return torch.softmax(self.layer(x), -1)
def get_inputs():
    return [torch.randn(2, 2)]
"""


def rehearse():
    """Judges a tiny reference in this process, without a judge. torch imports large parts of itself at first use (seconds, in torch 2):
    parties forked from a process that has rehearsed do not pay for it. Leaves CUDA alone and starts no threads: no backward pass."""
    threads, surroundings, loaded = torch.get_num_threads(), dict(os.environ), set(sys.modules)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        party = Party(folder=folder)
        writer = ArenaWriter()
        try:
            party.answer({"op": "load", "source": _REHEARSAL, "entry": "Model"}, None, writer)
            party.answer({"op": "build", "instance": 0, "seed": 0}, None, writer)
        finally:
            writer.close()
            torch.set_num_threads(threads)
            os.environ.clear()
            os.environ.update(surroundings)
            for name in set(sys.modules) - loaded:
                if name.startswith(module_source.PREFIX):
                    del sys.modules[name]


@functools.lru_cache(maxsize=None)
def _version(package):
    """The version of an installed package, which need not be imported; None where it is absent. Looked up once: the folders of
    packages are read whole for it."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def main(sock, isolation=()):
    """Serves the judge at the other end of `sock` until it closes its end. `isolation` names what confines this process."""
    channel = Channel(sock)
    party = Party(isolation)
    while True:
        try:
            request, arena = channel.receive()
        except (ChannelClosed, ConnectionError):
            return
        writer = ArenaWriter()
        try:
            answer = party.answer(request, arena, writer)
            answer["seq"] = request.get("seq", 0)
            if not answer["ok"]:
                writer.close()
                writer = None
            channel.send(answer, writer)
        except (BrokenPipeError, ConnectionError):
            return
        finally:
            if writer is not None:
                writer.close()
            arena = None


rehearse()
_version("triton")  # parties forked from here know it
