// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/metric.h"

#include <QWidget>

#include <optional>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;

namespace assay::views {

class LayoutBar;
class SegmentBar;
class Theme;

/// What of a tensor pair is looked at, and how: the pair, its axes and slices, which pictures, which error, within which bound.
class DiffToolbar final : public QWidget {
    Q_OBJECT
public:
    enum class Mode { SideBySide, Blink, ErrorAlone };

    explicit DiffToolbar(const Theme& theme, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// Emits nothing; the first is chosen. @param names  one "" alone is not worth a choice
    void setPairs(const QStringList& names);
    int pair() const;
    LayoutBar* layoutBar() const { return m_layout; }
    Mode mode() const;
    diff::Metric metric() const;
    void setMetric(diff::Metric metric);
    void stepMetric();
    /// What was typed, where it is a bound.
    std::optional<diff::Bound> bound() const;
    /// Where there is little room the error is chosen below the pictures.
    void setNarrow(bool on);

Q_SIGNALS:
    void pairChosen(int index);
    void modeChosen();
    void metricChosen();
    void boundEdited();

private:
    QLineEdit* makeBound(const QString& name);
    void addChoices();
    void arrange();

    QLabel* m_title;
    QComboBox* m_pairs;
    LayoutBar* m_layout;
    SegmentBar* m_metrics;
    SegmentBar* m_modes;
    QLineEdit* m_absolute;
    QLineEdit* m_relative;
    QBoxLayout* m_measures;
};

} // namespace assay::views
