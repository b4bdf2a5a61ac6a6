// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/chat_code.h"
#include "core/ingest/field_mapping.h"
#include "core/ingest/import_root.h"
#include "core/ingest/importer.h"
#include "core/ingest/kernelbench_problems.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace assay::ingest {

/// One row of an array, a table or a Parquet file, as a JSON object.
struct KernelRow {
    std::string_view text;  ///< the object, verbatim
    std::int64_t line = 0;  ///< 1-based; 0 where the format has no lines
    std::int64_t byte = -1; ///< offset in the file; -1: not known
    std::string ordinal;    ///< what tells the row from others where it has no id ("/all_kernels/3", "line 12")
};

/// Turns rows of formats without a fixed schema into kernels: sources under their usual names or those that options name, the
/// code of the chosen turn where a row is a conversation, claims written as booleans, as text or as KernelBench evaluations,
/// sources in files beside the table, references from a folder of problems.
class KernelRowReader {
public:
    /// @param root  folder in which a row may name files
    /// @throws Error for options that make no sense
    KernelRowReader(const ImportOptions& options, const std::filesystem::path& root);

    /// Names of the options it takes.
    static std::vector<std::string_view> optionKeys();

    /// What the document says outside its rows (problem, GPU, model): used where a row does not say it.
    void setContext(std::string_view key, std::string_view value);

    /// @throws Error when the row says nothing about a kernel; its problem is the reason for the rejection
    store::ImportedItem read(const KernelRow& row, const json::Value& value);

    /// Adds the members of @p row again under their names in lower case, where those are free: tables capitalise their columns as
    /// they like ("Correctness", "CUDA_Code"), and the usual names are in lower case.
    static void addLowerCaseNames(json::Document& row);

    /// True when @p keys name something that a row about a kernel has: a source, a conversation, or a problem with a result.
    static bool tellsOfKernels(const std::vector<std::string>& keys);

private:
    struct Candidate {
        std::optional<std::string> code;
        std::string turn;            ///< "turn 5 of 5", or ""
        std::optional<bool> correct; ///< of that turn
        std::optional<double> speedup;
    };

    std::string textAt(const json::Value& value, std::initializer_list<std::string_view> keys) const;
    Candidate candidateOf(const json::Value& value) const;
    std::vector<Turn> turnsOf(const json::Value& value) const;
    void applyClaim(const json::Value& value, store::KernelRecord& kernel) const;
    void nameProblem(const json::Value& value, store::KernelRecord& kernel);
    void attachFile(const json::Value& value, store::KernelRecord& kernel) const;
    std::string idOf(const KernelRow& row, const json::Value& value, const store::KernelRecord& kernel);
    std::string claimText(const KernelRow& row) const;

    FieldMapping m_mapping;
    TurnChoice m_turn;
    ImportRoot m_root;
    ProblemSet m_problems;
    std::map<std::string, std::string, std::less<>> m_context;
    std::set<std::string> m_ids; ///< made-up ids of this file
};

} // namespace assay::ingest
