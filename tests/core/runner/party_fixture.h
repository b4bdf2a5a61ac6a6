// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/party_process.h"
#include "core/text/error.h"

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QtTest>

namespace assay::tests {

/// The Python that parties run in, as the tests find it.
inline std::string testPython()
{
    return qEnvironmentVariable("ASSAY_PYTHON", QStringLiteral("/usr/bin/python3")).toStdString();
}

/// A fork server whose parties are tests/core/runner/parties/MODULE.py.
inline runner::ForkServerOptions fakeOptions(const char* module = "fake_party")
{
    runner::ForkServerOptions options;
    options.python = testPython();
    options.importPaths = {ASSAY_BINARY_DIR "/worker", ASSAY_TEST_DATA "/parties"};
    options.warm.clear();
    options.partyModule = module;
    options.limits.addressSpace = std::int64_t{1} << 30;
    options.limits.fileBytes = std::int64_t{64} << 20;
    options.limits.processes = 64;
    options.limits.cpuSeconds = 60;
    options.limits.openFiles = 256;
    options.folderBytes = std::int64_t{16} << 20;
    return options;
}

inline runner::PartySetup setupWith(const QByteArray& source)
{
    runner::PartySetup setup;
    setup.source = source.toStdString();
    setup.limits.hello = std::chrono::seconds(60);
    setup.limits.load = std::chrono::seconds(60);
    setup.limits.build = std::chrono::seconds(60);
    setup.limits.run = std::chrono::seconds(60);
    return setup;
}

} // namespace assay::tests

/// Starts @p server, or skips the test where the machine has no sandbox.
#define ASSAY_START_OR_SKIP(server)                                                                                              \
    try {                                                                                                                        \
        (server).start();                                                                                                        \
    } catch (const assay::Error& lack) {                                                                                         \
        if (std::string(lack.what()).starts_with("no sandbox"))                                                                  \
            QSKIP(lack.what());                                                                                                  \
        QFAIL(lack.what());                                                                                                      \
    }
