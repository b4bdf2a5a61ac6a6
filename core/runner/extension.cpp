// SPDX-License-Identifier: Apache-2.0
// CPython module _judge: what the processes of the Python side call. Limited API of 3.9, so one build serves every later version.
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core/runner/answer.h"
#include "core/runner/extension_dlpack.h"
#include "core/runner/extension_gdn.h"
#include "core/runner/extension_nvrtc.h"
#include "core/runner/sandbox.h"
#include "core/runner/serve.h"

#include "assay_version.h"

#include <optional>

namespace {

using namespace assay;
using namespace assay::runner;

/// The text of @p object, or nothing with a Python exception set.
std::optional<std::string> textOfObject(PyObject* object)
{
    PyObject* const bytes = PyUnicode_AsUTF8String(object);
    if (bytes == nullptr)
        return std::nullopt;
    char* data = nullptr;
    Py_ssize_t size = 0;
    std::optional<std::string> text;
    if (PyBytes_AsStringAndSize(bytes, &data, &size) == 0)
        text.emplace(data, static_cast<std::size_t>(size));
    Py_DECREF(bytes);
    return text;
}

PyObject* listOf(const std::vector<std::string>& texts)
{
    PyObject* const list = PyList_New(0);
    for (const std::string& text : texts) {
        PyObject* const item = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
        if (list == nullptr || item == nullptr || PyList_Append(list, item) != 0) {
            Py_XDECREF(item);
            Py_XDECREF(list);
            return nullptr;
        }
        Py_DECREF(item);
    }
    return list;
}

/// Runs @p body with the JSON object that @p argument spells; C++ exceptions become Python's.
template <typename Body> PyObject* withJson(PyObject* argument, const Body& body)
{
    const std::optional<std::string> text = textOfObject(argument);
    if (!text)
        return nullptr;
    try {
        return body(readFrame(*text));
    } catch (const Nonsense& nonsense) {
        PyErr_SetString(PyExc_ValueError, nonsense.what());
    } catch (const std::exception& failure) {
        PyErr_SetString(PyExc_RuntimeError, failure.what());
    }
    return nullptr;
}

PyObject* dropPrivileges(PyObject*, PyObject*)
{
    return listOf(sandbox::dropPrivileges());
}

PyObject* enterNamespaces(PyObject*, PyObject*)
{
    return listOf(sandbox::enterNamespaces());
}

PyObject* mountPrivate(PyObject*, PyObject* argument)
{
    return withJson(argument, [](const json::Document& wanted) {
        std::vector<std::string> folders;
        for (const json::Value& folder : arrayOf(wanted, "folders").GetArray())
            folders.emplace_back(folder.GetString());
        return listOf(sandbox::mountPrivate(folders, integerOf(wanted, "bytes")));
    });
}

PyObject* lockDown(PyObject*, PyObject* argument)
{
    return withJson(argument, [](const json::Document& wanted) {
        sandbox::Limits limits;
        limits.addressSpace = integerOf(wanted, "address_space");
        limits.data = integerOf(wanted, "data");
        limits.fileBytes = integerOf(wanted, "file_bytes");
        limits.processes = integerOf(wanted, "processes");
        limits.cpuSeconds = integerOf(wanted, "cpu_seconds");
        limits.openFiles = integerOf(wanted, "open_files");
        return listOf(sandbox::lockDown(limits));
    });
}

PyObject* serveRequests(PyObject*, PyObject* argument)
{
    return withJson(argument, [](const json::Document& wanted) {
        ServeOptions options;
        options.parties.python = textOf(wanted, "python");
        options.parties.importPaths = textsOf(wanted, "import_paths");
        options.parties.prefixes = textsOf(wanted, "prefixes");
        options.finish = flagOf(wanted, "finish");
        const auto input = static_cast<int>(integerOf(wanted, "input"));
        const auto output = static_cast<int>(integerOf(wanted, "output"));
        PyThreadState* const state = PyEval_SaveThread();
        int code = 0;
        try {
            code = serve(options, input, output);
        } catch (...) {
            PyEval_RestoreThread(state);
            throw;
        }
        PyEval_RestoreThread(state);
        return PyLong_FromLong(code);
    });
}

PyObject* compileCudaSource(PyObject*, PyObject* argument)
{
    return withJson(argument, [](const json::Document& wanted) {
        const CudaAnswer made = compileCuda(wanted);
        PyObject* const log = PyUnicode_DecodeUTF8(made.log.data(), static_cast<Py_ssize_t>(made.log.size()), "replace");
        return log == nullptr ? nullptr
                              : Py_BuildValue("(s#y#N)", made.outcome.data(), static_cast<Py_ssize_t>(made.outcome.size()),
                                              made.cubin.empty() ? "" : reinterpret_cast<const char*>(made.cubin.data()),
                                              static_cast<Py_ssize_t>(made.cubin.size()), log);
    });
}

PyObject* version(PyObject*, PyObject*)
{
    return PyUnicode_FromString(ASSAY_VERSION);
}

PyMethodDef g_methods[] = {
    {"serve", serveRequests, METH_O,
     "Answers requests as a JSON object says: {python, import_paths, prefixes, input, output, finish}; returns an exit code."},
    {"compile_cuda", compileCudaSource, METH_O,
     "Compiles CUDA C++ as a JSON object says: {source, target, options, folders}; returns (outcome, cubin, log)."},
    {"compare", compareCapsules, METH_VARARGS,
     "Statistics of two DLPack capsules (reference, candidate, JSON object {quantiles, worst, threads, dtype}); returns a "
     "dictionary."},
    {"errors", errorsOfCapsules, METH_VARARGS,
     "Absolute errors of two DLPack capsules (reference, candidate, JSON object {dtype}); returns a capsule of float64."},
    {"gdn_forward", gdnForward, METH_VARARGS,
     "The gated linear recurrence on the CPU, as (dictionary of DLPack capsules q k v b w g S0, JSON object {scale, form, "
     "arithmetic, threads, starts}) say; returns a dictionary of capsules o ST."},
    {"gdn_backward", gdnBackward, METH_VARARGS,
     "Its gradients, likewise with do and dST; returns a dictionary of capsules dq dk dv db dw dg dS0."},
    {"drop_privileges", dropPrivileges, METH_NOARGS, "The fork server gives up its rights; returns what it could not."},
    {"enter_namespaces", enterNamespaces, METH_NOARGS, "Leaves the namespaces of the caller; returns what the kernel refused."},
    {"mount_private", mountPrivate, METH_O,
     "Mounts the folders of a JSON object {folders, bytes}; returns what the kernel refused."},
    {"lock_down", lockDown, METH_O,
     "Limits of a JSON object, no privileges, the filter on system calls; returns what is missing."},
    {"version", version, METH_NOARGS, "The version of Assay that built this module."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef g_module = {PyModuleDef_HEAD_INIT,
                        "_judge",
                        "Assay's judge and the confinement of the code that it judges.",
                        -1,
                        g_methods,
                        nullptr,
                        nullptr,
                        nullptr,
                        nullptr};

} // namespace

PyMODINIT_FUNC PyInit__judge()
{
    return PyModule_Create(&g_module);
}
