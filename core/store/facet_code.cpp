// SPDX-License-Identifier: Apache-2.0
#include "core/store/facet_code.h"

namespace assay::store {

namespace {

/// FNV-1a, 64 bits (draft-eastlake-fnv): parameters and order of operations are the published ones, because codes are stored.
class Fnv1a {
public:
    void add(std::string_view text)
    {
        for (const char c : text)
            addByte(static_cast<unsigned char>(c));
        addByte(0); // "ab", "c" is not "a", "bc"
    }

    void add(std::int64_t number)
    {
        const auto bits = static_cast<std::uint64_t>(number);
        for (int shift = 0; shift < 64; shift += 8)
            addByte(static_cast<unsigned char>(bits >> shift));
    }

    std::uint64_t value() const { return m_hash; }

private:
    void addByte(unsigned char byte) { m_hash = (m_hash ^ byte) * 1099511628211ULL; }
    std::uint64_t m_hash = 14695981039346656037ULL;
};

} // namespace

std::int64_t facetCode(const FacetColumns& columns)
{
    Fnv1a hash;
    for (const std::string_view text :
         {columns.family, columns.language, columns.outcome, columns.status, columns.claim, columns.baseline, columns.leadReason})
        hash.add(text);
    hash.add(columns.strip);
    hash.add(columns.hardFailures);
    hash.add(columns.softFailures);
    const int flags = (columns.accepted ? 1 : 0) | (columns.audited ? 2 : 0) | (columns.toleranceFree ? 4 : 0)
        | (columns.anyViolation ? 8 : 0) | (columns.hasSource ? 16 : 0);
    hash.add(std::int64_t{flags});
    return static_cast<std::int64_t>(hash.value() >> 1);
}

} // namespace assay::store
