// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace assay {

/// SHA-256 of @p bytes as 64 lower-case hex digits.
std::string sha256Hex(std::string_view bytes);

/// SHA-256 over bytes that arrive in pieces.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void update(std::string_view bytes);
    /// 64 lower-case hex digits; the object is spent afterwards.
    std::string finishHex();

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

} // namespace assay
