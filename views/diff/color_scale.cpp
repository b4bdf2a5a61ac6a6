// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/color_scale.h"

#include "views/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace assay::views {

namespace {

// Viridis at even steps: Smith and van der Walt, matplotlib's default map (public domain).
constexpr std::array<QRgb, 17> kViridis
    = {0xFF440154, 0xFF48186A, 0xFF472D7B, 0xFF424086, 0xFF3B528B, 0xFF33638D, 0xFF2C728E, 0xFF26828E, 0xFF21918C,
       0xFF1FA088, 0xFF28AE80, 0xFF3FBC73, 0xFF5EC962, 0xFF84D44B, 0xFFADDC30, 0xFFD8E219, 0xFFFDE725};
// Blue, white, red: Moreland's diverging pair with a white middle.
constexpr std::array<QRgb, 5> kDiverging = {0xFF1F4E9E, 0xFF7FA6D8, 0xFFF7F7F7, 0xFFE08A72, 0xFFA8182B};

constexpr std::array<QRgb, 5> kDarkDiverging = {0xFF7FB5F5, 0xFF2F6DB5, 0xFF1B2129, 0xFFB04A38, 0xFFF5917A};

template <std::size_t N> QRgb between(const std::array<QRgb, N>& stops, double position)
{
    const double at = std::clamp(position, 0.0, 1.0) * (N - 1);
    const auto first = std::min(static_cast<std::size_t>(at), N - 2);
    const double share = at - static_cast<double>(first);
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    const QRgb a = stops[first], b = stops[first + 1];
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

} // namespace

ColorScale::ColorScale()
    : ColorScale(Map::Viridis, ScaleKind::Linear, 0, 1)
{
}

ColorScale::ColorScale(Map map, ScaleKind kind, double low, double high)
    : m_map(map)
    , m_kind(kind)
    , m_low(low)
    , m_high(high)
{
    if (m_kind == ScaleKind::Log && !(m_low > 0))
        m_low = m_high * std::pow(10.0, -kLogDecades);
    if (m_kind == ScaleKind::Log && !(m_low > 0 && m_low < m_high)) { // subnormal numbers have no decades below them
        m_kind = ScaleKind::Linear;
        m_low = std::min(0.0, m_high);
    }
    if (!(m_low < m_high))
        m_high = m_low + std::max(1.0, std::fabs(m_low));
    for (std::size_t i = 0; i < kSteps; ++i)
        m_colors[i] = mapColor(map, static_cast<double>(i) / (kSteps - 1));
    for (std::size_t i = 0; i + 1 < kSteps; ++i)
        m_thresholds[i] = valueAt(static_cast<double>(i + 1) / kSteps);
}

/// Below it a symmetric logarithm is linear: two decades under the larger end.
double ColorScale::linearWidth() const
{
    return std::max({std::fabs(m_low), std::fabs(m_high), 1e-300}) / 100;
}

double ColorScale::position(double value) const
{
    double at = 0;
    switch (m_kind) {
    case ScaleKind::Linear:
        // Halves where the width of the range leaves fp64; not else, because half of the least number is zero.
        at = std::isfinite(m_high - m_low) ? (value - m_low) / (m_high - m_low)
                                           : (value / 2 - m_low / 2) / (m_high / 2 - m_low / 2);
        break;
    case ScaleKind::Log:
        at = value > 0 ? (std::log(value) - std::log(m_low)) / (std::log(m_high) - std::log(m_low)) : 0;
        break;
    case ScaleKind::SymLog: {
        const double width = linearWidth();
        const double low = std::asinh(m_low / width), high = std::asinh(m_high / width);
        at = (std::asinh(value / width) - low) / (high - low);
        break;
    }
    }
    return std::clamp(at, 0.0, 1.0);
}

double ColorScale::valueAt(double position) const
{
    switch (m_kind) {
    case ScaleKind::Linear:
        return m_low * (1 - position) + m_high * position;
    case ScaleKind::Log:
        return std::exp(std::log(m_low) + (std::log(m_high) - std::log(m_low)) * position);
    case ScaleKind::SymLog:
        break;
    }
    const double width = linearWidth();
    const double low = std::asinh(m_low / width), high = std::asinh(m_high / width);
    return std::sinh(low + (high - low) * position) * width;
}

QRgb ColorScale::color(double value) const
{
    const auto step = std::upper_bound(m_thresholds.begin(), m_thresholds.end(), value) - m_thresholds.begin();
    return m_colors[static_cast<std::size_t>(step)];
}

QRgb ColorScale::mapColor(Map map, double position)
{
    switch (map) {
    case Map::Viridis:
        return between(kViridis, position);
    case Map::Diverging:
        return between(kDiverging, position);
    case Map::DarkDiverging:
        break;
    }
    return between(kDarkDiverging, position);
}

ClassColors ClassColors::of(const Theme& theme)
{
    ClassColors colors;
    colors.nan = QColor(0xE6, 0x1A, 0xA8);
    colors.positiveInfinity = QColor(0x16, 0xC7, 0xE8);
    colors.negativeInfinity = QColor(0xFF, 0x8C, 0x1A);
    colors.hatch = theme.isDark() ? QColor(0xFF, 0xFF, 0xFF) : QColor(0x1F, 0x23, 0x28);
    colors.equal = theme.isDark() ? QColor(0x22, 0x28, 0x30) : QColor(0xE7, 0xEB, 0xF0);
    return colors;
}

} // namespace assay::views
