// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QString>

namespace assay::views {

/// Filter lines that list the rows behind the overview's numbers, under one rule set.
class LinkFilters {
public:
    explicit LinkFilters(QString ruleSet = QStringLiteral("as-published"));

    QString audited(const QString& family = {}) const;
    QString toleranceFree(const QString& family = {}) const;
    QString violation(const QString& family = {}) const;
    QString forgiven() const;
    /// Audited rows where @p gate has @p verdict ("fail", "hard", "inapplicable", "error" ...).
    /// @param forgiving  the rules forgave failures of this gate: forgiven rows are left out
    QString gate(contract::Gate gate, const QString& verdict, const QString& family = {}, bool forgiving = false) const;
    /// Rows of a recomputed cross table.
    QString baseline(bool theyPass, bool wePass) const;

private:
    QString flag(const QString& name) const;
    static QString inFamily(const QString& family);
    QString m_ruleSet;
};

} // namespace assay::views
