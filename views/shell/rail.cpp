// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/rail.h"

#include <QAction>
#include <QToolButton>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kWidth = 72; // px
constexpr int kIcon = 22;
constexpr int kButtonHeight = 60;
} // namespace

Rail::Rail(const QList<QAction*>& places, QWidget* parent)
    : QFrame(parent)
{
    setObjectName(u"rail"_s);
    setProperty("look", u"rail"_s);
    setAccessibleName(tr("Places"));
    setFixedWidth(kWidth);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 8);
    column->setSpacing(4);
    for (QAction* place : places) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(place);
        button->setObjectName(u"rail."_s + place->objectName());
        button->setProperty("look", u"rail"_s);
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize({kIcon, kIcon});
        button->setFixedSize(kWidth - 1, kButtonHeight);
        button->setAccessibleName(place->text());
        button->setFocusPolicy(Qt::TabFocus);
        column->addWidget(button);
    }
    column->addStretch();
}

} // namespace assay::views
