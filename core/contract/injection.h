// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/trials.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::contract {

/// One value put into one element.
struct Place {
    std::int64_t position = 0; ///< row-major
    double value = 0;
};

/// Non-finite numbers in one input leaf or in one parameter. Source: gates.md section 4, EXC-01.
struct Injection {
    int input = -1;        ///< leaf, or -1
    std::string parameter; ///< the reference's name, where no leaf is meant
    std::vector<std::int64_t> shape;
    std::vector<Place> places;
    std::string label; ///< "NaN at [3, 511] of input 0"

    bool isParameter() const { return input < 0; }
    /// Indices of dimension 0 that hold an injected element; none for a parameter or a scalar.
    std::vector<std::int64_t> entries() const;
};

/// Injections for every free input leaf, strongest first, round robin over the leaves, at most @p budget of them.
std::vector<Injection> injectionsIntoInputs(Session& session, const Shape& shape, int budget);

/// A few scattered ones for sizes that only the task itself has: a kernel may be wrong above some size alone.
std::vector<Injection> injectionsAtNativeShape(Session& session, const Shape& shape, int budget);

/// Single elements of every floating parameter that the candidate has a counterpart of.
std::vector<Injection> injectionsIntoParameters(Session& session, const Shape& shape, int budget);

/// @p base with the injected values.
Trial injected(Session& session, const ShapePtr& shape, const StimulusPtr& base, const Injection& injection);

/// @p base with @p value in every injected place.
Trial injectedWith(Session& session, const ShapePtr& shape, const StimulusPtr& base, const Injection& injection, double value);

/// The record of an injected trial: the recipe of its base and the places.
StimulusRecord recordOf(const Session& session, const ShapePtr& shape, const Recipe& recipe, const Injection& injection,
                        const Trial& trial);

} // namespace assay::contract
