// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "core/store/schema.h"
#include "core/text/json.h"

#include "assay_version.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace assay::cli {

namespace {

class VersionVerb final : public Verb {
public:
    std::string_view name() const override { return "version"; }
    std::string_view summary() const override { return "Version of the program, its database schema and SQLite"; }
    std::string_view help() const override { return "Example:\n  assay version --json"; }
    void declare(CLI::App&) override { }

    int run(Invocation& invocation) override
    {
        if (!invocation.json) {
            printLine(fmt::format("assay {}, database schema {}, SQLite {}", ASSAY_VERSION, store::kSchemaVersion,
                                  sqlite3_libversion()));
            return kFine;
        }
        rapidjson::StringBuffer buffer;
        json::Writer writer(buffer);
        writer.StartObject();
        writer.Key("schema");
        writer.String("assay.version/1");
        writer.Key("version");
        writer.String(ASSAY_VERSION);
        writer.Key("database_schema");
        writer.Int(store::kSchemaVersion);
        writer.Key("sqlite");
        writer.String(sqlite3_libversion());
        writer.EndObject();
        printLine({buffer.GetString(), buffer.GetSize()});
        return kFine;
    }
};

} // namespace

std::unique_ptr<Verb> makeVersionVerb()
{
    return std::make_unique<VersionVerb>();
}

} // namespace assay::cli
