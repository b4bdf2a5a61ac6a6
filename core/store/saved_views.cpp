// SPDX-License-Identifier: Apache-2.0
#include "core/store/guarded.h"
#include "core/store/kernel_details.h"
#include "core/store/triage.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <array>

namespace assay::store {

namespace {

struct Shipped {
    const char* name;
    const char* filter;
    const char* sort;
};

// They live in the program, not in the file, so that a read-only database and one of an older program have them too.
constexpr std::array kShipped = {
    Shipped{"Disagreements", "is:accepted hard>0", "-hard"},
    Shipped{"Hard failures", "hard>0", "-hard"},
    Shipped{"Tolerance failures", "outcome:fail_soft", "-relative"},
    Shipped{"Could not be judged", "outcome:error,unknown,unsupported,not_exercised,inapplicable,absent,not_judged", "status"},
    Shipped{"Largest errors", "-error:none", "-error"},
    Shipped{"Passes everything", "outcome:pass,pass_with_note", "id"},
};

bool isShipped(const std::string& name)
{
    return std::ranges::any_of(kShipped, [&](const Shipped& view) { return name == view.name; });
}

} // namespace

std::vector<SavedView> savedViews(Database& database)
{
    std::vector<SavedView> views;
    for (std::size_t i = 0; i < kShipped.size(); ++i)
        views.push_back({-static_cast<std::int64_t>(i) - 1, kShipped[i].name, kShipped[i].filter, kShipped[i].sort, "", true});
    guarded(database, [&] {
        SQLite::Statement query(
            database.sqlite(), "SELECT id, name, filter, sort, columns FROM saved_view WHERE built_in = 0 ORDER BY position, id");
        while (query.executeStep()) {
            views.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getString(),
                             query.getColumn(3).getString(), query.getColumn(4).getString(), false});
        }
    });
    return views;
}

std::int64_t saveView(Database& database, const SavedView& view)
{
    if (view.name.find_first_not_of(" \t\r\n") == std::string::npos)
        throw Error("the view has no name", "", "Give it one");
    if (isShipped(view.name))
        throw Error("the name belongs to a view that ships with Assay", view.name, "Choose another name");
    parseFilter(view.filter);
    if (!view.sort.empty() && !parseSort(view.sort))
        throw Error("the view sorts by an unknown column", view.sort, "Sort it again and save");
    return guarded(database, [&] {
        SQLite::Statement statement(
            database.sqlite(),
            view.id > 0
                ? "UPDATE saved_view SET name = ?1, filter = ?2, sort = ?3, columns = ?4 WHERE id = ?5 RETURNING id"
                : "INSERT INTO saved_view (name, filter, sort, columns, position)"
                  " VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(position), 0) + 1 FROM saved_view))"
                  " ON CONFLICT (name) DO UPDATE SET filter = excluded.filter, sort = excluded.sort, columns = excluded.columns"
                  " RETURNING id");
        statement.bind(1, view.name);
        statement.bind(2, view.filter);
        statement.bind(3, view.sort);
        statement.bind(4, view.columns);
        if (view.id > 0)
            statement.bind(5, view.id);
        if (!statement.executeStep())
            throw Error("there is no such view", view.name, "Save it under a new name");
        const std::int64_t id = statement.getColumn(0).getInt64();
        statement.executeStep(); // A write with RETURNING is finished only when it is stepped to its end.
        return id;
    });
}

void removeView(Database& database, std::int64_t viewId)
{
    if (viewId < 0)
        throw Error("views that ship with Assay stay", "", "Save a view of your own beside it");
    guarded(database, [&] {
        SQLite::Statement statement(database.sqlite(), "DELETE FROM saved_view WHERE id = ? AND built_in = 0");
        statement.bind(1, viewId);
        statement.exec();
    });
}

} // namespace assay::store
