// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/launch/launch_settings.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace assay::views {

/// A GPU that the driver of this machine tells of.
struct LocalGpu {
    QString name;       ///< "NVIDIA H200"
    QString capability; ///< "9.0"
    bool operator==(const LocalGpu&) const = default;
};

/// What this machine has for the operator, found by asking.
struct DeviceFacts {
    bool isKnown = false;       ///< false until it was asked for
    std::vector<LocalGpu> gpus; ///< in the driver's order: cuda:0, cuda:1, ...
    QString gpuLack;            ///< why there is none, in a few words; "" where there is one
    QString library;            ///< path of the device kernels' library; "" where it was not built
};

/// Asks nvidia-smi and looks for the library. Takes up to seconds: not for the GUI thread.
DeviceFacts findDevices();

/// What a run with these settings would really use, in plain words: a title, then one sentence a line.
struct DeviceCardText {
    QString title;
    QStringList lines;
};
DeviceCardText deviceCard(const LaunchSettings& settings, const DeviceFacts& facts);

} // namespace assay::views
