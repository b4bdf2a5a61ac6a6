// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace assay::views {

class Theme;

/// What runs or ran, what became of it, and the ways to its row.
class RunHead final : public QWidget {
    Q_OBJECT
public:
    explicit RunHead(const Theme& theme, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setOutcome(contract::StripCell cell, const QString& sentence);
    /// There is a row to show.
    void setOffered(bool offered);

Q_SIGNALS:
    void rowAsked();
    void differenceAsked();

private:
    void paintMark();

    const Theme& m_theme;
    contract::StripCell m_cell = contract::StripCell::Absent;
    QLabel* m_mark = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_said = nullptr;
    QPushButton* m_show = nullptr;
    QPushButton* m_difference = nullptr;
};

} // namespace assay::views
