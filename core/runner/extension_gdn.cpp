// SPDX-License-Identifier: Apache-2.0
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core/runner/extension_gdn.h"

#include "core/runner/answer.h"
#include "core/runner/capsule_tensor.h"
#include "kernels/gdn/chunked.h"
#include "kernels/gdn/serial.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <list>
#include <stdexcept>
#include <utility>

namespace assay::runner {

namespace {

using gdn::Arithmetic;
using tensor::HostTensor;
using tensor::TensorView;

struct Asked {
    double scale = 1;
    bool isSerial = false;
    Arithmetic arithmetic = Arithmetic::Float64;
    int threads = 0;
    std::vector<std::int32_t> starts;
};

Arithmetic arithmeticNamed(const std::string& text)
{
    constexpr std::pair<const char*, Arithmetic> kNames[] = {{"float64", Arithmetic::Float64},
                                                             {"float32", Arithmetic::Float32},
                                                             {"bfloat16", Arithmetic::BFloat16Operands},
                                                             {"float16", Arithmetic::Float16Operands}};
    for (const auto& [name, arithmetic] : kNames) {
        if (text == name)
            return arithmetic;
    }
    throw Nonsense("no such arithmetic: " + text);
}

Asked readAsked(const std::string& text)
{
    const json::Document wanted = readFrame(text);
    Asked asked;
    const json::Value& scale = memberOf(wanted, "scale");
    if (!scale.IsNumber())
        throw Nonsense("scale is a number");
    asked.scale = scale.GetDouble();
    const std::string form = textOf(wanted, "form");
    if (form != "serial" && form != "chunked")
        throw Nonsense("no such form: " + form);
    asked.isSerial = form == "serial";
    asked.arithmetic = arithmeticNamed(textOf(wanted, "arithmetic"));
    asked.threads = static_cast<int>(std::clamp<std::int64_t>(integerOf(wanted, "threads"), 0, 4096));
    for (const std::int64_t start : readIntegers(arrayOf(wanted, "starts"))) {
        if (start < 0 || start > std::numeric_limits<std::int32_t>::max())
            throw Nonsense("a start is a token of the batch row");
        asked.starts.push_back(static_cast<std::int32_t>(start));
    }
    return asked;
}

gdn::Precision serialPrecision(Arithmetic arithmetic)
{
    if (arithmetic == Arithmetic::Float64)
        return gdn::Precision::Float64;
    if (arithmetic == Arithmetic::Float32)
        return gdn::Precision::Float32;
    throw Nonsense("the serial form has no products whose operands could be rounded");
}

gdn::ForwardResult forward(const gdn::Problem& problem, const Asked& asked)
{
    if (asked.isSerial)
        return gdn::serialForward(problem, serialPrecision(asked.arithmetic), asked.threads);
    return gdn::chunkedForward(problem, {.arithmetic = asked.arithmetic, .threads = asked.threads});
}

gdn::BackwardResult backward(const gdn::Problem& problem, const Asked& asked)
{
    if (asked.isSerial)
        return gdn::serialBackward(problem, serialPrecision(asked.arithmetic), asked.threads);
    return gdn::chunkedBackward(problem, {.arithmetic = asked.arithmetic, .threads = asked.threads});
}

/// The tensors of a call, by their names in it.
class CallTensors {
public:
    explicit CallTensors(PyObject* tensors)
        : m_tensors(tensors)
    {
    }

    bool has(const char* name) const { return PyDict_GetItemString(m_tensors, name) != nullptr; }

    const TensorView& view(const char* name)
    {
        PyObject* const capsule = PyDict_GetItemString(m_tensors, name);
        if (capsule == nullptr)
            throw std::invalid_argument(std::string(name) + " is missing");
        return m_taken.emplace_back(capsule).view();
    }

    void take()
    {
        for (CapsuleTensor& tensor : m_taken)
            tensor.take();
    }

private:
    PyObject* m_tensors;
    std::list<CapsuleTensor> m_taken;
};

gdn::Problem problemOf(CallTensors& tensors, const Asked& asked)
{
    gdn::Problem problem;
    problem.scale = asked.scale;
    problem.sequenceStart = asked.starts;
    const std::pair<const char*, TensorView*> needed[]
        = {{"q", &problem.q}, {"k", &problem.k}, {"v", &problem.v}, {"b", &problem.b}, {"w", &problem.w}, {"g", &problem.g}};
    for (const auto& [name, view] : needed)
        *view = tensors.view(name);
    const std::pair<const char*, std::optional<TensorView>*> others[]
        = {{"S0", &problem.initialState}, {"do", &problem.outputGrad}, {"dST", &problem.finalGrad}};
    for (const auto& [name, view] : others) {
        if (tensors.has(name))
            *view = tensors.view(name);
    }
    return problem;
}

/// A dictionary of capsules; null with a Python exception set where one could not be made.
PyObject* dictionaryOf(std::initializer_list<std::pair<const char*, const HostTensor*>> results)
{
    PyObject* const dictionary = PyDict_New();
    for (const auto& [name, tensor] : results) {
        PyObject* const capsule = dictionary != nullptr ? capsuleOf(*tensor) : nullptr;
        if (capsule == nullptr || PyDict_SetItemString(dictionary, name, capsule) != 0) {
            Py_XDECREF(capsule);
            Py_XDECREF(dictionary);
            return nullptr;
        }
        Py_DECREF(capsule);
    }
    return dictionary;
}

PyObject* dictionaryOf(const gdn::ForwardResult& result)
{
    return dictionaryOf({{"o", &result.o}, {"ST", &result.finalState}});
}

PyObject* dictionaryOf(const gdn::BackwardResult& result)
{
    return dictionaryOf({{"dq", &result.dq},
                         {"dk", &result.dk},
                         {"dv", &result.dv},
                         {"db", &result.db},
                         {"dw", &result.dw},
                         {"dg", &result.dg},
                         {"dS0", &result.initialStateGrad}});
}

/// Takes the capsules and calls @p compute with their problem, without Python; C++ exceptions become Python's.
template <typename Compute> PyObject* withProblem(PyObject* arguments, const Compute& compute)
{
    PyObject* named = nullptr;
    const char* text = nullptr;
    Py_ssize_t size = 0;
    if (PyArg_ParseTuple(arguments, "O!s#", &PyDict_Type, &named, &text, &size) == 0)
        return nullptr;
    try {
        const Asked asked = readAsked({text, static_cast<std::size_t>(size)});
        CallTensors tensors(named);
        const gdn::Problem problem = problemOf(tensors, asked);
        tensors.take();
        return dictionaryOf([&] {
            const WithoutPython running; // ended before the tensors are deleted, which Python may have a hand in
            return compute(problem, asked);
        }());
    } catch (const Nonsense& nonsense) {
        PyErr_SetString(PyExc_ValueError, nonsense.what());
    } catch (const std::invalid_argument& wrong) {
        PyErr_SetString(PyExc_ValueError, wrong.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& failure) {
        PyErr_SetString(PyExc_RuntimeError, failure.what());
    }
    return nullptr;
}

} // namespace

PyObject* gdnForward(PyObject*, PyObject* arguments)
{
    return withProblem(arguments, forward);
}

PyObject* gdnBackward(PyObject*, PyObject* arguments)
{
    return withProblem(arguments, backward);
}

} // namespace assay::runner
