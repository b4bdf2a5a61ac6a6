// SPDX-License-Identifier: Apache-2.0
#include "core/text/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace assay {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> makeValues()
{
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
        values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
    return values;
}

constexpr std::array<std::int8_t, 256> kValues = makeValues();

} // namespace

std::string toBase64(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text += k <= have ? kAlphabet[word >> (18 - 6 * k) & 63U] : '=';
    }
    return text;
}

std::optional<std::string> fromBase64(std::string_view text)
{
    if (text.size() % 4 != 0)
        return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const std::string_view four = text.substr(i, 4);
        const bool last = i + 4 == text.size();
        const std::size_t padding = !last || four[3] != '=' ? 0 : (four[2] == '=' ? 2 : 1);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const int value = k < 4 - padding ? kValues[static_cast<unsigned char>(four[k])] : 0;
            if (value < 0)
                return std::nullopt;
            word = word << 6 | static_cast<std::uint32_t>(value);
        }
        // Bits behind the last byte are zero, else two texts would mean the same bytes.
        if ((word & ((1U << (8 * padding)) - 1)) != 0)
            return std::nullopt;
        for (std::size_t k = 0; k < 3 - padding; ++k)
            bytes += static_cast<char>(word >> (16 - 8 * k) & 255U);
    }
    return bytes;
}

} // namespace assay
