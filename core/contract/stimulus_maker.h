// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/input_spec.h"
#include "core/contract/party.h"
#include "core/contract/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::contract {

/// Families of values that expose different faults. Source: gates.md section 4, CMP-01.
enum class Regime {
    Native,    ///< the task's own draw
    Normal,    ///< N(0,1)
    Negative,  ///< -|N(0,1)| - 1/8: a maximum that starts at zero shows
    Uniform,   ///< U(0,1)
    Small,     ///< U(-1e-3, 1e-3)
    Wide,      ///< 1e3 N(0,1)
    Lognormal, ///< sign times exp(3 N)
    Zeros,
    Ones,
    OneHot,       ///< a single 1 per row of the last dimension
    Alternating,  ///< +1, -1, ...
    Ramp,         ///< -2 .. 2 along the last dimension
    Outliers,     ///< 1 % of N(0,1) times 1e4
    LastSpike,    ///< N(0,1), last element of every row 100
    Shifted,      ///< 1e4 + 0.1 N(0,1): one-pass variances cancel
    ConstantRows, ///< every row one value
    ZeroRows,     ///< N(0,1), first, middle and last row zero; masks get rows of zeros
    Ties,         ///< integers 0..3
    Magnitudes,   ///< sign times 10^U(-4, 4)
    Impulse,      ///< 1 at the start, slow decay after it
};

std::string_view name(Regime regime);

/// True where a few values outweigh the others.
bool isUneven(Regime regime);

/// How the values lie in memory.
enum class Layout { Contiguous, Transposed, Sliced, Offset, Expanded };

std::string_view name(Layout layout);

/// Everything that a stimulus is made from; with the run's seed it replays.
struct Recipe {
    Regime regime = Regime::Normal;
    int draw = 0;
    int onlyInput = -1; ///< the regime goes to this leaf alone, the others get N(0,1)
    Layout layout = Layout::Contiguous;
    std::string gate;
    std::string check;
};

/// Makes stimuli for one shape of a task from Philox streams keyed by (run seed, kernel, gate, check, input).
class StimulusMaker {
public:
    /// @param domains  of inputs; whatever stimulus is made lies in them
    StimulusMaker(std::uint64_t runSeed, std::string kernel, std::vector<InputDomain> domains = {});

    /// Leaves of the shapes and dtypes of @p specs. Masks keep their alphabet, integers their native range.
    /// @param native  the task's own leaves: Regime::Native and what is not free come from here
    StimulusPtr make(const Recipe& recipe, const std::vector<InputSpec>& specs, const std::vector<tensor::HostTensor>& native);

    /// A stimulus of given input leaves, brought into their domains.
    StimulusPtr wrap(std::vector<tensor::HostTensor> leaves, std::string label, bool uneven = false);

    /// Leaves that are no inputs: one cotangent an output.
    StimulusPtr cotangents(std::vector<tensor::HostTensor> leaves, std::string label);

    /// @p base with leaf @p leaf replaced.
    StimulusPtr replaced(const StimulusPtr& base, int leaf, tensor::HostTensor value, std::string label);

    std::uint64_t runSeed() const { return m_runSeed; }
    const std::string& kernel() const { return m_kernel; }

private:
    StimulusPtr numbered(std::vector<tensor::HostTensor> leaves, std::string label, bool uneven);

    std::uint64_t m_runSeed;
    std::string m_kernel;
    std::vector<InputDomain> m_domains;
    std::uint64_t m_nextId = 1;
};

/// Largest finite |value| over the free leaves of @p stimulus.
double largestInput(const Stimulus& stimulus);

/// Canonical JSON of @p recipe with the sizes it was made for.
std::string recipeText(const Recipe& recipe, const std::vector<InputSpec>& specs);

/// The same logical values in another layout.
tensor::HostTensor withLayout(const tensor::HostTensor& value, Layout layout);

} // namespace assay::contract
