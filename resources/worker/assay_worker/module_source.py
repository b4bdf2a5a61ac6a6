# SPDX-License-Identifier: Apache-2.0
"""Foreign source as a module of its own: a real file, so that Triton, inspect and tracebacks find its lines."""

import importlib.util
import itertools
import os
import sys
import tempfile

from .failures import Refusal

PREFIX = "assay_source_"  # of the modules' names
_numbers = itertools.count()


def load(source, entry, folder=None):
    """Executes `source` and returns the module, which has the attribute `entry`. The file lies in `folder`, by default the
    process' temporary folder, which the sandbox makes private. Raises Refusal("no_entry"), and whatever the source raises."""
    name = PREFIX + "%s_%d_%d" % (entry.lower(), os.getpid(), next(_numbers))
    path = os.path.join(folder or tempfile.gettempdir(), name + ".py")
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, entry, None)):
        raise Refusal("no_entry", "the source defines no class %s" % entry)
    return module
