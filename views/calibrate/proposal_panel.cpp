// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/proposal_panel.h"

#include "views/calibrate/flip_model.h"
#include "views/calibrate/trial_words.h"
#include "views/theme/table_look.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kMostFlips = 6; ///< rows of flips that are seen without scrolling
} // namespace

ProposalPanel::ProposalPanel(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_said(new QLabel(this))
    , m_flips(new FlipModel(this))
    , m_table(new QTableView(this))
{
    setProperty("look", u"topbar"_s);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(16, 6, 16, 8);
    m_said->setObjectName(u"calibrate.flips"_s);
    m_said->setWordWrap(true);
    m_table->setObjectName(u"calibrate.flipTable"_s);
    m_table->setAccessibleName(tr("Verdicts that would flip"));
    m_table->setModel(m_flips);
    giveTableLook(*m_table, theme);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* buttons = new QHBoxLayout;
    auto* write = new QPushButton(tr("Write as a new version"), this);
    write->setObjectName(u"calibrate.write"_s);
    write->setProperty("look", u"primary"_s);
    auto* leave = new QPushButton(tr("Leave it"), this);
    buttons->addStretch(1);
    buttons->addWidget(leave);
    buttons->addWidget(write);
    rows->addWidget(m_said);
    rows->addWidget(m_table);
    rows->addLayout(buttons);
    connect(write, &QPushButton::clicked, this, &ProposalPanel::writeAsked);
    connect(leave, &QPushButton::clicked, this, &ProposalPanel::left);
}

void ProposalPanel::setFlips(double threshold, std::vector<report::VerdictFlip> found)
{
    m_said->setText(trial_words::flips(threshold, found));
    m_table->setVisible(!found.empty());
    m_flips->setRows(std::move(found));
    m_table->resizeColumnsToContents();
    fitHeight(*m_table, kMostFlips);
}

} // namespace assay::views
