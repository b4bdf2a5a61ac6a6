// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/checks_view.h"

#include "views/evidence/cell_delegate.h"
#include "views/evidence/check_model.h"
#include "views/evidence/gate_model.h"
#include "views/evidence/measure_text.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostChecksShown = 14;
constexpr int kRoomForBars = 440; // px

QLabel* selectable(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setFocusPolicy(Qt::ClickFocus);
    return label;
}

} // namespace

ChecksView::ChecksView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_gates(new GateModel(this))
    , m_checks(new CheckModel(this))
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 4, 0, 8);
    layout->setSpacing(8);
    scroll->setWidget(page);
    outer->addWidget(scroll);

    m_gateTable = new QTableView(page);
    m_gateTable->setObjectName(u"gateTable"_s);
    m_gateTable->setModel(m_gates);
    m_gateTable->setAccessibleName(tr("Gates"));
    m_gateTable->setItemDelegateForColumn(GateModel::Gate, new CellDelegate(theme, GateModel::CellRole, this));
    giveTableLook(*m_gateTable, theme);
    m_gateTable->setSelectionMode(QAbstractItemView::SingleSelection);
    m_gateTable->setColumnWidth(GateModel::Gate, 92);
    m_gateTable->setColumnWidth(GateModel::State, 126);
    m_gateTable->horizontalHeader()->setStretchLastSection(true);
    m_gateTable->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    fitHeight(*m_gateTable, contract::kGateCount);

    m_gateTitle = selectable(page);
    m_gateTitle->setObjectName(u"gateTitle"_s);
    m_checkTable = new QTableView(page);
    m_checkTable->setObjectName(u"checkTable"_s);
    m_checkTable->setModel(m_checks);
    m_checkTable->setAccessibleName(tr("Checks of the chosen gate"));
    m_checkTable->setItemDelegateForColumn(CheckModel::Stimulus, new CellDelegate(theme, CheckModel::CellRole, this));
    m_checkTable->setItemDelegateForColumn(CheckModel::Bar,
                                           new MeasureDelegate(theme,
                                                               {CheckModel::ValueRole, CheckModel::ValueClassRole,
                                                                CheckModel::ThresholdRole, CheckModel::ThresholdClassRole},
                                                               this));
    giveTableLook(*m_checkTable, theme);
    m_checkTable->horizontalHeader()->setSectionResizeMode(CheckModel::Stimulus, QHeaderView::Stretch);
    for (const int column : {CheckModel::Measured, CheckModel::Allowed, CheckModel::OfScale})
        m_checkTable->setColumnWidth(column, std::max(76, m_checkTable->horizontalHeader()->sectionSizeHint(column)));
    m_checkTable->setColumnWidth(CheckModel::Bar, 104);
    m_sentence = selectable(page);
    m_sentence->setObjectName(u"checkSentence"_s);
    m_sentence->setAccessibleName(tr("The chosen check"));
    m_limit = selectable(page);
    m_limit->setObjectName(u"checkLimit"_s);
    m_limit->setAccessibleName(tr("Where its threshold comes from"));
    m_reasonTitle = new QLabel(tr("Reason as the audit wrote it"), page);
    m_reason = selectable(page);
    m_reason->setObjectName(u"reason"_s);
    m_reason->setAccessibleName(tr("Reason as the audit wrote it"));
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_gateTable, m_gateTitle, m_limit, m_checkTable, m_sentence, m_reasonTitle, m_reason})
        layout->addWidget(widget);
    layout->addStretch(1);

    connect(m_gateTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_following && current.isValid())
            Q_EMIT gateChosen(contract::kAllGates[std::size_t(current.row())]);
    });
    connect(m_checkTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) { showCheck(current.row()); });
    connect(&theme, &Theme::changed, this, &ChecksView::restyle);
    restyle();
}

void ChecksView::resizeEvent(QResizeEvent* event)
{
    // Where the room is short, the name of the check matters more than the picture of two numbers beside it.
    m_checkTable->setColumnHidden(CheckModel::Bar, event->size().width() < kRoomForBars);
    QWidget::resizeEvent(event);
}

void ChecksView::setDetails(const store::KernelDetails& details)
{
    const QScopedValueRollback following(m_following, true);
    m_waivers = details.waivers;
    m_audit = details.audit;
    m_gates->setVerdict(details.verdict);
    setGate(m_gate);
}

QString ChecksView::waiverSentence() const
{
    for (const store::WaiverRow& waiver : m_waivers) {
        const bool concerns
            = waiver.gate.empty() || (m_gate && measure_text::fromUtf8(waiver.gate) == measure_text::gateId(*m_gate));
        if (concerns && waiver.withdrawnAt.empty())
            return tr(" Waived by %1: %2").arg(measure_text::fromUtf8(waiver.author), measure_text::fromUtf8(waiver.reason));
    }
    return {};
}

QString ChecksView::gateSentence() const
{
    if (!m_gate)
        return tr("Choose a gate to see its checks.");
    const std::string_view title = contract::title(*m_gate);
    QString text = measure_text::gateId(*m_gate) + u", "_s + QString::fromUtf8(title.data(), qsizetype(title.size()));
    const store::GateRecord* record = m_gates->record(m_gates->rowOf(*m_gate));
    if (!record)
        return text + tr(": not run in this audit.");
    text += u": "_s + measure_text::verdict(record->verdict, record->severity);
    if (record->exercised && record->total)
        text += tr(", %1 of %2 checks exercised").arg(*record->exercised).arg(*record->total);
    else if (record->skipped && *record->skipped > 0)
        text += u", "_s + measure_text::counted(*record->skipped, tr("check skipped"), tr("checks skipped"));
    text += u'.';
    if (record->value.isPresent())
        text += u' ' + tr("Measured ") + measure_text::proportion(record->value, record->threshold, record->relative) + u'.';
    return text + waiverSentence();
}

void ChecksView::setGate(std::optional<contract::Gate> gate)
{
    const QScopedValueRollback following(m_following, true);
    const int row = gate == m_gate ? m_checkTable->currentIndex().row() : 0;
    m_gate = gate;
    const store::GateRecord* record = gate ? m_gates->record(m_gates->rowOf(*gate)) : nullptr;
    if (gate)
        m_gateTable->selectRow(m_gates->rowOf(*gate));
    else
        m_gateTable->clearSelection();
    m_checks->setGate(record, m_audit);
    m_gateTitle->setText(gateSentence());
    m_checkTable->setVisible(m_checks->rowCount() > 0);
    fitHeight(*m_checkTable, kMostChecksShown);
    if (m_checks->rowCount() > 0)
        m_checkTable->selectRow(std::clamp(row, 0, m_checks->rowCount() - 1)); // content that is read again keeps its place
    else
        m_sentence->setText(record && record->verdict != contract::Verdict::Absent
                                ? tr("The audit recorded no single checks for this gate.")
                                : QString());
    m_sentence->setVisible(!m_sentence->text().isEmpty());
    m_limit->setVisible(m_checks->rowCount() > 0 && !m_limit->text().isEmpty());
    const bool reason = record && !record->reason.empty();
    m_reasonTitle->setVisible(reason);
    m_reason->setVisible(reason);
    m_reason->setText(reason ? measure_text::fromUtf8(record->reason) : QString());
}

void ChecksView::showCheck(int row)
{
    m_sentence->setText(m_checks->sentence(row));
    m_sentence->setVisible(!m_sentence->text().isEmpty());
    m_limit->setText(m_checks->limit(row));
    m_limit->setVisible(!m_limit->text().isEmpty());
}

void ChecksView::restyle()
{
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, m_theme.mutedInk());
    for (QLabel* quiet : {m_limit, m_reasonTitle}) {
        quiet->setPalette(muted);
        quiet->setFont(m_theme.smallFont());
    }
    QFont title = m_theme.uiFont();
    title.setWeight(QFont::DemiBold);
    m_gateTitle->setFont(title);
    m_reason->setFont(m_theme.numberFont());
    m_reason->setStyleSheet(u"QLabel{background:%1;border:1px solid %2;border-radius:4px;padding:8px;}"_s.arg(
        m_theme.raised().name(), m_theme.line().name()));
    fitHeight(*m_gateTable, contract::kGateCount);
    fitHeight(*m_checkTable, kMostChecksShown);
}

} // namespace assay::views
