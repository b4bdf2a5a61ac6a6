// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

class QLabel;
class QSpinBox;

namespace assay::views {

class Theme;

/// Chooses the index along an axis that is not shown; a tick marks every index with failing elements.
class SliceSlider final : public QWidget {
    Q_OBJECT
public:
    SliceSlider(const Theme& theme, int axis, std::int64_t size, QWidget* parent = nullptr);

    int axis() const { return m_axis; }
    std::int64_t index() const;
    /// Emits indexChanged() where it is another.
    void setIndex(std::int64_t index);
    /// Failing elements by index; empty: not known. @param what  is said of the slices that have some: "with differences"
    void setFailures(std::vector<std::int64_t> failures, const QString& what);
    /// The nearest index with failures after (+1) or before (-1) the current one; -1 where there is none.
    std::int64_t failingFrom(int direction) const;

Q_SIGNALS:
    void indexChanged();

private:
    class Track;
    const Theme& m_theme;
    int m_axis;
    std::int64_t m_size;
    std::vector<std::int64_t> m_failures;
    Track* m_track = nullptr;
    QSpinBox* m_box = nullptr;
    QLabel* m_said = nullptr;
};

} // namespace assay::views
