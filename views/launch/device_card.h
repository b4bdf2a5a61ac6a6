// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/launch/device_facts.h"

#include <QFrame>

class QLabel;
class QVBoxLayout;

namespace assay::views {

class Theme;

/// What a run would really use, in plain words.
class DeviceCard final : public QFrame {
    Q_OBJECT
public:
    explicit DeviceCard(const Theme& theme, QWidget* parent = nullptr);

    void setCard(const DeviceCardText& text);
    QString text() const; ///< title and lines

private:
    const Theme& m_theme;
    QLabel* m_title = nullptr;
    QLabel* m_lines = nullptr;
};

} // namespace assay::views
