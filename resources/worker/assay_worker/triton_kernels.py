# SPDX-License-Identifier: Apache-2.0
"""Kernels that Triton compiled in this process, what it knows of each, and the same kernels compiled for another GPU.

Nothing here needs a GPU once a kernel has been compiled, and nothing needs Triton to be installed: without it there are no
kernels. Made for Triton 3.0 to 3.9, whose caches differ.
"""

import functools
import gc
import math
import subprocess
import sys
import zlib

_TRIED = 3  # configurations of an autotuner
_DEPTH = 8  # of decorators around a kernel (autotune, heuristics, ...)
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")  # what a launch chooses; the rest belongs to the first target
_LOADED = ("n_regs", "n_spills", "n_max_threads")  # what the driver tells after loading


def tune_quickly():
    """Lets autotuners choose without measuring. Triton's own benchmark compiles every configuration and runs each for an eighth of a
    second; a judge asks at dozens of sizes, each of which is tuned anew, and compiling is what judging a Triton kernel costs most.

    At every size a single configuration is compiled, one of three that are spread over those which the kernel offers, another one
    from size to size: any that an autotuner may choose has to be right, whichever is the fastest. Which one follows from the
    launch's own numbers, so that a judgement chooses as the one before did. One that does not fit the device makes way for the
    next, as an autotuner would have it.
    """
    testing, tuner = sys.modules.get("triton.testing"), sys.modules.get("triton.runtime.autotuner")
    if testing is not None:
        testing.do_bench = _one_launch
    autotuner = getattr(tuner, "Autotuner", None)
    if autotuner is not None and not hasattr(autotuner, "assay_choice"):
        autotuner.assay_choice = None
        autotuner.prune_configs = _taking_turns(autotuner.prune_configs)
        autotuner._bench = _until_one_runs(autotuner._bench)


def build_launchers_quickly():
    """Lets the C compiler spend no time on the functions that only hand a kernel's arguments to the driver: one is built for every
    signature of every kernel. The kernels themselves are compiled as ever."""
    build = sys.modules.get("triton.runtime.build")
    if build is not None and getattr(build, "subprocess", None) is subprocess:
        build.subprocess = _WithoutOptimisation()


class _WithoutOptimisation:
    """The module subprocess, whose check_call() runs a compiler with -O0: the last -O counts."""

    def __getattr__(self, name):
        return getattr(subprocess, name)

    @staticmethod
    def check_call(command, *arguments, **options):
        return subprocess.check_call(list(command) + ["-O0"], *arguments, **options)


class _Choice:
    """What one autotuner is about to choose."""

    def __init__(self):
        self.found = False  # one that runs, at this size
        self.failed = set()  # ids of configurations that do not fit the device


def _taking_turns(prune_configs):
    @functools.wraps(prune_configs)
    def pruned(self, *args, **kwargs):
        configs = list(prune_configs(self, *args, **kwargs))
        choice = self.assay_choice = self.assay_choice or _Choice()
        choice.found = False
        if not configs:
            return configs
        given = dict(self.nargs or {}, **(args[0] if args else {}))
        numbers = [value for value in given.values() if isinstance(value, (bool, int, float, str))]
        turn = zlib.crc32(repr(numbers).encode())
        first = turn % min(_TRIED, len(configs)) * len(configs) // min(_TRIED, len(configs))
        return sorted(configs[first:] + configs[:first], key=lambda config: id(config) in choice.failed)
    return pruned


def _until_one_runs(bench):
    @functools.wraps(bench)
    def benched(self, *args, config, **meta):
        choice = self.assay_choice
        if choice is not None and choice.found:
            return [math.inf] * 3
        took = bench(self, *args, config=config, **meta)
        if choice is not None:
            if math.isfinite(took[0] if isinstance(took, (list, tuple)) else took):
                choice.found = True
            else:
                choice.failed.add(id(config))
        return took
    return benched


def _one_launch(fn, warmup=0, rep=0, grad_to_none=None, quantiles=None, return_mode="mean", **others):
    """triton.testing.do_bench with a single launch, which compiles, and a time that means nothing."""
    fn()
    if quantiles is not None:
        return [1.0] * len(quantiles) if len(quantiles) > 1 else 1.0
    return [1.0] if return_mode == "all" else 1.0


def jit_functions(module):
    """The JIT functions of `module`, each once: global or in a class, decorated or not, made in functions as well."""
    jit = sys.modules.get("triton.runtime.jit")
    if jit is None:
        return []
    found = {}
    for value in _values(module):
        function = _undecorated(value, jit.JITFunction)
        if function is not None:
            found[id(function)] = function
    # those made inside functions are in no namespace; the collector knows them
    for value in gc.get_objects():
        if type(value) is jit.JITFunction and getattr(value.fn, "__module__", None) == module.__name__:
            found[id(value)] = value
    return list(found.values())


def autotuned(functions):
    """Those of `functions` whose configuration an autotuner chooses: it does without one that does not fit."""
    tuner, jit = sys.modules.get("triton.runtime.autotuner"), sys.modules.get("triton.runtime.jit")
    if tuner is None or jit is None:
        return []
    under = {id(_undecorated(value, jit.JITFunction)) for value in gc.get_objects() if type(value) is tuner.Autotuner}
    return [function for function in functions if id(function) in under]


def _values(module):
    for value in list(vars(module).values()):
        yield value
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield from list(vars(value).values())
        elif isinstance(value, dict):
            yield from list(value.values())
        elif isinstance(value, (list, tuple)):
            yield from list(value)


def _undecorated(value, kind):
    for _ in range(_DEPTH):
        if isinstance(value, kind):
            return value
        if not type(value).__module__.startswith("triton."):
            return None
        value = getattr(value, "fn", None)
    return None


def compiled_kernels(function):
    """What `function`'s caches hold, over all devices and configurations, each once."""
    caches = getattr(function, "device_caches", None)
    if caches is not None:  # 3.2 and later: device -> (kernels by key, ...)
        by_key = [entry[0] for entry in list(caches.values())]
    else:  # device -> kernels by key
        by_key = list((getattr(function, "cache", None) or {}).values())
    kernels = {}
    for kernels_by_key in by_key:
        for kernel in list(kernels_by_key.values()):
            if hasattr(kernel, "asm") and hasattr(kernel, "metadata"):  # not one that is still being compiled
                kernels[id(kernel)] = kernel
    return list(kernels.values())


def _fields(metadata):
    if hasattr(metadata, "_asdict"):
        return metadata._asdict()
    return dict(metadata) if isinstance(metadata, dict) else dict(vars(metadata))


def target_of(metadata):
    """The target as a dictionary: {"backend": "cuda", "arch": 90, "warp_size": 32}, or {} where Triton does not say."""
    target = _fields(metadata).get("target")
    if isinstance(target, dict):
        return dict(target)
    names = ("backend", "arch", "warp_size")
    return {name: getattr(target, name) for name in names if hasattr(target, name)}


def metadata_of(kernel):
    """What Triton knows of a compiled kernel, as plain JSON: its metadata, and the driver's figures where it was loaded."""
    plain = {key: value for key, value in _fields(kernel.metadata).items() if _is_plain(value)}
    plain["target"] = target_of(kernel.metadata)
    held = vars(kernel)  # an attribute that loads the kernel when asked is not asked
    for name in _LOADED:
        if isinstance(held.get(name), int):
            plain[name] = held[name]
    plain.setdefault("name", str(getattr(kernel, "name", "")))
    return plain


def is_loaded(kernel):
    """True where the driver took the kernel and its block, so that it could be launched."""
    held = vars(kernel)
    if not isinstance(held.get("n_regs"), int):
        return False
    most, warps = held.get("n_max_threads"), _fields(kernel.metadata).get("num_warps")
    if not isinstance(most, int) or not isinstance(warps, int):
        return True
    return warps * target_of(kernel.metadata).get("warp_size", 32) <= most


def _is_plain(value, depth=3):
    if value is None or isinstance(value, (bool, int, str)):
        return True
    if isinstance(value, (list, tuple)) and depth:
        return all(_is_plain(item, depth - 1) for item in value)
    return False


def described(kernel):
    """{"name", "metadata", "ptx", "cubin", "target"} of a compiled kernel; an absent text is "", absent code b""."""
    metadata = metadata_of(kernel)
    ptx = kernel.asm["ptx"] if "ptx" in kernel.asm else ""
    cubin = kernel.asm["cubin"] if "cubin" in kernel.asm else b""
    return {"name": metadata["name"], "metadata": metadata, "ptx": ptx, "cubin": bytes(cubin), "target": metadata["target"]}


def compiled_for(kernel, arch):
    """`kernel` compiled again from its own source, signature and constants for compute capability `arch` (100: Blackwell)
    with the options of its launch. Raises what Triton or its assembler raise; the loader's refusals do not show here, they
    are in the metadata (`tmem_size`, `shared`)."""
    import triton
    from triton.backends.compiler import GPUTarget
    metadata = _fields(kernel.metadata)
    options = {name: metadata[name] for name in _OPTIONS if metadata.get(name) is not None}
    return triton.compile(kernel.src, target=GPUTarget("cuda", arch, 32), options=options)
