// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/overlay.h"

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace assay::views {

class Messages;
class Theme;

/// The messages of this session once more (Ctrl+H), newest first: what went by itself or was dismissed can still be read and
/// copied.
class MessageHistory final : public Overlay {
    Q_OBJECT
public:
    MessageHistory(const Messages& messages, const Theme& theme, QWidget* window);
    void open();

protected:
    QSize wantedSize() const override;

private:
    void fill();
    void showWhole(int row);
    void copy() const;

    const Messages& m_messages;
    const Theme& m_theme;
    QListWidget* m_list = nullptr;
    QLabel* m_nothing = nullptr;
    QPlainTextEdit* m_whole = nullptr; ///< the chosen message with its details
    QPushButton* m_copy = nullptr;
};

} // namespace assay::views
