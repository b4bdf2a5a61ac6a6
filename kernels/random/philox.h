// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// Counter-based random numbers that replay byte for byte on any machine: integer arithmetic, and for normals only + - * / and
/// square roots in a fixed order, never libm, never a fused multiply-add.
namespace assay::random {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// Philox4x32-10. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3.
Block philox(Block counter, Key key);

/// What names one stream of stimuli; equal names give equal numbers.
struct StreamName {
    std::uint64_t runSeed = 0;
    std::string_view kernel; ///< stable identity of the kernel, never a row id
    std::string_view gate;
    std::string_view check;
    std::uint32_t input = 0;
};

/// Random access into the numbers of one stream: element i does not depend on how many were drawn before it.
class Stream {
public:
    explicit Stream(const StreamName& name);

    /// 64 random bits for each of the elements first, first + 1, ...
    void bits(std::uint64_t first, std::span<std::uint64_t> out) const;

    /// Uniform doubles in [0, 1), 53 random bits each.
    void uniform(std::uint64_t first, std::span<double> out) const;

    /// Standard normal doubles, one uniform each through normalQuantile().
    void normal(std::uint64_t first, std::span<double> out) const;

private:
    template <typename Convert> void forEachPiece(std::uint64_t first, std::span<double> out, Convert convert) const;

    Key m_key{};
    std::uint32_t m_input = 0;
};

/// Natural logarithm of a positive normal double from + - * / alone, the same bits on every machine; error below 2 ulp for
/// arguments in (0, 1/2].
double portableLog(double x);

/// Quantile of the standard normal distribution at @p p in (0, 1).
/// Source: Wichura, algorithm AS 241 (PPND16), Applied Statistics 37(3), 1988; relative error about 1e-16.
double normalQuantile(double p);

} // namespace assay::random
