// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/row_loop.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/progress.h"
#include "core/ingest/raw_json.h"
#include "core/text/error.h"

#include <fmt/format.h>

namespace assay::ingest {

namespace {

std::string describe(const json::ParseFailure& failure, const Line& line)
{
    // A last line without its end that breaks off at its last byte was cut, not written wrongly.
    const bool cut = !line.terminated && failure.byte + 1 >= line.text.size();
    return fmt::format("{}: {} at byte {} of the line", cut ? "the line is cut off" : "not JSON", failure.reason, failure.byte);
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
        if (const auto failure = parseStrictly(line.text, document)) {
            writer.reject({line.number, line.byte + static_cast<std::int64_t>(failure->byte), "", describe(*failure, line)});
            continue;
        }
        if (!document.IsObject()) {
            writer.reject({line.number, line.byte, "", "the line is JSON but not an object"});
            continue;
        }
        try {
            row(line, document);
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& error) {
            writer.reject({line.number, line.byte, "", error.problem()});
        }
    }
    if (rows == 0)
        throw Error("the file is empty", path.string(), "There is nothing to import.");
}

} // namespace assay::ingest
