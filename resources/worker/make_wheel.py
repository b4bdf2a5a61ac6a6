# SPDX-License-Identifier: Apache-2.0
"""Packs the built package assay_worker into a wheel for machines that have nothing of ours but a Python:
    make_wheel.py FOLDER VERSION OUT_DIR
FOLDER holds assay_worker/ with its module _judge.abi3.so and, where it was built, libassay_gdn.so. The module uses the stable ABI, so
one wheel serves CPython >= 3.9."""

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
    files = {os.path.relpath(path, folder): path for path in sorted(found(package)) if path.endswith((".py", ".so"))}
    if "assay_worker/_judge.abi3.so" not in files:
        sys.exit("make_wheel.py: %s has no _judge.abi3.so: build the target assay_worker first" % package)
    with tempfile.TemporaryDirectory() as scratch:
        for number, name in enumerate(sorted(files)):
            if name.endswith(".so"):
                library = os.path.join(scratch, "%d.so" % number)
                shutil.copy(files[name], library)
                if shutil.which("strip"):
                    subprocess.run(["strip", "--strip-unneeded", library], check=True)
                files[name] = library
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


def found(folder):
    """The files under a folder; what Python compiled is in folders of its own."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (os.path.join(parent, name) for name in names)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
