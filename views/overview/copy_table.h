// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

namespace assay::views {

/// Tab-separated rows; tabs and line breaks inside a cell become spaces.
QString toTsv(const QVector<QStringList>& rows);

/// A Markdown table whose first row is the header; bars inside a cell are escaped.
QString toMarkdownTable(const QVector<QStringList>& rows);

} // namespace assay::views
