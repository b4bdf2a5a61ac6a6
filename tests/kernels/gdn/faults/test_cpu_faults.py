# SPDX-License-Identifier: Apache-2.0
"""test_cpu_faults.py BUILD.json: faults in the source of the CPU form, compiled and judged. Each must fail the gate that is there for
it, and the form without a fault none of these gates.

A patched file is compiled from a copy of kernels/gdn and linked in front of the archives that the extension module is made of, so
that the module is the shipped one but for the fault."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import patches

FAMILY, SHAPE = "gdn2", "1,70,2,32,32"  # one chunk and a part; tiles of the products are whole


class Build:
    """What CMake says of compiling and linking."""

    def __init__(self, path, work):
        with open(path, encoding="utf-8") as file:
            self._said = json.load(file)
        self._work = work

    def module(self, fault):
        """The folder of a worker whose extension has the fault, or none where that is None."""
        said = self._said
        folder = os.path.join(self._work, fault.name if fault else "right")
        shutil.copytree(said["worker"], os.path.join(folder, "worker"), ignore=shutil.ignore_patterns("_judge*", "__pycache__"))
        objects = [self._object(fault, folder)] if fault else []
        target = os.path.join(folder, "worker", "assay_worker", "_judge.abi3.so")
        self._run([said["compiler"], "-shared", "-o", target] + objects + said["objects"] + ["-Wl,--start-group"] + said["archives"]
                  + ["-Wl,--end-group"] + said["link"])
        return os.path.join(folder, "worker")

    def _object(self, fault, folder):
        said = self._said
        root = os.path.join(folder, "source")
        shutil.copytree(os.path.join(said["source"], "kernels", "gdn"), os.path.join(root, "kernels", "gdn"))
        patches.apply(fault, root)
        made = os.path.join(folder, "patched.o")
        self._run([said["compiler"], "-c", "-o", made, "-I" + root, "-I" + said["source"]] + said["compile"]
                  + [os.path.join(root, fault.file)])
        return made

    def _run(self, command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("%s\n%s" % (" ".join(command), done.stderr))

    def judge(self, worker, gates):
        """{gate: verdict}"""
        environment = dict(os.environ, ASSAY_WORKER_PATH=worker, ASSAY_PYTHON=sys.executable)
        command = [self._said["assay"], "gdn", "gates", "--family", FAMILY, "--shape", SHAPE, "--no-times", "--unsafe-no-sandbox", "--budget", "60",
                   "--gates", ",".join(gates)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if not lines or lines[-1].get("schema") != "assay.verify/1":
            raise RuntimeError("nothing was judged: %s" % done.stderr)
        return {gate["id"]: gate for gate in lines[-1]["gates"]}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    failures = 0
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(sys.argv[1]))) as work:
        build = Build(sys.argv[1], work)
        for fault in (None,) + patches.CPU:
            gates = list(fault.gates) if fault else sorted({gate for each in patches.CPU for gate in each.gates})
            found = build.judge(build.module(fault), gates)
            failures += not patches.report(fault, found)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
