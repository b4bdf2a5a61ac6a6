// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/tensor_file.h"

#include "core/tensorfile/npy_file.h"
#include "core/text/error.h"
#include "core/text/one_line.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace assay::tensorfile {

namespace {

constexpr std::size_t kNamesInAMessage = 8;

bool isZip(std::span<const std::byte> bytes)
{
    constexpr std::string_view kZip = "PK\x03\x04";
    return bytes.size() >= kZip.size() && std::string_view(reinterpret_cast<const char*>(bytes.data()), kZip.size()) == kZip;
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesInAMessage); ++i)
        text += (i == 0 ? "" : ", ") + oneLine(names[i]);
    return names.size() > kNamesInAMessage ? text + ", ..." : text;
}

/// The name that @p wanted means in this file.
std::string nameFor(const TensorFile& file, const std::string& wanted)
{
    const auto names = file.names();
    if (names.size() == 1 && names[0].empty())
        return names[0];
    if (std::ranges::find(names, wanted) == names.end())
        throw Error("has no tensor \"" + oneLine(wanted) + "\"", file.path(), "It has " + listed(names));
    return wanted;
}

} // namespace

TensorFile TensorFile::open(const std::filesystem::path& path, std::optional<tensor::DType> untyped)
{
    TensorFile file;
    file.m_file = MappedFile::open(path);
    const auto bytes = file.m_file->bytes();
    if (looksLikeNpy(bytes))
        file.m_npy = readNpy(file.m_file, untyped);
    else if (isZip(bytes))
        throw Error("is an archive (.npz), not one tensor", file.m_file->path(), "Unpack it: unzip gives .npy files");
    else if (looksLikeSafetensors(bytes) || path.extension() == ".safetensors")
        file.m_entries = readSafetensorsHeader(*file.m_file);
    else
        throw Error("is neither .npy nor .safetensors", file.m_file->path(), "Save it with numpy.save or safetensors");
    return file;
}

std::vector<std::string> TensorFile::names() const
{
    if (m_npy)
        return {std::string()};
    std::vector<std::string> names;
    for (const SafetensorsEntry& entry : m_entries)
        names.push_back(entry.name);
    return names;
}

LoadedTensor TensorFile::tensor(const std::string& name) const
{
    if (m_npy && name.empty())
        return *m_npy;
    const auto entry = std::ranges::find(m_entries, name, &SafetensorsEntry::name);
    if (m_npy || entry == m_entries.end())
        throw Error("has no tensor \"" + oneLine(name) + "\"", path(), "It has " + listed(names()));
    return readSafetensor(m_file, *entry);
}

Pairing pairTensors(const TensorFile& reference, const TensorFile& candidate, const std::string& wanted)
{
    Pairing pairing;
    if (!wanted.empty()) {
        pairing.pairs.emplace_back(nameFor(reference, wanted), nameFor(candidate, wanted));
        return pairing;
    }
    const auto left = reference.names();
    const auto right = candidate.names();
    if (left.size() == 1 && right.size() == 1) {
        pairing.pairs.emplace_back(left[0], right[0]);
        return pairing;
    }
    const std::unordered_set<std::string> inReference(left.begin(), left.end());
    const std::unordered_set<std::string> inCandidate(right.begin(), right.end());
    for (const std::string& name : left) {
        if (inCandidate.contains(name))
            pairing.pairs.emplace_back(name, name);
        else
            pairing.onlyReference.push_back(name);
    }
    std::ranges::copy_if(right, std::back_inserter(pairing.onlyCandidate),
                         [&](const std::string& name) { return !inReference.contains(name); });
    if (pairing.pairs.empty())
        throw Error("the two files have no tensor of the same name", candidate.path(),
                    "The reference has " + (left.empty() ? "none" : listed(left)) + "; name one with --tensor");
    return pairing;
}

bool looksLikeTensorFile(const std::filesystem::path& path)
{
    try {
        const auto file = MappedFile::open(path);
        const auto bytes = file->bytes();
        return looksLikeNpy(bytes) || (looksLikeSafetensors(bytes) && path.extension() == ".safetensors");
    } catch (const Error&) {
        return false; // what cannot be read is said by whoever opens it
    }
}

} // namespace assay::tensorfile
