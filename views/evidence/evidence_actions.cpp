// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/evidence_actions.h"

#include "views/evidence/measure_text.h"

#include <QAction>
#include <QWidget>

namespace assay::views {

using namespace Qt::StringLiterals;

EvidenceActions::EvidenceActions(QWidget& pane)
    : QObject(&pane)
    , m_pane(pane)
{
    add(u"checks"_s, tr("Checks"), u"C"_s, [this] { Q_EMIT sectionAsked(u"checks"_s); });
    add(u"sources"_s, tr("Sources"), u"S"_s, [this] { Q_EMIT sectionAsked(u"sources"_s); });
    add(u"outputs"_s, tr("Difference of the outputs, or of the sources where none are kept"), u"D"_s,
        [this] { Q_EMIT outputsAsked(); });
    add(u"difference"_s, tr("Difference of the sources"), u"Shift+D"_s, [this] { Q_EMIT diffToggled(); });
    add(u"claim"_s, tr("Claim and origins"), u"O"_s, [this] { Q_EMIT sectionAsked(u"claim"_s); });
    add(u"log"_s, tr("Log"), u"L"_s, [this] { Q_EMIT sectionAsked(u"log"_s); });
    add(u"note"_s, tr("Write a note"), u"N"_s, [this] { Q_EMIT noteAsked(); });
    add(u"waive"_s, tr("Waive with a reason"), u"W"_s, [this] { Q_EMIT waiverAsked(); });
    add(u"find"_s, tr("Find in the source"), u"Ctrl+F"_s, [this] { Q_EMIT findAsked(); });
    // The keys of a digit row, left to right: twelve gates, twelve keys.
    constexpr const char* kKeys[contract::kGateCount] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="};
    for (const contract::Gate gate : contract::kAllGates) {
        add(u"gate."_s + measure_text::gateId(gate), tr("Show gate %1").arg(measure_text::gateId(gate)),
            u"G, "_s + QString::fromLatin1(kKeys[contract::indexOf(gate)]), [this, gate] { Q_EMIT gateAsked(gate); });
    }
}

void EvidenceActions::add(const QString& name, const QString& text, const QString& keys, std::function<void()> run)
{
    auto* action = new QAction(text, &m_pane);
    action->setObjectName(u"evidence."_s + name);
    action->setShortcut(QKeySequence(keys));
    action->setToolTip(tr("%1 (%2)").arg(text, action->shortcut().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_pane.addAction(action);
}

} // namespace assay::views
