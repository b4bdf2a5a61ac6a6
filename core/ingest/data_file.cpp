// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/data_file.h"

#include "assay_version.h"

namespace assay::ingest {

namespace fs = std::filesystem;

fs::path dataFile(const fs::path& relative)
{
    std::error_code absent;
    const fs::path installed = fs::path(ASSAY_DATA_DIR) / relative;
    const fs::path program = fs::read_symlink("/proc/self/exe", absent).parent_path();
    for (const fs::path& place : {(program / ASSAY_DATA_FROM_PROGRAM / relative).lexically_normal(), installed,
                                  fs::path(ASSAY_SOURCE_DATA_DIR) / relative}) {
        if (fs::exists(place, absent))
            return place;
    }
    return installed;
}

} // namespace assay::ingest
