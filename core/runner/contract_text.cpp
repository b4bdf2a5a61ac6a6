// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_text.h"

#include "core/contract/contract.h"
#include "core/runner/contract_json.h"
#include "core/runner/verify_ask.h"
#include "core/text/error.h"

#include <fmt/format.h>

namespace assay::runner {

std::string contractText(const std::string& given)
{
    if (contract::profile(given))
        return given;
    const std::string text = given.starts_with('{') ? given : readSource(given, "the contract").text;
    json::Document document;
    if (const auto failure = json::parse(text, document))
        throw Error(fmt::format("the contract is no JSON at byte {}: {}", failure->byte, failure->reason), given,
                    "Profiles are strict, training, inference, kernelbench");
    readContract(document); // names what it does not know
    return document.IsString() ? document.GetString() : json::toText(document);
}

} // namespace assay::runner
