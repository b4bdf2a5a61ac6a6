// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"
#include "core/text/raw_json.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::ingest {

/// What a row can tell about a kernel; the names are those of the import options ("--option candidate=kernel_code").
enum class Field {
    Id,
    Reference,
    Candidate,
    Claim,
    Speedup,
    Correct,
    Title,
    Family,
    Language,
    EntryPoint,
    Hardware,
    Path,
    Repository,
    Revision,
    Licence,
    CandidateSha,
    ReferenceSha,
};

/// Finds the member of a row that holds a field: the one an option names (a member's name, or a JSON pointer that starts with
/// '/'), else the first of the usual names that the row has.
class FieldMapping {
public:
    /// @throws Error  when an option names no field
    explicit FieldMapping(const std::map<std::string, std::string>& options);

    struct Found {
        std::string member;                 ///< name or pointer it was found under
        const json::Value* value = nullptr; ///< nullptr: the row has no such member
        bool asked = false;                 ///< an option named it
    };
    Found find(const json::Value& row, Field field) const;

    /// The member's text as it was written. @param rowText  the row that @p found came from
    static std::string_view raw(std::string_view rowText, const Found& found);

    /// Names of the options, one a field.
    static std::vector<std::string_view> optionKeys();

private:
    std::map<Field, std::string> m_asked;
};

} // namespace assay::ingest
