// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <string_view>

namespace assay::views {

/// One of the four places of the rail. Triage has the pages "overview" and "kernels"; the others are one page each.
struct Place {
    QLatin1StringView id; ///< for the command line and links
    const char* title;    ///< translated in the context "Places"
    QLatin1StringView icon;
    QLatin1StringView key; ///< shortcut
    const char* hint;      ///< tool tip, translated in the context "Places"
};

const std::array<Place, 4>& places();

/// "triage" for the pages overview and kernels, else the page itself: which button of the rail is lit.
QString placeOfPage(const QString& page);

} // namespace assay::views
