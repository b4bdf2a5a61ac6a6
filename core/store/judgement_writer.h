// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/result.h"
#include "core/store/database.h"
#include "core/store/records.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::store {

/// One judgement as the worker reported it, with what only the verdict's message knows.
struct JudgedKernel {
    contract::Judgement judgement;         ///< evidence of checks is not looked at: it comes as artifacts
    std::vector<std::string> isolation;    ///< what could not be enforced while foreign code ran
    std::vector<BaselineRecord> baselines; ///< what other harnesses said
    std::vector<ArtifactRecord> artifacts;
    std::string remedy; ///< where it could not be judged
};

/// What a run of the judge is held to: two runs with equal keys may be one audit.
struct JudgedAuditKey {
    std::string contract; ///< canonical JSON
    std::string device;
    std::string versions; ///< JSON object
    std::uint64_t seed = 0;
};

/// Stores judgements under an audit of origin 'judged' and taxonomy 'assay', a transaction each: a process that is killed leaves
/// whole verdicts only, and what lists read is in step with them.
class JudgementWriter {
public:
    enum class Audit {
        New,    ///< always a new one
        Resume, ///< the newest one of the same corpus and key that was judged here, a new one where there is none
    };

    /// Finds or creates the audit.
    /// @throws DatabaseError
    JudgementWriter(Database& database, std::int64_t corpusId, const JudgedAuditKey& key, Audit audit);

    std::int64_t auditId() const { return m_auditId; }
    bool isNew() const { return m_isNew; } ///< it made the audit
    const std::string& auditName() const { return m_auditName; }

    /// Notes what the audit is asked for and by which process, so that it can go on after a kill: see unfinished_audit.h.
    void select(const std::vector<std::int64_t>& kernels);

    /// Notes that this process judges the audit no longer.
    void release();

    /// True where the audit has a verdict on the kernel that is not an error.
    /// @param baseline  where not "", also a harness whose claim must be there
    bool hasJudged(std::int64_t kernelId, std::string_view baseline = {});

    /// Stores one judgement; an earlier one of this audit on the same kernel goes, with its launches. @return the verdict's id
    std::int64_t store(std::int64_t kernelId, const JudgedKernel& judged);

    /// Notes that the audit is complete; one that was asked for more than it has judged stays unfinished.
    void finish();

    /// Takes the audit back where this object made it and nothing is stored in it. @return whether it is gone
    bool discardUnused();

private:
    void create(std::int64_t corpusId, const JudgedAuditKey& key);

    Database* m_database; ///< never null
    std::int64_t m_auditId = 0;
    std::string m_auditName;
    bool m_isNew = false;
};

/// The row that a judgement becomes. Membership: accepted where the corpus does not claim it wrong, audited where it was judged,
/// tolerance-free where a hard failure counts, any violation where any failure does.
/// @param accepted  the corpus counts the kernel as correct, or says nothing
VerdictRecord verdictRecordOf(const JudgedKernel& judged, bool accepted);

} // namespace assay::store
