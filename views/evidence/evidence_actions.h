// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"

#include <QObject>

#include <functional>

class QWidget;

namespace assay::views {

/// The keys of the evidence pane, as actions of the pane: they work in the whole window while it is visible.
/// Text fields keep their letters, because they claim printable keys before shortcuts see them.
class EvidenceActions final : public QObject {
    Q_OBJECT
public:
    explicit EvidenceActions(QWidget& pane);

    /// What D does where there are no outputs to compare.
    void askForSourceDiff() { Q_EMIT diffToggled(); }

Q_SIGNALS:
    void sectionAsked(const QString& section); ///< see EvidencePane::showSection()
    void outputsAsked();
    void diffToggled();
    void noteAsked();
    void waiverAsked();
    void findAsked();
    void gateAsked(assay::contract::Gate gate);

private:
    void add(const QString& name, const QString& text, const QString& keys, std::function<void()> run);
    QWidget& m_pane;
};

} // namespace assay::views
