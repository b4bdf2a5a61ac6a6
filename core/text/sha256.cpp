// SPDX-License-Identifier: Apache-2.0
#include "core/text/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace assay {

struct Sha256::Context {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> handle{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256()
    : m_context(std::make_unique<Context>())
{
    if (EVP_DigestInit_ex(m_context->handle.get(), EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("SHA-256 is not available in libcrypto");
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) { EVP_DigestUpdate(m_context->handle.get(), bytes.data(), bytes.size()); }

std::string Sha256::finishHex()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(m_context->handle.get(), digest.data(), &length);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * length);
    for (unsigned int i = 0; i < length; ++i) {
        hex += kDigits[digest[i] >> 4];
        hex += kDigits[digest[i] & 0xF];
    }
    return hex;
}

std::string sha256Hex(std::string_view bytes)
{
    Sha256 hash;
    hash.update(bytes);
    return hash.finishHex();
}

} // namespace assay
