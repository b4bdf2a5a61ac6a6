// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/layout_bar.h"

#include "views/diff/diff_words.h"
#include "views/diff/slice_slider.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

LayoutBar::LayoutBar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    m_sliderGrid = new QGridLayout(this);
    m_sliderGrid->setContentsMargins(0, 0, 0, 0);
    m_sliderGrid->setHorizontalSpacing(24);
    m_sliderGrid->setVerticalSpacing(4);
    m_axesBox = new QWidget(this);
    m_choices = new QHBoxLayout(m_axesBox);
    m_choices->setContentsMargins(0, 0, 0, 0);
    m_choices->setSpacing(6);
    m_rows = new QComboBox(m_axesBox);
    m_rows->setObjectName(u"diff.rows"_s);
    m_rows->setAccessibleName(tr("Axis of the rows"));
    m_columns = new QComboBox(m_axesBox);
    m_columns->setObjectName(u"diff.columns"_s);
    m_columns->setAccessibleName(tr("Axis of the columns"));
    m_flatten = new QPushButton(tr("Flatten"), m_axesBox);
    m_flatten->setObjectName(u"diff.flatten"_s);
    m_flatten->setCheckable(true);
    m_flatten->setFocusPolicy(Qt::TabFocus);
    m_flatten->setToolTip(tr("Every other axis as rows: the whole tensor in one picture"));
    m_choices->addWidget(new QLabel(tr("Rows"), m_axesBox));
    m_choices->addWidget(m_rows);
    m_choices->addWidget(new QLabel(tr("Columns"), m_axesBox));
    m_choices->addWidget(m_columns);
    m_choices->addWidget(m_flatten);
    connect(m_rows, &QComboBox::activated, this, &LayoutBar::chooseRows);
    connect(m_columns, &QComboBox::activated, this, &LayoutBar::chooseColumns);
    connect(m_flatten, &QPushButton::toggled, this, [this](bool on) {
        const std::vector<std::int64_t> at = m_arrangement.at;
        const int column = m_arrangement.columnAxis;
        m_arrangement = on ? diff::Arrangement::flattened(m_shape) : diff::Arrangement::usual(m_shape);
        if (on && column != m_arrangement.columnAxis) {
            std::ranges::replace(m_arrangement.rowAxes, column, m_arrangement.columnAxis);
            std::ranges::sort(m_arrangement.rowAxes);
            m_arrangement.columnAxis = column;
        }
        m_arrangement.at = at;
        rebuildSliders();
        Q_EMIT arrangementChanged();
    });
}

void LayoutBar::setShape(std::vector<std::int64_t> shape)
{
    m_shape = std::move(shape);
    m_arrangement = diff::Arrangement::usual(m_shape);
    m_failures.clear();
    const QSignalBlocker quiet(m_flatten);
    m_flatten->setChecked(false);
    for (QComboBox* box : {m_rows, m_columns}) {
        box->clear();
        for (std::size_t axis = 0; axis < m_shape.size(); ++axis)
            box->addItem(tr("axis %1 (%2)").arg(axis).arg(number_text::count(m_shape[axis])));
    }
    m_axesBox->setVisible(m_shape.size() >= 2);
    m_flatten->setVisible(m_shape.size() >= 3);
    rebuildSliders();
}

diff::Arrangement LayoutBar::arrangement() const
{
    return m_arrangement;
}

/// Two axes cannot both be rows or columns: the other choice takes the axis that was given up.
void LayoutBar::chooseRows()
{
    const int chosen = m_rows->currentIndex();
    if (chosen == m_arrangement.columnAxis)
        m_arrangement.columnAxis = m_arrangement.rowAxes.front();
    m_arrangement.rowAxes = {chosen};
    rebuildSliders();
    Q_EMIT arrangementChanged();
}

void LayoutBar::chooseColumns()
{
    const int chosen = m_columns->currentIndex();
    std::ranges::replace(m_arrangement.rowAxes, chosen, m_arrangement.columnAxis);
    if (m_flatten->isChecked())
        std::ranges::sort(m_arrangement.rowAxes);
    m_arrangement.columnAxis = chosen;
    rebuildSliders();
    Q_EMIT arrangementChanged();
}

void LayoutBar::rebuildSliders()
{
    m_rows->setEnabled(!m_flatten->isChecked());
    m_rows->setCurrentIndex(m_arrangement.rowAxes.empty() ? -1 : m_arrangement.rowAxes.back());
    m_columns->setCurrentIndex(m_arrangement.columnAxis);
    for (SliceSlider* slider : m_sliders)
        delete slider;
    m_sliders.clear();
    for (int axis = 0; axis < static_cast<int>(m_shape.size()); ++axis) {
        const bool isShown
            = axis == m_arrangement.columnAxis || std::ranges::find(m_arrangement.rowAxes, axis) != m_arrangement.rowAxes.end();
        const auto at = static_cast<std::size_t>(axis);
        if (isShown || m_shape[at] <= 1)
            continue;
        auto* slider = new SliceSlider(m_theme, axis, m_shape[at], this);
        slider->setObjectName(u"diff.slice%1"_s.arg(axis));
        slider->setIndex(m_arrangement.at[at]);
        connect(slider, &SliceSlider::indexChanged, this, [this, slider, at] {
            m_arrangement.at[at] = slider->index();
            Q_EMIT arrangementChanged();
        });
        const int place = static_cast<int>(m_sliders.size()); // two beside each other
        m_sliderGrid->addWidget(slider, place / 2, place % 2);
        m_sliders.push_back(slider);
    }
    showFailures();
}

bool LayoutBar::showIndex(const std::vector<std::int64_t>& index)
{
    bool isOther = false;
    for (SliceSlider* slider : m_sliders) {
        const auto at = static_cast<std::size_t>(slider->axis());
        if (slider->index() == index[at])
            continue;
        const QSignalBlocker quiet(slider);
        slider->setIndex(index[at]);
        m_arrangement.at[at] = index[at];
        isOther = true;
    }
    if (isOther)
        Q_EMIT arrangementChanged();
    return isOther;
}

void LayoutBar::setFailures(const diff::MaskProfile& profile, const QString& what)
{
    m_failureWords = what;
    m_failures.clear();
    for (const diff::AxisProfile& axis : profile.axes)
        m_failures.push_back(axis.marked);
    showFailures();
}

void LayoutBar::showFailures()
{
    for (SliceSlider* slider : m_sliders) {
        const auto axis = static_cast<std::size_t>(slider->axis());
        slider->setFailures(axis < m_failures.size() ? m_failures[axis] : std::vector<std::int64_t>(), m_failureWords);
    }
}

void LayoutBar::stepSlice(int direction, bool toFailing)
{
    if (m_sliders.empty())
        return;
    SliceSlider* slider = m_sliders.front();
    const std::int64_t to = toFailing ? slider->failingFrom(direction) : slider->index() + direction;
    if (to >= 0)
        slider->setIndex(to);
}

} // namespace assay::views
