// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace assay::views {

class Theme;

/// The look all small tables of the pages share: whole rows, no grid, row height of the theme, Ctrl+C copies as TSV.
void giveTableLook(QTableView& table, const Theme& theme);

/// Makes @p table as tall as its rows, at most @p mostRows.
void fitHeight(QTableView& table, int mostRows);

} // namespace assay::views
