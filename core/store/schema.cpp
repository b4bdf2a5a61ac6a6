// SPDX-License-Identifier: Apache-2.0
#include "core/store/schema.h"

namespace assay::store {

namespace {

// Verdicts, severities and gates are stored under the names of core/contract, so that the file explains itself in the sqlite3
// shell. A measured number is a pair (x REAL NULL, x_class TEXT NULL): SQLite binds NaN as NULL, and an infinite error is not a
// missing one.
constexpr std::string_view kTables = R"sql(
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One imported data set. origin: 'import', 'illustrative' (written for demonstration, results not measured) or 'judged'.
CREATE TABLE corpus (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    origin      TEXT NOT NULL,
    licence     TEXT,
    format      TEXT NOT NULL,
    imported_at TEXT NOT NULL,
    file_sha256 TEXT,
    path        TEXT,
    options     TEXT          -- JSON: choices that shape the rows, e.g. which turn of a conversation is the candidate
) STRICT;

-- One imported file and what became of its rows: rows = kept + already_present + rejected.
CREATE TABLE import_file (
    id              INTEGER PRIMARY KEY,
    corpus_id       INTEGER NOT NULL REFERENCES corpus(id),
    path            TEXT NOT NULL,
    sha256          TEXT NOT NULL,
    format          TEXT NOT NULL,
    imported_at     TEXT NOT NULL,
    options         TEXT,
    rows            INTEGER NOT NULL,
    kept            INTEGER NOT NULL,
    already_present INTEGER NOT NULL,
    rejected        INTEGER NOT NULL
) STRICT;

CREATE TABLE rejection (
    id             INTEGER PRIMARY KEY,
    import_file_id INTEGER NOT NULL REFERENCES import_file(id) ON DELETE CASCADE,
    line           INTEGER,
    byte           INTEGER,
    item           TEXT,
    reason         TEXT NOT NULL
) STRICT;

-- Content-addressed source text. sha256 over the raw bytes; lf_sha256 over the bytes with CRLF made LF (joins across checkouts).
CREATE TABLE source (
    id        INTEGER PRIMARY KEY,
    sha256    TEXT NOT NULL UNIQUE,
    lf_sha256 TEXT NOT NULL,
    bytes     INTEGER NOT NULL,
    codec     TEXT NOT NULL,   -- 'raw' or 'zstd'
    data      BLOB NOT NULL
) STRICT;

-- identity: (candidate, reference) where both are known, else (corpus, external id).
CREATE TABLE kernel (
    id                  INTEGER PRIMARY KEY,
    corpus_id           INTEGER NOT NULL REFERENCES corpus(id),
    external_id         TEXT NOT NULL,
    external_number     INTEGER,      -- the external id as an integer where it is one: numeric order and joins across "179" and 179
    title               TEXT NOT NULL,
    family              TEXT NOT NULL,
    language            TEXT NOT NULL, -- 'triton', 'cuda', 'torch', 'python', 'unknown'
    candidate_source_id INTEGER REFERENCES source(id),
    reference_source_id INTEGER REFERENCES source(id),
    entry_point         TEXT,
    claim               TEXT,          -- verbatim JSON of the corpus' own verdict
    claimed_correct     INTEGER,       -- 1, 0 or NULL: no claim
    claimed_speedup     REAL,
    claim_status        TEXT           -- 'accepted', 'rejected', 'generation_failed', 'load_failed', 'no_candidate', 'unknown'
) STRICT;

-- The same kernel found under several ids, corpora, GPUs or paths.
CREATE TABLE origin (
    id             INTEGER PRIMARY KEY,
    kernel_id      INTEGER NOT NULL REFERENCES kernel(id) ON DELETE CASCADE,
    corpus_id      INTEGER NOT NULL REFERENCES corpus(id),
    import_file_id INTEGER REFERENCES import_file(id),
    external_id    TEXT NOT NULL,
    row_hash       INTEGER NOT NULL,   -- of the imported row, so that a second import adds nothing
    hardware       TEXT,
    path           TEXT,
    repository     TEXT,
    revision       TEXT,
    licence        TEXT,
    inferred       INTEGER NOT NULL DEFAULT 0, -- 1: the record did not name its kernel, the link is a guess from order
    claim          TEXT                -- verbatim JSON where it differs from kernel.claim
) STRICT;

-- A run of the judge, or an imported audit. origin: 'published', 'illustrative', 'judged'.
CREATE TABLE audit (
    id          INTEGER PRIMARY KEY,
    corpus_id   INTEGER NOT NULL REFERENCES corpus(id),
    name        TEXT NOT NULL,
    origin      TEXT NOT NULL,
    taxonomy    TEXT NOT NULL,         -- which meaning the gate ids have: 'published-2026' or 'assay'
    device      TEXT,
    versions    TEXT,                  -- JSON
    seed        TEXT,
    gate_config TEXT,                  -- JSON
    config_hash TEXT,
    started_at  TEXT,
    finished_at TEXT,
    UNIQUE (corpus_id, name)
) STRICT;

CREATE TABLE verdict (
    id              INTEGER PRIMARY KEY,
    audit_id        INTEGER NOT NULL REFERENCES audit(id),
    kernel_id       INTEGER NOT NULL REFERENCES kernel(id),
    status          TEXT NOT NULL,     -- as the audit wrote it: 'gated', 'cand_native_fail', ...
    outcome         TEXT NOT NULL,     -- name of contract::Verdict
    severity        TEXT,              -- of the outcome
    hard_failures   INTEGER NOT NULL,
    soft_failures   INTEGER NOT NULL,
    exercised       INTEGER,
    total           INTEGER,
    elapsed_seconds REAL,
    native_shape    TEXT,              -- JSON array of sizes
    primary_index   INTEGER,
    multi_output    INTEGER,
    output_aliasing INTEGER,
    speedup         REAL,
    error           TEXT,              -- the audit's own error text, verbatim
    finding         TEXT,              -- one sentence with the number that matters
    extra           TEXT,              -- JSON: members of the imported row that have no column
    membership      INTEGER NOT NULL DEFAULT 0, -- under the audit's own rules: 1 accepted, 2 audited, 4 tolerance-free failure, 8 any violation
    alignment       TEXT,              -- how both sides' parameters were matched: 'seed', 'state_dict', 'by_shape', 'none needed'
    flags           TEXT,              -- JSON: [{"code","gate","sentence"}], remarks that change no verdict
    isolation       TEXT,              -- JSON: what could not be enforced while foreign code ran
    UNIQUE (audit_id, kernel_id)
) STRICT;

-- What other harnesses said of the same kernel: mode 'kernelbench-paper', 'kernelbench-hardened', 'kb-replica', ...
CREATE TABLE baseline_verdict (
    verdict_id INTEGER NOT NULL REFERENCES verdict(id) ON DELETE CASCADE,
    mode       TEXT NOT NULL,
    verdict    TEXT NOT NULL,
    trials     TEXT,
    detail     TEXT,
    PRIMARY KEY (verdict_id, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE gate_result (
    verdict_id      INTEGER NOT NULL REFERENCES verdict(id) ON DELETE CASCADE,
    gate            TEXT NOT NULL,     -- 'CMP-01' ...
    verdict         TEXT NOT NULL,
    severity        TEXT,
    legacy_status   TEXT,              -- as the audit wrote it ('na')
    skipped         INTEGER,
    exercised       INTEGER,
    total           INTEGER,
    metric          TEXT,
    value           REAL,
    value_class     TEXT,
    threshold       REAL,
    threshold_class TEXT,
    relative        REAL,              -- value over the output's scale, dimensionless
    relative_class  TEXT,
    reason_code     TEXT,
    reason          TEXT,              -- verbatim; NULL where empty
    finding         TEXT,
    power           TEXT,              -- what a clean result rules out
    PRIMARY KEY (verdict_id, gate)
) STRICT, WITHOUT ROWID;

CREATE TABLE check_result (
    id              INTEGER PRIMARY KEY,
    verdict_id      INTEGER NOT NULL REFERENCES verdict(id) ON DELETE CASCADE,
    gate            TEXT NOT NULL,
    ordinal         INTEGER NOT NULL,
    code            TEXT NOT NULL,
    verdict         TEXT NOT NULL,
    severity        TEXT,
    stimulus        TEXT,
    metric          TEXT,
    value           REAL,
    value_class     TEXT,
    threshold       REAL,
    threshold_class TEXT,
    relative        REAL,
    relative_class  TEXT,
    reason_code     TEXT,
    finding         TEXT,
    recipe          TEXT,              -- JSON: what the stimulus is made from; with the audit's seed it replays
    stimulus_sha256 TEXT,              -- of its leaves' bytes
    output          TEXT,              -- path of the output that differs, '' for the only one
    worst_index     TEXT,              -- JSON array: the element that decided
    holdout_bound   REAL,              -- of a calibrated threshold, whose table the audit's contract names; NULL: not calibrated
    UNIQUE (verdict_id, gate, ordinal)
) STRICT;

CREATE TABLE artifact (
    id         INTEGER PRIMARY KEY,
    verdict_id INTEGER NOT NULL REFERENCES verdict(id) ON DELETE CASCADE,
    gate       TEXT,
    ordinal    INTEGER,
    role       TEXT NOT NULL,          -- 'reference', 'candidate', 'input', 'init', 'reference_state', 'candidate_state', 'call', 'log'
    name       TEXT NOT NULL,
    dtype      TEXT,
    shape      TEXT,
    encoding   TEXT NOT NULL,          -- 'raw' or 'zstd'; tensors are row-major
    sha256     TEXT NOT NULL,          -- of the raw bytes
    data       BLOB NOT NULL,
    strides    TEXT                    -- JSON array, in elements, where the call had another layout than row-major
) STRICT;

-- Aggregates that an audit published beside its rows. Shown as published, never mixed with what is recomputed from rows.
CREATE TABLE published_figure (
    id             INTEGER PRIMARY KEY,
    corpus_id      INTEGER NOT NULL REFERENCES corpus(id),
    import_file_id INTEGER REFERENCES import_file(id),
    kind           TEXT NOT NULL,      -- 'cross_table', 'agreement', 'calibration', 'positive_control', 'sample', 'environment', 'funnel', ...
    source_file    TEXT NOT NULL,      -- base name of the file
    pointer        TEXT NOT NULL,      -- JSON pointer of the value in it
    value          REAL,
    value_class    TEXT,
    text           TEXT,
    UNIQUE (corpus_id, source_file, pointer)
) STRICT;

CREATE TABLE published_document (
    id             INTEGER PRIMARY KEY,
    corpus_id      INTEGER NOT NULL REFERENCES corpus(id),
    import_file_id INTEGER REFERENCES import_file(id),
    kind           TEXT NOT NULL,
    source_file    TEXT NOT NULL,
    sha256         TEXT NOT NULL,
    bytes          INTEGER NOT NULL,
    codec          TEXT NOT NULL,
    data           BLOB NOT NULL,
    UNIQUE (corpus_id, sha256)
) STRICT;

-- Rule sets of what-if re-scoring; definition is canonical JSON and hash its SHA-256. Never edited in place.
CREATE TABLE rule_set (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    hash       TEXT NOT NULL UNIQUE,
    title      TEXT NOT NULL,
    definition TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

-- The rows behind a re-scored number. Derived; recomputed when the audit or the rule set changes.
CREATE TABLE rule_outcome (
    rule_set_id     INTEGER NOT NULL REFERENCES rule_set(id) ON DELETE CASCADE,
    audit_id        INTEGER NOT NULL REFERENCES audit(id) ON DELETE CASCADE,
    kernel_id       INTEGER NOT NULL REFERENCES kernel(id) ON DELETE CASCADE,
    audited         INTEGER NOT NULL,
    tolerance_free  INTEGER NOT NULL,
    any_violation   INTEGER NOT NULL,
    forgiven        TEXT,               -- gates that the rule set forgave, comma separated
    PRIMARY KEY (rule_set_id, audit_id, kernel_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    id         INTEGER PRIMARY KEY,
    kernel_id  INTEGER NOT NULL REFERENCES kernel(id) ON DELETE CASCADE,
    body       TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE bookmark (
    kernel_id  INTEGER PRIMARY KEY REFERENCES kernel(id) ON DELETE CASCADE,
    author     TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE waiver (
    id         INTEGER PRIMARY KEY,
    kernel_id  INTEGER NOT NULL REFERENCES kernel(id) ON DELETE CASCADE,
    gate       TEXT,                    -- NULL: the whole kernel
    reason     TEXT NOT NULL,
    author     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    withdrawn_at TEXT
) STRICT;

CREATE TABLE saved_view (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    filter     TEXT NOT NULL,
    sort       TEXT NOT NULL,
    columns    TEXT,
    position   INTEGER NOT NULL,
    built_in   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE calibration (
    id           INTEGER PRIMARY KEY,
    version_hash TEXT NOT NULL UNIQUE,
    title        TEXT NOT NULL,
    device       TEXT,
    versions     TEXT,
    seed         TEXT,
    created_at   TEXT NOT NULL,
    definition   TEXT               -- canonical JSON of what version_hash is the SHA-256 of
) STRICT;

CREATE TABLE calibration_sample (
    id             INTEGER PRIMARY KEY,
    calibration_id INTEGER NOT NULL REFERENCES calibration(id) ON DELETE CASCADE,
    gate           TEXT NOT NULL,
    family         TEXT NOT NULL,
    dtype          TEXT NOT NULL,
    kind           TEXT NOT NULL,
    kernel         TEXT NOT NULL,
    perturbation   REAL,             -- its scale, NULL where nothing was disturbed
    value          REAL,
    value_class    TEXT,
    source         TEXT              -- evaluation, candidate or disturbance that was measured
) STRICT;

-- A calibration that is being measured, and what its judgements gave so far: it outlives a process that is killed. Gone once the
-- calibration is written. ask is canonical JSON of what was asked for; place counts the judgements of that ask from 0.
CREATE TABLE calibration_run (
    id         INTEGER PRIMARY KEY,
    ask        TEXT NOT NULL UNIQUE,
    started_at TEXT NOT NULL
) STRICT;

CREATE TABLE calibration_run_judgement (
    id         INTEGER PRIMARY KEY,
    run_id     INTEGER NOT NULL REFERENCES calibration_run(id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,
    not_judged TEXT NOT NULL,          -- why it could not be judged, '' where it was
    versions   TEXT NOT NULL,          -- JSON object, '' where unknown
    UNIQUE (run_id, place)
) STRICT;

CREATE TABLE calibration_run_sample (
    id           INTEGER PRIMARY KEY,
    judgement_id INTEGER NOT NULL REFERENCES calibration_run_judgement(id) ON DELETE CASCADE,
    gate         TEXT NOT NULL,
    family       TEXT NOT NULL,
    dtype        TEXT NOT NULL,
    kind         TEXT NOT NULL,
    kernel       TEXT NOT NULL,
    perturbation REAL,
    value        REAL,
    value_class  TEXT,
    source       TEXT
) STRICT;

CREATE TABLE threshold (
    id             INTEGER PRIMARY KEY,
    calibration_id INTEGER NOT NULL REFERENCES calibration(id) ON DELETE CASCADE,
    gate           TEXT NOT NULL,
    family         TEXT NOT NULL,
    dtype          TEXT NOT NULL,
    value          REAL NOT NULL,
    UNIQUE (calibration_id, gate, family, dtype)
) STRICT;

-- A frame, its strata and how many of each are judged by hand. definition is JSON and never edited: what was planned stays readable.
CREATE TABLE sample_plan (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    seed       TEXT NOT NULL,
    frame_sql  TEXT NOT NULL,          -- '' where the frame was published without its rows
    frame_hash TEXT NOT NULL,          -- SHA-256 over the strata and the digests of their kernels
    definition TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE sample_item (
    id        INTEGER PRIMARY KEY,
    plan_id   INTEGER NOT NULL REFERENCES sample_plan(id),
    kernel_id INTEGER NOT NULL REFERENCES kernel(id),
    stratum   TEXT NOT NULL,
    position  INTEGER NOT NULL,
    identity  TEXT,                    -- what the draw knew the kernel by: 'CANDIDATE SHA:REFERENCE SHA', else 'corpus/external id'
    draw      INTEGER NOT NULL DEFAULT 1, -- 1 the first draw, 2 its first extension ...
    UNIQUE (plan_id, kernel_id)
) STRICT;

-- What reviewers did, in order. kind: 'label', 'adjudication', 'undo' (takes back row undoes), 'reveal' (saw the verdict).
CREATE TABLE label (
    id         INTEGER PRIMARY KEY,
    item_id    INTEGER NOT NULL REFERENCES sample_item(id),
    label      TEXT NOT NULL,          -- 'confirmed', 'false_positive', 'ambiguous', 'inconclusive'; '' for an undo or a reveal
    reason     TEXT,
    note       TEXT,
    reviewer   TEXT NOT NULL,
    created_at TEXT NOT NULL,
    kind       TEXT NOT NULL DEFAULT 'label',
    evidence   TEXT,                   -- JSON array of links
    blinded    INTEGER NOT NULL DEFAULT 0, -- 1: the verdict was hidden until this label was given
    undoes     INTEGER REFERENCES label(id),
    severity   TEXT                    -- of a confirmed defect: 'critical', 'major', 'minor'; NULL where it was not weighed
) STRICT;

CREATE TRIGGER label_kept BEFORE DELETE ON label BEGIN
    SELECT RAISE(ABORT, 'labels are only ever added: take one back with an undo');
END;
-- An item changes its id where two kernels turn out to be one.
CREATE TRIGGER label_fixed BEFORE UPDATE OF id, label, reason, note, reviewer, created_at, kind, evidence, blinded, undoes, severity
    ON label
BEGIN
    SELECT RAISE(ABORT, 'labels are only ever added: take one back with an undo');
END;

CREATE TABLE gdn_run (
    id         INTEGER PRIMARY KEY,
    verdict_id INTEGER REFERENCES verdict(id),
    family     TEXT NOT NULL,
    shape      TEXT NOT NULL,
    dtype      TEXT NOT NULL,
    device     TEXT NOT NULL,
    timings    TEXT,
    errors     TEXT,
    created_at TEXT NOT NULL
) STRICT;

-- What a list can be scoped to: one audit, or the kernels of one corpus that no audit judged (audit_id NULL).
CREATE TABLE scope (
    id        INTEGER PRIMARY KEY,
    corpus_id INTEGER NOT NULL REFERENCES corpus(id),
    audit_id  INTEGER REFERENCES audit(id),
    kernels   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (corpus_id, audit_id)
) STRICT;

-- What lists, facets and sorts read: one narrow row per kernel and scope. Derived from the tables above; `assay db check` compares.
-- Enumerations are names, flags are 0/1, strip is contract::GateStrip, fail_mask is its failMask().
CREATE TABLE triage (
    id              INTEGER PRIMARY KEY,
    scope_id        INTEGER NOT NULL REFERENCES scope(id),
    kernel_id       INTEGER NOT NULL REFERENCES kernel(id) ON DELETE CASCADE,
    verdict_id      INTEGER REFERENCES verdict(id) ON DELETE CASCADE,
    external_id     TEXT NOT NULL,
    external_number INTEGER,
    title           TEXT NOT NULL,
    family          TEXT NOT NULL,
    language        TEXT NOT NULL,
    outcome         TEXT NOT NULL,     -- 'pass', 'fail_hard', 'fail_soft', ... ('not_judged' without a verdict)
    status          TEXT NOT NULL,
    claim           TEXT NOT NULL,     -- kernel.claim_status
    baseline        TEXT NOT NULL,     -- 'pass', 'fail', 'none'
    lead_reason     TEXT NOT NULL,     -- reason code of the leading finding, '' without one
    lead_gate       TEXT NOT NULL,
    facet_code      INTEGER NOT NULL,  -- facetCode(): names the row's combination in triage_facet
    strip           INTEGER NOT NULL,
    fail_mask       INTEGER NOT NULL,
    hard_failures   INTEGER NOT NULL,
    soft_failures   INTEGER NOT NULL,
    exercised       INTEGER,
    total           INTEGER,
    error           REAL,              -- largest measured error; sorts with error_rank
    error_class     TEXT,
    error_rank      REAL,              -- sort key, finite < Inf < NaN: the value, the largest double for Inf, +Infinity for NaN; NULL where absent
    relative        REAL,              -- largest error over the output's scale
    relative_class  TEXT,
    speedup         REAL,
    elapsed_seconds REAL,
    accepted        INTEGER NOT NULL,  -- the corpus counts it as correct
    audited         INTEGER NOT NULL,  -- in the denominator of the audit ('as published')
    tolerance_free  INTEGER NOT NULL,
    any_violation   INTEGER NOT NULL,
    has_source      INTEGER NOT NULL,
    has_note        INTEGER NOT NULL DEFAULT 0,
    bookmarked      INTEGER NOT NULL DEFAULT 0,
    waived          INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Every combination of the columns that facets count, once, with its kernels. Counts and most filters read these few rows
-- instead of all of triage. The triggers below keep it exact whoever writes triage.
CREATE TABLE triage_facet (
    scope_id       INTEGER NOT NULL REFERENCES scope(id),
    facet_code     INTEGER NOT NULL,
    family         TEXT NOT NULL,
    language       TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    status         TEXT NOT NULL,
    claim          TEXT NOT NULL,
    baseline       TEXT NOT NULL,
    lead_reason    TEXT NOT NULL,
    strip          INTEGER NOT NULL,
    fail_mask      INTEGER NOT NULL,
    hard_failures  INTEGER NOT NULL,
    soft_failures  INTEGER NOT NULL,
    accepted       INTEGER NOT NULL,
    audited        INTEGER NOT NULL,
    tolerance_free INTEGER NOT NULL,
    any_violation  INTEGER NOT NULL,
    has_source     INTEGER NOT NULL,
    kernels        INTEGER NOT NULL,
    PRIMARY KEY (scope_id, facet_code)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER triage_facet_add AFTER INSERT ON triage BEGIN
    INSERT INTO triage_facet VALUES (new.scope_id, new.facet_code, new.family, new.language, new.outcome, new.status, new.claim,
        new.baseline, new.lead_reason, new.strip, new.fail_mask, new.hard_failures, new.soft_failures, new.accepted, new.audited,
        new.tolerance_free, new.any_violation, new.has_source, 1)
    ON CONFLICT (scope_id, facet_code) DO UPDATE SET kernels = kernels + 1;
END;
CREATE TRIGGER triage_facet_remove AFTER DELETE ON triage BEGIN
    UPDATE triage_facet SET kernels = kernels - 1 WHERE scope_id = old.scope_id AND facet_code = old.facet_code;
    DELETE FROM triage_facet WHERE scope_id = old.scope_id AND facet_code = old.facet_code AND kernels = 0;
END;
-- Notes, bookmarks and waivers are no part of the combination; a row whose combination changes is written anew.
CREATE TRIGGER triage_facet_fixed BEFORE UPDATE OF scope_id, facet_code, family, language, outcome, status, claim, baseline,
    lead_reason, strip, fail_mask, hard_failures, soft_failures, accepted, audited, tolerance_free, any_violation, has_source ON triage
BEGIN
    SELECT RAISE(ABORT, 'delete and insert a triage row to change what facets count');
END;

CREATE VIRTUAL TABLE kernel_fts USING fts5 (title, external_id, content='kernel', content_rowid='id', tokenize="unicode61 tokenchars '_'");
CREATE VIRTUAL TABLE finding_fts USING fts5 (finding, content='verdict', content_rowid='id', tokenize="unicode61 tokenchars '_'");
CREATE VIRTUAL TABLE note_fts USING fts5 (body, content='note', content_rowid='id', tokenize="unicode61 tokenchars '_'");
-- Sources are stored compressed, so their index is contentless; sources are immutable and never deleted.
CREATE VIRTUAL TABLE source_fts USING fts5 (text, content='', tokenize="unicode61 tokenchars '_'");
)sql";

constexpr std::string_view kIndexes = R"sql(
CREATE INDEX source_lf ON source(lf_sha256);
CREATE UNIQUE INDEX kernel_identity ON kernel(candidate_source_id, reference_source_id)
    WHERE candidate_source_id IS NOT NULL AND reference_source_id IS NOT NULL;
CREATE INDEX kernel_external ON kernel(corpus_id, external_id);
CREATE INDEX kernel_reference ON kernel(reference_source_id);
CREATE INDEX kernel_candidate ON kernel(candidate_source_id);
CREATE INDEX origin_external ON origin(corpus_id, external_id);
CREATE UNIQUE INDEX origin_row ON origin(corpus_id, row_hash, external_id);
CREATE INDEX origin_kernel ON origin(kernel_id);
CREATE INDEX verdict_kernel ON verdict(kernel_id);
CREATE INDEX artifact_verdict ON artifact(verdict_id);
CREATE INDEX import_file_content ON import_file(corpus_id, sha256);
CREATE INDEX rejection_file ON rejection(import_file_id);
CREATE INDEX rule_outcome_kernel ON rule_outcome(kernel_id);
CREATE INDEX note_kernel ON note(kernel_id);
CREATE INDEX waiver_kernel ON waiver(kernel_id);
-- Nothing is looked up by these, but a verdict or kernel that is deleted would cost a walk through the whole child table without them.
CREATE INDEX triage_verdict ON triage(verdict_id, scope_id, kernel_id);
CREATE INDEX gdn_run_verdict ON gdn_run(verdict_id);
CREATE INDEX sample_item_kernel ON sample_item(kernel_id);
CREATE INDEX label_item ON label(item_id);
CREATE INDEX calibration_run_sample_judgement ON calibration_run_sample(judgement_id);
CREATE INDEX calibration_sample_cell ON calibration_sample(calibration_id, gate, family, dtype);
CREATE UNIQUE INDEX triage_kernel ON triage(kernel_id, scope_id);
-- What a text search finds is listed by combinations without a look at the rows themselves.
CREATE INDEX triage_found ON triage(kernel_id, scope_id, facet_code, external_number, external_id);
-- Every sort of the list walks one of these and reads nothing else: the sort column, the natural order of ids for ties, the
-- combination for filters.
CREATE INDEX triage_id ON triage(scope_id, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_code ON triage(scope_id, facet_code, external_number, external_id, kernel_id);
CREATE INDEX triage_title ON triage(scope_id, title, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_error ON triage(scope_id, error_rank, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_relative ON triage(scope_id, relative, relative_class, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_speedup ON triage(scope_id, speedup, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_elapsed ON triage(scope_id, elapsed_seconds, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_exercised ON triage(scope_id, exercised, external_number, external_id, kernel_id, facet_code);
CREATE INDEX triage_marks ON triage(scope_id, kernel_id) WHERE bookmarked = 1 OR waived = 1 OR has_note = 1;
)sql";

std::string wordAfter(std::string_view text, std::string_view keyword)
{
    const std::size_t start = text.find(keyword) + keyword.size();
    return std::string(text.substr(start, text.find_first_of(" (", start) - start));
}

} // namespace

std::string_view schemaSql()
{
    return kTables;
}

std::string_view indexSql()
{
    return kIndexes;
}

std::vector<IndexStatement> indexStatements()
{
    std::vector<IndexStatement> statements;
    std::string_view rest = indexSql();
    for (std::size_t end = rest.find(';'); end != std::string_view::npos; end = rest.find(';')) {
        const std::string_view sql = rest.substr(0, end);
        statements.push_back({wordAfter(sql, " INDEX "), wordAfter(sql, " ON "), std::string(sql)});
        rest.remove_prefix(end + 1);
    }
    return statements;
}

} // namespace assay::store
