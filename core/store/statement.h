// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/measured.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3_stmt;

namespace assay::store {

/// A prepared statement for the writer's inner loop: binds views without copying and costs nothing above the C API.
/// Everything bound must outlive the next step. Parameters count from 1, columns from 0. Errors are SQLite::Exception.
class Statement {
public:
    Statement(SQLite::Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& null(int index);
    Statement& text(int index, std::string_view value);
    Statement& textOrNull(int index, std::string_view value); ///< "" becomes NULL
    Statement& blob(int index, std::string_view bytes);
    Statement& integer(int index, std::int64_t value);
    Statement& integer(int index, std::optional<std::int64_t> value);
    Statement& integer(int index, std::optional<int> value);
    Statement& flag(int index, std::optional<bool> value);
    Statement& idOrNull(int index, std::int64_t id); ///< 0 becomes NULL
    Statement& real(int index, std::optional<double> value);
    /// For an SQL function that asks for @p type with sqlite3_value_pointer(); NULL to everything else.
    Statement& pointer(int index, const void* value, const char* type);
    /// The pair (value, class) at @p index and @p index + 1; both NULL where nothing was measured.
    Statement& measured(int index, const tensor::Measured& value);

    /// The value in @p column of @p row, whatever its type; @p row must not move on before the step.
    Statement& value(int index, const Statement& row, int column);

    /// Runs to the end and makes ready for the next binding.
    void run();
    /// The same, but a row that breaks a constraint is only told. @return false where it does
    bool tryRun();
    /// @return false after the last row, with the statement reset
    bool step();
    void reset();

    /// The statement with its bound values written into it; a value bound with pointer() reads as NULL.
    std::string expandedSql() const;

    std::int64_t integerAt(int column) const;
    bool isNull(int column) const;
    double realAt(int column) const;
    std::string_view textAt(int column) const; ///< valid until the next step
    std::string_view blobAt(int column) const;
    tensor::Measured measuredAt(int column) const; ///< from @p column and @p column + 1

private:
    void check(int result) const;

    sqlite3* m_database;
    sqlite3_stmt* m_statement = nullptr;
};

/// First column of the first row, or nothing where there is no row or it is NULL. Resets @p statement.
std::optional<std::int64_t> singleInteger(Statement& statement);

} // namespace assay::store
