// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include <array>

namespace assay::views {

class Theme;

/// How numbers are spread over a colour map.
enum class ScaleKind { Linear, Log, SymLog };

/// Maps numbers of a range to colours. Infinities are never asked for: they have colours of their own.
class ColorScale {
public:
    enum class Map {
        Viridis,
        Diverging,     ///< blue, white, red
        DarkDiverging, ///< blue, dark, red: white noise would outshine a dark page
    };

    ColorScale();
    /// @p low < @p high. A logarithmic scale needs 0 < low; where that does not hold it starts kLogDecades below
    /// @p high, and is linear where there is no such number. A range of nothing is widened.
    ColorScale(Map map, ScaleKind kind, double low, double high);

    double low() const { return m_low; }
    double high() const { return m_high; }
    ScaleKind kind() const { return m_kind; }
    Map map() const { return m_map; }

    /// Where @p value lies between low (0) and high (1), clamped.
    double position(double value) const;
    /// Inverse of position().
    double valueAt(double position) const;
    QRgb color(double value) const;
    /// The colour at @p position between low and high.
    static QRgb mapColor(Map map, double position);

    static constexpr double kLogDecades = 8;

private:
    static constexpr std::size_t kSteps = 256;
    double linearWidth() const;

    Map m_map = Map::Viridis;
    ScaleKind m_kind = ScaleKind::Linear;
    double m_low = 0;
    double m_high = 1;
    std::array<double, kSteps - 1> m_thresholds{}; ///< values where the next colour begins
    std::array<QRgb, kSteps> m_colors{};
};

/// Fixed colours that no map contains: workbench.md section 5.
struct ClassColors {
    QColor nan, positiveInfinity, negativeInfinity;
    QColor hatch; ///< over the colour of a class that is another than the reference's
    QColor equal; ///< where nothing differs
    static ClassColors of(const Theme& theme);
};

} // namespace assay::views
