// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QList>

class QAction;

namespace assay::views {

/// The column of places at the left edge. Shows which one is open; its buttons trigger the places' actions.
class Rail final : public QFrame {
    Q_OBJECT
public:
    explicit Rail(const QList<QAction*>& places, QWidget* parent = nullptr);
};

} // namespace assay::views
