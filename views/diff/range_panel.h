// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/error_pyramid.h"
#include "core/diff/value_histogram.h"
#include "views/diff/color_scale.h"
#include "views/diff/grid_reading.h"

#include <QWidget>

#include <memory>

class QLabel;

namespace assay::views {

class RangeControl;
class SegmentBar;
class Theme;

/// The ranges that the colours span: one of the error, one that reference and candidate share. Follows the data until a person
/// drags an end.
class RangePanel final : public QWidget {
    Q_OBJECT
public:
    explicit RangePanel(const Theme& theme, QWidget* parent = nullptr);

    /// Another pair: both ranges wait for its data.
    void reset();
    /// Other data: what follows it is fitted. Emits nothing.
    void setExtent(const Extent& whole);
    /// Null where they are not counted yet. Emits nothing.
    void setHistograms(std::shared_ptr<const diff::PlaneHistograms> histograms);
    /// The next extent sets the range of the error, whatever a person has dragged: it is another measure.
    void followErrors();

    /// Back to the whole data.
    void fit();
    /// To what is in view, and there it stays.
    void fitTo(const Extent& seen);

    ColorScale errorScale() const { return m_errors.scale(); }
    ColorScale valueScale() const { return m_values.scale(); }

Q_SIGNALS:
    /// Pictures are out of date.
    void changed();

private:
    enum Target { OfErrors, OfValues };
    /// The range of one kind of picture.
    struct Range {
        ScaleKind kind = ScaleKind::Linear;
        ColorScale::Map map = ColorScale::Map::Viridis;
        double low = 0;
        double high = 1;
        bool isFitted = true; ///< follows the data; a range that was dragged stays

        ColorScale scale() const { return {map, kind, low, high}; }
    };

    void build();
    Target target() const;
    Range& range() { return target() == OfErrors ? m_errors : m_values; }
    ColorScale::Map divergingMap() const;
    void fitErrors(double largest);
    void fitValues(double least, double greatest);
    void setRange(double low, double high);
    void setScaleKind(ScaleKind kind);
    void restyle();
    void showRange();

    const Theme& m_theme;
    Range m_errors{ScaleKind::Log};
    Range m_values;
    Extent m_whole;
    bool m_hasExtent = false;
    std::shared_ptr<const diff::PlaneHistograms> m_histograms;
    SegmentBar* m_targets;
    SegmentBar* m_scales;
    QLabel* m_zeros;
    RangeControl* m_control;
};

} // namespace assay::views
