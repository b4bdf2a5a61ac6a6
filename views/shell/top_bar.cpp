// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/top_bar.h"

#include "views/state/workspace.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kHeight = 48; // px
constexpr int kIcon = 16;
constexpr int kScopeWidth = 320;
constexpr int kSearchWidth = 220;

QString scopeLabel(const store::Scope& scope)
{
    const QString corpus = QString::fromStdString(scope.corpusName);
    const QString name = scope.auditId ? u"%1 \u00b7 %2"_s.arg(corpus, QString::fromStdString(scope.auditName))
                                       : TopBar::tr("%1 \u00b7 not judged").arg(corpus);
    return TopBar::tr("%1  (%2)").arg(name, number_text::kernels(scope.kernels));
}
} // namespace

TopBar::TopBar(Workspace& workspace, const Theme& theme, const Actions& actions, QMenu* menu, QWidget* parent)
    : QFrame(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_pages(new QWidget(this))
    , m_scopes(new QComboBox(this))
{
    setObjectName(u"topBar"_s);
    setProperty("look", u"topbar"_s);
    setAccessibleName(tr("Top bar"));
    setFixedHeight(kHeight);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 0);
    row->setSpacing(4);
    row->addWidget(addButton(actions.back));
    row->addWidget(addButton(actions.forward));
    row->addSpacing(4);

    auto* pages = new QHBoxLayout(m_pages);
    pages->setContentsMargins(0, 0, 0, 0);
    pages->setSpacing(0);
    for (QAction* page : actions.pages) {
        QToolButton* button = addButton(page, u"pagetab"_s);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFixedHeight(kHeight - 1);
        pages->addWidget(button);
    }
    row->addWidget(m_pages);
    row->addStretch(1);

    m_scopes->setObjectName(u"scopeChooser"_s);
    m_scopes->setAccessibleName(tr("Audit that is shown"));
    m_scopes->setToolTip(tr("Which audit, or which corpus without one, the window shows"));
    m_scopes->setMinimumWidth(kScopeWidth);
    m_scopes->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(m_scopes);
    row->addSpacing(4);

    auto* search = new QPushButton(tr("Search or run"), this);
    search->setObjectName(u"openPalette"_s);
    search->setText(tr("Search or run\u2003%1").arg(actions.palette->shortcut().toString(QKeySequence::NativeText)));
    search->setAccessibleName(actions.palette->text());
    search->setProperty("look", u"search"_s);
    search->setIcon(theme.icon(u"search"_s));
    search->setIconSize({kIcon - 2, kIcon - 2});
    search->setMinimumWidth(kSearchWidth);
    search->setFocusPolicy(Qt::TabFocus);
    connect(search, &QPushButton::clicked, actions.palette, &QAction::trigger);
    row->addWidget(search);
    row->addSpacing(4);
    row->addWidget(addButton(actions.theme));
    QToolButton* more = addButton(actions.menu);
    row->addWidget(more);
    connect(actions.menu, &QAction::triggered, this, [more, menu] {
        menu->popup(more->mapToGlobal(QPoint(more->width() - menu->sizeHint().width(), more->height() + 4)));
        menu->setActiveAction(menu->actions().value(0));
    });

    connect(m_scopes, &QComboBox::activated, this,
            [this](int index) { m_workspace.setScope(m_scopes->itemData(index).toLongLong()); });
    for (const auto signal : {&Workspace::scopesChanged, &Workspace::closed})
        connect(&workspace, signal, this, &TopBar::fillScopes);
    connect(&workspace, &Workspace::scopeChanged, this, &TopBar::chooseCurrent);
    fillScopes();
}

QToolButton* TopBar::addButton(QAction* action, const QString& look)
{
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setObjectName(u"top."_s + action->objectName());
    button->setIconSize({kIcon, kIcon});
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->text());
    if (!look.isEmpty())
        button->setProperty("look", look);
    return button;
}

void TopBar::showPages(bool on)
{
    m_pages->setVisible(on);
}

void TopBar::fillScopes()
{
    const QSignalBlocker quiet(m_scopes);
    m_scopes->clear();
    for (const store::Scope& scope : m_workspace.scopes())
        m_scopes->addItem(scopeLabel(scope), QVariant::fromValue(static_cast<qlonglong>(scope.id)));
    m_scopes->setVisible(m_scopes->count() > 0);
    chooseCurrent();
}

void TopBar::chooseCurrent()
{
    m_scopes->setCurrentIndex(m_scopes->findData(QVariant::fromValue(static_cast<qlonglong>(m_workspace.scopeId()))));
}

} // namespace assay::views
