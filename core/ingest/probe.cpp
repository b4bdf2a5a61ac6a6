// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/probe.h"

#include "core/ingest/byte_source.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

namespace assay::ingest {

namespace {

constexpr std::string_view kBlank = " \t\r\n\f\v";

Probe probeFolder(const std::filesystem::path& path)
{
    Probe probe;
    probe.path = path;
    probe.isDirectory = true;
    std::error_code failure;
    for (std::filesystem::directory_iterator it(path, failure), end; !failure && it != end; it.increment(failure)) {
        if (probe.entries.size() == kProbeEntries)
            break;
        probe.entries.push_back(it->path().filename().string());
    }
    if (failure)
        throw Error("cannot list the folder (" + failure.message() + ")", path.string(), "Check its permissions.");
    std::sort(probe.entries.begin(), probe.entries.end());
    return probe;
}

/// The text from the first value on: after blanks and, in an array, after its bracket.
std::string_view firstElement(std::string_view head, bool isArray)
{
    head.remove_prefix(std::min(head.find_first_not_of(kBlank), head.size()));
    if (isArray && !head.empty()) {
        head.remove_prefix(1);
        head.remove_prefix(std::min(head.find_first_not_of(kBlank), head.size()));
    }
    return head;
}

bool startsSecondRow(std::string_view head)
{
    const std::size_t lineEnd = head.find('\n');
    if (lineEnd == std::string_view::npos)
        return false;
    json::Document first;
    if (json::parseStrictly(head.substr(0, lineEnd), first) || !first.IsObject())
        return false;
    const std::size_t next = head.find_first_not_of(kBlank, lineEnd);
    return next != std::string_view::npos && head[next] == '{';
}

ContentShape shapeOf(const Probe& probe)
{
    const std::size_t first = probe.head.find_first_not_of(kBlank);
    if (first == std::string::npos)
        return probe.headIsWhole ? ContentShape::Empty : ContentShape::Text;
    if (probe.head[first] == '{')
        return startsSecondRow(std::string_view(probe.head).substr(first)) ? ContentShape::JsonLines : ContentShape::JsonObject;
    if (probe.head[first] == '[')
        return ContentShape::JsonArray;
    return probe.head.find('\0') == std::string::npos ? ContentShape::Text : ContentShape::Binary;
}

} // namespace

Probe probePath(const std::filesystem::path& path)
{
    std::error_code failure;
    if (!std::filesystem::exists(path, failure))
        throw Error("there is no such file or folder", path.string(), "Check the path.");
    if (std::filesystem::is_directory(path, failure))
        return probeFolder(path);
    Probe probe;
    probe.path = path;
    ByteSource source(path);
    probe.head.resize(kProbeBytes);
    std::size_t filled = 0;
    while (filled < kProbeBytes) {
        const std::size_t got = source.read(probe.head.data() + filled, kProbeBytes - filled);
        if (got == 0)
            break;
        filled += got;
    }
    probe.head.resize(filled);
    probe.headIsWhole = filled < kProbeBytes;
    probe.shape = shapeOf(probe);
    if (probe.shape != ContentShape::Text && probe.shape != ContentShape::Binary) {
        for (const json::RawMember& member : json::rawMembers(firstElement(probe.head, probe.shape == ContentShape::JsonArray)))
            probe.keys.push_back(member.key);
    }
    return probe;
}

} // namespace assay::ingest
