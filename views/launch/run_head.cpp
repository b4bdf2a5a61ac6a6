// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/run_head.h"

#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kMark = 20; // px
}

RunHead::RunHead(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_mark(new QLabel(this))
    , m_title(new QLabel(this))
    , m_said(new QLabel(this))
    , m_show(new QPushButton(tr("Show in Triage"), this))
    , m_difference(new QPushButton(tr("Difference"), this))
{
    m_mark->setFixedSize(kMark, kMark);
    m_title->setObjectName(u"launch.title"_s);
    m_title->setTextFormat(Qt::PlainText);
    QFont bold = theme.uiFont();
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);
    m_said->setObjectName(u"launch.outcome"_s);
    m_said->setTextFormat(Qt::PlainText);
    m_said->setWordWrap(true);
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_show->setObjectName(u"launch.show"_s);
    m_show->setToolTip(tr("Select the run's row, with its evidence (Enter)"));
    m_difference->setObjectName(u"launch.difference"_s);
    m_difference->setToolTip(tr("The outputs of the run's row beside their reference (D)"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    auto* lines = new QVBoxLayout;
    lines->setSpacing(2);
    lines->addWidget(m_title);
    lines->addWidget(m_said);
    row->addWidget(m_mark, 0, Qt::AlignTop);
    row->addLayout(lines, 1);
    row->addWidget(m_show, 0, Qt::AlignTop);
    row->addWidget(m_difference, 0, Qt::AlignTop);
    connect(m_show, &QPushButton::clicked, this, &RunHead::rowAsked);
    connect(m_difference, &QPushButton::clicked, this, &RunHead::differenceAsked);
    connect(&theme, &Theme::changed, this, &RunHead::paintMark);
}

void RunHead::paintMark()
{
    m_mark->setPixmap(m_theme.cellPixmap(m_cell, kMark, devicePixelRatioF()));
}

void RunHead::setTitle(const QString& title)
{
    m_title->setText(title);
}

void RunHead::setOutcome(contract::StripCell cell, const QString& sentence)
{
    m_cell = cell;
    m_said->setText(sentence);
    paintMark();
}

void RunHead::setOffered(bool offered)
{
    m_show->setEnabled(offered);
    m_difference->setEnabled(offered);
}

} // namespace assay::views
