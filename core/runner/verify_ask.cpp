// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verify_ask.h"

#include "core/ingest/op_family.h"
#include "core/text/error.h"
#include "core/text/object_text.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace assay::runner {

Source readSource(const std::filesystem::path& path, const std::string& what)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    Source source{{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, path.string()};
    if (!file)
        throw Error("cannot read " + what + ": " + std::generic_category().message(errno != 0 ? errno : EIO), path.string(),
                    "Check the path");
    return source;
}

std::string membersOf(const VerifyAsk& ask)
{
    json::ObjectText out;
    out.text("op", "verify");
    const auto side = [&](const char* key, const Source& source) {
        out.object(key, [&] {
            out.text("source", source.text);
            out.text("name", source.name);
        });
    };
    side("reference", ask.reference);
    side("candidate", ask.candidate);
    out.text("device", ask.device);
    if (ask.contract.starts_with('{'))
        out.key("contract").RawValue(ask.contract.data(), ask.contract.size(), rapidjson::kObjectType);
    else
        out.text("contract", ask.contract);
    if (!ask.gates.empty())
        out.texts("gates", ask.gates);
    if (ask.thresholds != nullptr)
        writeThresholds(
            out, thresholdsFor(ask.thresholds, ask.family.empty() ? ingest::opFamily("", ask.reference.text) : ask.family));
    out.key("seed").Uint64(ask.seed);
    out.number("request_seconds", ask.requestSeconds);
    out.flag("unsafe_no_sandbox", ask.unsafeNoSandbox);
    if (ask.shrink)
        out.flag("shrink", true);
    if (!ask.baseline.empty())
        out.text("baseline", ask.baseline);
    if (ask.calibrate)
        out.flag("calibrate", true);
    if (ask.evidenceBytes > 0)
        out.integer("evidence_bytes", ask.evidenceBytes);
    const std::string object = out.finish();
    return object.substr(1, object.size() - 2);
}

} // namespace assay::runner
