# SPDX-License-Identifier: Apache-2.0
"""Finds the worker's package, and builds modules the way a candidate's is built."""

import importlib.util
import os
import sys
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "resources", "worker"))


def module_of(source, name="candidate"):
    """A module made of `source`, in a file of its own, because Triton reads its kernels from there."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(source))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
