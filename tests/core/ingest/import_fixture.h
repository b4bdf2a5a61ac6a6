// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/import.h"
#include "core/store/database.h"

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <SQLiteCpp/Statement.h>
#include <zlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

/// Failed comparisons show what was there.
template <> inline char* QTest::toString(const std::string& text)
{
    return qstrdup(text.c_str());
}

namespace assay::tests {

/// A database in a folder of its own, with helpers that write a file and import it.
class ImportFixture {
public:
    ImportFixture() { reopen(); }

    void reopen()
    {
        database.reset();
        database = store::Database::open(path("a.db"), store::OpenMode::ReadWriteCreate);
    }

    std::filesystem::path path(const std::string& name) const { return std::filesystem::path(dir.path().toStdString()) / name; }

    std::filesystem::path write(const std::string& name, std::string_view content) const
    {
        const std::filesystem::path file = path(name);
        std::filesystem::create_directories(file.parent_path());
        QFile out(QString::fromStdString(file.string()));
        if (!out.open(QIODevice::WriteOnly) || out.write(content.data(), static_cast<qint64>(content.size())) < 0)
            qFatal("cannot write %s", file.c_str());
        return file;
    }

    ingest::ImportSummary import(const std::filesystem::path& file, const std::string& format = "",
                                 const ingest::ImportOptions& options = {}, const ingest::JobControl& control = {})
    {
        return ingest::importPath(*database, file, format, options, control);
    }

    ingest::ImportSummary importText(std::string_view content, const std::string& name = "rows.jsonl",
                                     const std::string& format = "", const ingest::ImportOptions& options = {})
    {
        return import(write(name, content), format, options);
    }

    std::int64_t number(const std::string& sql) { return database->sqlite().execAndGet(sql).getInt64(); }
    std::string text(const std::string& sql) { return database->sqlite().execAndGet(sql).getString(); }
    bool isNull(const std::string& sql) { return database->sqlite().execAndGet(sql).isNull(); }
    double real(const std::string& sql) { return database->sqlite().execAndGet(sql).getDouble(); }

    QTemporaryDir dir;
    std::unique_ptr<store::Database> database;
};

/// @p content as a gzip file.
inline std::string gzip(std::string_view content)
{
    z_stream stream{};
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(content.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

/// A gated row of the published schema whose gates all pass, but for what @p gates says ("\"CMP-01\": {...}").
inline std::string auditRow(int id, const std::string& gates = "", const std::string& more = "")
{
    return R"({"elapsed_s": 9.5, "final_speedup": 1.5, "gates": {)" + gates + R"(}, "id": ")" + std::to_string(id)
        + R"(", "multi_output": false, "native_shape": [64, 128], "op_class": "scan", "output_aliasing": false, "primary_idx": 0, )"
        + more + R"("status": "gated"})";
}

inline std::string gate(const std::string& id, const std::string& status, const std::string& reason = "", int skipped = 0)
{
    return "\"" + id + R"(": {"reason": ")" + reason + R"(", "skipped": )" + std::to_string(skipped) + R"(, "status": ")" + status
        + "\"}";
}

} // namespace assay::tests
