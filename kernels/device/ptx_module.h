// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::device {

/// A text that is not PTX, or breaks off inside a statement. One line with the line number.
class PtxError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One instruction, directive or label of a function's body.
struct PtxStatement {
    int line = 0;           ///< from 1
    int scope = 0;          ///< innermost block, an index of PtxFunction::scopeParents
    std::string_view label; ///< a label alone; nothing else is set then
    std::string_view guard; ///< predicate register of @p or @!p
    bool guardNegated = false;
    std::string_view opcode;                ///< "tcgen05.mma.cta_group::1.kind::f16"; directives start with a dot
    std::vector<std::string_view> operands; ///< split at the outer commas; directives keep their text in one
};

struct PtxFunction {
    std::string_view name;
    bool isEntry = false;
    int line = 0;
    std::string_view directives;   ///< between the parameters and the body: ".reqntid 128"
    std::vector<int> scopeParents; ///< [0] is the body itself, its own parent
    std::vector<PtxStatement> body;
};

/// A PTX text taken apart. Views point into `text`, which is the source with its comments blanked.
struct PtxModule {
    std::shared_ptr<const std::string> text;
    std::string_view version;
    std::string_view target; ///< "sm_100a"
    std::vector<PtxFunction> functions;
    std::vector<std::string_view> declarations; ///< of the module: ".shared .align 16 .b8 tile[4096]"
};

/// Reads PTX as nvcc, Triton and people write it. Instructions are not checked: the assembler does that.
/// @throws PtxError  where there is no .version and .target, or a statement, block or comment has no end
/// Source: PTX ISA 9.0, chapters 4 (syntax) and 11 (directives).
PtxModule readPtx(std::string_view text);

/// True for `opcode` itself and for `opcode.anything`.
bool isInstruction(std::string_view opcode, std::string_view family);

/// The value after @p directive in a function's directives, as text: ".maxntid" gives "128, 1, 1".
std::optional<std::string_view> directiveValue(std::string_view directives, std::string_view directive);

} // namespace assay::device
