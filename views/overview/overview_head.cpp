// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/overview_head.h"

#include "views/overview/rule_switch.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QResizeEvent>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kSpacing = 16;
}

OverviewHead::OverviewHead(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_rules(new RuleSwitch(theme, report::builtInRuleSets(), this))
    , m_audit(new QLabel(this))
    , m_state(new QLabel(this))
{
    m_layout = new QGridLayout(this);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(kSpacing);
    m_layout->setVerticalSpacing(8);
    m_layout->addWidget(m_audit, 0, 0);
    m_layout->addWidget(m_state, 0, 1);
    m_layout->addWidget(m_rules, 0, 2);
    m_layout->setColumnStretch(1, 1);
    m_audit->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_state->setTextFormat(Qt::PlainText);
    connect(&theme, &Theme::changed, this, &OverviewHead::restyle);
    restyle();
}

bool OverviewHead::fitsOneLine(int width) const
{
    return m_audit->sizeHint().width() + m_rules->sizeHint().width() + 3 * kSpacing <= width;
}

int OverviewHead::heightForWidth(int width) const
{
    const int line = std::max(m_audit->sizeHint().height(), m_rules->sizeHint().height());
    return fitsOneLine(width) ? line : m_audit->sizeHint().height() + 8 + m_rules->sizeHint().height();
}

void OverviewHead::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_layout->removeWidget(m_rules);
    if (fitsOneLine(event->size().width()))
        m_layout->addWidget(m_rules, 0, 2);
    else
        m_layout->addWidget(m_rules, 1, 0, 1, 3);
}

void OverviewHead::setScope(const store::Scope& scope)
{
    m_rules->setVisible(!scope.isJudged());
    QStringList parts{QString::fromStdString(scope.corpusName)};
    if (!scope.auditName.empty())
        parts << QString::fromStdString(scope.auditName);
    if (!scope.device.empty())
        parts << QString::fromStdString(scope.device);
    parts << number_text::kernels(scope.kernels);
    m_audit->setText(parts.join(u"  \u00b7  "_s));
}

void OverviewHead::setLoading(bool loading)
{
    if (loading)
        m_state->setText(tr("counting\u2026"));
    else if (m_state->text() == tr("counting\u2026"))
        m_state->clear();
}

void OverviewHead::setProblem(const QString& problem)
{
    m_state->setText(problem);
    m_state->setToolTip(problem);
}

void OverviewHead::restyle()
{
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, m_theme.mutedInk());
    m_audit->setPalette(muted);
    m_state->setPalette(muted);
}

} // namespace assay::views
