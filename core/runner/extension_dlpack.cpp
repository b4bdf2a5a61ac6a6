// SPDX-License-Identifier: Apache-2.0
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core/runner/extension_dlpack.h"

#include "core/runner/answer.h"
#include "core/runner/capsule_tensor.h"
#include "kernels/tensor/compare.h"
#include "kernels/tensor/element_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

namespace assay::runner {

namespace {

using tensor::CompareOptions;
using tensor::Comparison;
using tensor::DType;
using tensor::HostTensor;
using tensor::NonFiniteCounts;
using tensor::TensorView;
using tensor::WorstElement;

struct Asked {
    CompareOptions options;
    std::optional<DType> meant;
};

Asked readAsked(const std::string& text)
{
    const json::Document wanted = readFrame(text);
    Asked asked;
    if (wanted.HasMember("quantiles")) {
        asked.options.quantiles.clear();
        for (const json::Value& quantile : arrayOf(wanted, "quantiles").GetArray()) {
            if (!quantile.IsNumber() || !(quantile.GetDouble() >= 0 && quantile.GetDouble() <= 1))
                throw Nonsense("a quantile is a number from 0 to 1");
            asked.options.quantiles.push_back(quantile.GetDouble());
        }
    }
    if (wanted.HasMember("worst"))
        asked.options.worst = static_cast<int>(std::clamp<std::int64_t>(integerOf(wanted, "worst"), 0, 1'000'000));
    if (wanted.HasMember("threads"))
        asked.options.threads = static_cast<int>(std::clamp<std::int64_t>(integerOf(wanted, "threads"), 0, 4096));
    if (wanted.HasMember("dtype")) {
        asked.meant = tensor::dtypeFromName(textOf(wanted, "dtype"));
        if (!asked.meant)
            throw Nonsense("no such dtype: " + textOf(wanted, "dtype"));
    }
    return asked;
}

/// A list of what @p make makes of each element; null with a Python exception set where one could not be made.
template <typename Range, typename Make> PyObject* listOf(const Range& range, const Make& make)
{
    PyObject* const list = PyList_New(0);
    for (const auto& element : range) {
        PyObject* const item = list != nullptr ? make(element) : nullptr;
        if (item == nullptr || PyList_Append(list, item) != 0) {
            Py_XDECREF(item);
            Py_XDECREF(list);
            return nullptr;
        }
        Py_DECREF(item);
    }
    return list;
}

PyObject* numberOrNone(const std::optional<double>& value)
{
    if (value)
        return PyFloat_FromDouble(*value);
    return Py_BuildValue("");
}

PyObject* numberOrNone(const std::optional<std::uint64_t>& value)
{
    if (value)
        return PyLong_FromUnsignedLongLong(*value);
    return Py_BuildValue("");
}

PyObject* dictionaryOf(const NonFiniteCounts& counts)
{
    return Py_BuildValue("{s:L,s:L,s:L}", "nan", static_cast<long long>(counts.nan), "pinf",
                         static_cast<long long>(counts.positiveInfinity), "ninf",
                         static_cast<long long>(counts.negativeInfinity));
}

PyObject* dictionaryOf(const WorstElement& element)
{
    return Py_BuildValue("{s:L,s:d,s:d,s:d,s:N,s:N}", "position", static_cast<long long>(element.position), "ref",
                         element.reference, "cand", element.candidate, "abs", element.absolute, "rel",
                         numberOrNone(element.relative), "ulp", numberOrNone(element.ulp));
}

PyObject* dictionaryOf(const Comparison& found)
{
    return Py_BuildValue("{s:L,s:L,s:{s:N,s:N,s:L},s:L,s:L,s:d,s:d,s:N,s:d,s:d,s:N,s:N}", "count",
                         static_cast<long long>(found.count), "bit_different", static_cast<long long>(found.bitDifferent),
                         "nonfinite", "ref", dictionaryOf(found.reference), "cand", dictionaryOf(found.candidate), "mismatch",
                         static_cast<long long>(found.classMismatch), "finite_pairs", static_cast<long long>(found.finitePairs),
                         "rel_undefined", static_cast<long long>(found.relativeUndefined), "max_abs", found.maxAbsolute,
                         "max_rel", found.maxRelative, "max_ulp", numberOrNone(found.maxUlp), "mean_abs", found.meanAbsolute,
                         "rms", found.rms, "quantiles", listOf(found.quantiles, PyFloat_FromDouble), "worst",
                         listOf(found.worst, [](const WorstElement& element) { return dictionaryOf(element); }));
}

/// Takes both capsules and calls @p body with their tensors, without Python; C++ exceptions become Python's.
template <typename Result, typename Body> std::optional<Result> withPair(PyObject* arguments, const Body& body)
{
    PyObject* reference = nullptr;
    PyObject* candidate = nullptr;
    const char* text = nullptr;
    Py_ssize_t size = 0;
    if (PyArg_ParseTuple(arguments, "OOs#", &reference, &candidate, &text, &size) == 0)
        return std::nullopt;
    try {
        const Asked asked = readAsked({text, static_cast<std::size_t>(size)});
        CapsuleTensor r(reference, asked.meant);
        CapsuleTensor c(candidate, asked.meant);
        if (r.view().shape != c.view().shape)
            throw std::invalid_argument("the shapes of the two tensors differ");
        r.take();
        c.take();
        const WithoutPython running; // ended before the tensors are deleted, which Python may have a hand in
        return body(r.view(), c.view(), asked.options);
    } catch (const Nonsense& nonsense) {
        PyErr_SetString(PyExc_ValueError, nonsense.what());
    } catch (const std::invalid_argument& wrong) {
        PyErr_SetString(PyExc_ValueError, wrong.what());
    } catch (const std::exception& failure) {
        PyErr_SetString(PyExc_RuntimeError, failure.what());
    }
    return std::nullopt;
}

std::vector<double> valuesOf(const TensorView& view)
{
    constexpr std::int64_t kRun = 4096;
    std::vector<double> values(static_cast<std::size_t>(view.count()));
    tensor::ElementReader reader(view, kRun);
    for (std::int64_t first = 0; first < std::ssize(values); first += kRun) {
        const std::int64_t run = std::min(kRun, static_cast<std::int64_t>(std::ssize(values)) - first);
        tensor::toDoubles(view.dtype, reader.read(first, run), run, values.data() + first);
    }
    return values;
}

HostTensor absoluteErrors(const TensorView& reference, const TensorView& candidate)
{
    const std::vector<double> r = valuesOf(reference);
    const std::vector<double> c = valuesOf(candidate);
    std::vector<double> errors(r.size());
    for (std::size_t i = 0; i < errors.size(); ++i)
        errors[i]
            = std::isfinite(r[i]) && std::isfinite(c[i]) ? std::fabs(c[i] - r[i]) : std::numeric_limits<double>::quiet_NaN();
    return HostTensor::fromDoubles(DType::Float64, reference.shape, errors);
}

} // namespace

PyObject* compareCapsules(PyObject*, PyObject* arguments)
{
    const auto found
        = withPair<Comparison>(arguments, [](const TensorView& r, const TensorView& c, const CompareOptions& options) {
              return tensor::compare(r, c, options);
          });
    return found ? dictionaryOf(*found) : nullptr;
}

PyObject* errorsOfCapsules(PyObject*, PyObject* arguments)
{
    auto errors = withPair<HostTensor>(
        arguments, [](const TensorView& r, const TensorView& c, const CompareOptions&) { return absoluteErrors(r, c); });
    return errors ? capsuleOf(std::move(*errors)) : nullptr;
}

} // namespace assay::runner
