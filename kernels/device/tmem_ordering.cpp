// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/tmem_ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace assay::device {
namespace {

using Kind = TmemOperation::Kind;

constexpr std::size_t kMostSteps = 5'000'000; // Triton's largest kernels need some thousand

/// What is on its way at one point: registers with the statement of their tcgen05.ld, and the latest unawaited tcgen05.st.
struct Pending {
    std::map<int, int> registers;
    int store = -1;
    bool operator==(const Pending&) const = default;
};

class OrderingCheck {
public:
    OrderingCheck(const PtxFunction& function, const PtxValues& values, const PtxFlow& flow,
                  const std::vector<TmemOperation>& operations)
        : m_function(function)
        , m_values(values)
        , m_flow(flow)
    {
        for (const TmemOperation& operation : operations) {
            m_kinds[operation.statement] = operation.kind;
            if (operation.kind == Kind::WaitLoad)
                m_waits.push_back(operation.statement);
        }
    }

    std::vector<PtxFinding> run()
    {
        const auto& blocks = m_flow.blocks();
        std::vector<Pending> before(blocks.size());
        std::vector<bool> seen(blocks.size(), false);
        std::set<int> work{0};
        std::size_t steps = 0;
        while (!work.empty()) {
            const int block = *work.begin();
            work.erase(work.begin());
            seen[static_cast<std::size_t>(block)] = true;
            const Pending after = walk(block, before[static_cast<std::size_t>(block)]);
            steps += after.registers.size() * (1 + blocks[static_cast<std::size_t>(block)].successors.size());
            if (steps > kMostSteps)
                return {{"ordering-not-checked", m_function.line, 0, false,
                         "has more jumps and reads under way than can be followed; its waits were not checked"}};
            for (const FlowEdge& edge : blocks[static_cast<std::size_t>(block)].successors) {
                Pending& target = before[static_cast<std::size_t>(edge.to)];
                const std::size_t known = target.registers.size();
                target.registers.insert(after.registers.begin(), after.registers.end());
                const bool newStore = target.store < 0 && after.store >= 0;
                if (newStore)
                    target.store = after.store;
                if (newStore || target.registers.size() != known || !seen[static_cast<std::size_t>(edge.to)])
                    work.insert(edge.to);
            }
        }
        return sorted();
    }

private:
    /// Blocks in which, or behind which, a tcgen05.wait::ld stands.
    std::vector<bool> blocksBeforeAWait() const
    {
        const auto& blocks = m_flow.blocks();
        std::vector<std::vector<int>> predecessors(blocks.size());
        std::vector<bool> leads(blocks.size(), false);
        std::vector<int> work;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            for (const FlowEdge& edge : blocks[i].successors)
                predecessors[static_cast<std::size_t>(edge.to)].push_back(static_cast<int>(i));
            if (hasWait(blocks[i].first, blocks[i].end)) {
                leads[i] = true;
                work.push_back(static_cast<int>(i));
            }
        }
        while (!work.empty()) {
            const int block = work.back();
            work.pop_back();
            for (const int before : predecessors[static_cast<std::size_t>(block)])
                if (!leads[static_cast<std::size_t>(before)]) {
                    leads[static_cast<std::size_t>(before)] = true;
                    work.push_back(before);
                }
        }
        return leads;
    }

    bool hasWait(int first, int end) const
    {
        const auto wait = std::ranges::lower_bound(m_waits, first);
        return wait != m_waits.end() && *wait < end;
    }

    /// Uses before the wait are undefined by the letter, yet Triton's own code has them (its optimiser moves arithmetic across
    /// the volatile wait, and the assembler keeps the registers' order): they are one remark. A load that nothing ever waits for
    /// is a finding each.
    std::vector<PtxFinding> sorted()
    {
        const std::vector<bool> leads = blocksBeforeAWait();
        const auto& blocks = m_flow.blocks();
        std::vector<PtxFinding> findings;
        std::optional<PtxFinding> early;
        int earlyLoads = 0;
        for (auto& [related, finding] : m_findings) {
            const auto after = std::ranges::upper_bound(blocks, related, {}, &FlowBlock::first);
            const FlowBlock& block = *(after - 1);
            const bool waits = finding.code == "ld-without-wait"
                && (hasWait(related, block.end) || std::ranges::any_of(block.successors, [&leads](const FlowEdge& edge) {
                                   return leads[static_cast<std::size_t>(edge.to)];
                               }));
            if (!waits) {
                findings.push_back(std::move(finding));
                continue;
            }
            ++earlyLoads;
            if (!early || finding.line < early->line)
                early = std::move(finding);
        }
        if (early) {
            early->code = "ld-used-before-wait";
            early->certain = false;
            early->sentence = fmt::format(
                "uses what {} tcgen05.ld read before the tcgen05.wait::ld that follows; compilers do so too", earlyLoads);
            findings.push_back(std::move(*early));
        }
        return findings;
    }

    Pending walk(int block, Pending pending)
    {
        const FlowBlock& range = m_flow.blocks()[static_cast<std::size_t>(block)];
        m_blockFirst = range.first;
        for (int i = range.first; i < range.end; ++i) {
            const PtxStatement& statement = m_function.body[static_cast<std::size_t>(i)];
            if (statement.opcode.empty() || statement.opcode.starts_with('.'))
                continue;
            const auto found = m_kinds.find(i);
            const Kind kind = found == m_kinds.end() ? Kind::Other : found->second;
            if (!pending.registers.empty())
                checkReads(i, pending);
            if (pending.store >= 0 && (kind == Kind::Load || kind == Kind::Mma || kind == Kind::Dealloc))
                reportStore(i, pending.store);
            if (kind == Kind::WaitLoad)
                pending.registers.clear();
            else if (kind == Kind::WaitStore)
                pending.store = -1;
            else if (kind == Kind::Store)
                pending.store = i;
            else if (kind == Kind::Load)
                for (const int written : m_values.writes(statement))
                    pending.registers.insert_or_assign(written, i);
        }
        return pending;
    }

    void checkReads(int at, Pending& pending)
    {
        const PtxStatement& statement = m_function.body[static_cast<std::size_t>(at)];
        const bool isMove = isInstruction(statement.opcode, "mov") && statement.operands.size() == 2;
        const std::vector<int> reads = m_values.reads(statement);
        const std::vector<int> writes = m_values.writes(statement);
        int load = -1;
        for (const int read : reads)
            if (const auto found = pending.registers.find(read); found != pending.registers.end())
                load = found->second;
        for (const int written : writes)
            pending.registers.erase(written); // an ordinary result replaces what was awaited
        if (load < 0)
            return;
        if (isMove) {
            for (const int written : writes)
                pending.registers.insert_or_assign(written, load);
            return;
        }
        reportLoad(at, load);
    }

    void reportLoad(int at, int load)
    {
        const int line = m_function.body[static_cast<std::size_t>(load)].line;
        report("ld-without-wait", at, load,
               fmt::format("uses what the tcgen05.ld of line {} reads, and no tcgen05.wait::ld follows", line));
    }

    void reportStore(int at, int store)
    {
        const PtxStatement& user = m_function.body[static_cast<std::size_t>(at)];
        const int line = m_function.body[static_cast<std::size_t>(store)].line;
        report("st-without-wait", at, store,
               fmt::format("{} follows the tcgen05.st of line {} without tcgen05.wait::st",
                           user.opcode.substr(0, user.opcode.find('.', std::string_view("tcgen05.").size())), line));
    }

    /// One finding for each load or store, at its first use.
    void report(std::string_view code, int at, int related, std::string sentence)
    {
        const bool certain = related >= m_blockFirst && related < at;
        PtxFinding finding{std::string(code), m_function.body[static_cast<std::size_t>(at)].line,
                           m_function.body[static_cast<std::size_t>(related)].line, certain, std::move(sentence)};
        const auto [entry, isNew] = m_findings.try_emplace(related, finding);
        const bool isBetter = certain != entry->second.certain ? certain : finding.line < entry->second.line;
        if (!isNew && isBetter)
            entry->second = std::move(finding);
    }

    const PtxFunction& m_function;
    const PtxValues& m_values;
    const PtxFlow& m_flow;
    std::unordered_map<int, Kind> m_kinds;
    std::vector<int> m_waits;             ///< statements that are tcgen05.wait::ld, ascending
    std::map<int, PtxFinding> m_findings; ///< by statement of the load or store
    int m_blockFirst = 0;
};

} // namespace

std::vector<PtxFinding> checkTmemOrdering(const PtxFunction& function, const PtxValues& values, const PtxFlow& flow,
                                          const std::vector<TmemOperation>& operations)
{
    return OrderingCheck(function, values, flow, operations).run();
}

} // namespace assay::device
