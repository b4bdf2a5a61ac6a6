# SPDX-License-Identifier: Apache-2.0
"""A small judge: a party in a process of its own, spoken to in the real protocol. It knows no gates."""

import os
import socket
import struct
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "resources", "worker"))
SKIPPED = 77

try:
    import torch
except ImportError:
    print("torch is absent: nothing of the worker can be tested")
    sys.exit(SKIPPED)

from assay_worker import party, tensors  # noqa: E402
from assay_worker.channel import ArenaWriter, Channel  # noqa: E402


class Failed(Exception):
    """A party answered with a failure."""

    def __init__(self, failure):
        super().__init__("%(kind)s %(type)s: %(message)s" % failure)
        self.failure = failure


def _tensor(described, arena):
    return tensors.read(described, arena).fresh()


def _leaves(found, arena):
    return [None if entry is None or entry.get("missing") else _tensor(entry, arena) for entry in found]


class Judge:
    """Talks to one forked party. Everything returned holds torch tensors instead of descriptors, under "value"."""

    def __init__(self):
        ours, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            status = 1
            try:
                # Another judge's socket held open here would keep its party from seeing it close.
                os.closerange(3, theirs.fileno())
                os.closerange(theirs.fileno() + 1, 1024)
                torch.set_num_threads(1)
                party.main(theirs)
                status = 0
            finally:
                os._exit(status)
        theirs.close()
        self._sock = ours
        self._channel = Channel(ours)
        self._seq = 0

    def close(self):
        if self._sock is not None:
            self._sock.close()
            self._sock = None
            os.waitpid(self._pid, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, op, writer=None, **fields):
        """(answer, arena). Raises Failed where the party says that it could not."""
        self._seq += 1
        self._channel.send(dict(fields, op=op, seq=self._seq), writer)
        answer, arena = self._channel.receive()
        if answer["seq"] != self._seq:
            raise AssertionError("answer %s to request %s" % (answer["seq"], self._seq))
        if not answer["ok"]:
            raise Failed(answer["failure"])
        return answer, arena

    def raw(self, data):
        """Sends bytes that need not be a frame."""
        self._sock.sendall(data)

    def load(self, source, entry="Model", **fields):
        return self.ask("load", source=source, entry=entry, **dict({"seed": 1}, **fields))[0]

    def build(self, instance=0, seed=7, **fields):
        """A reference instance; "init_leaves", "input_leaves" are tensors, "state" is {name: tensor}."""
        answer, arena = self.ask("build", instance=instance, seed=seed, **fields)
        for key in ("init_leaves", "input_leaves"):
            answer[key + "_described"] = answer[key]
            answer[key] = [laid_out(entry, arena) for entry in answer[key]]
        answer["state_described"] = answer["state"]
        answer["state"] = {entry["name"]: _tensor(entry, arena) for entry in answer["state"]}
        return answer

    def build_like(self, reference, instance=0, seed=7):
        """A candidate instance with the arguments of a built reference; returns its state."""
        writer = ArenaWriter()
        leaves = [tensors.write(leaf, writer) for leaf in reference["init_leaves"]]
        answer, arena = self.ask("build", writer, instance=instance, seed=seed, init=reference["init"], init_leaves=leaves,
                                 inputs=reference["inputs"])
        return {entry["name"]: _tensor(entry, arena) for entry in answer["state"]}

    def put(self, stimulus, leaves):
        writer = ArenaWriter()
        self.ask("put", writer, stimulus=stimulus, leaves=[send(leaf, writer) for leaf in leaves])

    def state(self, values, instance=0):
        writer = ArenaWriter()
        self.ask("state", writer, instance=instance, values=named(values, writer))

    def run(self, steps, precision="native", instance=0, writer=None):
        """One result a step."""
        answer, arena = self.ask("run", writer, instance=instance, precision=precision, steps=steps)
        for result in answer["steps"]:
            for record in result.get("calls", ()):
                for leaf in record.get("leaves", ()):
                    leaf["value"] = _tensor(leaf, arena)
                if "inputs_after" in record:
                    record["inputs_after"] = _leaves(record["inputs_after"], arena)
                if "state_after" in record:
                    record["state_after"] = {entry["name"]: _tensor(entry, arena) for entry in record["state_after"]}
            if "input_grads" in result:
                result["input_grads"] = _leaves(result["input_grads"], arena)
                result["state_grads"] = {entry["name"]: None if entry.get("missing") else _tensor(entry, arena)
                                         for entry in result["state_grads"]}
        return answer["steps"]

    def call(self, stimulus=1, precision="native", instance=0, **fields):
        """The output tensors of one call. Raises Failed."""
        result = self.run([{"do": "input", "as": "a", "stimulus": stimulus}, dict(fields, do="call", input="a")],
                          precision, instance)[-1]
        if "failure" in result:
            raise Failed(result["failure"])
        return [leaf["value"] for leaf in result["calls"][-1]["leaves"]]

    def condition(self, stimulus=1, instance=0, draws=8, unit=2.0 ** -24, seed=3):
        answer, arena = self.ask("condition", instance=instance, stimulus=stimulus, draws=draws, unit=unit, seed=seed)
        return _leaves(answer["leaves"], arena)

    def extent(self, stimulus=1, instance=0, samples=3):
        return self.ask("extent", instance=instance, stimulus=stimulus, samples=samples)[0]["extent"]


def laid_out(described, arena):
    """The tensor of a descriptor in the layout that the party reported."""
    value = _tensor(described, arena)
    layout = described.get("layout")
    if layout is None or list(value.stride()) == layout or described.get("python"):
        return value
    made = torch.zeros(tensors.span(list(value.shape), layout), dtype=value.dtype).as_strided(value.shape, layout)
    if 0 not in layout:
        made.copy_(value)
        return made
    index = tuple(slice(0, 1) if step == 0 else slice(None) for step in layout)
    made[index].copy_(value[index])
    return made


def send(tensor, writer):
    """Writes a tensor with the layout that it has, gaps included."""
    leaf = tensors.Leaf.of(tensor)
    described = tensors.write(leaf.base, writer)
    described.update(shape=leaf.shape, strides=leaf.strides)
    if tensor.is_complex():
        return tensors.write(tensor, writer)
    return described


def named(values, writer):
    return [dict(tensors.write(value, writer), name=name) for name, value in values.items()]


def frame(body):
    return struct.pack("<I", len(body)) + body


class PartyTest(unittest.TestCase):
    """Gives each test its reference and candidate, and closes them."""

    def reference(self, source, **fields):
        judge = Judge()
        self.addCleanup(judge.close)
        judge.slots = judge.load(source, **fields)["slots"]
        return judge

    def pair(self, reference, candidate):
        """(reference judge, candidate judge, built): both built as instance 0, with the native inputs put as stimulus 1."""
        asked = self.reference(reference)
        built = asked.build()
        asked.put(1, built["input_leaves"])
        other = self.candidate(candidate, built)
        other.put(1, built["input_leaves"])
        return asked, other, built

    def candidate(self, source, built=None):
        judge = Judge()
        self.addCleanup(judge.close)
        judge.load(source, "ModelNew")
        if built is not None:
            judge.build_like(built)
        return judge
