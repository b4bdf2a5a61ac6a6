// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/metric.h"
#include "core/store/records.h"
#include "core/tensorfile/loaded_tensor.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace assay::views {

/// One pair of tensors of the same shape to look at.
struct DiffSource {
    QString name; ///< among the pairs that came together: "output 0", "model.weight"
    tensorfile::LoadedTensor reference;
    tensorfile::LoadedTensor candidate;
    bool isTruth = false; ///< the reference is the judge's fp64 truth: a candidate's ulp are its own

    bool countsUlpOfCandidate() const { return isTruth && reference.view.dtype != candidate.view.dtype; }
};

using DiffSourcePtr = std::shared_ptr<const DiffSource>;

/// Pairs that came together, and what of them cannot be compared, one line each.
struct DiffSources {
    std::vector<DiffSourcePtr> pairs;
    QStringList refusals;
};

/// The pairs that checks of a verdict left behind: artifacts of the roles "reference" and "candidate" of one check and name.
DiffSources sourcesOf(std::vector<store::ArtifactRecord> artifacts);

/// The pairs of two files. @param tensor  this one alone; "" : all @param dtype  of elements of a .npy file that records none
/// @throws Error
DiffSources sourcesOfFiles(const QString& reference, const QString& candidate, const QString& tensor, const QString& dtype);

} // namespace assay::views
