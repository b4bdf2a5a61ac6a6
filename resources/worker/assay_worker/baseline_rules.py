# SPDX-License-Identifier: Apache-2.0
"""What a published harness does with one reference/candidate pair, in its own order, with its own tolerances and its own blind spots.

Three rule sets share one procedure (source: gates.md section 6, checked against KernelBench itself by assay_worker.agreement):

* kb-paper: KernelBench at 48642c5, the commit that published comparisons replicate;
* kb-head: KernelBench at 423217d, with tolerances by precision;
* kb-replica: the replica of kb-paper behind the published audit's cross table.

The candidate runs in this very process, beside the reference and the comparison, because the imitated harnesses do the same:
whatever comes out is a claim, never evidence. On a CPU nothing is moved; everything else is the same.

No `from __future__` import may stand in this file: exec() would hand it on to the executed sources.
"""

import contextlib
import dataclasses
import importlib.util
import os
import re
import tempfile
import typing

import torch

TOLERANCES = {"fp32": 1e-4, "fp16": 1e-2, "bf16": 1e-2}
PRECISIONS = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
FILE_BACKENDS = re.compile(r"^\s*(?:import|from)\s+(?:triton|tilelang|cutlass)\b", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Rules:
    """Where the harnesses differ.

    trial_seed_bound   trial seeds are drawn by torch.randint below this, after torch.manual_seed(seed)
    tolerance          atol and rtol of torch.allclose; None: by precision
    casts              cast every tensor, integers included, and both models to the precision
    loader             "exec" in the namespace of the reference, "file" as a module of its own, "backend": file for tile languages
    names_missing      say "not compiled" where ModelNew is missing, instead of failing on calling None
    evaluation_mode    put both models into eval mode; KernelBench never does
    reseeds            seed again before each model is moved, so both forwards continue from there
    flattens           compare tuples and lists of outputs element by element; KernelBench fails on them
    widens             compare in fp32
    """

    trial_seed_bound: int = 2**32 - 1
    tolerance: typing.Optional[float] = 1e-2
    casts: bool = False
    loader: str = "exec"
    names_missing: bool = False
    evaluation_mode: bool = False
    reseeds: bool = True
    flattens: bool = False
    widens: bool = False


MODES = {
    "kb-paper": Rules(),
    "kb-head": Rules(tolerance=None, casts=True, loader="backend", names_missing=True),
    "kb-replica": Rules(trial_seed_bound=2**31 - 1, loader="file", evaluation_mode=True, reseeds=False, flattens=True, widens=True),
}


def rules_of(request):
    """The rule set of a request: its mode's, with the fields that "rules" overrides, one by one."""
    return dataclasses.replace(MODES[request["mode"]], **request.get("rules", {}))


def evaluate(request):
    """Runs the pair of `request` (see baseline.py) in this process.

    @return {"compiled", "correct", "stage", "passed", "detail", "max_difference", "avg_difference", "runtime_error"}; "correct" is
            None where the harness gives no answer and wants the pair to be tried again
    """
    evaluation = Evaluation(request)
    try:
        return evaluation.run()
    except Exception as error:  # the harness' command line records what its function raises as neither compiled nor correct
        return evaluation.outcome(compiled=False, correct=False, detail=describe(error))


class Evaluation:
    """One pair on its way through the stages reference, load, build, trials."""

    def __init__(self, request):
        self.request = request
        self.rules = rules_of(request)
        self.device = torch.device(request["device"])
        self.precision = PRECISIONS[request["precision"]]
        self.seed = request["seed"]
        self.stage = "reference"
        self.passed = 0
        self.max_difference = []
        self.avg_difference = []
        self.runtime_error = None

    def run(self):
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        with contextlib.ExitStack() as cleanup:
            names = {}
            exec(self.request["reference"], names)
            reference_class, get_init_inputs, get_inputs = (names.get(n) for n in ("Model", "get_init_inputs", "get_inputs"))
            set_seed(self.seed)
            init_inputs = [self.place(value) for value in get_init_inputs()]
            reference = self.construct(reference_class, init_inputs)

            self.stage = "load"
            try:
                os.environ["TORCH_USE_CUDA_DSA"] = "1"
                candidate_class = self.load(names, cleanup)
                self.synchronize()
            except Exception as error:
                return self.load_failed(error)
            if candidate_class is None and self.rules.names_missing:
                return self.outcome(compiled=False, correct=False, detail="ModelNew is missing or its source has a syntax error")

            self.stage = "build"
            try:
                candidate = self.construct(candidate_class, init_inputs)
                if self.rules.casts:
                    reference, candidate = self.place_module(reference), self.place_module(candidate)
                self.synchronize()
            except RuntimeError as error:
                return self.failed_at_run_time(error)

            self.stage = "trials"
            if self.rules.evaluation_mode:
                reference, candidate = reference.eval(), candidate.eval()
            try:
                return self.trials(reference, candidate, get_inputs)
            except Exception as error:  # the reference raised, or get_inputs did: the candidate is charged all the same
                return self.failed_at_run_time(error)

    def load(self, names, cleanup):
        """The class ModelNew of the candidate, or None where its source has a syntax error or does not define it."""
        source = self.request["candidate"]
        loader = self.request["loader"] or self.rules.loader
        if loader == "backend":
            loader = "file" if FILE_BACKENDS.search(source) else "exec"
        if loader == "exec":
            try:
                exec(source, names)  # the reference's names are in reach, and its get_inputs sees what this rebinds
            except SyntaxError:
                return None
            return names.get("ModelNew")
        if self.rules.casts and self.device.type == "cuda":
            os.environ["CUDA_VISIBLE_DEVICES"] = str(self.device.index or 0)  # too late for this process, not for its children
        path = os.path.join(cleanup.enter_context(tempfile.TemporaryDirectory()), "candidate.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        spec = importlib.util.spec_from_file_location("temp_module", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.ModelNew

    def load_failed(self, error):
        # KernelBench's own test for a build that another process holds; it returns nothing and expects to be called again.
        if "lock" in str(error) or "No such file or directory" in str(error):
            return self.outcome(compiled=None, correct=None, detail="no answer, the harness asks for another try: " + describe(error))
        return self.outcome(compiled=False, correct=False, detail=describe(error))

    def construct(self, model_class, init_inputs):
        with torch.no_grad():
            set_seed(self.seed)
            model = model_class(*init_inputs)
            assert hasattr(model, "forward")
        return model

    def trials(self, reference, candidate, get_inputs):
        total = self.request["trials"]
        torch.manual_seed(self.seed)
        seeds = [torch.randint(0, self.rules.trial_seed_bound, (1,)).item() for _ in range(total)]
        reseed = set_seed if self.rules.reseeds else (lambda _: None)
        # Each name lives on until it is bound again, as in KernelBench: what a trial allocates then lies where it lies there, and a
        # candidate that replays an address of an earlier trial gets the same verdict.
        with torch.no_grad():
            for seed in seeds:
                set_seed(seed)
                inputs = get_inputs()
                inputs = [self.place(value) for value in inputs]
                reseed(seed)
                reference = self.place_module(reference)
                reseed(seed)
                candidate = self.place_module(candidate)
                expected = reference(*inputs)
                self.synchronize()
                try:
                    got = candidate(*inputs)  # the same tensors: what the reference did to them in place is there
                    self.synchronize()
                    stop = self.compare(expected, got)
                except Exception as error:
                    return self.failed_at_run_time(error)
                if stop is not None:
                    return stop
        correct = self.passed == total
        return self.outcome(compiled=True, correct=correct, detail="" if correct else "output mismatch")

    def compare(self, expected, got):
        """Counts one trial. @return the outcome that ends the evaluation, or None to go on."""
        pairs = [(expected, got)]
        if self.rules.flattens:
            expected, got = flatten(expected), flatten(got)
            if len(expected) != len(got):
                return self.outcome(compiled=True, correct=False, detail=f"expected {len(expected)} outputs, got {len(got)}")
            pairs = list(zip(expected, got))
        for want, have in pairs:
            if want.shape != have.shape:
                detail = f"expected the shape {tuple(want.shape)}, got {tuple(have.shape)}"
                return self.outcome(compiled=True, correct=False, detail=detail)
        tolerance = TOLERANCES[self.request["precision"]] if self.rules.tolerance is None else self.rules.tolerance
        matches = True
        for want, have in pairs:
            if self.rules.widens:
                want, have = want.float(), have.float()
            if not torch.allclose(want, have, atol=tolerance, rtol=tolerance):
                matches = False
                largest = torch.max(torch.abs(want - have)).item()
                average = torch.mean(torch.abs(want - have)).item()
                self.max_difference.append(largest)
                self.avg_difference.append(average)
        self.passed += matches
        return None

    def place(self, value):
        if not isinstance(value, torch.Tensor):
            return value
        if self.rules.casts:
            return value.to(dtype=self.precision).to(device=self.device)
        return value.cuda(device=self.device) if self.device.type == "cuda" else value

    def place_module(self, module):
        if self.rules.casts:
            return module.to(device=self.device, dtype=self.precision)
        return module.cuda(device=self.device) if self.device.type == "cuda" else module

    def synchronize(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(device=self.device)

    def failed_at_run_time(self, error):
        self.runtime_error = describe(error)
        return self.outcome(compiled=True, correct=False, detail=self.runtime_error)

    def outcome(self, compiled, correct, detail):
        return {
            "compiled": compiled,
            "correct": correct,
            "stage": self.stage,
            "passed": self.passed,
            "detail": detail,
            "max_difference": self.max_difference,
            "avg_difference": self.avg_difference,
            "runtime_error": self.runtime_error,
        }


def set_seed(seed):
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)


def flatten(outputs):
    """The leaves of nested tuples and lists, in order."""
    if isinstance(outputs, (tuple, list)):
        return [leaf for item in outputs for leaf in flatten(item)]
    return [outputs]


def describe(error):
    return f"{type(error).__name__}: {error}"
