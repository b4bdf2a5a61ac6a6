// SPDX-License-Identifier: Apache-2.0
#include "core/store/open_files.h"

namespace assay::store {

OpenFiles& OpenFiles::instance()
{
    static OpenFiles files;
    return files;
}

bool OpenFiles::contains(const std::filesystem::path& path) const
{
    const auto id = fileId(path);
    return id && m_counts.contains(*id);
}

std::optional<FileId> OpenFiles::add(const std::filesystem::path& path)
{
    const auto id = fileId(path);
    if (id)
        ++m_counts[*id];
    return id;
}

void OpenFiles::remove(const FileId& id)
{
    const auto it = m_counts.find(id);
    if (it != m_counts.end() && --it->second == 0)
        m_counts.erase(it);
}

} // namespace assay::store
