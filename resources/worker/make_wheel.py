# SPDX-License-Identifier: Apache-2.0
"""Packs the built package assay_worker into a wheel for machines that have nothing of ours but a Python:
    make_wheel.py FOLDER VERSION OUT_DIR
FOLDER holds assay_worker/ with its module _judge.abi3.so. The module uses the stable ABI, so one wheel serves CPython >= 3.9."""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile


def main(folder, version, out_dir):
    tag = "cp39-abi3-linux_%s" % platform.machine()
    info = "assay_worker-%s.dist-info" % version
    package = os.path.join(folder, "assay_worker")
    files = {"assay_worker/" + name: os.path.join(package, name) for name in sorted(os.listdir(package))
             if name.endswith((".py", ".so"))}
    if "assay_worker/_judge.abi3.so" not in files:
        sys.exit("make_wheel.py: %s has no _judge.abi3.so: build the target assay_worker first" % package)
    with tempfile.TemporaryDirectory() as scratch:
        module = os.path.join(scratch, "module.so")
        shutil.copy(files["assay_worker/_judge.abi3.so"], module)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", module], check=True)
        files["assay_worker/_judge.abi3.so"] = module
        contents = {name: read(path) for name, path in files.items()}
    contents[info + "/METADATA"] = ("Metadata-Version: 2.1\nName: assay_worker\nVersion: %s\nLicense: Apache-2.0\n"
                                    "Summary: The Python side of Assay's judgements\nRequires-Python: >=3.9\n" % version).encode()
    contents[info + "/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()
    record = "".join("%s,sha256=%s,%d\n" % (name, digest(data), len(data)) for name, data in contents.items())
    contents[info + "/RECORD"] = (record + info + "/RECORD,,\n").encode()
    os.makedirs(out_dir, exist_ok=True)
    wheel = os.path.join(out_dir, "assay_worker-%s-%s.whl" % (version, tag))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name)  # a fixed date: equal content gives an equal wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data)
    print(wheel)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
