// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// @p bytes in the alphabet of RFC 4648 section 4, padded.
std::string toBase64(std::string_view bytes);

/// Inverse of toBase64(); nothing where @p text is not exactly that.
std::optional<std::string> fromBase64(std::string_view text);

} // namespace assay
