// SPDX-License-Identifier: Apache-2.0
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core/runner/capsule_tensor.h"

#include "kernels/tensor/dlpack.h"

#include <dlpack/dlpack.h>

#include <stdexcept>
#include <utility>

namespace assay::runner {

namespace {

constexpr const char* kFresh = "dltensor";      // a capsule that nobody took yet: it deletes its tensor itself
constexpr const char* kTaken = "used_dltensor"; // its taker does

/// Runs when a capsule of ours dies: whoever took the tensor renamed the capsule and deletes it, else nobody has.
void deleteUntaken(PyObject* capsule)
{
    if (PyCapsule_IsValid(capsule, kFresh) == 0)
        return;
    auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kFresh));
    managed->deleter(managed);
}

} // namespace

CapsuleTensor::CapsuleTensor(PyObject* capsule, std::optional<tensor::DType> meant)
    : m_capsule(capsule)
{
    if (PyCapsule_IsValid(capsule, kFresh) == 0)
        throw std::invalid_argument("a DLPack capsule named \"dltensor\" is wanted, which nobody has taken yet");
    m_managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kFresh));
    m_view = tensor::viewOf(*m_managed, meant);
}

CapsuleTensor::~CapsuleTensor()
{
    if (m_taken && m_managed->deleter != nullptr)
        m_managed->deleter(m_managed);
}

void CapsuleTensor::take()
{
    if (PyCapsule_IsValid(m_capsule, kFresh) == 0 || PyCapsule_SetName(m_capsule, kTaken) != 0)
        throw std::invalid_argument("one DLPack capsule was given twice");
    m_taken = true;
}

PyObject* capsuleOf(tensor::HostTensor tensor)
{
    DLManagedTensor* const managed = tensor::handOut(std::move(tensor));
    PyObject* const capsule = PyCapsule_New(managed, kFresh, deleteUntaken);
    if (capsule == nullptr)
        managed->deleter(managed);
    return capsule;
}

WithoutPython::WithoutPython()
    : m_state(PyEval_SaveThread())
{
}

WithoutPython::~WithoutPython()
{
    PyEval_RestoreThread(m_state);
}

} // namespace assay::runner
