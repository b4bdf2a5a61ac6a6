// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/filter_edit.h"

#include "core/store/triage_filter.h"
#include "views/theme/theme.h"
#include "views/triage/triage_words.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStringListModel>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

/// Start of what a completion replaces: behind the last space, sign, operator or comma in front of @p cursor.
qsizetype wordStart(const QString& text, qsizetype cursor)
{
    qsizetype start = cursor;
    while (start > 0 && !u" \t:=<>,"_s.contains(text[start - 1]))
        --start;
    // "-family": the sign belongs to the term; "EXC-01": the dash belongs to the gate.
    if (start < cursor && text[start] == u'-')
        ++start;
    return start;
}

} // namespace

FilterEdit::FilterEdit(const Theme& theme, QWidget* parent)
    : QLineEdit(parent)
    , m_theme(theme)
    , m_completions(new QStringListModel(this))
    , m_completer(new QCompleter(m_completions, this))
{
    setObjectName(u"triage.filter"_s);
    setAccessibleName(tr("Filter"));
    setPlaceholderText(tr("Filter: family:scan  EXC-01:hard  error>1e3  is:accepted  words   ( / )"));
    setClearButtonEnabled(false);
    // Never QLineEdit's own completer: that one replaces the whole line.
    m_completer->setWidget(this);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(10);
    const auto dress = [this] {
        m_completer->popup()->setStyleSheet(
            u"QAbstractItemView { border: 1px solid %1; padding: 4px 0; } QAbstractItemView::item { padding: 3px 10px; }"
            u"QAbstractItemView::item:selected { background: %2; color: %3; }"_s.arg(
                m_theme.line().name(), m_theme.selected().name(), m_theme.ink().name()));
    };
    dress();
    connect(&theme, &Theme::changed, this, dress);
    connect(m_completer, QOverload<const QString&>::of(&QCompleter::activated), this, &FilterEdit::insertCompletion);
    connect(this, &QLineEdit::textEdited, this, &FilterEdit::offerCompletions);
    connect(this, &QLineEdit::textChanged, this, &FilterEdit::check);
}

void FilterEdit::setApplied(const QString& line)
{
    m_applied = line;
    if (text() != line)
        setText(line);
    m_completer->popup()->hide();
}

bool FilterEdit::isApplied() const
{
    return text().trimmed() == m_applied;
}

QString FilterEdit::problem() const
{
    return m_problem;
}

bool FilterEdit::isUnfinished() const
{
    return m_problemAt >= text().size() && hasFocus();
}

void FilterEdit::check()
{
    QString problem;
    m_problemAt = -1;
    const std::string line = text().toStdString();
    try {
        store::parseFilter(line);
    } catch (const store::FilterError& error) {
        problem = words::fromUtf8(error.problem()) + u". "_s + words::fromUtf8(error.remedy());
        m_problemAt = static_cast<int>(
            QString::fromUtf8(line.data(), static_cast<qsizetype>(std::min(error.position(), line.size()))).size());
    }
    update();
    if (problem != m_problem) {
        m_problem = problem;
        Q_EMIT problemChanged(m_problem);
    }
}

void FilterEdit::offerCompletions()
{
    const QString before = text().left(cursorPosition());
    const qsizetype start = wordStart(text(), cursorPosition());
    const QString typed = before.mid(start);
    QStringList offers;
    for (const std::string& offer : store::filterCompletions(before.toStdString()))
        offers << words::fromUtf8(offer);
    // Nothing to say about an empty word in an empty line, or about a word that is already whole.
    const bool whole = offers.size() == 1 && offers.first().compare(typed, Qt::CaseInsensitive) == 0;
    const bool blank = typed.isEmpty() && (start == 0 || text()[start - 1].isSpace());
    if (offers.isEmpty() || whole || blank) {
        m_completer->popup()->hide();
        return;
    }
    m_completions->setStringList(offers);
    QRect place = cursorRect();
    place.setWidth(220);
    m_completer->complete(place);
    m_completer->popup()->setCurrentIndex(QModelIndex());
}

void FilterEdit::insertCompletion(const QString& completion)
{
    const qsizetype start = wordStart(text(), cursorPosition());
    const bool key = completion.endsWith(u':') || completion.endsWith(u'>');
    const bool quoted = completion.contains(u' ');
    QString line = text();
    const QString inserted = (quoted ? u'"' + completion + u'"' : completion) + (key ? QString() : u" "_s);
    line.replace(start, cursorPosition() - start, inserted);
    setText(line);
    setCursorPosition(static_cast<int>(start + inserted.size()));
    if (key)
        offerCompletions();
}

void FilterEdit::keyPressEvent(QKeyEvent* event)
{
    const bool choosing = m_completer->popup()->isVisible();
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (choosing && m_completer->popup()->currentIndex().isValid()) {
            event->ignore(); // the popup takes the choice
            return;
        }
        m_completer->popup()->hide();
        Q_EMIT applyRequested(text());
        return;
    case Qt::Key_Escape:
        if (choosing) {
            m_completer->popup()->hide();
            return;
        }
        setApplied(m_applied);
        Q_EMIT leaveRequested();
        return;
    case Qt::Key_Down:
        if (!choosing) {
            Q_EMIT leaveRequested();
            return;
        }
        break;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

bool FilterEdit::focusNextPrevChild(bool next)
{
    if (!m_completer->popup()->isVisible())
        return QLineEdit::focusNextPrevChild(next);
    const QModelIndex current = m_completer->popup()->currentIndex();
    insertCompletion(current.isValid() ? current.data().toString() : m_completions->stringList().constFirst());
    return true;
}

void FilterEdit::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
        m_completer->popup()->hide();
}

void FilterEdit::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    if (m_problemAt < 0 || isUnfinished())
        return;
    // cursorRect() knows how far a long line is scrolled.
    const QFontMetrics metrics = fontMetrics();
    const int cursorX = cursorRect().center().x();
    const int x = cursorX - metrics.horizontalAdvance(text().left(cursorPosition()))
        + metrics.horizontalAdvance(text().left(m_problemAt));
    const QString rest = text().mid(m_problemAt).section(u' ', 0, 0);
    const int width = std::max(metrics.horizontalAdvance(rest), metrics.averageCharWidth());
    const int y = height() / 2 + metrics.height() / 2;
    QPainterPath wave(QPointF(x, y));
    for (int step = 2; step <= width; step += 2)
        wave.lineTo(x + step, y + (step % 4 == 0 ? 0 : -2));
    QPainter painter(this);
    painter.setClipRect(rect().adjusted(4, 0, -4, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.cell(contract::StripCell::FailHard), 1.2));
    painter.drawPath(wave);
}

} // namespace assay::views
