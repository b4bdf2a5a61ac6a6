// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::store {

/// The columns of a triage row that facets count and that most filters ask for. Audits repeat few combinations of them (the
/// published one 250 in 3,134 rows), so table triage_facet keeps every combination once, with its number of kernels.
struct FacetColumns {
    std::string_view family, language, outcome, status, claim, baseline, leadReason;
    std::int64_t strip = 0;
    std::int64_t hardFailures = 0;
    std::int64_t softFailures = 0;
    bool accepted = false;
    bool audited = false;
    bool toleranceFree = false;
    bool anyViolation = false;
    bool hasSource = false;
};

/// Names the combination: triage.facet_code. A 63-bit hash, so that a row knows its code without a look into the database; the
/// chance that any two of a million combinations share one is 5e-8.
std::int64_t facetCode(const FacetColumns& columns);

} // namespace assay::store
