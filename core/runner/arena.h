// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/descriptor.h"
#include "kernels/tensor/host_tensor.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::runner {

/// A party broke the protocol. Never leaves the runner: PartySession turns it into a failure of kind Nonsense.
class Nonsense : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Where a tensor lies in an arena.
struct ArenaPlace {
    tensor::DType dtype = tensor::DType::Float32;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< elements, may be zero or negative
    std::int64_t offset = 0;           ///< bytes, of element [0, 0, ...]
    std::int64_t lead = 0;             ///< elements of the tensor's own storage that lie before the first one it touches
};

/// Tensors on their way to a party: an anonymous memory file that nobody can change once it is sealed.
class ArenaWriter {
public:
    /// Copies the bytes that @p tensor spans, layout included, and those of its storage before them. @throws std::system_error
    /// where memory is full
    ArenaPlace add(const tensor::HostTensor& tensor);

    bool isEmpty() const { return !m_file; }
    std::int64_t bytes() const { return m_bytes; }

    /// Seals the file against writing, growing and shrinking. Nothing can be added afterwards.
    Descriptor seal();

private:
    void write(const std::byte* data, std::int64_t count);

    Descriptor m_file;
    std::int64_t m_bytes = 0;
};

/// Tensors that came from a party. The file is read with pread into memory of our own and never mapped: its owner may still
/// write to it or cut it.
class ArenaReader {
public:
    ArenaReader() = default;

    /// @param claimedBytes  what the frame said @param budget  most bytes that read() may hand out in all
    /// @throws Nonsense  where @p file is no regular file or holds less than was claimed
    ArenaReader(Descriptor file, std::int64_t claimedBytes, std::int64_t budget);

    /// Lowers what may still be handed out to @p bytes.
    void limitTo(std::int64_t bytes);

    /// A row-major tensor at @p offset bytes.
    /// @throws Nonsense  where it lies outside the arena, its size overflows or the budget is spent
    tensor::HostTensor read(tensor::DType dtype, const std::vector<std::int64_t>& shape, std::int64_t offset);

    /// The @p count bytes at @p offset.
    /// @throws Nonsense  as read() does
    std::vector<std::byte> readBytes(std::int64_t offset, std::int64_t count);

    /// The values of row-major @p tensor under the strides that a party reported. The bytes they span count against the budget.
    /// @throws Nonsense  where @p strides fit no tensor of that shape or span more than the budget
    tensor::HostTensor layOut(const tensor::HostTensor& tensor, const std::vector<std::int64_t>& strides);

private:
    Descriptor m_file;
    std::int64_t m_bytes = 0;
    std::int64_t m_budget = 0;
};

} // namespace assay::runner
