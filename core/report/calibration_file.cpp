// SPDX-License-Identifier: Apache-2.0
#include "core/report/calibration_file.h"

#include "core/ingest/byte_source.h"
#include "core/ingest/line_reader.h"
#include "core/report/gzip_file.h"
#include "core/text/error.h"
#include "core/text/json.h"
#include "core/text/raw_json.h"
#include "core/text/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace assay::report {

namespace {

using calibration::SampleKind;

constexpr std::string_view kSchema = "assay.calibration-file/1";
constexpr std::array<std::string_view, 3> kKinds = {"conforming", "perturbed", "defect"};
constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;

std::string valueJson(const tensor::Measured& value)
{
    if (!value.isPresent())
        return "null";
    return value.isFinite() ? json::exactNumber(value.value) : json::quoted(tensor::name(value.valueClass));
}

std::string lineOf(const store::CalibrationSample& row)
{
    const calibration::Sample& sample = row.sample;
    std::string line = "[";
    for (const std::string_view text :
         {std::string_view(row.gate), std::string_view(row.family), std::string_view(row.dtype),
          kKinds[static_cast<std::size_t>(sample.kind)], std::string_view(sample.kernel), std::string_view(row.source)})
        line += json::quoted(text) + ',';
    line += sample.kind == SampleKind::Perturbed ? json::exactNumber(sample.scale) : "null";
    return line + ',' + valueJson(sample.value) + "]\n";
}

/// The first line, read.
struct Head {
    std::string version;
    std::string title;
    std::string createdAt;
    std::string rowsSha256;
    std::int64_t samples = 0;
    calibration::FrozenCalibration frozen;
};

class Reader {
public:
    explicit Reader(const std::filesystem::path& path)
        : m_where(path.string())
        , m_source(path)
        , m_lines(m_source, kMostLineBytes)
    {
    }

    Head head()
    {
        const std::string text(nextLine("it is empty"));
        json::Document document;
        if (json::parseStrictly(text, document) || !document.IsObject() || json::stringAt(document, "schema") != kSchema)
            refuse("its first line is not of schema " + std::string(kSchema));
        const auto member = [&](const char* key) { return json::stringAt(document, key).value_or(""); };
        Head head{member("version"),
                  member("title"),
                  member("created_at"),
                  member("rows_sha256"),
                  json::integerAt(document, "samples").value_or(-1),
                  {}};
        const auto definition = json::rawMember(json::rawMembers(text), "definition");
        if (!definition || head.samples < 0)
            refuse("its first line lacks the definition or the number of samples");
        head.frozen = calibration::readFrozen(*definition, m_where);
        if (calibration::versionOf(head.frozen) != head.version)
            refuseChanged("its version does not fit what was frozen");
        return head;
    }

    std::vector<store::CalibrationSample> samples(const Head& head)
    {
        std::vector<store::CalibrationSample> rows;
        std::vector<calibration::Sample> plain;
        Sha256 sha;
        for (std::int64_t number = 0; number < head.samples; ++number) {
            const std::string_view line = nextLine(fmt::format("it ends after {} of {} samples", number, head.samples).c_str());
            sha.update(line);
            rows.push_back(sampleOf(line));
            plain.push_back(rows.back().sample);
        }
        if (ingest::Line more; m_lines.next(more))
            refuse(fmt::format("it goes on after its {} samples", head.samples));
        if (sha.finishHex() != head.rowsSha256 || calibration::digestOf(plain) != head.frozen.samplesDigest)
            refuseChanged("its samples are not those of its version");
        return rows;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const
    {
        throw Error("this is no calibration: " + what, m_where, "assay calibrate --export FILE writes one; nothing was stored");
    }

    [[noreturn]] void refuseChanged(const std::string& what) const
    {
        throw Error("the calibration was changed since it was written: " + what, m_where,
                    "Get the file again; nothing was stored");
    }

    std::string_view nextLine(const char* missing)
    {
        if (!m_lines.next(m_line) || !m_line.terminated)
            refuse(m_source.damage() ? "its compression is damaged: " + m_source.damage()->reason : missing);
        if (!m_line.problem.empty())
            refuse(fmt::format("line {}: {}", m_line.number, m_line.problem));
        return m_line.text;
    }

    store::CalibrationSample sampleOf(std::string_view line) const
    {
        json::Document row;
        const auto noSample = [&] { refuse(fmt::format("line {} is no sample", m_line.number)); };
        if (json::parseStrictly(line, row) || !row.IsArray() || row.Size() != 8)
            noSample();
        for (rapidjson::SizeType i = 0; i < 6; ++i) {
            if (!row[i].IsString())
                noSample();
        }
        const auto text = [&](rapidjson::SizeType i) { return std::string(row[i].GetString(), row[i].GetStringLength()); };
        const auto kind = std::ranges::find(kKinds, text(3));
        if (kind == kKinds.end())
            noSample();
        store::CalibrationSample sample{text(0), text(1), text(2), text(5), {}};
        sample.sample.kind = static_cast<SampleKind>(kind - kKinds.begin());
        sample.sample.kernel = text(4);
        if (sample.sample.kind == SampleKind::Perturbed) {
            if (!row[6].IsNumber())
                noSample();
            sample.sample.perturbation = sample.source;
            sample.sample.scale = row[6].GetDouble();
        }
        if (row[7].IsNumber())
            sample.sample.value = tensor::measured(row[7].GetDouble());
        else if (row[7].IsString())
            sample.sample.value.valueClass = tensor::valueClassFromName(text(7));
        return sample;
    }

    std::string m_where;
    ingest::ByteSource m_source;
    ingest::LineReader m_lines;
    ingest::Line m_line;
};

} // namespace

void writeCalibrationFile(store::Database& database, const CalibrationVersion& version, const std::filesystem::path& path)
{
    const auto samples = store::calibrationSamples(database, version.summary.id);
    Sha256 sha;
    std::string rows;
    for (const store::CalibrationSample& sample : samples) {
        const std::string line = lineOf(sample);
        sha.update(std::string_view(line).substr(0, line.size() - 1));
        rows += line;
    }
    const auto text = [](const char* key, const std::string& value) { return json::quoted(key) + ':' + json::quoted(value); };
    const std::string head = '{' + text("schema", std::string(kSchema)) + ',' + text("version", version.summary.version) + ','
        + text("title", version.summary.title) + ',' + text("created_at", version.summary.createdAt) + ','
        + json::quoted("samples") + ':' + std::to_string(samples.size()) + ',' + text("rows_sha256", sha.finishHex()) + ','
        + json::quoted("definition") + ':' + calibration::canonicalJson(version.frozen) + "}\n";
    writeGzip(path, {head, rows});
}

LoadedCalibration loadCalibrationFile(store::Database& database, const std::filesystem::path& path)
{
    Reader reader(path);
    const Head head = reader.head();
    const std::vector<store::CalibrationSample> samples = reader.samples(head);
    const auto known = store::calibrations(database);
    const bool isNew = std::ranges::find(known, head.version, &store::CalibrationSummary::version) == known.end();
    store::insertCalibration(database, head.frozen, head.title, samples, head.createdAt);
    return {head.version, head.title, head.samples, isNew};
}

} // namespace assay::report
