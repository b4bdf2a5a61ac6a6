// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/filter_bar.h"

#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/theme/theme.h"
#include "views/triage/filter_edit.h"
#include "views/triage/saved_view_menu.h"
#include "views/triage/triage_words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
// A query that answers within this time shows no sign of itself: it would only flicker.
constexpr int kMillisecondsUntilBusy = 250;
} // namespace

FilterBar::FilterBar(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_edit(new FilterEdit(context.theme, this))
    , m_problem(new QLabel(this))
    , m_counts(new QLabel(this))
    , m_hint(new QLabel(tr("Enter applies"), this))
    , m_busy(new QLabel(tr("updating..."), this))
    , m_clear(button(u"close"_s, tr("Clear filter")))
    , m_views(new SavedViewMenu(context, this))
    , m_nameRow(new QWidget(this))
    , m_name(new QLineEdit(m_nameRow))
    , m_busyTimer(new QTimer(this))
    , m_buttons(new QHBoxLayout)
{
    m_counts->setObjectName(u"triage.counts"_s);
    m_counts->setAccessibleName(tr("Kernels shown"));
    m_counts->setFont(context.theme.numberFont());
    m_hint->setProperty("look", u"muted"_s);
    m_hint->hide();
    m_busy->setProperty("look", u"muted"_s);
    m_busy->hide();
    m_busyTimer->setSingleShot(true);
    m_busyTimer->setInterval(kMillisecondsUntilBusy);
    connect(m_busyTimer, &QTimer::timeout, m_busy, &QWidget::show);
    m_problem->setObjectName(u"triage.problem"_s);
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(2, 0, 0, 4);
    m_problem->hide();

    auto* views = new QToolButton(this);
    views->setObjectName(u"triage.viewsButton"_s);
    views->setText(tr("Views"));
    views->setToolTip(tr("Saved views"));
    views->setAccessibleName(tr("Saved views"));
    views->setPopupMode(QToolButton::InstantPopup);
    views->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    views->setIcon(context.theme.icon(u"chevron-down"_s));
    views->setLayoutDirection(Qt::RightToLeft); // the chevron stands behind the word
    views->setMenu(m_views);
    connect(&context.theme, &Theme::changed, views, [this, views] {
        views->setIcon(m_context.theme.icon(u"chevron-down"_s));
        m_counts->setFont(m_context.theme.numberFont());
    });

    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_edit, 1);
    row->addWidget(m_hint);
    row->addWidget(m_clear);
    row->addWidget(m_busy);
    row->addWidget(m_counts);
    row->addSpacing(4);
    row->addWidget(views);
    m_buttons->setSpacing(0);
    row->addLayout(m_buttons);
    auto* nameRow = new QHBoxLayout(m_nameRow);
    nameRow->setContentsMargins(0, 0, 0, 0);
    nameRow->addWidget(m_name, 1);
    auto* save = new QPushButton(tr("Save view"), m_nameRow);
    auto* cancel = new QPushButton(tr("Cancel"), m_nameRow);
    nameRow->addWidget(save);
    nameRow->addWidget(cancel);
    m_name->setObjectName(u"triage.viewName"_s);
    m_name->setAccessibleName(tr("Name of the view"));
    m_name->setPlaceholderText(tr("Name of the view: filter, order and columns as they stand"));
    m_nameRow->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 8, 8);
    layout->setSpacing(4);
    layout->addLayout(row);
    layout->addWidget(m_problem);
    layout->addWidget(m_nameRow);

    connect(m_edit, &FilterEdit::applyRequested, this, &FilterBar::apply);
    connect(m_edit, &FilterEdit::leaveRequested, this, &FilterBar::leaveRequested);
    connect(m_edit, &FilterEdit::problemChanged, this, &FilterBar::updateHint);
    connect(m_edit, &QLineEdit::textChanged, this, &FilterBar::updateHint);
    connect(m_clear, &QToolButton::clicked, context.filters.clearAction(), &QAction::trigger);
    connect(&context.filters, &FilterStack::filterChanged, this, &FilterBar::showApplied);
    connect(m_views, &SavedViewMenu::saveRequested, this, [this] { askName(true); });
    const auto give = [this] {
        if (m_name->text().trimmed().isEmpty())
            return;
        Q_EMIT saveViewRequested(m_name->text().trimmed());
        askName(false);
    };
    connect(save, &QPushButton::clicked, this, give);
    connect(m_name, &QLineEdit::returnPressed, this, give);
    connect(cancel, &QPushButton::clicked, this, [this] { askName(false); });
    auto* escape = new QShortcut(QKeySequence(Qt::Key_Escape), m_nameRow);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, [this] { askName(false); });
    showApplied();
}

QToolButton* FilterBar::button(const QString& icon, const QString& name)
{
    auto* made = new QToolButton(this);
    made->setIcon(m_context.theme.icon(icon));
    made->setToolTip(name);
    made->setAccessibleName(name);
    connect(&m_context.theme, &Theme::changed, made, [this, made, icon] { made->setIcon(m_context.theme.icon(icon)); });
    return made;
}

void FilterBar::addButton(QAction* action)
{
    auto* made = new QToolButton(this);
    made->setDefaultAction(action);
    made->setToolButtonStyle(Qt::ToolButtonIconOnly);
    made->setAccessibleName(action->text());
    m_buttons->addWidget(made);
}

void FilterBar::setCounts(std::int64_t shown, std::int64_t all, bool known)
{
    if (known) {
        m_busyTimer->stop();
        m_busy->hide();
        m_counts->setText(tr("%1 of %2").arg(words::countText(shown), words::countText(all)));
    } else if (!m_busyTimer->isActive() && !m_busy->isVisible()) {
        m_busyTimer->start();
    }
}

QString FilterBar::counts() const
{
    return m_counts->text();
}

void FilterBar::apply(const QString& line)
{
    if (!m_context.filters.setText(line)) {
        showProblem(true); // also where it only stops too early: someone asked for it
        return;
    }
    showApplied();
    Q_EMIT leaveRequested();
}

void FilterBar::showApplied()
{
    m_edit->setApplied(m_context.filters.text());
    m_clear->setVisible(!m_context.filters.filter().isEmpty());
    updateHint();
}

void FilterBar::updateHint()
{
    const bool wrong = !m_edit->problem().isEmpty() && !m_edit->isUnfinished();
    m_hint->setVisible(!wrong && !m_edit->isApplied());
    showProblem(wrong);
}

void FilterBar::showProblem(bool shown)
{
    m_problem->setVisible(shown);
    m_problem->setText(shown ? m_edit->problem() : QString());
    QPalette palette = m_problem->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.cell(contract::StripCell::FailHard));
    m_problem->setPalette(palette);
}

void FilterBar::askName(bool shown)
{
    m_nameRow->setVisible(shown);
    if (shown) {
        m_name->clear();
        m_name->setFocus();
    } else {
        Q_EMIT leaveRequested();
    }
}

} // namespace assay::views
