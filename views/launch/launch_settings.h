// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/launch.h"

#include <QJsonObject>
#include <QList>
#include <QString>

#include <array>
#include <cstdint>

namespace assay::views {

/// What the form holds, as a person typed it. Remembered in the session.
struct LaunchSettings {
    QString family = QStringLiteral("gdn2");
    QString batch = QStringLiteral("1");
    QString tokens = QStringLiteral("128");
    QString heads = QStringLiteral("2");
    QString keys = QStringLiteral("64");
    QString values = QStringLiteral("64");
    QString dtype = QStringLiteral("float32");
    QString device = QStringLiteral("cpu"); ///< "cpu", "cuda:0": on this machine, or on the one that the prefix leads to
    bool isElsewhere = false;               ///< through the prefix
    QString prefix;                         ///< "ssh gpu01"
    QString seed = QStringLiteral("1");
    bool operator==(const LaunchSettings&) const = default;
};

/// The lines of the form that can be wrong.
enum class LaunchField { Batch, Tokens, Heads, Keys, Values, Dtype, Device, Prefix, Seed };

struct FieldProblem {
    LaunchField field;
    QString text; ///< one line: what was expected
};

/// What is wrong with @p settings, at most one line a field, in the order of the form; nothing where they can be launched.
/// @param memoryBytes  of this machine: what a run on its CPU may need at most
QList<FieldProblem> problemsIn(const LaunchSettings& settings, std::uint64_t memoryBytes);

/// Bytes that timing a shape on the CPU keeps at a time, estimated from the tensors that are alive.
std::uint64_t bytesOnCpu(const gdn::Shape& shape);

/// Bytes of memory this machine has.
std::uint64_t machineMemory();

/// The request that @p settings ask for; they have no problems. Database and interpreter are left to the caller.
launch::LaunchRequest requestOf(const LaunchSettings& settings);

/// Sizes that are worth a run.
struct LaunchPreset {
    const char* title;                 ///< translated in the context "LaunchForm"
    std::array<std::int64_t, 5> sizes; ///< B, T, H, K, V
};
const std::array<LaunchPreset, 5>& launchPresets();

QJsonObject toJson(const LaunchSettings& settings);
/// What is missing or foreign keeps its default.
LaunchSettings launchSettingsFrom(const QJsonObject& object);

} // namespace assay::views
