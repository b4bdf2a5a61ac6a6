// SPDX-License-Identifier: Apache-2.0
#include "core/store/row_match.h"

#include "core/text/sha256.h"

#include <algorithm>
#include <charconv>

namespace assay::store {

namespace {

bool fits(std::int64_t stored, const IncomingSource& incoming)
{
    return stored == 0 || !incoming.present || stored == incoming.id;
}

/// Where some kernels have exactly this source, only those count.
void preferExact(std::vector<KernelSources>& kernels, std::int64_t KernelSources::*source, const IncomingSource& incoming)
{
    const auto has = [&](const KernelSources& kernel) { return incoming.id != 0 && kernel.*source == incoming.id; };
    if (std::any_of(kernels.begin(), kernels.end(), has))
        std::erase_if(kernels, [&](const KernelSources& kernel) { return !has(kernel); });
}

} // namespace

std::int64_t rowHashOf(const ImportedItem& item)
{
    std::string made;
    if (item.rowBytes.empty()) {
        // An importer without row bytes still means one row by what it says.
        made = item.kernel.externalId + '\0' + item.kernel.path + '\0' + item.kernel.claim + '\0'
            + item.kernel.candidateSource.value_or("") + '\0' + item.kernel.referenceSource.value_or("");
    }
    const std::string hex = sha256Hex(item.rowBytes.empty() ? made : item.rowBytes);
    std::uint64_t hash = 0;
    std::from_chars(hex.data(), hex.data() + 16, hash, 16);
    return static_cast<std::int64_t>(hash);
}

IncomingSource incomingSource(SourceStore& sources, const std::optional<std::string>& source, const std::string& namedSha256)
{
    if (!source) {
        // Named by its hash alone it finds the kernel that has it; a source that is not stored cannot tell anything.
        const auto named = namedSha256.empty() ? std::nullopt : sources.find(namedSha256);
        return named ? IncomingSource{true, namedSha256, *named} : IncomingSource();
    }
    IncomingSource result{true, sha256Hex(*source), 0};
    result.id = sources.find(result.sha256).value_or(0);
    return result;
}

RowMatch matchRow(KernelLookup& lookup, const std::string& externalId, const IncomingSource& candidate,
                  const IncomingSource& reference)
{
    std::vector<KernelSources> named = lookup.byExternalId(externalId);
    std::erase_if(named, [&](const KernelSources& k) { return !fits(k.candidate, candidate) || !fits(k.reference, reference); });
    if (const auto id = lookup.byIdentity(candidate.id, reference.id)) {
        RowMatch match{KernelSources{*id, candidate.id, reference.id}, std::nullopt, {}};
        std::erase_if(named, [&](const KernelSources& k) { return k.kernelId == *id; });
        if (named.size() == 1)
            match.twin = named.front();
        return match;
    }
    preferExact(named, &KernelSources::candidate, candidate);
    preferExact(named, &KernelSources::reference, reference);
    if (named.size() > 1)
        return {std::nullopt, std::nullopt,
                "id \"" + externalId + "\" names " + std::to_string(named.size())
                    + " kernels of this corpus and the row does not tell which one it means"};
    if (named.empty())
        return {};
    // What the row adds may complete a pair that another kernel has already.
    const KernelSources& found = named.front();
    const auto other = lookup.byIdentity(found.candidate != 0 ? found.candidate : candidate.id,
                                         found.reference != 0 ? found.reference : reference.id);
    if (other && *other != found.kernelId)
        return {KernelSources{*other, found.candidate != 0 ? found.candidate : candidate.id,
                              found.reference != 0 ? found.reference : reference.id},
                found,
                {}};
    return {found, std::nullopt, {}};
}

} // namespace assay::store
