// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/range_panel.h"

#include "views/diff/range_control.h"
#include "views/diff/segment_bar.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr double kErrorDecades = 1e-4; // of the largest error: where a fitted logarithmic range begins
} // namespace

RangePanel::RangePanel(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_targets(new SegmentBar(theme, tr("Range of"), this))
    , m_scales(new SegmentBar(theme, tr("Scale"), this))
    , m_zeros(new QLabel(this))
    , m_control(new RangeControl(theme, this))
{
    build();
    connect(&theme, &Theme::changed, this, &RangePanel::restyle);
    connect(m_targets, &SegmentBar::chosen, this, &RangePanel::showRange);
    connect(m_scales, &SegmentBar::chosen, this, [this](int kind) { setScaleKind(static_cast<ScaleKind>(kind)); });
    connect(m_control, &RangeControl::rangeChanged, this, &RangePanel::setRange);
}

void RangePanel::build()
{
    m_targets->setObjectName(u"diff.target"_s);
    m_targets->add(OfErrors, tr("Error"), tr("The range below is that of the error"));
    m_targets->add(OfValues, tr("Values"), tr("The range below is that of reference and candidate, which share it"));
    m_scales->setObjectName(u"diff.scale"_s);
    m_scales->add(int(ScaleKind::Linear), tr("linear"), tr("Colours spread evenly"));
    m_scales->add(int(ScaleKind::Log), tr("log"), tr("Colours spread by magnitude; needs values above zero"));
    m_scales->add(int(ScaleKind::SymLog), tr("symlog"), tr("By magnitude on both sides of zero"));
    m_zeros->setObjectName(u"diff.zeros"_s);
    m_zeros->setProperty("look", u"muted"_s);
    m_control->setObjectName(u"diff.range"_s);
    auto* choices = new QHBoxLayout;
    choices->setSpacing(8);
    choices->addWidget(m_targets);
    choices->addWidget(m_scales);
    choices->addWidget(m_zeros);
    choices->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(choices);
    column->addWidget(m_control, 1);
}

RangePanel::Target RangePanel::target() const
{
    return static_cast<Target>(m_targets->current());
}

ColorScale::Map RangePanel::divergingMap() const
{
    return m_theme.isDark() ? ColorScale::Map::DarkDiverging : ColorScale::Map::Diverging;
}

void RangePanel::reset()
{
    m_errors = Range{ScaleKind::Log};
    m_values = {};
    m_hasExtent = false;
    m_histograms.reset();
}

void RangePanel::setExtent(const Extent& whole)
{
    m_whole = whole;
    m_hasExtent = true;
    if (m_errors.isFitted)
        fitErrors(whole.largestError);
    if (m_values.isFitted)
        fitValues(whole.least, whole.greatest);
    showRange();
}

void RangePanel::setHistograms(std::shared_ptr<const diff::PlaneHistograms> histograms)
{
    m_histograms = std::move(histograms);
    showRange();
}

void RangePanel::followErrors()
{
    m_errors.isFitted = true;
}

void RangePanel::fit()
{
    if (!m_hasExtent)
        return;
    fitErrors(m_whole.largestError);
    fitValues(m_whole.least, m_whole.greatest);
    showRange();
    Q_EMIT changed();
}

void RangePanel::fitTo(const Extent& seen)
{
    fitErrors(seen.largestError);
    if (seen.hasValues())
        fitValues(seen.least, seen.greatest);
    m_errors.isFitted = m_values.isFitted = false;
    showRange();
    Q_EMIT changed();
}

void RangePanel::fitErrors(double largest)
{
    m_errors.isFitted = true;
    m_errors.high = largest > 0 ? largest : 1;
    m_errors.low = m_errors.kind == ScaleKind::Log ? m_errors.high * kErrorDecades : 0;
}

void RangePanel::fitValues(double least, double greatest)
{
    m_values.isFitted = true;
    const double magnitude = std::max(std::fabs(least), std::fabs(greatest));
    if (least < 0 && m_values.kind != ScaleKind::Log) {
        m_values.map = divergingMap();
        m_values.low = -magnitude;
        m_values.high = magnitude;
        return;
    }
    m_values.map = ColorScale::Map::Viridis;
    m_values.low = m_values.kind == ScaleKind::Log ? std::max(least, magnitude * kErrorDecades) : least;
    m_values.high = greatest;
    if (!(m_values.low < m_values.high)) { // all values are the same
        m_values.low = m_values.kind == ScaleKind::Log && magnitude > 0 ? magnitude / 2 : m_values.low - 1;
        m_values.high = m_values.low + std::max(1.0, magnitude);
    }
}

void RangePanel::setRange(double low, double high)
{
    range().low = low;
    range().high = high;
    range().isFitted = false;
    showRange();
    Q_EMIT changed();
}

void RangePanel::setScaleKind(ScaleKind kind)
{
    range().kind = kind;
    if (m_hasExtent && target() == OfErrors)
        fitErrors(m_whole.largestError);
    else if (m_hasExtent)
        fitValues(m_whole.least, m_whole.greatest);
    showRange();
    Q_EMIT changed();
}

void RangePanel::restyle()
{
    if (m_values.map != ColorScale::Map::Viridis)
        m_values.map = divergingMap();
    showRange();
    Q_EMIT changed();
}

void RangePanel::showRange()
{
    const Range& of = range();
    m_scales->setCurrent(int(of.kind));
    m_control->setScale(of.scale());
    if (!m_histograms) {
        m_control->setData({}, of.low, of.high);
        m_zeros->clear();
        return;
    }
    diff::ValueHistogram histogram = m_histograms->errors;
    if (target() == OfValues) {
        histogram = m_histograms->reference;
        histogram.merge(m_histograms->candidate);
    }
    auto bins = histogram.bins();
    double low = of.low, high = of.high;
    if (of.kind == ScaleKind::Log) {
        std::erase_if(bins, [](const auto& bin) { return bin.low < 0; });
        // Far below what can be told apart the axis would be all empty.
        if (!bins.empty())
            low = std::max(bins.front().low, bins.back().high * std::pow(10.0, -ColorScale::kLogDecades));
    } else if (!bins.empty()) {
        low = histogram.zeros() > 0 ? std::min(0.0, bins.front().low) : bins.front().low;
    }
    if (!bins.empty())
        high = bins.back().high;
    m_control->setData(std::move(bins), low, high);
    m_zeros->setText(histogram.zeros() == 0     ? QString()
                         : target() == OfErrors ? tr("%1 equal").arg(number_text::count(histogram.zeros()))
                                                : tr("%1 zeros").arg(number_text::count(histogram.zeros())));
}

} // namespace assay::views
