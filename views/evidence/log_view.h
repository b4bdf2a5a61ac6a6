// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/kernel_details.h"

#include <QWidget>

class QPlainTextEdit;

namespace assay::views {

class Theme;

/// What the audit wrote down in its own words: error text, every gate's reason, members without a column, versions.
class LogView final : public QWidget {
    Q_OBJECT
public:
    explicit LogView(const Theme& theme, QWidget* parent = nullptr);

    void setDetails(const store::KernelDetails& details);

    /// The text shown; says so where nothing is recorded.
    static QString textOf(const store::KernelDetails& details);

private:
    const Theme& m_theme;
    QPlainTextEdit* m_text = nullptr;
};

} // namespace assay::views
