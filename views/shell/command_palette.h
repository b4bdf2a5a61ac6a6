// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/overlay.h"
#include "views/shell/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;

namespace assay::views {

class Theme;

/// Everything the window can do, found by typing (Ctrl+K). Arrow keys choose, Enter carries out, Escape closes.
class CommandPalette final : public Overlay {
    Q_OBJECT
public:
    CommandPalette(const Theme& theme, QWidget* window);

    /// Opens with @p entries. @p kernelQuery turns what was typed into entries of its own ("Go to kernel 179").
    void open(std::vector<PaletteEntry> entries, std::function<std::vector<PaletteEntry>(const QString&)> kernelQuery);
    /// More entries that came later (saved views), while it is open.
    void append(std::vector<PaletteEntry> entries);

    PaletteModel& model();

protected:
    QSize wantedSize() const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search(const QString& text);
    void carryOut(const QModelIndex& index);
    void rebuild();

    std::vector<PaletteEntry> m_fixed;
    std::function<std::vector<PaletteEntry>(const QString&)> m_kernelQuery;
    QLineEdit* m_line = nullptr;
    QListView* m_list = nullptr;
    QLabel* m_nothing = nullptr;
    PaletteModel m_model;
};

} // namespace assay::views
