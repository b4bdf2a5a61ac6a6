// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/report.h"

#include <QString>
#include <QVector>

#include <vector>

namespace assay::views {

/// One published result in a sentence, with the file it comes from.
struct PublishedHighlight {
    QString title;
    QString sentence;
    QString file;
    bool operator==(const PublishedHighlight&) const = default;
};

/// The published figures a reader looks for first: environment, agreement, calibration margins, positive control, sample.
/// Figures that are not there are left out; nothing is made up from parts of them.
QVector<PublishedHighlight> publishedHighlights(const std::vector<report::PublishedNumber>& numbers);

} // namespace assay::views
