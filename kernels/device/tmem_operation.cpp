// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/tmem_operation.h"

#include <array>
#include <utility>

namespace assay::device {
namespace {

TmemOperation::Kind kindOf(std::string_view opcode)
{
    using Kind = TmemOperation::Kind;
    constexpr std::array<std::pair<std::string_view, Kind>, 10> kKinds{{{"tcgen05.alloc", Kind::Alloc},
                                                                        {"tcgen05.dealloc", Kind::Dealloc},
                                                                        {"tcgen05.relinquish_alloc_permit", Kind::Relinquish},
                                                                        {"tcgen05.ld", Kind::Load},
                                                                        {"tcgen05.st", Kind::Store},
                                                                        {"tcgen05.mma", Kind::Mma},
                                                                        {"tcgen05.cp", Kind::Copy},
                                                                        {"tcgen05.commit", Kind::Commit},
                                                                        {"tcgen05.wait::ld", Kind::WaitLoad},
                                                                        {"tcgen05.wait::st", Kind::WaitStore}}};
    for (const auto& [family, kind] : kKinds)
        if (isInstruction(opcode, family))
            return kind;
    return Kind::Other;
}

} // namespace

std::vector<TmemOperation> findTmemOperations(const PtxFunction& function, const PtxValues& values)
{
    std::vector<TmemOperation> operations;
    for (std::size_t i = 0; i < function.body.size(); ++i) {
        const PtxStatement& statement = function.body[i];
        if (!statement.opcode.starts_with("tcgen05."))
            continue;
        TmemOperation operation;
        operation.kind = kindOf(statement.opcode);
        operation.statement = static_cast<int>(i);
        operation.line = statement.line;
        if (statement.opcode.find("cta_group::1") != std::string_view::npos)
            operation.ctaGroup = 1;
        else if (statement.opcode.find("cta_group::2") != std::string_view::npos)
            operation.ctaGroup = 2;
        const bool counts = operation.kind == TmemOperation::Kind::Alloc || operation.kind == TmemOperation::Kind::Dealloc;
        if (counts && statement.operands.size() == 2)
            operation.columns = values.constant(statement.operands[1], statement.scope);
        operations.push_back(operation);
    }
    return operations;
}

} // namespace assay::device
