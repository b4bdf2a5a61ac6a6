// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/filter_stack.h"

#include <QAction>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
/// Filters that undo can reach.
constexpr std::size_t kUndoLimit = 200;

bool isValueTerm(const store::FilterTerm& term, const std::string& key)
{
    return term.key == key && (term.op == ":" || term.op.empty());
}

/// Takes @p value out of the terms of @p key with that sign. @return whether it was there
bool removeValue(store::TriageFilter& filter, const std::string& key, const std::string& value, bool negated)
{
    bool found = false;
    for (store::FilterTerm& term : filter.terms) {
        if (isValueTerm(term, key) && term.negated == negated)
            found = std::erase(term.values, value) > 0 || found;
    }
    std::erase_if(filter.terms, [](const store::FilterTerm& term) { return term.values.empty(); });
    return found;
}

void addValue(store::TriageFilter& filter, const std::string& key, const std::string& value, bool negated)
{
    const auto same = std::ranges::find_if(
        filter.terms, [&](const store::FilterTerm& term) { return isValueTerm(term, key) && term.negated == negated; });
    if (same != filter.terms.end())
        same->values.push_back(value);
    else
        filter.terms.push_back({key, ":", {value}, negated});
}
} // namespace

FilterStack::FilterStack(QObject* parent)
    : QObject(parent)
    , m_undo(new QAction(tr("Undo filter"), this))
    , m_redo(new QAction(tr("Redo filter"), this))
    , m_clear(new QAction(tr("Clear filter"), this))
{
    m_undo->setObjectName(u"filter.undo"_s);
    m_undo->setShortcut(QKeySequence(u"Ctrl+Z"_s));
    m_redo->setObjectName(u"filter.redo"_s);
    m_redo->setShortcuts({QKeySequence(u"Ctrl+Y"_s), QKeySequence(u"Ctrl+Shift+Z"_s)});
    m_clear->setObjectName(u"filter.clear"_s);
    m_clear->setShortcut(QKeySequence(u"Ctrl+Shift+Backspace"_s));
    connect(m_undo, &QAction::triggered, this, [this] {
        if (m_position > 0)
            apply(m_position - 1);
    });
    connect(m_redo, &QAction::triggered, this, [this] {
        if (m_position + 1 < m_states.size())
            apply(m_position + 1);
    });
    connect(m_clear, &QAction::triggered, this, &FilterStack::clear);
    apply(0);
}

const store::TriageFilter& FilterStack::filter() const
{
    return m_states[m_position].filter;
}

QString FilterStack::text() const
{
    return QString::fromStdString(store::toText(filter()));
}

const store::TriageSort& FilterStack::sort() const
{
    return m_states[m_position].sort;
}

bool FilterStack::setText(const QString& line)
{
    try {
        setFilter(store::parseFilter(line.toStdString()));
        return true;
    } catch (const store::FilterError& error) {
        m_problem = QString::fromUtf8(error.what());
        Q_EMIT problemChanged(m_problem);
        return false;
    }
}

QString FilterStack::problem() const
{
    return m_problem;
}

void FilterStack::setFilter(const store::TriageFilter& filter)
{
    push({filter, sort()});
}

void FilterStack::setSort(const store::TriageSort& sort)
{
    push({filter(), sort});
}

bool FilterStack::restore(const QString& line, const store::TriageSort& sort)
{
    try {
        push({store::parseFilter(line.toStdString()), sort});
    } catch (const store::FilterError&) {
        return false;
    }
    m_states = {m_states[m_position]};
    m_position = 0;
    apply(0);
    return true;
}

void FilterStack::toggleValue(const QString& key, const QString& value, bool negated)
{
    store::TriageFilter next = filter();
    const std::string keyText = key.toStdString();
    const std::string valueText = value.toStdString();
    if (!removeValue(next, keyText, valueText, negated)) {
        removeValue(next, keyText, valueText, !negated);
        addValue(next, keyText, valueText, negated);
    }
    setFilter(next);
}

bool FilterStack::hasValue(const QString& key, const QString& value) const
{
    return std::ranges::any_of(
        filter().terms, [key = key.toStdString(), value = value.toStdString()](const store::FilterTerm& term) {
            return isValueTerm(term, key) && !term.negated && std::ranges::find(term.values, value) != term.values.end();
        });
}

void FilterStack::clear()
{
    setFilter({});
}

QAction* FilterStack::undoAction() const
{
    return m_undo;
}

QAction* FilterStack::redoAction() const
{
    return m_redo;
}

QAction* FilterStack::clearAction() const
{
    return m_clear;
}

void FilterStack::push(State state)
{
    if (state == m_states[m_position]) {
        apply(m_position); // clears a problem that the same filter had no part in
        return;
    }
    m_states.erase(m_states.begin() + static_cast<std::ptrdiff_t>(m_position) + 1, m_states.end());
    m_states.push_back(std::move(state));
    std::size_t last = m_states.size() - 1;
    if (m_states.size() > kUndoLimit) {
        m_states.erase(m_states.begin());
        --last;
    }
    m_position = last - 1;
    apply(last);
}

void FilterStack::apply(std::size_t position)
{
    const State before = m_states[m_position];
    m_position = position;
    m_undo->setEnabled(position > 0);
    m_redo->setEnabled(position + 1 < m_states.size());
    m_clear->setEnabled(!filter().isEmpty());
    if (!m_problem.isEmpty()) {
        m_problem.clear();
        Q_EMIT problemChanged(m_problem);
    }
    const State now = m_states[m_position];
    if (now.filter != before.filter)
        Q_EMIT filterChanged();
    if (now.sort != before.sort)
        Q_EMIT sortChanged();
}

} // namespace assay::views
