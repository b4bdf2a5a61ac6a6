// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/main_window.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace assay::workbench {

/// A figure to write.
struct FigureOrder {
    QString path; ///< "" : none
    QString gate;
    QString family;  ///< "" : all
    QString dtype;   ///< "" : float32 where there is one
    QString version; ///< beginning of its hash; "" : the newest
    QString size = QStringLiteral("180mm");
    QString plan; ///< "128x64": the plan of the device kernels for so many keys and values instead; needs no database
    int keys = 0;
    int values = 0;
};

/// The command line of assay-workbench.
struct Options {
    views::StartRequest start;
    QString grab;                ///< PNG to write; "" : open a window
    QSize size{1600, 1000};      ///< logical pixels
    std::optional<double> scale; ///< device pixel ratio
    QString html;                ///< page to lay out; "" : none
    QString pdf;                 ///< where it goes
    FigureOrder figure;
    bool help = false;
    bool version = false;
};

struct ParsedOptions {
    Options options;
    QString problem; ///< one line; "" where the command line makes sense
};

/// @param arguments  with the program's name first
ParsedOptions parseOptions(const QStringList& arguments);

/// What --help prints.
QString helpText(const QString& program);

} // namespace assay::workbench
