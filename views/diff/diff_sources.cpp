// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/diff_sources.h"

#include "core/tensorfile/tensor_file.h"
#include "core/tensorfile/tensor_layout.h"
#include "core/text/error.h"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("DiffSources", text);
}

void addPair(DiffSources& sources, const QString& name, tensorfile::LoadedTensor reference, tensorfile::LoadedTensor candidate,
             bool isTruth)
{
    if (reference.view.shape != candidate.view.shape) {
        sources.refusals << tr("%1: the shapes differ, %2 and %3.")
                                .arg(name.isEmpty() ? tr("The tensors") : name,
                                     QString::fromStdString(tensorfile::shapeText(reference.view.shape)),
                                     QString::fromStdString(tensorfile::shapeText(candidate.view.shape)));
        return;
    }
    sources.pairs.push_back(std::make_shared<DiffSource>(DiffSource{name, std::move(reference), std::move(candidate), isTruth}));
}

/// The tensor that an artifact stores; nothing where its bytes do not fill its shape.
std::optional<tensorfile::LoadedTensor> tensorOf(store::ArtifactRecord& artifact)
{
    const auto dtype = tensor::dtypeFromName(artifact.dtype);
    if (!dtype)
        return std::nullopt;
    const auto bytes = tensorfile::bytesOf(artifact.shape, tensor::sizeOf(*dtype));
    if (!bytes || static_cast<std::size_t>(*bytes) != artifact.bytes.size())
        return std::nullopt;
    auto owner = std::make_shared<std::string>(std::move(artifact.bytes));
    tensorfile::LoadedTensor loaded;
    loaded.name = artifact.name;
    loaded.view = tensor::TensorView::contiguous(owner->data(), *dtype, artifact.shape);
    loaded.owner = owner;
    return loaded;
}

QString pairName(const store::ArtifactRecord& artifact)
{
    const QString check = tr("%1, check %2").arg(QString::fromStdString(artifact.gate)).arg(artifact.ordinal + 1);
    return artifact.name.empty() ? check : tr("%1, output %2").arg(check, QString::fromUtf8(artifact.name));
}

} // namespace

DiffSources sourcesOf(std::vector<store::ArtifactRecord> artifacts)
{
    DiffSources sources;
    for (store::ArtifactRecord& reference : artifacts) {
        if (reference.role != "reference")
            continue;
        const auto candidate = std::ranges::find_if(artifacts, [&](const store::ArtifactRecord& other) {
            return other.role == "candidate" && other.gate == reference.gate && other.ordinal == reference.ordinal
                && other.name == reference.name;
        });
        if (candidate == artifacts.end())
            continue;
        const QString name = pairName(reference);
        auto left = tensorOf(reference);
        auto right = tensorOf(*candidate);
        if (left && right)
            addPair(sources, name, std::move(*left), std::move(*right), true);
        else
            sources.refusals << tr("%1: the stored bytes are not a tensor of the stored shape.").arg(name);
    }
    return sources;
}

DiffSources sourcesOfFiles(const QString& reference, const QString& candidate, const QString& tensor, const QString& dtype)
{
    const auto untyped = dtype.isEmpty() ? std::nullopt : tensor::dtypeFromName(dtype.toStdString());
    if (!dtype.isEmpty() && !untyped)
        throw Error("no type of elements is called \"" + dtype.toStdString() + "\"", "--dtype", "Such as float8_e4m3fn");
    const auto open
        = [&](const QString& path) { return tensorfile::TensorFile::open(QFile::encodeName(path).toStdString(), untyped); };
    const tensorfile::TensorFile left = open(reference);
    const tensorfile::TensorFile right = open(candidate);
    const tensorfile::Pairing pairing = tensorfile::pairTensors(left, right, tensor.toStdString());
    DiffSources sources;
    for (const auto& [first, second] : pairing.pairs) {
        try {
            addPair(sources, QString::fromUtf8(first), left.tensor(first), right.tensor(second), false);
        } catch (const Error& error) {
            sources.refusals << QString::fromUtf8(error.what());
        }
    }
    return sources;
}

} // namespace assay::views
