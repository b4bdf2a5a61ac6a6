// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "core/store/schema.h"
#include "core/text/object_text.h"

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
        json::ObjectText object("assay.version/1");
        object.text("version", ASSAY_VERSION);
        object.integer("database_schema", store::kSchemaVersion);
        object.text("sqlite", sqlite3_libversion());
        printLine(object.finish());
        return kFine;
    }
};

} // namespace

std::unique_ptr<Verb> makeVersionVerb()
{
    return std::make_unique<VersionVerb>();
}

} // namespace assay::cli
