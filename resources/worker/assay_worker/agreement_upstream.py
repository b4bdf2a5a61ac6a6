# SPDX-License-Identifier: Apache-2.0
"""Calls KernelBench's own evaluation function, from a file that the user supplies.

The file (src/eval.py or src/kernelbench/eval.py of a checkout) is loaded as it is. What it imports for its other commands (clients of
language models, data sets, web requests) is seldom installed beside a GPU, so a package that it or its neighbours name and that is
absent is replaced by an empty stand-in while the file loads, and by nothing after that: candidates meet the machine as it is.

Runs foreign code; call it in a process that is thrown away.
"""

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import types

import torch

from assay_worker import baseline_rules

PACKAGE = "kernelbench_upstream"
ENTRY = "eval_kernel_against_ref"


def evaluate(request):
    """The answer of the upstream file for a request like baseline.py's, with two more members.

    upstream  path of the evaluation file
    prelude   None, or the path of a Python file that is executed first (say, to stand in for CUDA where there is none)

    @return {"compiled", "correct", "metadata"}; "correct" is None where upstream returns nothing (it wants to be called again)
    """
    function = entry(request)
    arguments = {
        "original_model_src": request["reference"],
        "custom_model_src": request["candidate"],
        "seed_num": request["seed"],
        "num_correct_trials": request["trials"],
        "measure_performance": False,
        "device": torch.device(request["device"]),
    }
    known = inspect.signature(function).parameters
    if "backend" in known:
        from_file = request["loader"] == "file" or (
            request["loader"] is None and baseline_rules.FILE_BACKENDS.search(request["candidate"]))
        arguments["backend"] = "triton" if from_file else "cuda"
    if "precision" in known:
        arguments["precision"] = baseline_rules.PRECISIONS[request["precision"]]
    try:
        result = function(**arguments)
    except Exception as error:  # upstream's command line records it so
        return {"compiled": False, "correct": False, "metadata": {"raised": baseline_rules.describe(error)}}
    if result is None:
        return {"compiled": None, "correct": None, "metadata": {}}
    metadata = {str(key): str(value)[:500] for key, value in result.metadata.items()}
    return {"compiled": bool(result.compiled), "correct": bool(result.correctness), "metadata": metadata}


def entry(request):
    """The evaluation function itself."""
    if request["prelude"]:
        with open(request["prelude"], encoding="utf-8") as file:
            exec(compile(file.read(), request["prelude"], "exec"), {"__name__": "prelude", "UPSTREAM": request["upstream"]})
    return getattr(load(request["upstream"]), ENTRY)


def load(path):
    """The evaluation file at `path` as a module whose relative imports find its neighbours."""
    path = os.path.abspath(path)
    package = types.ModuleType(PACKAGE)
    package.__path__ = [os.path.dirname(path)]
    sys.modules[PACKAGE] = package
    finder = StandInFinder(absent_packages(package.__path__[0]))
    sys.meta_path.append(finder)  # last: only what nobody else finds
    try:
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(f"{PACKAGE}.{name}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        importlib.import_module(f"{PACKAGE}.utils")  # imported late, by the evaluation function
        return module
    finally:
        sys.meta_path.remove(finder)
        for name in finder.made:
            if not name.startswith(PACKAGE):
                sys.modules.pop(name, None)


def absent_packages(folder):
    """Names of the packages that the Python files in `folder` import and that this machine does not have."""
    named = set()
    for file_name in os.listdir(folder):
        if file_name.endswith(".py"):
            with open(os.path.join(folder, file_name), encoding="utf-8") as file:
                for node in ast.walk(ast.parse(file.read(), file_name)):
                    if isinstance(node, ast.Import):
                        named.update(alias.name.split(".")[0] for alias in node.names)
                    elif isinstance(node, ast.ImportFrom) and node.level == 0:
                        named.add(node.module.split(".")[0])
    return {name for name in named if name not in sys.modules and importlib.util.find_spec(name) is None}


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `packages` and the missing neighbours of the upstream file, all empty."""

    def __init__(self, packages):
        self.packages = packages | {PACKAGE}
        self.made = []

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.packages:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        self.made.append(spec.name)
        return Record if spec.name == "pydantic" else StandIn(spec.name)

    def exec_module(self, module):
        pass


class StandIn(types.ModuleType):
    """A module whose every name is a function that takes anything and gives None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


class Fields:
    """What the upstream result needs of pydantic: members by keyword, defaults from the class, mutable ones copied."""

    def __init__(self, **members):
        for name in type(self).__annotations__:
            value = members.get(name, getattr(type(self), name))
            setattr(self, name, dict(value) if isinstance(value, dict) else value)


Record = types.ModuleType("pydantic")
Record.BaseModel = Fields
