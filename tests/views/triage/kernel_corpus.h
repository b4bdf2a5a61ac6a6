// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"

#include <QTemporaryDir>

#include <filesystem>

namespace assay::tests {

/// Twelve kernels of one audit, written as an importer would write them:
///   1 scan passes, baseline pass        2 scan EXC-01 hard (NaN mask), baseline pass
///   3 scan CMP-01 soft 1.121e22 against 6.053e21, 8e-5 of scale, and PRC-02 soft infinite
///   4 norm crash in RES-01              5 norm EXC-01 could not be judged
///   6 matmul CMP-01 soft 0.5            7 matmul ORD-01 soft NaN
///   8 matmul passes, PRC-01 unsupported, CMP-03 inapplicable, EXC-02 not exercised
///   9 conv EXC-01 hard and CMP-01 soft 2e-3      10, 11, 12 conv pass; 12 is CUDA
void writeTwelveKernels(const std::filesystem::path& path);

/// @p count kernels "1", "2", ... with a triage row each; every third fails EXC-01 hard, titles are "kernel N".
void writeManyKernels(const std::filesystem::path& path, int count);

/// The shared objects of a window, on a database of their own.
struct Window {
    QTemporaryDir folder;
    views::Workspace workspace;
    views::Selection selection;
    views::FilterStack filters;
    views::Theme theme;
    views::Messages messages;
    views::Jobs jobs;
    views::Context context{workspace, selection, filters, jobs, messages, theme};

    QString databasePath() const { return folder.filePath(QStringLiteral("kernels.assay")); }
    void openTwelve();
    void openMany(int count);
    std::unique_ptr<store::Database> otherProcess() const; ///< a second connection, as another process has one
};

/// Row id of the kernel called @p externalId.
std::int64_t kernelId(store::Database& database, const char* externalId);

} // namespace assay::tests
