// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/diff_toolbar.h"

#include "views/diff/layout_bar.h"
#include "views/diff/segment_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kBoundWidth = 64; // px
} // namespace

DiffToolbar::DiffToolbar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_pairs(new QComboBox(this))
    , m_layout(new LayoutBar(theme, this))
    , m_metrics(new SegmentBar(theme, tr("Error"), this))
    , m_modes(new SegmentBar(theme, tr("Pictures"), this))
    , m_absolute(makeBound(u"atol"_s))
    , m_relative(makeBound(u"rtol"_s))
    , m_measures(new QBoxLayout(QBoxLayout::LeftToRight))
{
    m_title->setObjectName(u"diff.title"_s);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_pairs->setObjectName(u"diff.pairs"_s);
    m_pairs->setAccessibleName(tr("Tensor"));
    m_pairs->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addChoices();
    arrange();
    connect(m_pairs, &QComboBox::activated, this, &DiffToolbar::pairChosen);
    connect(m_metrics, &SegmentBar::chosen, this, &DiffToolbar::metricChosen);
    connect(m_modes, &SegmentBar::chosen, this, &DiffToolbar::modeChosen);
}

QLineEdit* DiffToolbar::makeBound(const QString& name)
{
    auto* edit = new QLineEdit(this);
    edit->setObjectName(u"diff."_s + name);
    edit->setPlaceholderText(name);
    edit->setAccessibleName(tr("Bound: %1").arg(name));
    edit->setToolTip(
        tr("An element is within the bound where |candidate \u2212 reference| \u2264 atol + rtol \u00d7 |reference|"));
    edit->setFixedWidth(kBoundWidth);
    connect(edit, &QLineEdit::editingFinished, this, &DiffToolbar::boundEdited);
    return edit;
}

void DiffToolbar::addChoices()
{
    m_metrics->setObjectName(u"diff.metric"_s);
    m_metrics->add(int(diff::Metric::Absolute), tr("abs"), tr("Absolute error (X steps through the four)"));
    m_metrics->add(int(diff::Metric::Relative), tr("rel"), tr("Error over the reference's magnitude"));
    m_metrics->add(int(diff::Metric::Ulp), tr("ulp"), tr("Units in the last place of the reference's type"));
    m_metrics->add(int(diff::Metric::OverBound), tr("bound"), tr("Error over what atol + rtol \u00d7 |reference| allows"));
    m_modes->setObjectName(u"diff.mode"_s);
    m_modes->add(int(Mode::SideBySide), tr("Side by side"), tr("Reference, candidate and error"));
    m_modes->add(int(Mode::Blink), tr("Blink"), tr("The reference; the candidate in its place while B is held"));
    m_modes->add(int(Mode::ErrorAlone), tr("Error"), tr("The error alone"));
}

void DiffToolbar::arrange()
{
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(6);
    auto* first = new QHBoxLayout;
    first->setSpacing(8);
    first->addWidget(m_title);
    first->addWidget(m_pairs);
    first->addWidget(m_layout->axes());
    first->addStretch(1);
    m_measures->setSpacing(8);
    auto* bounds = new QHBoxLayout;
    bounds->setSpacing(8);
    for (QWidget* part : std::initializer_list<QWidget*>{m_metrics, m_absolute, m_relative})
        bounds->addWidget(part);
    bounds->addStretch(1);
    m_measures->addWidget(m_modes);
    m_measures->addLayout(bounds, 1);
    rows->addLayout(first);
    rows->addLayout(m_measures);
    rows->addWidget(m_layout);
}

void DiffToolbar::setTitle(const QString& title)
{
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
}

void DiffToolbar::setPairs(const QStringList& names)
{
    const QSignalBlocker quiet(m_pairs);
    m_pairs->clear();
    m_pairs->addItems(names);
    m_pairs->setVisible(names.size() > 1 || !names.value(0).isEmpty());
}

int DiffToolbar::pair() const
{
    return m_pairs->currentIndex();
}

DiffToolbar::Mode DiffToolbar::mode() const
{
    return static_cast<Mode>(m_modes->current());
}

diff::Metric DiffToolbar::metric() const
{
    return static_cast<diff::Metric>(m_metrics->current());
}

void DiffToolbar::setMetric(diff::Metric metric)
{
    m_metrics->setCurrent(int(metric));
}

void DiffToolbar::stepMetric()
{
    m_metrics->step();
}

std::optional<diff::Bound> DiffToolbar::bound() const
{
    const auto typed = [](const QLineEdit& edit) {
        bool isNumber = false;
        const double number = edit.text().toDouble(&isNumber);
        return isNumber ? std::optional(number) : std::nullopt;
    };
    const auto absolute = typed(*m_absolute), relative = typed(*m_relative);
    if (!(absolute.value_or(-1) >= 0) && !(relative.value_or(-1) >= 0)) // "nan" is a number, too
        return std::nullopt;
    return diff::Bound{std::max(0.0, absolute.value_or(0)), std::max(0.0, relative.value_or(0))};
}

void DiffToolbar::setNarrow(bool on)
{
    m_measures->setDirection(on ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace assay::views
