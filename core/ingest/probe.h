// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"

#include <algorithm>
#include <string_view>

namespace assay::ingest {

/// Bytes of a file that importers may look at before one is chosen.
inline constexpr std::size_t kProbeBytes = std::size_t{256} << 10;
/// Names of a folder that importers may look at.
inline constexpr std::size_t kProbeEntries = 4096;

/// Looks at @p path once for all importers. Damage further on in a compressed file is the importer's to report.
/// @throws Error  when the path is absent, unreadable, or neither a regular file nor a folder
Probe probePath(const std::filesystem::path& path);

/// True when the first JSON object of the file has every one of @p keys.
template <typename... Keys> bool hasKeys(const Probe& probe, const Keys&... keys)
{
    return ((std::find(probe.keys.begin(), probe.keys.end(), std::string_view(keys)) != probe.keys.end()) && ...);
}

} // namespace assay::ingest
