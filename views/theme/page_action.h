// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

#include <functional>

class QAction;
class QWidget;

namespace assay::views {

/// Adds an action to a page: it works while the keyboard is in the page, and the cheat sheet finds it among its actions.
/// @param name  its object name: "diff.metric"
QAction* addPageAction(QWidget& page, const QString& name, const QString& text, const QList<QKeySequence>& keys,
                       std::function<void()> run);

} // namespace assay::views
