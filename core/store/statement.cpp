// SPDX-License-Identifier: Apache-2.0
#include "core/store/statement.h"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <memory>

namespace assay::store {

Statement::Statement(SQLite::Database& database, std::string_view sql)
    : m_database(database.getHandle())
{
    check(sqlite3_prepare_v3(m_database, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &m_statement,
                             nullptr));
}

Statement::~Statement()
{
    sqlite3_finalize(m_statement);
}

void Statement::check(int result) const
{
    if (result != SQLITE_OK)
        throw SQLite::Exception(m_database, result);
}

Statement& Statement::null(int index)
{
    check(sqlite3_bind_null(m_statement, index));
    return *this;
}

Statement& Statement::text(int index, std::string_view value)
{
    // A null pointer would bind NULL, and an empty view may carry one.
    const char* data = value.data() == nullptr ? "" : value.data();
    check(sqlite3_bind_text64(m_statement, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

Statement& Statement::textOrNull(int index, std::string_view value)
{
    return value.empty() ? null(index) : text(index, value);
}

Statement& Statement::blob(int index, std::string_view bytes)
{
    const char* data = bytes.data() == nullptr ? "" : bytes.data();
    check(sqlite3_bind_blob64(m_statement, index, data, bytes.size(), SQLITE_STATIC));
    return *this;
}

Statement& Statement::integer(int index, std::int64_t value)
{
    check(sqlite3_bind_int64(m_statement, index, value));
    return *this;
}

Statement& Statement::integer(int index, std::optional<std::int64_t> value)
{
    return value ? integer(index, *value) : null(index);
}

Statement& Statement::integer(int index, std::optional<int> value)
{
    return value ? integer(index, std::int64_t{*value}) : null(index);
}

Statement& Statement::flag(int index, std::optional<bool> value)
{
    return value ? integer(index, std::int64_t{*value}) : null(index);
}

Statement& Statement::idOrNull(int index, std::int64_t id)
{
    return id == 0 ? null(index) : integer(index, id);
}

Statement& Statement::real(int index, std::optional<double> value)
{
    if (!value)
        return null(index);
    check(sqlite3_bind_double(m_statement, index, *value));
    return *this;
}

Statement& Statement::pointer(int index, const void* value, const char* type)
{
    check(sqlite3_bind_pointer(m_statement, index, const_cast<void*>(value), type, nullptr));
    return *this;
}

Statement& Statement::measured(int index, const tensor::Measured& value)
{
    if (value.isFinite())
        real(index, value.value);
    else
        null(index);
    return textOrNull(index + 1, tensor::name(value.valueClass));
}

Statement& Statement::value(int index, const Statement& row, int column)
{
    check(sqlite3_bind_value(m_statement, index, sqlite3_column_value(row.m_statement, column)));
    return *this;
}

void Statement::run()
{
    if (!tryRun())
        check(sqlite3_extended_errcode(m_database));
}

bool Statement::tryRun()
{
    const int result = sqlite3_step(m_statement);
    const int after = sqlite3_reset(m_statement);
    if (result == SQLITE_DONE || result == SQLITE_ROW)
        return true;
    if ((after & 0xFF) == SQLITE_CONSTRAINT || (after & 0xFF) == SQLITE_MISMATCH)
        return false;
    check(after == SQLITE_OK ? result : after);
    return false;
}

bool Statement::step()
{
    const int result = sqlite3_step(m_statement);
    if (result == SQLITE_ROW)
        return true;
    const int after = sqlite3_reset(m_statement);
    if (result != SQLITE_DONE)
        check(after == SQLITE_OK ? result : after);
    return false;
}

std::string Statement::expandedSql() const
{
    const std::unique_ptr<char, decltype(&sqlite3_free)> text(sqlite3_expanded_sql(m_statement), &sqlite3_free);
    return text == nullptr ? std::string() : std::string(text.get());
}

void Statement::reset()
{
    sqlite3_reset(m_statement);
}

std::int64_t Statement::integerAt(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

double Statement::realAt(int column) const
{
    return sqlite3_column_double(m_statement, column);
}

std::string_view Statement::textAt(int column) const
{
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    return data == nullptr ? std::string_view()
                           : std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)));
}

std::string_view Statement::blobAt(int column) const
{
    const auto* data = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
    return data == nullptr ? std::string_view()
                           : std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)));
}

tensor::Measured Statement::measuredAt(int column) const
{
    tensor::Measured value{tensor::valueClassFromName(textAt(column + 1)), 0.0};
    if (value.isFinite())
        value.value = realAt(column);
    return value;
}

std::optional<std::int64_t> singleInteger(Statement& statement)
{
    std::optional<std::int64_t> value;
    if (statement.step()) {
        if (!statement.isNull(0))
            value = statement.integerAt(0);
        statement.reset();
    }
    return value;
}

} // namespace assay::store
