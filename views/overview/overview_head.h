// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"

#include <QWidget>

class QGridLayout;
class QLabel;

namespace assay::views {

class RuleSwitch;
class Theme;

/// Which audit the page speaks of, and under which rules it counts.
class OverviewHead final : public QWidget {
    Q_OBJECT
public:
    explicit OverviewHead(const Theme& theme, QWidget* parent = nullptr);

    RuleSwitch& rules() { return *m_rules; }
    void setScope(const store::Scope& scope);
    void setLoading(bool loading);
    /// The failure's one line; "" when the numbers are fine.
    void setProblem(const QString& problem);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void restyle();
    bool fitsOneLine(int width) const;

    const Theme& m_theme;
    QGridLayout* m_layout = nullptr;
    RuleSwitch* m_rules = nullptr;
    QLabel* m_audit = nullptr;
    QLabel* m_state = nullptr;
};

} // namespace assay::views
