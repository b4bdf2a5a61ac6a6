// SPDX-License-Identifier: Apache-2.0
#include "core/launch/native_subject.h"

#include "core/contract/contract.h"
#include "core/launch/native_source.h"
#include "core/launch/shape_text.h"
#include "core/text/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace assay::launch {

namespace {

/// Channels that device kernels are built for.
const std::vector<std::int64_t> kDeviceChannels{64, 128};
constexpr int kKeyInput = 1, kValueInput = 2, kChannelDimension = 3;

/// The one place of @p line in @p text, replaced.
void replaceLine(std::string& text, std::string_view line, const std::string& by)
{
    const std::size_t at = text.find(line);
    if (at == std::string::npos || text.find(line, at + 1) != std::string::npos)
        throw std::logic_error(fmt::format("the operator's task has no single line {}", line));
    text.replace(at, line.size(), by);
}

/// What the operator is about: logarithms of decays are at most 0, gates that write from 0 to 1, those that erase up to 2, which
/// makes an eigenvalue negative.
contract::InputDomain domainOf(std::string_view name, int input)
{
    contract::InputDomain domain;
    domain.input = input;
    if (name == "g" || name == "A")
        domain.high = 0;
    if (name == "b" || name == "beta" || name == "w" || name == "lambda" || name == "dt")
        domain.low = 0;
    if (name == "w" || name == "lambda")
        domain.high = 1;
    if (name == "b" || name == "beta")
        domain.high = 2;
    return domain;
}

contract::Contract contractOf(gdn::Family family, std::string_view device, double budgetSeconds)
{
    contract::Contract contract = *contract::profile("strict");
    contract.training = contract::Contract::Training::Required;
    contract.operands = contract::Contract::Operands::AsInputs;
    contract.cpuBudgetSeconds = budgetSeconds;
    bool erases = false;
    int input = 0;
    for (const gdn::FamilyInput& each : inputsOf(family)) {
        const contract::InputDomain domain = domainOf(each.name, input++);
        if (domain.isBounded())
            contract.domains.push_back(domain);
        erases = erases || each.name == "b" || each.name == "beta";
    }
    // Erasing along a longer key makes the state grow at every token.
    if (erases)
        contract.domains.insert(contract.domains.begin(), {kKeyInput, std::nullopt, std::nullopt, 1.0});
    if (device != "cpu") {
        contract.subnormals = contract::Contract::Subnormals::Either; // its powers of 2 are flushed, dg is a sum of them
        contract.sizes.push_back({kKeyInput, kChannelDimension, kDeviceChannels});
        contract.sizes.push_back({kValueInput, kChannelDimension, kDeviceChannels});
    }
    return contract;
}

} // namespace

NativeSubject nativeSubject(gdn::Family family, const gdn::Shape& shape, tensor::DType dtype, std::string_view device,
                            double budgetSeconds)
{
    const auto sizes = sizesOf(shape);
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 1; }))
        throw Error("sizes are whole numbers from 1 on", shapeText(shape), "Write B,T,H,K,V as 1,64,2,64,64");
    NativeSubject subject;
    const std::string familyLine = fmt::format("FAMILY = \"{}\"", gdn::name(family));
    subject.reference = {kNativeReference, "reference.py"};
    replaceLine(subject.reference.text, "FAMILY = \"gdn2\"", familyLine);
    replaceLine(subject.reference.text, "B, T, H, K, V = 1, 64, 2, 16, 16",
                fmt::format("B, T, H, K, V = {}", fmt::join(sizes, ", ")));
    replaceLine(subject.reference.text, "DTYPE = \"float32\"", fmt::format("DTYPE = \"{}\"", tensor::name(dtype)));
    subject.candidate = {kNativeCandidate, "candidate.py"};
    replaceLine(subject.candidate.text, "FAMILY = \"gdn2\"", familyLine);
    subject.contract = contract::canonicalText(contractOf(family, device, budgetSeconds));
    return subject;
}

} // namespace assay::launch
