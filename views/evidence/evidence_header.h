// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"
#include "core/store/kernel_details.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace assay::views {

class GateStripBar;
class Theme;

/// Which kernel this is, what became of it, and its gates; the finding in one sentence below.
class EvidenceHeader final : public QWidget {
    Q_OBJECT
public:
    explicit EvidenceHeader(const Theme& theme, QWidget* parent = nullptr);

    void setDetails(const store::KernelDetails& details);
    GateStripBar& strip() { return *m_strip; }
    /// Shows what the judge is at instead of a verdict until setDetails() is called: cells and one sentence.
    void setUnderWay(contract::GateStrip strip, const QString& sentence);

    /// Hides the outcome, the gates and the finding.
    void setBlinded(bool blinded);

    /// The strip of @p verdict; gates it does not have are absent.
    static contract::GateStrip stripOf(const std::optional<store::VerdictRecord>& verdict);
    /// The state of the whole verdict.
    static contract::StripCell outcomeOf(const std::optional<store::VerdictRecord>& verdict);
    /// The one sentence to read first; says so where there is none.
    static QString findingOf(const store::KernelDetails& details);
    /// Family, language, shape, speedup, elapsed: what is known, in one line.
    static QString factsOf(const store::KernelDetails& details);

Q_SIGNALS:
    void bookmarkToggled(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showTitle();
    void restyle();

    const Theme& m_theme;
    bool m_isBlinded = false;
    contract::StripCell m_outcome = contract::StripCell::Absent;
    QLabel* m_shape = nullptr;
    QLabel* m_title = nullptr;
    QString m_fullTitle;
    QLabel* m_outcomeText = nullptr;
    QToolButton* m_bookmark = nullptr;
    QLabel* m_facts = nullptr;
    QString m_fullFacts;
    QString m_blindFacts; ///< without what a judge found out
    GateStripBar* m_strip = nullptr;
    QLabel* m_finding = nullptr;
};

} // namespace assay::views
