// SPDX-License-Identifier: Apache-2.0
#include "core/report/sql.h"

#include <SQLiteCpp/Column.h>

namespace assay::report::sql {

std::optional<double> optionalNumber(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getDouble();
}

std::optional<std::int64_t> optionalInteger(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getInt64();
}

std::optional<std::string> optionalText(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getString();
}

tensor::Measured measuredColumns(const SQLite::Column& value, const SQLite::Column& valueClass)
{
    const auto kind = tensor::valueClassFromName(valueClass.getText());
    if (kind != tensor::ValueClass::Absent && kind != tensor::ValueClass::Finite)
        return {kind, 0.0};
    if (value.isNull())
        return {};
    return tensor::measured(value.getDouble());
}

store::Scope scopeById(store::Database& database, std::int64_t scopeId)
{
    for (const store::Scope& scope : store::scopes(database)) {
        if (scope.id == scopeId)
            return scope;
    }
    throw Error("no such audit", database.path().string(), "Another process may have replaced it: list the audits again");
}

} // namespace assay::report::sql
