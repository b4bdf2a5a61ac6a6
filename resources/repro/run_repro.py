# SPDX-License-Identifier: Apache-2.0
"""Shows one failure of candidate.py against reference.py, with torch alone.

    python run_repro.py [--device cpu|cuda:0]

Exit status 1: the failure shows; 0: it does not; 2: it could not be run. Both files are foreign code: read them first.
"""
import argparse
import importlib.util
import itertools
import json
import math
import pathlib
import subprocess
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
CASE = json.loads((HERE / "case.json").read_text())


def load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def strided(value, strides, lead=0):
    """The same elements in the layout that the call had, `lead` elements into a storage; a stride of zero repeats one element."""
    shape = value.shape
    for dim, stride in enumerate(strides):
        if stride == 0:
            value = value.narrow(dim, 0, min(1, value.shape[dim]))
    reach = 0 if value.numel() == 0 else 1 + sum((size - 1) * stride for size, stride in zip(value.shape, strides))
    laid = torch.empty(lead + reach, dtype=value.dtype, device=value.device).as_strided(value.shape, strides, lead)
    laid.copy_(value)
    return laid.expand(shape)


def tensor(entry):
    dtype = getattr(torch, entry["dtype"])
    data = bytearray((HERE / entry["file"]).read_bytes())
    value = (torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)).reshape(entry["shape"])
    return strided(value, entry["strides"]) if "strides" in entry else value


def tensors(role):
    return [tensor(entry) for entry in CASE["tensors"] if entry["role"] == role]


def state(role):
    return {entry["name"]: tensor(entry) for entry in CASE["tensors"] if entry["role"] == role}


def value_of(tree, leaves):
    """A Python value from its description; {"tensor": i} stands for leaf i."""
    kind, content = next(iter(tree.items()))
    if kind == "tensor":
        return leaves[content]
    if kind in ("list", "tuple"):
        items = [value_of(item, leaves) for item in content]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {key: value_of(item, leaves) for key, item in content}
    if kind == "none":
        return None
    if kind == "dtype":
        return getattr(torch, content)
    if kind == "number":
        return float(content.replace("Infinity", "inf"))
    if kind == "complex":
        return complex(*content)
    if kind == "size":
        return torch.Size(content)
    if kind == "device":
        return torch.device(content)
    return content


def moved(value, device, dtype=None):
    if torch.is_tensor(value):
        # A plain copy would make views contiguous.
        cast = value.to(device, dtype if dtype and value.is_floating_point() else None)
        return strided(cast, value.stride(), value.storage_offset())
    if isinstance(value, dict):
        return {key: moved(item, device, dtype) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(moved(item, device, dtype) for item in value)
    return value


def setup(reference):
    """Constructor arguments and forward's arguments of the call: as stored, else the task's own."""
    call = CASE.get("call")
    torch.manual_seed(CASE["seed"])
    if not call:
        init = reference.get_init_inputs() if hasattr(reference, "get_init_inputs") else []
        return init, reference.get_inputs()
    inputs = [strided(value, value.stride(), lead) if lead else value
              for value, lead in itertools.zip_longest(tensors("input"), call.get("leads", []), fillvalue=0)]
    return value_of(call["init"], tensors("init")), value_of(call["arguments"], inputs)


def construct(module, entry, init, values, device):
    torch.manual_seed(CASE["seed"])
    made = getattr(module, entry)
    made = made(**init) if isinstance(init, dict) else made(*init)
    if not isinstance(made, torch.nn.Module):
        return made
    own = dict(list(made.named_parameters()) + list(made.named_buffers()))
    with torch.no_grad():
        for name, value in values.items():
            own[name].copy_(value)
    return made.to(device).eval()


def poison(device):
    """Freed memory full of NaN patterns, so that an element which is never written does not happen to be zero."""
    sizes = [4 * math.prod(entry["shape"]) for entry in CASE["tensors"]]
    blocks = [torch.full((max(1, size),), 255, dtype=torch.uint8, device=device) for size in sizes for _ in range(2)]
    del blocks


def call(module, arguments, device):
    poison(device)
    torch.manual_seed(CASE["seed"])
    with torch.no_grad():
        return module(**arguments) if isinstance(arguments, dict) else module(*arguments)


def leaves_of(value, path=""):
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    else:
        if value is None:
            return {}
        leaf = torch.as_tensor(value)
        return {path: torch.view_as_real(leaf) if leaf.is_complex() else leaf}
    found = {}
    for key, item in items:
        found.update(leaves_of(item, f"{path}.{key}" if path else str(key)))
    return found


def ask(side, device, dtype=None):
    reference = load("reference")
    init, arguments = setup(reference)
    values = state(side + "_state")
    module = construct(reference if side == "reference" else load("candidate"), "Model" if side == "reference" else "ModelNew",
                       init, values, device)
    if dtype and isinstance(module, torch.nn.Module):
        module = module.to(dtype)
    return leaves_of(call(module, moved(arguments, device, dtype), device))


def class_of(number):
    if math.isnan(number):
        return "nan"
    return "finite" if math.isfinite(number) else ("+inf" if number > 0 else "-inf")


def differs(truth, recorded, now, scale):
    """True where `now` is wrong as it was recorded: in class, or by at least half of the recorded error. Where a finite value was
    recorded as NaN or infinite (memory that nobody wrote, say), an error of a hundredth of the largest value counts too."""
    if class_of(truth) != "finite" or class_of(now) != "finite":
        return class_of(now) != class_of(truth)
    if class_of(recorded) != "finite":
        return abs(now - truth) > 0.01 * scale
    return abs(now - truth) >= 0.5 * abs(recorded - truth) > 0


def index_of(position, shape):
    index = []
    for size in reversed(shape):
        position, rest = divmod(position, size)
        index.append(rest)
    return tuple(reversed(index))


def show_value(device, cast):
    path = CASE["output"]
    truth = next(iter(state("reference").values())).to(torch.float64)
    recorded = next(iter(state("candidate").values())).to(torch.float64)
    shipped = ask("reference", device, cast)[path].to("cpu", torch.float64)
    now = ask("candidate", device, cast)[path].to("cpu", torch.float64)
    if now.shape != truth.shape:
        print(f"the candidate returns shape {list(now.shape)} where the reference returns {list(truth.shape)}")
        return True
    index = tuple(CASE["worst_index"])
    if not index and truth.dim() > 0:
        error = torch.nan_to_num((recorded - truth).abs(), nan=math.inf, posinf=math.inf)
        index = index_of(int(error.argmax()), truth.shape)
    element = [float(t[index]) for t in (truth, recorded, now, shipped)]
    print(f"element {list(index)} of output {path or '(the only one)'}")
    for label, number in zip(("right (fp64)", "candidate, as recorded", "candidate, now", "reference, as shipped, now"), element):
        print(f"  {label:<28}{number!r}")
    mismatched = int((torch.isfinite(truth) != torch.isfinite(now)).sum())
    finite = torch.isfinite(truth) & torch.isfinite(now)
    largest = float((now - truth).abs()[finite].max()) if bool(finite.any()) else 0.0
    print(f"  {mismatched} of {truth.numel()} elements differ in finiteness; largest error of the others {largest!r}")
    scale = float(truth[torch.isfinite(truth)].abs().max()) if bool(torch.isfinite(truth).any()) else 0.0
    return differs(*element[:3], scale)


def show_failure(device, cast):
    """The candidate raises, dies or hangs where the reference answers: it is run in a process of its own."""
    ask("reference", device, cast)
    print("the reference answers")
    command = [sys.executable, __file__, "--device", device, "--candidate-alone"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=CASE["timeout"])
    except subprocess.TimeoutExpired:
        print(f"the candidate gives no answer in {CASE['timeout']} s")
        return True
    if ended.returncode == 0:
        print("the candidate answers")
        return False
    lines = ended.stderr.strip().splitlines()
    print("the candidate " + (f"dies with signal {-ended.returncode}" if ended.returncode < 0 else "raises"))
    if lines:
        print("  " + lines[-1])
    return True


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default=CASE["device"])
    options.add_argument("--candidate-alone", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if CASE["device"] != "cpu" and not torch.cuda.is_available() and chosen.device != "cpu":
        print(f"this machine has no {chosen.device}; the failure was found on {CASE['device']}", file=sys.stderr)
        return 2
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    cast = getattr(torch, CASE["cast"]) if CASE["cast"] else None
    if chosen.candidate_alone:
        ask("candidate", chosen.device, cast)
        return 0
    print(f"{CASE['check']}: {CASE['finding']}")
    print(f"stimulus: {CASE['stimulus']}")
    shows = show_value(chosen.device, cast) if CASE["kind"] == "value" else show_failure(chosen.device, cast)
    print("the failure shows" if shows else "the failure does not show here")
    return 1 if shows else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as failure:
        if "--candidate-alone" in sys.argv:
            raise
        print(f"could not run: {type(failure).__name__}: {failure}", file=sys.stderr)
        sys.exit(2)
