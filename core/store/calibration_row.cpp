// SPDX-License-Identifier: Apache-2.0
#include "core/store/calibration_row.h"

#include "core/store/statement.h"

#include <fmt/format.h>

#include <array>

namespace assay::store {

namespace {

using calibration::SampleKind;

constexpr std::array<std::string_view, 3> kKinds = {"conforming", "perturbed", "defect"};

SampleKind kindNamed(std::string_view text, const std::string& path)
{
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (kKinds[i] == text)
            return static_cast<SampleKind>(i);
    }
    throw DatabaseError(DatabaseError::Kind::Corrupt, fmt::format("a sample of a calibration is of no known kind: \"{}\"", text),
                        path, "Run `assay db check` and report what it says");
}

} // namespace

void bindSample(Statement& insert, const CalibrationSample& row)
{
    const calibration::Sample& sample = row.sample;
    insert.text(2, row.gate).text(3, row.family).text(4, row.dtype);
    insert.text(5, kKinds[static_cast<std::size_t>(sample.kind)]).text(6, sample.kernel);
    insert.real(7, sample.kind == SampleKind::Perturbed ? std::optional(sample.scale) : std::nullopt);
    insert.measured(8, sample.value).text(10, row.source);
}

calibration::Sample sampleAt(const Statement& query, const Database& database)
{
    calibration::Sample sample;
    sample.kind = kindNamed(query.textAt(1), database.path().string());
    sample.kernel = query.textAt(2);
    sample.value = query.measuredAt(4);
    if (sample.kind == SampleKind::Perturbed) {
        sample.perturbation = query.textAt(0);
        sample.scale = query.realAt(3);
    }
    return sample;
}

CalibrationSample calibrationSampleAt(const Statement& query, const Database& database)
{
    return {std::string(query.textAt(6)), std::string(query.textAt(7)), std::string(query.textAt(8)),
            std::string(query.textAt(0)), sampleAt(query, database)};
}

} // namespace assay::store
