// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/compare.h"
#include "kernels/tensor/compare_device.h"

#include <cstddef>
#include <vector>

namespace assay::tensor {

namespace device {
struct Totals;
}

/// compare() where the tensors lie in a device's memory: one pass over both, every field of the result the same to the bit.
///
/// The pass makes all counts, maxima and sums, and keeps the few errors among which the quantiles must be; a selection among
/// these and a look at the spans with the largest errors follow. Should a sample have misled, the missed quantiles are selected
/// among all pairs. Keeps its working memory from call to call. One thread at a time.
class DeviceComparer {
public:
    /// @param device  must outlive the comparer
    explicit DeviceComparer(CompareDevice& device);
    ~DeviceComparer();
    DeviceComparer(const DeviceComparer&) = delete;
    DeviceComparer& operator=(const DeviceComparer&) = delete;

    /// Compares two tensors without gaps, of one dtype and shape, whose `data` are addresses of the device. Threads are not
    /// asked for: options.threads is ignored.
    /// @throws std::invalid_argument  where shapes or dtypes differ or a tensor is not contiguous
    Comparison compare(const TensorView& reference, const TensorView& candidate, const CompareOptions& options = {});

private:
    /// Device memory that grows as asked.
    class Buffer {
    public:
        explicit Buffer(CompareDevice& device)
            : m_device(device)
        {
        }
        ~Buffer();
        Buffer(const Buffer&) = delete;
        Buffer& operator=(const Buffer&) = delete;
        CompareDevice::Address atLeast(std::size_t bytes);

    private:
        CompareDevice& m_device;
        CompareDevice::Address m_address = 0;
        std::size_t m_bytes = 0;
    };
    struct Pair;

    void sampleBrackets(const Pair& pair, const std::vector<double>& quantiles);
    void measure(const Pair& pair, const std::vector<double>& quantiles, int worst);
    std::vector<double> selectAmongAll(const Pair& pair, const std::vector<double>& quantiles, std::int64_t finitePairs);
    template <typename... Arguments>
    void launch(const Pair& pair, const char* kernel, std::int64_t blocks, int threads, Arguments... arguments);

    CompareDevice& m_device;
    Buffer m_control; ///< totals, then what belongs to the largest errors, then the histogram
    Buffer m_sample;
    Buffer m_spans;
    Buffer m_list;
    Buffer m_narrowed;
};

} // namespace assay::tensor
