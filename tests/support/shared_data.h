// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QString>
#include <QtTest>

namespace assay::tests {

/// Folder with real corpora beside the checkout (ASSAY_SHARED_DATA, else ../shared), or "" where it is absent.
inline QString sharedDir()
{
    const QString asked = qEnvironmentVariable("ASSAY_SHARED_DATA");
    const QString path = asked.isEmpty() ? QStringLiteral(ASSAY_SOURCE_DIR "/../shared") : asked;
    return QDir(path).exists(QStringLiteral("corpora")) ? QDir(path).canonicalPath() : QString();
}

} // namespace assay::tests

/// Skips the test function where the real corpora are absent.
#define ASSAY_REQUIRE_SHARED(variable) \
    const QString variable = assay::tests::sharedDir(); \
    if ((variable).isEmpty()) \
    QSKIP("no shared corpora beside this checkout (set ASSAY_SHARED_DATA)")
