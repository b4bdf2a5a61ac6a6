// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/file_system.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

namespace assay::store {

/// Which files this process has open through SQLite with locks. POSIX locks belong to the process and vanish when any
/// descriptor of the file is closed, so these files must not be looked at with plain file calls or with immutable=1.
/// Hold mutex() around every other call and around what depends on its answer.
class OpenFiles {
public:
    static OpenFiles& instance();

    std::mutex& mutex() { return m_mutex; }
    bool contains(const std::filesystem::path& path) const;
    /// @return what to hand to remove(); nothing where the file cannot be told apart
    std::optional<FileId> add(const std::filesystem::path& path);
    void remove(const FileId& id);

private:
    std::mutex m_mutex;
    std::map<FileId, int> m_counts;
};

} // namespace assay::store
