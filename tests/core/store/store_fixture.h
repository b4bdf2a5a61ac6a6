// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/corpus_writer.h"
#include "core/store/database.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace assay::tests {

inline QByteArray bytes(const std::string& text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

inline std::string readAll(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void writeAll(const std::filesystem::path& path, const std::string& content)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// A folder of its own for every test, and short ways to fill a database in it.
class Folder {
public:
    std::filesystem::path path(const std::string& name = "a.db") const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    std::unique_ptr<store::Database> open(const std::string& name = "a.db",
                                          store::OpenMode mode = store::OpenMode::ReadWriteCreate) const
    {
        return store::Database::open(path(name), mode);
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(path("")))
            found.push_back(entry.path().filename().string());
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    QTemporaryDir m_folder;
};

inline store::GateRecord gate(contract::Gate id, contract::Verdict verdict = contract::Verdict::Pass,
                              contract::Severity severity = contract::Severity::None, std::string reasonCode = {},
                              tensor::Measured error = {})
{
    store::GateRecord record;
    record.gate = id;
    record.verdict = verdict;
    record.severity = severity;
    record.reasonCode = std::move(reasonCode);
    if (error.isPresent())
        record.metric = "max_abs_error";
    record.value = error;
    return record;
}

inline store::VerdictRecord verdict(std::vector<store::GateRecord> gates = {gate(contract::Gate::Cmp01)})
{
    store::VerdictRecord record;
    record.status = "gated";
    record.outcome = contract::Verdict::Pass;
    for (const store::GateRecord& one : gates) {
        if (contract::countsAgainstCandidate(one.verdict)) {
            record.outcome = contract::Verdict::Fail;
            record.severity = std::max(record.severity, one.severity);
        }
    }
    record.gates = std::move(gates);
    record.elapsedSeconds = 1.5;
    record.accepted = true;
    record.audited = true;
    return record;
}

/// A row as an importer hands it over: its bytes follow from the id and @p version.
inline store::ImportedItem row(const std::string& id, const std::string& version = "1")
{
    store::ImportedItem item;
    item.kernel.externalId = id;
    item.kernel.title = "kernel " + id;
    item.kernel.family = "scan";
    item.kernel.language = "triton";
    item.rowBytes = "row " + id + " " + version;
    item.line = 1;
    return item;
}

inline store::ImportedItem resultRow(const std::string& id, store::VerdictRecord verdict, const std::string& version = "result")
{
    store::ImportedItem item = row(id, version);
    item.verdict = std::move(verdict);
    return item;
}

inline store::ImportedItem sourceRow(const std::string& id, std::optional<std::string> candidate,
                                     std::optional<std::string> reference)
{
    store::ImportedItem item = row(id, "sources " + candidate.value_or("") + reference.value_or(""));
    item.kernel.candidateSource = std::move(candidate);
    item.kernel.referenceSource = std::move(reference);
    return item;
}

/// Imports @p items as one file into corpus @p corpus, verdicts into audit @p audit. Lines count from 1.
inline store::WriterTotals import(store::Database& database, std::vector<store::ImportedItem> items,
                                  const std::string& audit = "audit", const std::string& corpus = "corpus",
                                  const std::string& sha256 = "file")
{
    store::CorpusInfo info;
    info.name = corpus;
    info.format = "test";
    store::CorpusWriter writer(database, info, {"rows.jsonl", sha256});
    store::AuditRecord record;
    record.name = audit;
    writer.setAudit(record);
    std::int64_t line = 0;
    for (store::ImportedItem& item : items) {
        item.line = ++line;
        writer.add(item);
    }
    return writer.commit();
}

inline std::int64_t number(store::Database& database, const std::string& sql)
{
    return database.sqlite().execAndGet(sql).getInt64();
}
inline QByteArray text(store::Database& database, const std::string& sql)
{
    return bytes(database.sqlite().execAndGet(sql).getString());
}

/// The error that @p work ends with, or nothing.
inline std::optional<store::DatabaseError> errorOf(const std::function<void()>& work)
{
    try {
        work();
    } catch (const store::DatabaseError& error) {
        return error;
    }
    return std::nullopt;
}

} // namespace assay::tests
