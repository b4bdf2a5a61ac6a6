// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/row_loop.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/progress.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::ingest {

namespace {

std::string describe(const json::ParseFailure& failure, const Line& line)
{
    // A last line without its end that breaks off at its last byte was cut, not written wrongly.
    const bool cut = !line.terminated && failure.byte + 1 >= line.text.size();
    return fmt::format("{}: {} at byte {} of the line", cut ? "the line is cut off" : "not JSON", failure.reason, failure.byte);
}

/// The first member that appears twice: readers disagree on which of the two counts, so such a row is not guessed at.
std::optional<std::string> repeatedMember(const json::Document& row)
{
    std::vector<std::string_view> names;
    names.reserve(row.MemberCount());
    for (const auto& member : row.GetObject())
        names.emplace_back(member.name.GetString(), member.name.GetStringLength());
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end())
        return std::nullopt;
    return std::string(*twice);
}

/// What a person finds a rejected row by.
std::string idOf(const json::Document& row)
{
    return json::stringAt(row, "id").value_or("");
}

} // namespace

void forEachJsonLine(const std::filesystem::path& path, store::CorpusWriter& writer, const JobControl& control,
                     const std::function<void(const Line&, const json::Document&)>& row)
{
    ByteSource source(path);
    LineReader reader(source);
    ProgressMeter progress(control, source.rawBytes());
    Line line;
    std::int64_t rows = 0;
    while (reader.next(line)) {
        progress.step(source.rawBytesRead(), ++rows);
        if (!line.problem.empty()) {
            writer.reject({line.number, line.byte, "", line.problem});
            continue;
        }
        json::Document document; // its own pool: a shared one would keep the memory of the largest row
        if (const auto failure = json::parseStrictly(line.text, document)) {
            writer.reject({line.number, line.byte + static_cast<std::int64_t>(failure->byte), "", describe(*failure, line)});
            continue;
        }
        if (!document.IsObject()) {
            writer.reject({line.number, line.byte, "", "the line is JSON but not an object"});
            continue;
        }
        if (const std::optional<std::string> twice = repeatedMember(document)) {
            writer.reject({line.number, line.byte, idOf(document), fmt::format("the member \"{}\" appears twice", *twice)});
            continue;
        }
        try {
            row(line, document);
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& error) {
            writer.reject({line.number, line.byte, error.where().empty() ? idOf(document) : error.where(), error.problem()});
        }
    }
    progress.finish(source.rawBytesRead(), rows);
    if (rows == 0)
        throw Error("the file is empty", path.string(), "There is nothing to import.");
}

} // namespace assay::ingest
