# SPDX-License-Identifier: Apache-2.0
"""test_device_faults.py HOST.json: faults in the source of the device kernels, judged where there is no device. The kernels' own code
is compiled for host memory, lane by lane and warp after warp, and the torch operator is led to it; cuda_faults.py judges the same
faults on a device."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import patches

FAMILY, SHAPE = "gdn2", "1,140,1,64,64"  # three chunks: what the first passes back to itself decays in the second
BUDGET = "90"

# In front of the candidate: what it takes for a device's kernels is this library.
LED = """
from assay_worker.gdn import device, operators
from assay_worker.gdn.library import Library
operators._form = lambda name, x, sizes: device.DeviceForm(Library(%r))
"""


def checked(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def library(said, fault, work):
    """The kernels for host memory with the fault, or none where that is None."""
    if not fault:
        return said["library"]
    root = os.path.join(work, fault.name)
    for part in ("kernels/gdn", "tests/kernels/gdn/cuda"):
        shutil.copytree(os.path.join(said["source"], part), os.path.join(root, part))
    patches.apply(fault, root)
    made = os.path.join(root, "gdn_host.so")
    sources = [os.path.join(root, "tests", "kernels", "gdn", "cuda", name) for name in ("host_library.cpp", "host_runner.cpp")]
    checked([said["compiler"], "-shared", "-o", made, "-I" + root, "-I" + said["source"]] + said["compile"] + sources + said["link"])
    return made


def judge(said, path, gates):
    """{gate: gate as verify has it}. What a device's contract says of sizes holds here as well."""
    request = json.loads(checked([said["assay"], "gdn", "gates", "--family", FAMILY, "--shape", SHAPE, "--device", "cuda:0", "--dtype", "bf16",
                                  "--budget", BUDGET, "--unsafe-no-sandbox", "--gates", ",".join(gates), "--print-request"]))
    request["device"] = "cpu"
    request["candidate"]["source"] += LED % path
    answers = checked([sys.executable, "-m", "assay_worker", "batch"], input=json.dumps(request) + "\n",
                      env=dict(os.environ, PYTHONPATH=said["worker"]))
    events = [json.loads(line) for line in answers.splitlines()]
    verdict = next(event for event in events if event.get("event") == "verdict")
    if not verdict["gates"]:
        raise RuntimeError("nothing was judged: %s" % verdict.get("reason"))
    return {gate["id"]: gate for gate in verdict["gates"]}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        said = json.load(file)
    failures = 0
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(sys.argv[1]))) as work:
        for fault in (None,) + patches.CUDA:
            gates = fault.gates if fault else sorted({gate for each in patches.CUDA for gate in each.gates})
            failures += not patches.report(fault, judge(said, library(said, fault, work), gates))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
