// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/label_agreement.h"

#include "kernels/random/philox.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::sampling {

namespace {

/// Items by what the first and the second reviewer said.
class CountTable {
public:
    explicit CountTable(int categories)
        : m_categories(static_cast<std::size_t>(categories))
        , m_first(m_categories)
        , m_second(m_categories)
    {
    }

    void add(const LabelPair& pair)
    {
        ++m_items;
        m_agreed += pair.first == pair.second ? 1 : 0;
        ++m_first[static_cast<std::size_t>(pair.first)];
        ++m_second[static_cast<std::size_t>(pair.second)];
    }

    LabelAgreement agreement() const
    {
        LabelAgreement result;
        const double n = static_cast<double>(m_items);
        const double k = static_cast<double>(m_categories);
        result.items = m_items;
        result.agreed = m_agreed;
        result.observed = static_cast<double>(m_agreed) / n;
        for (std::size_t i = 0; i < m_categories; ++i)
            result.expected += static_cast<double>(m_first[i]) / n * (static_cast<double>(m_second[i]) / n);
        result.pabak = (k * result.observed - 1) / (k - 1);
        if (!isOneLabel())
            result.kappa = (result.observed - result.expected) / (1 - result.expected);
        return result;
    }

private:
    bool isOneLabel() const
    {
        for (std::size_t i = 0; i < m_categories; ++i) {
            if (m_first[i] == m_items && m_second[i] == m_items)
                return true;
        }
        return false;
    }

    std::size_t m_categories;
    std::vector<std::int64_t> m_first;
    std::vector<std::int64_t> m_second;
    std::int64_t m_items = 0;
    std::int64_t m_agreed = 0;
};

/// floor(bits * below / 2^64), in 32-bit halves because standard C++ has no 128-bit integer.
std::size_t scaled(std::uint64_t bits, std::uint64_t below)
{
    const std::uint64_t high = (bits >> 32) * below;
    const std::uint64_t low = (bits & 0xFFFFFFFF) * below;
    return static_cast<std::size_t>((high + (low >> 32)) >> 32);
}

} // namespace

std::optional<LabelAgreement> labelAgreement(std::span<const LabelPair> pairs, int categories)
{
    if (pairs.empty())
        return std::nullopt;
    CountTable table(categories);
    for (const LabelPair& pair : pairs)
        table.add(pair);
    return table.agreement();
}

KappaBootstrap bootstrapKappa(std::span<const LabelPair> pairs, int categories, std::uint64_t seed, int resamples,
                              double confidence)
{
    KappaBootstrap result;
    result.resamples = resamples;
    if (pairs.empty())
        return result;
    const random::Stream stream({seed, "", "sample", "kappa", 0});
    std::vector<std::uint64_t> bits(pairs.size());
    std::vector<double> kappas;
    for (int resample = 0; resample < resamples; ++resample) {
        stream.bits(static_cast<std::uint64_t>(resample) * pairs.size(), bits);
        CountTable table(categories);
        for (const std::uint64_t one : bits)
            table.add(pairs[scaled(one, pairs.size())]);
        if (const auto kappa = table.agreement().kappa)
            kappas.push_back(*kappa);
        else
            ++result.undefined;
    }
    if (kappas.empty())
        return result;
    std::sort(kappas.begin(), kappas.end());
    const double tail = static_cast<double>(kappas.size()) * (1 - confidence) / 2;
    const std::size_t cut = std::min(static_cast<std::size_t>(std::llround(tail)), (kappas.size() - 1) / 2);
    result.interval = Interval{kappas[cut], kappas[kappas.size() - 1 - cut]};
    return result;
}

} // namespace assay::sampling
