// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/mask_profile.h"
#include "core/diff/plane.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace assay::views {

class SliceSlider;
class Theme;

/// Chooses which axes are rows and columns, or all as one picture, and the slice along the others.
class LayoutBar final : public QWidget {
    Q_OBJECT
public:
    explicit LayoutBar(const Theme& theme, QWidget* parent = nullptr);

    /// Starts with the usual arrangement. Emits nothing.
    void setShape(std::vector<std::int64_t> shape);
    diff::Arrangement arrangement() const;
    /// Turns the sliders so that @p index is in the plane. @return true where that changed the arrangement, after the signal
    bool showIndex(const std::vector<std::int64_t>& index);
    /// Marks slices with failing elements. @param what  is said of such slices: "with differences"
    void setFailures(const diff::MaskProfile& profile, const QString& what);
    /// The choice of axes, to be put wherever there is room.
    QWidget* axes() const { return m_axesBox; }

    /// The next or previous index of the first slider; @p toFailing: the next one with failing elements.
    void stepSlice(int direction, bool toFailing);

    const std::vector<SliceSlider*>& sliders() const { return m_sliders; }

Q_SIGNALS:
    void arrangementChanged();

private:
    void chooseRows();
    void chooseColumns();
    void rebuildSliders();
    void showFailures();

    const Theme& m_theme;
    std::vector<std::int64_t> m_shape;
    diff::Arrangement m_arrangement;
    std::vector<std::vector<std::int64_t>> m_failures; ///< by axis
    QString m_failureWords;
    QWidget* m_axesBox = nullptr;
    QComboBox* m_rows = nullptr;
    QComboBox* m_columns = nullptr;
    QPushButton* m_flatten = nullptr;
    QGridLayout* m_sliderGrid = nullptr;
    QHBoxLayout* m_choices = nullptr;
    std::vector<SliceSlider*> m_sliders;
};

} // namespace assay::views
