// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/verdict.h"
#include "kernels/tensor/measured.h"

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace assay::store {

/// Reads the columns of one row from left to right.
class Columns {
public:
    explicit Columns(SQLite::Statement& query)
        : m_query(query)
    {
    }

    std::string text() { return m_query.getColumn(m_next++).getString(); }
    std::int64_t integer() { return m_query.getColumn(m_next++).getInt64(); }
    bool flag() { return m_query.getColumn(m_next++).getInt() != 0; }

    template <typename T> std::optional<T> maybe()
    {
        const SQLite::Column column = m_query.getColumn(m_next++);
        if (column.isNull())
            return std::nullopt;
        if constexpr (std::is_same_v<T, double>)
            return column.getDouble();
        else if constexpr (std::is_same_v<T, std::string>)
            return column.getString();
        else if constexpr (std::is_same_v<T, bool>)
            return column.getInt() != 0;
        else
            return static_cast<T>(column.getInt64());
    }

    /// A value and the class beside it.
    tensor::Measured measured()
    {
        const std::optional<double> value = maybe<double>();
        tensor::Measured out;
        out.valueClass = tensor::valueClassFromName(text());
        if (out.isFinite())
            out.value = value.value_or(0.0);
        return out;
    }

    contract::Verdict verdict() { return contract::verdictFromName(text()).value_or(contract::Verdict::Unknown); }
    contract::Severity severity() { return contract::severityFromName(text()).value_or(contract::Severity::None); }

private:
    SQLite::Statement& m_query;
    int m_next = 0;
};

} // namespace assay::store
