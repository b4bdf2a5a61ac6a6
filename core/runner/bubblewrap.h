// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace assay::runner {

/// What a sandboxed Python must still see.
struct VisiblePaths {
    std::vector<std::string> needed; ///< interpreter, prefixes, import paths, library paths: absolute, files or folders
    bool gpu = false;                ///< the NVIDIA device files too
};

/// A prefix for a command: bubblewrap and its options.
struct Bubblewrap {
    std::vector<std::string> command;
    std::vector<std::string> isolation; ///< what the options could not hide, in plain words
};

/// Folder inside the sandbox in which the fork server may write and over which every party mounts a private one.
inline constexpr const char* kPrivateFolder = "/run/assay";

/// The read-only root, without the folders of people (homes, temporary and run-time folders) except for what @p paths needs
/// of them; devices: the harmless ones and, where asked for, the GPU; no network; dies with the thread that started it.
/// @param ownUser  make a user namespace although the caller is root
Bubblewrap bubblewrap(const VisiblePaths& paths, bool ownUser);

} // namespace assay::runner
