// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QButtonGroup;

namespace assay::views {

class Theme;

/// A few choices beside each other of which one holds.
class SegmentBar final : public QWidget {
    Q_OBJECT
public:
    SegmentBar(const Theme& theme, const QString& name, QWidget* parent = nullptr);

    void add(int id, const QString& text, const QString& tip);
    int current() const;
    /// Does not emit chosen().
    void setCurrent(int id);
    /// The choice after the current one, the first after the last.
    void step();

Q_SIGNALS:
    void chosen(int id);

private:
    void restyle();
    const Theme& m_theme;
    QButtonGroup* m_buttons;
};

} // namespace assay::views
