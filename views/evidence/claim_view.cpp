// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/claim_view.h"

#include "views/evidence/claim_text.h"
#include "views/evidence/facts_model.h"
#include "views/evidence/measure_text.h"
#include "views/theme/table_look.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostRows = 8;
constexpr int kMostJsonLines = 18;

QString orDash(const std::string& text)
{
    return text.empty() ? u"\u2013"_s : measure_text::fromUtf8(text);
}

} // namespace

ClaimView::ClaimView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_baselines(new FactsModel({tr("Harness"), tr("Verdict"), tr("Trials"), tr("Detail")}, this))
    , m_origins(new FactsModel(
          {tr("Corpus"), tr("Id"), tr("Hardware"), tr("Path"), tr("Repository"), tr("Revision"), tr("Licence"), tr("Link")},
          this))
    , m_claim(new QLabel(this))
    , m_json(new QPlainTextEdit(this))
    , m_baselineTitle(new QLabel(this))
    , m_originTitle(new QLabel(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 8);
    layout->setSpacing(8);
    m_claim->setWordWrap(true);
    m_claim->setObjectName(u"claim"_s);
    m_claim->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_json->setReadOnly(true);
    m_json->setObjectName(u"claimJson"_s);
    m_json->setAccessibleName(tr("Claim as recorded"));
    m_json->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_baselineTable = makeTable(*m_baselines, tr("Verdicts of other harnesses"));
    m_originTable = makeTable(*m_origins, tr("Where this kernel was found"));
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_claim, m_json, m_baselineTitle, m_baselineTable, m_originTitle, m_originTable})
        layout->addWidget(widget);
    layout->addStretch(1);
    connect(&theme, &Theme::changed, this, &ClaimView::restyle);
    restyle();
}

QTableView* ClaimView::makeTable(FactsModel& model, const QString& name)
{
    auto* table = new QTableView(this);
    table->setModel(&model);
    table->setAccessibleName(name);
    giveTableLook(*table, m_theme);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void ClaimView::setDetails(const store::KernelDetails& details)
{
    m_claim->setText(claimSentence(details.kernel));
    m_json->setVisible(!details.kernel.claim.empty());
    if (const QString json = prettyJson(details.kernel.claim); json != m_json->toPlainText())
        m_json->setPlainText(json);
    const int lines = std::clamp(m_json->blockCount(), 2, kMostJsonLines);
    m_json->setFixedHeight(lines * QFontMetrics(m_json->font()).lineSpacing() + 20);
    QVector<QStringList> baselines;
    if (details.verdict) {
        for (const store::BaselineRecord& b : details.verdict->baselines)
            baselines << QStringList{orDash(b.mode), orDash(b.verdict), orDash(b.trials), orDash(b.detail)};
    }
    m_baselines->setRows(baselines);
    m_baselineTitle->setText(baselines.isEmpty() ? tr("No other harness' verdict is recorded for this kernel.")
                                                 : tr("What other harnesses said"));
    m_baselineTable->setVisible(!baselines.isEmpty());
    QVector<QStringList> origins;
    for (const store::OriginRow& o : details.origins)
        origins << QStringList{orDash(o.corpus),     orDash(o.externalId),
                               orDash(o.hardware),   orDash(o.path),
                               orDash(o.repository), orDash(o.revision),
                               orDash(o.licence),    o.inferred ? tr("inferred from order") : tr("named by the record")};
    m_origins->setRows(origins);
    m_originTitle->setText(origins.isEmpty()
                               ? tr("Where it was found is not recorded.")
                               : tr("Found in ") + measure_text::counted(origins.size(), tr("place"), tr("places")));
    m_originTable->setVisible(!origins.isEmpty());
    for (QTableView* table : {m_baselineTable, m_originTable}) {
        fitHeight(*table, kMostRows);
        table->resizeColumnsToContents();
        table->setFixedHeight(table->height() + (table->horizontalHeader()->length() > width() ? 12 : 0));
    }
}

void ClaimView::restyle()
{
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, m_theme.mutedInk());
    for (QLabel* label : {m_baselineTitle, m_originTitle})
        label->setPalette(muted);
    m_json->setFont(m_theme.numberFont());
}

} // namespace assay::views
