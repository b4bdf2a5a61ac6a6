// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/chat_code.h"

#include "core/text/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay::ingest {

namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

struct Fence {
    std::string_view language;
    std::string_view code;
};

std::vector<Fence> fencesIn(std::string_view message)
{
    std::vector<Fence> fences;
    for (std::size_t open = message.find(kFence); open != std::string_view::npos;) {
        const std::size_t begin = open + kFence.size();
        const std::size_t close = message.find(kFence, begin);
        if (close == std::string_view::npos)
            break;
        const std::string_view body = message.substr(begin, close - begin);
        const std::size_t word
            = std::min(body.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+"), body.size());
        fences.push_back({body.substr(0, word), trimmed(body.substr(word))});
        open = message.find(kFence, close + kFence.size());
    }
    return fences;
}

/// "# Kernel" on a line of its own at the start, which the harness cuts off with the fence.
std::optional<std::string_view> afterKernelMark(std::string_view code)
{
    if (!code.starts_with("# Kernel"))
        return std::nullopt;
    const std::size_t end = code.find('\n');
    if (end == std::string_view::npos || !trimmed(code.substr(8, end - 8)).empty())
        return std::nullopt;
    return trimmed(code.substr(end));
}

} // namespace

std::optional<std::string> codeInMessage(std::string_view message)
{
    const std::size_t open = message.rfind("<triton>");
    if (open != std::string_view::npos) {
        const std::size_t begin = open + std::string_view("<triton>").size();
        const std::size_t close = message.find("</triton>", begin);
        const std::string_view inside
            = close == std::string_view::npos ? std::string_view() : message.substr(begin, close - begin);
        if (!trimmed(inside).empty() && inside.find(kFence) == std::string_view::npos)
            return std::string(trimmed(inside));
    }
    const std::vector<Fence> fences = fencesIn(message);
    for (const Fence& fence : fences) {
        if (const auto code = afterKernelMark(fence.code); code && fence.language == "python" && !code->empty())
            return std::string(*code);
    }
    for (auto fence = fences.rbegin(); fence != fences.rend(); ++fence) {
        if (!fence->code.empty())
            return std::string(fence->code);
    }
    return std::nullopt;
}

TurnChoice TurnChoice::parse(std::string_view text)
{
    if (text == "last")
        return {Kind::Last, 0};
    if (text == "best")
        return {Kind::Best, 0};
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1)
        throw Error("not a turn", fmt::format("turn={}", text), "Say turn=last, turn=best or turn=N counted from 1.");
    return {Kind::Number, number};
}

std::vector<Turn> turnsOfMessages(const json::Value& messages)
{
    std::vector<Turn> turns;
    if (!messages.IsArray())
        return turns;
    for (const json::Value& message : messages.GetArray()) {
        if (json::stringAt(message, "role") != "assistant")
            continue;
        const std::string content = json::stringAt(message, "content").value_or("");
        turns.push_back({static_cast<int>(turns.size()) + 1, codeInMessage(content).value_or(""), std::nullopt, std::nullopt});
    }
    return turns;
}

const Turn* chooseTurn(const std::vector<Turn>& turns, const TurnChoice& choice, int bestNumber)
{
    const int number = choice.kind == TurnChoice::Kind::Number ? choice.number
        : choice.kind == TurnChoice::Kind::Best                ? bestNumber
                                                               : 0;
    if (number > 0) {
        const auto named = std::find_if(turns.begin(), turns.end(), [number](const Turn& turn) { return turn.number == number; });
        return named == turns.end() || named->code.empty() ? nullptr : &*named;
    }
    if (choice.kind == TurnChoice::Kind::Last)
        return turns.empty() || turns.back().code.empty() ? nullptr : &turns.back();
    const Turn* best = nullptr;
    for (const Turn& turn : turns) {
        if (turn.code.empty())
            continue;
        const bool better = best == nullptr || turn.correct.value_or(false) > best->correct.value_or(false)
            || (turn.correct == best->correct && turn.speedup.value_or(0) >= best->speedup.value_or(0));
        if (better)
            best = &turn;
    }
    return best;
}

} // namespace assay::ingest
