// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace assay::views {

/// Lays the page @p html out on A4 into @p pdf, with page numbers; nothing is fetched from anywhere. Needs a QGuiApplication.
/// @return "" or one line that says what went wrong; then no file is left
QString printPage(const QString& html, const QString& pdf);

} // namespace assay::views
