# SPDX-License-Identifier: Apache-2.0
"""What a kernel of the sample corpus is: sources, a claim, and what the judge is expected to find."""
import dataclasses

FIRST_ID = 101


@dataclasses.dataclass(frozen=True)
class Expectation:
    """What a right judge says. `hard` and `soft` are the gates that fail, all of them; those in `perhaps` may fail or not,
    because it takes an unlucky order, an accuracy that differs between devices, or because the gate asks about something else and
    only happens to meet the defect. `states` names other verdicts of gates."""
    verdict: str = "pass"
    hard: frozenset = frozenset()
    soft: frozenset = frozenset()
    perhaps: frozenset = frozenset()
    states: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One row of kernels.jsonl. `claimed`: a check of five random draws at a tolerance of 1e-2 takes it for correct."""
    title: str
    family: str
    reference: str
    candidate: str
    expected: Expectation = Expectation()
    claimed: bool = True


@dataclasses.dataclass(frozen=True)
class RunEntry:
    """One problem of the run folder: a candidate that may be absent, and what the harness wrote down of it."""
    title: str
    reference: str
    candidate: object
    result: object


def _gates(names):
    return frozenset(names.split())


def passes(**states):
    """Every gate that applies passes. passes(PRC_01="unsupported"): but for this one, which says so without failing."""
    return Expectation(states={gate.replace("_", "-"): verdict for gate, verdict in states.items()})


def fails(hard="", soft="", perhaps=""):
    """These gates fail and no other."""
    return Expectation("fail", _gates(hard), _gates(soft), _gates(perhaps))


def crashes(gate):
    """The process dies while this gate is asked."""
    return Expectation("fail", states={gate: "crash"})


def hangs(gate, soft="", perhaps=""):
    """A call of this gate does not come back."""
    return Expectation("fail", soft=_gates(soft), perhaps=_gates(perhaps), states={gate: "timeout"})


INAPPLICABLE = Expectation("inapplicable")


def reference(forward, inputs, init="", arguments="", init_inputs="[]"):
    """A task: the text of Model, get_inputs and get_init_inputs."""
    constructor = f"    def __init__(self{', ' + arguments if arguments else ''}):\n        super().__init__()\n"
    for line in filter(None, init.split("\n")):
        constructor += f"        {line}\n"
    body = "\n".join("        " + line for line in forward.strip().split("\n"))
    names = ", ".join(name for name, _ in inputs)
    makers = ", ".join(maker for _, maker in inputs)
    return (f"import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n{constructor}\n"
            f"    def forward(self, {names}):\n{body}\n\n\ndef get_inputs():\n    return [{makers}]\n\n\n"
            f"def get_init_inputs():\n    return {init_inputs}\n")


TORCH_HEAD = "import torch\nimport torch.nn as nn\n\n\n"
TRITON_HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"


def changed(source, *changes):
    """The base with each (old, new) applied once; a change that finds nothing is a mistake in this folder."""
    for old, new in changes:
        if source.count(old) < 1:
            raise ValueError(f"nothing to change: {old!r}")
        source = source.replace(old, new, 1)
    return source
