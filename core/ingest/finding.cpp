// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/finding.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::ingest {

namespace {

using tensor::Measured;
using tensor::ValueClass;

constexpr std::size_t kLongestMessage = 160;

std::string on(std::string_view stimulus)
{
    return stimulus.empty() ? std::string() : fmt::format(" on {}", stimulus);
}

std::string valueFinding(const ReasonFact& fact)
{
    const std::string allowed = fact.threshold.isFinite() ? shortNumber(fact.threshold.value) : std::string();
    if (fact.value.valueClass == ValueClass::NaN)
        return fmt::format("the largest difference{} is NaN{}", on(fact.stimulus),
                           allowed.empty() ? "" : " where " + allowed + " is allowed");
    if (!fact.value.isFinite())
        return fmt::format("the largest difference{} is infinite{}", on(fact.stimulus),
                           allowed.empty() ? "" : " where " + allowed + " is allowed");
    std::string text = fmt::format("off by {}{}", shortNumber(fact.value.value), on(fact.stimulus));
    if (fact.relative.isFinite())
        text += fmt::format(", {} of the output's scale", shortNumber(fact.relative.value));
    if (!allowed.empty() && fact.threshold.value > 0)
        text += fmt::format(", {} times the allowed {}", shortNumber(fact.value.value / fact.threshold.value), allowed);
    return text;
}

/// "scattered_pos_inf" -> "+Inf"
std::string_view injected(std::string_view stimulus)
{
    if (stimulus == "scattered_nan")
        return "NaN";
    if (stimulus == "scattered_pos_inf")
        return "+Inf";
    return stimulus == "scattered_neg_inf" ? "-Inf" : "";
}

std::string maskFinding(std::string_view kind, std::string_view stimulus)
{
    const std::string_view what = injected(stimulus);
    const std::string where = what.empty() ? on(stimulus) : fmt::format(" with {} injected into the input", what);
    return fmt::format("{} stands in other places of the output than in the reference's{}", kind, where);
}

/// " torch.Size([64, 1]) vs torch.Size([64])" -> ": [64, 1] against [64]"
std::string shapes(std::string_view detail)
{
    std::string text(detail);
    for (std::size_t at = text.find("torch.Size("); at != std::string::npos; at = text.find("torch.Size(", at)) {
        const std::size_t close = text.find(')', at);
        if (close == std::string::npos)
            return "";
        text.erase(close, 1);
        text.erase(at, std::string_view("torch.Size(").size());
    }
    const std::size_t versus = text.find(" vs ");
    if (versus == std::string::npos)
        return "";
    return fmt::format(": {} against {}", firstLine(text.substr(0, versus)), firstLine(text.substr(versus + 4)));
}

/// How much a gate weighs among those that count against the candidate; the kernel list leads with the same one.
int weight(const store::GateRecord& gate)
{
    if (gate.verdict == contract::Verdict::Crash)
        return 4;
    if (gate.verdict == contract::Verdict::Timeout)
        return 3;
    return gate.severity == contract::Severity::Hard ? 2 : 1;
}

/// The part of a CUDA error that names it: "an illegal memory access was encountered".
std::string cudaError(std::string_view detail)
{
    for (const std::string_view mark : {"CUDA error: ", "Triton Error [CUDA]: "}) {
        if (const std::size_t at = detail.find(mark); at != std::string_view::npos)
            return firstLine(detail.substr(at + mark.size()));
    }
    return firstLine(detail);
}

} // namespace

std::string shortNumber(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    const double size = std::abs(value);
    if (size == 0)
        return "0";
    if (size >= 1e-3 && size < 1e4) {
        // Two significant digits, but never fewer than the whole part has.
        const int decimals = size >= 10 ? 0 : 1 - static_cast<int>(std::floor(std::log10(size)));
        return fmt::format("{:.{}f}", value, decimals);
    }
    std::string text = fmt::format("{:.1e}", value);
    const std::size_t exponent = text.find('e');
    if (text[exponent + 1] == '-' && text[exponent + 2] == '0')
        text.erase(exponent + 2, 1);
    return text;
}

std::string firstLine(std::string_view message)
{
    const std::size_t begin = message.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
        return "";
    std::string line(message.substr(begin, message.find('\n', begin) - begin));
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < 0x20)
            c = ' ';
    }
    if (line.size() > kLongestMessage) {
        std::size_t cut = kLongestMessage;
        // Not inside a UTF-8 sequence.
        while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80)
            --cut;
        line = line.substr(0, cut) + "...";
    }
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line;
}

std::string checkFinding(const ReasonFact& fact)
{
    if (fact.code == reason::kValue)
        return valueFinding(fact);
    if (fact.code == reason::kSubnormalValue)
        return fact.value.isFinite()
            ? fmt::format("subnormal results differ by up to {}", shortNumber(fact.value.value))
            : fmt::format("the largest difference of subnormal results is {}", shortNumber(tensor::toDouble(fact.value)));
    if (fact.code == reason::kNanMask)
        return maskFinding("NaN", fact.stimulus);
    if (fact.code == reason::kPosInfMask)
        return maskFinding("+Inf", fact.stimulus);
    if (fact.code == reason::kNegInfMask)
        return maskFinding("-Inf", fact.stimulus);
    if (fact.code == reason::kShape)
        return fmt::format("the output's shape differs{}{}", on(fact.stimulus), shapes(fact.detail));
    if (fact.code == reason::kFlush)
        return "flushes subnormals to zero in other places than the reference";
    const std::string message = firstLine(fact.detail);
    // Codes without a sentence of their own keep the audit's words: two runs that differ, a device, a dtype, text of no known
    // form.
    const std::string colon = message.empty() ? "" : ": " + message;
    if (fact.code == reason::kException)
        return fmt::format("raises{}{}", on(fact.stimulus), colon);
    if (fact.code == reason::kReferenceException)
        return fmt::format("the reference itself raises{}, so the gate cannot ask", on(fact.stimulus));
    if (fact.code == reason::kCudaError)
        return fmt::format("CUDA error{}: {}", on(fact.stimulus), cudaError(fact.detail));
    if (fact.code == reason::kOutOfMemory)
        return "the gate ran out of GPU memory, which says nothing about the kernel";
    if (fact.code == reason::kHarnessCrash)
        return fmt::format("the gate itself crashed, which says nothing about the kernel{}", colon);
    return message;
}

std::string gateFinding(contract::Gate gate, const std::vector<ReasonFact>& facts)
{
    std::string text = fmt::format("{}: {}", contract::id(gate), checkFinding(leadingFact(facts)));
    const std::size_t others = facts.size() - 1;
    if (others > 0)
        text += fmt::format("; {} more {} reported", others, others == 1 ? "check" : "checks");
    if (!text.ends_with('.'))
        text += '.';
    return text;
}

const store::GateRecord* leadingGate(const store::VerdictRecord& verdict)
{
    const store::GateRecord* lead = nullptr;
    for (const store::GateRecord& gate : verdict.gates) {
        if (!contract::countsAgainstCandidate(gate.verdict))
            continue;
        if (lead == nullptr || weight(gate) > weight(*lead) || (weight(gate) == weight(*lead) && gate.gate < lead->gate))
            lead = &gate;
    }
    return lead;
}

} // namespace assay::ingest
