// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_identity.h"

#include "core/text/sha256.h"

#include <charconv>

namespace assay::store {

namespace {

constexpr std::size_t kHexOf64Bits = 16;

} // namespace

std::uint64_t leadingBits(std::string_view hex)
{
    std::uint64_t bits = 0;
    std::from_chars(hex.data(), hex.data() + kHexOf64Bits, bits, 16);
    return bits;
}

std::string toText(const KernelIdentity& identity)
{
    if (identity.hasSources())
        return std::string(identity.candidateSha256) + ":" + std::string(identity.referenceSha256);
    return std::string(identity.corpus) + "/" + std::string(identity.externalId);
}

sampling::ItemDigest digestOf(const KernelIdentity& identity)
{
    if (identity.hasSources())
        return {leadingBits(identity.candidateSha256), leadingBits(identity.referenceSha256)};
    std::string named(identity.corpus);
    named += '\0';
    named += identity.externalId;
    const std::string hex = sha256Hex(named);
    return {leadingBits(hex), leadingBits(std::string_view(hex).substr(kHexOf64Bits))};
}

} // namespace assay::store
