# SPDX-License-Identifier: Apache-2.0
"""Faults in the source of the device kernels, compiled for sm_90a and judged on a machine that has such a device.

  cuda_faults.py collect CUDA.json FOLDER   patches, compiles and links each (CUDA's compiler is needed, a device is not), puts beside
                                            them what the other machine needs, the worker's package and the requests, and all of it
                                            into FOLDER.tar.gz
  cuda_faults.py run FOLDER|FOLDER.tar.gz   judges each there with the Python that this runs in, which needs torch; exit 1 where a
                                            fault is not caught or the form without a fault is not right, 77 where
                                            nothing can be judged
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import patches

FAMILY, SHAPE = "gdn2", "1,140,2,64,64"  # three chunks: what the first passes back to itself decays in the second
LIBRARY = "libassay_gdn.so"


def checked(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def collect(said, folder):
    os.makedirs(folder, exist_ok=True)
    shutil.copytree(said["worker"], os.path.join(folder, "worker"), ignore=shutil.ignore_patterns("__pycache__", LIBRARY),
                    dirs_exist_ok=True)
    for script in ("patches.py", os.path.basename(__file__)):
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), script), folder)
    shutil.copy(said["library"], os.path.join(folder, "right.so"))
    write_request(said, folder, "right", sorted({gate for fault in patches.CUDA for gate in fault.gates}))
    for fault in patches.CUDA:
        with tempfile.TemporaryDirectory() as work:
            link(said, fault, work, os.path.join(folder, fault.name + ".so"))
        write_request(said, folder, fault.name, fault.gates)
        print("collected %s" % fault.name, flush=True)
    for path in [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".so")]:
        strip(path)
    strip(os.path.join(folder, "worker", "assay_worker", "_judge.abi3.so"))
    print(shutil.make_archive(folder.rstrip(os.sep), "gztar", folder))


def strip(path):
    """Debug symbols stay here: they are most of what would be carried."""
    checked(["strip", "--strip-unneeded", path])


def link(said, fault, work, target):
    root = os.path.join(work, "source")
    shutil.copytree(os.path.join(said["source"], "kernels", "gdn"), os.path.join(root, "kernels", "gdn"))
    for patch in (fault, patches.SELF_TEST):
        patches.apply(patch, root)
    includes = ["-I" + root, "-I" + said["source"]]
    cuda = os.path.join(root, "kernels", "gdn", "cuda")
    kernels, checks = os.path.join(work, "kernels.o"), os.path.join(work, "checks.o")
    checked([said["nvcc"], "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-no-compress", "-Xcompiler", "-fPIC,-fvisibility=hidden",
             "-gencode", "arch=compute_90a,code=sm_90a"] + includes + ["-c", "-o", kernels, os.path.join(cuda, "bfloat16_kernels.cu")])
    checked([said["compiler"], "-c", "-o", checks] + includes + said["compile"] + [os.path.join(cuda, "device_checks.cpp")])
    objects = [each for each in said["objects"] if not each.endswith(("device_checks.cpp.o", "bfloat16_kernels.o"))]
    checked([said["compiler"], "-shared", "-o", target, kernels, checks] + objects + said["link"])


def write_request(said, folder, name, gates):
    line = checked([said["assay"], "gdn", "gates", "--family", FAMILY, "--shape", SHAPE, "--device", "cuda:0", "--dtype", "bf16",
                    "--budget", "60", "--unsafe-no-sandbox", "--gates", ",".join(gates), "--print-request"])
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        file.write(line)


def run(folder):
    failures = 0
    for fault in (None,) + patches.CUDA:
        name = fault.name if fault else "right"
        shutil.copy(os.path.join(folder, name + ".so"), os.path.join(folder, "worker", "assay_worker", LIBRARY))
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as request:
            done = subprocess.run([sys.executable, "-m", "assay_worker", "batch"], stdin=request, capture_output=True, text=True,
                                  env=dict(os.environ, PYTHONPATH=os.path.join(folder, "worker")))
        events = [json.loads(line) for line in done.stdout.splitlines()]
        verdict = next((event for event in events if event.get("event") == "verdict"), None)
        if verdict is None or not verdict["gates"]:
            why = (verdict or {}).get("reason") or done.stderr.strip()[-1000:]
            if not fault:
                print("could not run: %s" % why, flush=True)
                return 77
            print("NOT %s: nothing was judged: %s" % (name, why), flush=True)
            failures += 1
            continue
        failures += not patches.report(fault, {gate["id"]: gate for gate in verdict["gates"]})
    return 1 if failures else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "collect":
        with open(arguments[1], encoding="utf-8") as file:
            collect(json.load(file), arguments[2])
        return 0
    if len(arguments) == 2 and arguments[0] == "run":
        path = os.path.abspath(arguments[1])
        if os.path.isdir(path):
            return run(path)
        with tempfile.TemporaryDirectory() as folder:
            shutil.unpack_archive(path, folder)
            return run(folder)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
