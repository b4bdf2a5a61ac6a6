// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"
#include "core/store/triage_filter.h"

#include <QObject>
#include <QString>

#include <vector>

class QAction;

namespace assay::views {

/// The one filter and sort of the kernel list, shared by facets, filter line, overview links and saved views. Undoable.
class FilterStack final : public QObject {
    Q_OBJECT
public:
    explicit FilterStack(QObject* parent = nullptr);

    const store::TriageFilter& filter() const;
    QString text() const; ///< the filter line
    const store::TriageSort& sort() const;

    /// Replaces the filter. @return false when @p line does not parse; then problem() says why and the old filter stays
    bool setText(const QString& line);
    QString problem() const;
    void setFilter(const store::TriageFilter& filter);
    void setSort(const store::TriageSort& sort);
    /// Starts over from a stored filter and sort: nothing to undo. A line that no longer parses leaves everything as it is.
    bool restore(const QString& line, const store::TriageSort& sort);

    /// Adds the value to the facet's term, or takes it out where it is there already (a click on a facet).
    void toggleValue(const QString& key, const QString& value, bool negated = false);
    bool hasValue(const QString& key, const QString& value) const;
    void clear();

    QAction* undoAction() const;
    QAction* redoAction() const;
    QAction* clearAction() const;

Q_SIGNALS:
    void filterChanged();
    void sortChanged();
    void problemChanged(const QString& problem);

private:
    struct State {
        store::TriageFilter filter;
        store::TriageSort sort;
        bool operator==(const State&) const = default;
    };
    void push(State state);
    void apply(std::size_t position);
    std::vector<State> m_states{1};
    std::size_t m_position = 0;
    QString m_problem;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QAction* m_clear = nullptr;
};

} // namespace assay::views
