// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/guarded.h"
#include "core/store/triage.h"
#include "kernels/tensor/measured.h"

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <string>

/// What every query of core/report needs: failures named after the file, columns as values.
namespace assay::report::sql {

using store::guarded;

std::optional<double> optionalNumber(const SQLite::Column& column);
std::optional<std::int64_t> optionalInteger(const SQLite::Column& column);
std::optional<std::string> optionalText(const SQLite::Column& column);

/// The pair (value, class) of the schema; a value without a class counts as finite.
tensor::Measured measuredColumns(const SQLite::Column& value, const SQLite::Column& valueClass);

/// @throws Error when no scope has this id
store::Scope scopeById(store::Database& database, std::int64_t scopeId);

} // namespace assay::report::sql
