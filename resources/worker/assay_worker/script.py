# SPDX-License-Identifier: Apache-2.0
"""The steps of `run`; see ../PROTOCOL.md. One Script runs in order, and nothing is restored between its steps."""

import contextlib

from . import failures, guards, gradient, poison, residency, seeding, tensors, tree
from . import primitives as p
from .failures import Refusal
from .inputs import InputSet
from .storages import Storages


class Script:
    """`stimuli` are the party's stored input leaves, `arena` the judge's memory of this request, `writer` the answer's."""

    def __init__(self, instance, precision, stimuli, arena, writer, launches):
        self._instance = instance
        self._evaluator = instance.evaluator(precision)
        self._stimuli = stimuli
        self._arena = arena
        self._writer = writer
        self._launches = launches
        self._sets = {}
        self._kept = {}
        self._storages = Storages()
        self._previous = []  # copies of the outputs of the last call, for recycled memory
        self._recycles = False
        self._evaluator.prepare(instance.state)

    def run(self, steps):
        """One result a step."""
        self._recycles = any(step.get("memory") == "recycled" for step in steps)
        results = []
        for step in steps:
            do = _DO.get(step["do"])
            if do is None:
                raise ValueError("there is no step %.40r" % (step["do"],))
            results.append(do(self, step))
        return results

    def _leaves(self, stimulus):
        leaves = self._stimuli.get(stimulus)
        if leaves is None:
            raise Refusal("missing", "stimulus %s has not been put" % stimulus)
        return [leaf.to(self._instance.device, self._evaluator.dtype) for leaf in leaves]

    def _input(self, step):
        made = InputSet(self._leaves(step["stimulus"]), step.get("memory", "fresh"), step.get("requires_grad", False))
        self._sets[step["as"]] = made
        return {}

    def _refill(self, step):
        self._sets[step["input"]].refill(self._leaves(step["stimulus"]))
        return {}

    def _seed(self, step):
        seeding.manual_seed(step["value"])
        return {}

    def _train(self, step):
        self._evaluator.train(bool(step["on"]))
        return {}

    def _state(self, step):
        values = {entry["name"]: tensors.read(entry, self._arena).view() for entry in step["values"]}
        try:
            self._evaluator.state.apply(values, step.get("how", "in_place"))
        except Exception as error:  # load_state_dict is foreign code
            return {"failure": failures.describe(error, "call")}
        return {}

    def _restore(self, step):
        self._evaluator.state.restore()
        return {}

    def _call(self, step):
        records = []
        keep = step.get("keep")
        if keep:
            self._kept[keep] = []
        for _ in range(step.get("times", 1)):
            outcome = self._one_call(step, keep)
            if "failure" in outcome:
                return outcome
            records.append(outcome)
        return {"calls": records}

    def _one_call(self, step, keep):
        given = self._sets[step["input"]]
        grads = bool(step.get("grad", False))
        fresh = step.get("fresh", True) is not False
        counter = residency.Counter() if given.memory == "guarded" or step.get("residency", False) else None
        allocations = guards.AllocationGuards() if given.memory == "guarded" else None
        before, own = self._launches.count, self._launches.own
        try:
            used = given.again(grads) if fresh else given
            try:
                output = self._forward(used, grads, counter, allocations)
            except Exception as error:
                if counter is None or _context_is_gone(error):
                    raise
                # The modes that watch may be what the code does not bear: only a failure without them is its own.
                used = given.again(grads) if fresh else given
                output = self._forward(used, grads, None, None)
                counter = allocations = None
            structure, leaves = tree.flatten(output, scalars_are_leaves=True)
            record = {"residency": residency.report(counter, self._launches.own - own),
                      "input_storages": [self._storages.hold(tensor) for tensor in used.tensors]}
            if step.get("return", "outputs") == "outputs":
                record.update(self._describe(structure, leaves, bool(keep)))
            record["guard_broken"] = [text for band in used.bands for text in band.broken()]
            if allocations is not None:
                record["guard_broken"] += allocations.broken(leaves)
            if step.get("inputs_after"):
                record["inputs_after"] = [tensors.write(tensor, self._writer) for tensor in used.tensors]
            if step.get("state_after"):
                record["state_after"] = [dict(tensors.write(tensor, self._writer), name=name)
                                         for name, tensor in self._evaluator.state.present().items()]
        except BaseException as error:  # the code may raise anything, SystemExit included
            launched = self._launches.count > before or self._begins(given, counter, error)
            return {"failure": failures.describe(error, "call", launched)}
        returned = [leaf for leaf in leaves if isinstance(leaf, p.Tensor)]
        self._instance.output_bytes = [p.numel(leaf) * p.element_size(leaf) for leaf in returned]
        if self._recycles:
            self._previous = [p.clone(p.detach(leaf)) for leaf in returned]
        if keep:
            self._kept[keep].append((structure, leaves))
        return record

    def _forward(self, used, grads, counter, allocations):
        device = self._instance.device
        args, kwargs = self._instance.arguments(used.tensors)
        if used.memory == "poisoned":
            poison.blocks([leaf.bytes() for leaf in used.leaves] + self._instance.output_bytes, device)
        elif used.memory == "recycled":
            poison.copies(self._previous)
        with contextlib.ExitStack() as stack:
            stack.enter_context(p.enable_grad() if grads else p.no_grad())
            if used.memory in ("poisoned", "recycled") and device.type != "cpu" and poison.may_watch():
                stack.enter_context(poison.Factories(plausible=used.memory == "recycled"))
            elif used.memory == "poisoned" and device.type == "cpu":
                stack.enter_context(poison.perturbed())
            if allocations is not None:
                stack.enter_context(allocations)
            if counter is not None:
                stack.enter_context(counter)
            output = self._evaluator.call(args, kwargs)
            p.synchronize(device)
            return output

    def _begins(self, given, counter, error):
        """Whether torch had begun to compute before the call raised. Where nobody counted, the call is made again, counted, on
        inputs of its own."""
        if isinstance(error, Refusal) or _context_is_gone(error):
            return True  # it returned something, or something ran and broke the context
        if counter is None:
            counter, before = residency.Counter(), self._launches.count
            try:
                self._forward(InputSet(given.leaves), False, counter, None)
            except BaseException:
                pass
            if self._launches.count > before:
                return True
        return bool(counter.aten_ops + counter.own_ops)

    def _describe(self, structure, leaves, keeps):
        described = [tensors.write_leaf(leaf, self._writer) for leaf in leaves]
        for entry, number in zip(described, self._storages.number(leaves, keeps)):
            entry["storage"] = number
        return {"outputs": structure, "leaves": described}

    def _read(self, step):
        kept = self._kept.get(step["kept"])
        if not kept:
            return {"failure": failures.describe(Refusal("missing", "no output is kept as %s" % step["kept"]), "call")}
        try:
            p.synchronize(self._instance.device)
            return {"calls": [self._describe(structure, leaves, True) for structure, leaves in kept]}
        except Exception as error:
            return {"failure": failures.describe(error, "call", True)}

    def _vjp(self, step):
        used = self._sets[step["input"]].again(True)
        if "stimulus" in step:
            cotangents = [leaf.view() for leaf in self._leaves(step["stimulus"])]
        else:
            cotangents = [tensors.read(entry, self._arena).to(self._instance.device, self._evaluator.dtype).view()
                          for entry in step["cotangents"]]
        before = self._launches.count
        try:
            return gradient.vjp(self._instance, self._evaluator, used, cotangents, self._writer)
        except BaseException as error:
            return {"failure": failures.describe(error, "vjp", self._launches.count > before)}


#: what a step does. Not in the script: bound methods there would tie its tensors into a cycle, and their memory would wait for the
#: collector instead of serving the next script.
_DO = {"input": Script._input, "refill": Script._refill, "seed": Script._seed, "train": Script._train, "state": Script._state,
       "restore": Script._restore, "call": Script._call, "read": Script._read, "vjp": Script._vjp}


def _context_is_gone(error):
    """Whether an asynchronous CUDA error ended the context: nothing on the device can be asked any more."""
    return "CUDA error" in str(error) or "device-side assert" in str(error)
