# SPDX-License-Identifier: Apache-2.0
"""The module _judge needs nothing of Python beyond the stable ABI of 3.9 and nothing of the system beyond libc, and the wheel
that carries it installs and imports under every Python at hand. The operator's library for CUDA devices, where it was built, needs
nothing beyond libc, too, and is in the wheel.
    check_extension.py FOLDER MAKE_WHEEL VERSION"""

import glob
import os
import subprocess
import sys
import tempfile
import zipfile

# Names that https://docs.python.org/3/c-api/stable.html dates 3.9 or earlier. A new call from the extension is looked up there
# before it is added here.
STABLE = set("""PyBytes_AsStringAndSize PyCapsule_GetPointer PyCapsule_IsValid PyCapsule_New PyCapsule_SetName PyDict_GetItemString
PyDict_New PyDict_SetItemString PyDict_Type PyErr_NoMemory PyErr_SetString PyEval_RestoreThread PyEval_SaveThread PyExc_RuntimeError PyExc_ValueError PyFloat_FromDouble PyList_Append PyList_New PyLong_FromLong
PyLong_FromUnsignedLongLong PyModule_Create2 PyUnicode_AsUTF8String PyUnicode_DecodeUTF8 PyUnicode_FromString _PyArg_ParseTuple_SizeT
_Py_BuildValue_SizeT _Py_Dealloc""".split())
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def undefined(module):
    lines = subprocess.run(["nm", "-D", "--undefined-only", module], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[-1] for line in lines if line.split()[-2] == "U"]


def needed(module):
    lines = subprocess.run(["readelf", "-d", module], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line}


def pythons():
    """Every CPython >= 3.9 that is easily found, each once."""
    found = {}
    for path in sorted(glob.glob("/usr/bin/python3*") + glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))) + ["python3"]:
        if path.endswith("-config"):
            continue
        asked = subprocess.run([path, "-c", "import sys; print(sys.version_info >= (3, 9), sys.implementation.name, "
                                "sys.base_prefix)"], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.startswith("True cpython"):
            found.setdefault(asked.stdout.split()[-1], path)
    return list(found.values())


def main(folder, make_wheel, version):
    module = os.path.join(folder, "assay_worker", "_judge.abi3.so")
    foreign = sorted(name for name in undefined(module) if name.startswith(("Py", "_Py")) and name not in STABLE)
    assert not foreign, "not in the list of stable names: %s" % foreign
    loose = sorted(name for name in undefined(module) if "@" not in name and name not in STABLE)
    assert not loose, "nothing defines %s" % loose
    device = os.path.join(folder, "assay_worker", "libassay_gdn.so")
    for library in [module] + [device] * os.path.exists(device):
        assert needed(library) <= LIBRARIES, "%s needs %s" % (library, sorted(needed(library) - LIBRARIES))
    with tempfile.TemporaryDirectory() as scratch:
        wheel = subprocess.run([sys.executable, make_wheel, folder, version, scratch], check=True, capture_output=True,
                               text=True).stdout.strip()
        assert "-cp39-abi3-linux_" in os.path.basename(wheel), wheel
        site = os.path.join(scratch, "site")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
        for parent, _, names in os.walk(folder):
            for name in names:
                path = os.path.relpath(os.path.join(parent, name), folder)
                assert not name.endswith((".py", ".so")) or os.path.exists(os.path.join(site, path)), "%s is not in the wheel" % path
        found = pythons()
        assert found, "no Python to import the module with"
        for python in found:
            said = subprocess.run([python, "-c", "from assay_worker import _judge; print(_judge.version())"], check=True,
                                  capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=site), cwd=scratch).stdout.strip()
            assert said == version, (python, said)
            print("%s: %s" % (python, said))


if __name__ == "__main__":
    main(*sys.argv[1:])
