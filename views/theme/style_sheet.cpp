// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/style_sheet.h"

#include "views/theme/theme.h"

#include <QHash>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

// @name stands for a colour of the theme.
constexpr auto kTemplate = R"css(
QToolTip { background: @raised; color: @ink; border: 1px solid @line; padding: 4px 6px; }
QMainWindow::separator, QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }

QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox { background: @surface; color: @ink; border: 1px solid @line; border-radius: 4px;
    selection-background-color: @accent; selection-color: @accentInk; }
QLineEdit, QComboBox, QSpinBox { padding: 3px 8px; min-height: 20px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus, QSpinBox:focus { border-color: @accent; }
QLineEdit[wrong="true"], QComboBox[wrong="true"] { border: 1px dashed @ink; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-@look.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @surface; border: 1px solid @line; selection-background-color: @selected; selection-color: @ink;
    outline: none; padding: 4px 0; }

QPushButton { background: @surface; color: @ink; border: 1px solid @line; border-radius: 4px; padding: 4px 12px; min-height: 18px; }
QPushButton:hover { background: @hover; border-color: @accent; }
QPushButton:pressed, QPushButton:checked { background: @selected; border-color: @accent; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @faint; border-color: @line; background: @raised; }
QPushButton[look="primary"] { background: @accent; color: @accentInk; border-color: @accent; font-weight: 600; }
QPushButton[look="primary"]:hover { border-color: @ink; }
QPushButton[look="quiet"] { background: transparent; border-color: transparent; }
QPushButton[look="quiet"]:hover { background: @hover; }
QPushButton[look="quiet"]:focus { border-color: @accent; }
QToolButton { background: transparent; color: @ink; border: 1px solid transparent; border-radius: 4px; padding: 3px; }
QToolButton:hover { background: @hover; }
QToolButton:pressed, QToolButton:checked { background: @selected; }
QToolButton:focus { border-color: @accent; }
QToolButton::menu-indicator { image: none; }

QMenu { background: @surface; border: 1px solid @line; padding: 4px 0; }
QMenu::item { padding: 5px 24px 5px 12px; }
QMenu::item:selected { background: @selected; color: @ink; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 0; }
QMenu::icon { padding-left: 8px; }

QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @muted; padding: 7px 12px 6px 12px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: @ink; }
QTabBar::tab:selected { color: @ink; border-bottom-color: @accent; }
QTabBar:focus { outline: none; }

QAbstractItemView { background: @surface; alternate-background-color: @raised; border: none; outline: none;
    selection-background-color: @selected; selection-color: @ink; }
QTableView { gridline-color: @line; }
QHeaderView { background: @raised; border: none; }
QHeaderView::section { background: @raised; color: @muted; border: none; border-bottom: 1px solid @line; padding: 4px 8px; }
QHeaderView::section:hover { color: @ink; }
QTableCornerButton::section { background: @raised; border: none; border-bottom: 1px solid @line; }

QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @handle; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QProgressBar { background: @line; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
QStatusBar { background: @raised; border-top: 1px solid @line; color: @muted; }
QStatusBar::item { border: none; }
QCheckBox, QRadioButton { spacing: 8px; }
QCheckBox[look="option"]::indicator { width: 12px; height: 12px; border: 1px solid @handle; border-radius: 3px; background: @surface; }
QCheckBox[look="option"]::indicator:hover, QCheckBox[look="option"]:focus { border-color: @accent; color: @ink; }
QCheckBox[look="option"]::indicator:focus { border-color: @accent; }
QCheckBox[look="option"]::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check-@look.svg); }

QFrame[look="rail"] { background: @raised; border: none; border-right: 1px solid @line; }
QToolButton[look="rail"] { color: @muted; border: none; border-left: 3px solid transparent; border-radius: 0; padding: 6px 3px 6px 0; }
QToolButton[look="rail"]:hover { background: @hover; color: @ink; }
QToolButton[look="rail"]:checked { background: transparent; color: @ink; border-left-color: @accent; font-weight: 600; }
QToolButton[look="rail"]:focus { background: @hover; }
QFrame[look="topbar"] { background: @raised; border: none; border-bottom: 1px solid @line; }
QToolButton[look="pagetab"] { color: @muted; border: none; border-bottom: 2px solid transparent; border-radius: 0; padding: 2px 12px 0 12px; }
QToolButton[look="pagetab"]:hover { background: transparent; color: @ink; }
QToolButton[look="pagetab"]:checked { background: transparent; color: @ink; border-bottom-color: @accent; font-weight: 600; }
QToolButton[look="pagetab"]:focus { background: @hover; }
QPushButton[look="search"] { color: @muted; text-align: left; padding: 4px 8px; }
QFrame[look="notice"] { background: @hover; border: none; border-bottom: 1px solid @line; }

*[look="muted"] { color: @muted; }
QWidget[look="page"] { background: @surface; }
QWidget[look="panel"] { background: @raised; }
QFrame[look="card"] { background: @surface; border: 1px solid @line; border-radius: 6px; }
QFrame[look="overlay"] { background: @surface; border: 1px solid @handle; border-radius: 8px; }
QFrame[look="banner"] { background: @warning; border: none; border-bottom: 1px solid @line; }
QLabel[look="chip"] { background: @raised; color: @muted; border: 1px solid @line; border-radius: 4px; padding: 1px 6px; }
QFrame[look="rule"] { background: @line; border: none; max-height: 1px; min-height: 1px; }
)css";

} // namespace

QString styleSheet(const Theme& theme)
{
    const auto between = [](const QColor& a, const QColor& b) {
        return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2).name();
    };
    // Longer names first where one begins with another.
    const std::pair<QString, QString> values[] = {
        {u"@accentInk"_s, theme.accentInk().name()},
        {u"@accent"_s, theme.accent().name()},
        {u"@surface"_s, theme.surface().name()},
        {u"@selected"_s, theme.selected().name()},
        {u"@raised"_s, theme.raised().name()},
        {u"@line"_s, theme.line().name()},
        {u"@ink"_s, theme.ink().name()},
        {u"@muted"_s, theme.mutedInk().name()},
        {u"@hover"_s, theme.hover().name()},
        {u"@warning"_s, theme.warning().name()},
        {u"@handle"_s, between(theme.line(), theme.mutedInk())},
        {u"@faint"_s, between(theme.surface(), theme.mutedInk())},
        {u"@look"_s, theme.isDark() ? u"dark"_s : u"light"_s},
    };
    QString sheet = QString::fromLatin1(kTemplate);
    for (const auto& [name, value] : values)
        sheet.replace(name, value);
    return sheet;
}

} // namespace assay::views
