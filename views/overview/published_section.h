// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/report.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QTreeView;

namespace assay::views {

class PublishedModel;
class Theme;

/// Figures the audit published, apart from the recomputed ones: the most asked-for in sentences, all of them in a searchable
/// tree.
class PublishedSection final : public QWidget {
    Q_OBJECT
public:
    explicit PublishedSection(const Theme& theme, QWidget* parent = nullptr);

    void setNumbers(const std::vector<report::PublishedNumber>& numbers);

Q_SIGNALS:
    void copied(const QString& what);

private:
    void restyle();
    void showHighlights();
    void copySelection(bool markdown);

    const Theme& m_theme;
    std::vector<report::PublishedNumber> m_numbers;
    PublishedModel* m_model = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_remark = nullptr;
    QLabel* m_highlights = nullptr;
    QLineEdit* m_search = nullptr;
    QTreeView* m_tree = nullptr;
};

} // namespace assay::views
