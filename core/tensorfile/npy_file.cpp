// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/npy_file.h"

#include "core/tensorfile/npy_header.h"
#include "core/tensorfile/tensor_layout.h"
#include "core/text/error.h"
#include "core/text/one_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace assay::tensorfile {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kLongestQuote = 40; // of foreign text in a message

struct Place {
    std::string_view header;
    std::size_t dataOffset = 0;
};

std::string shown(const std::string& text)
{
    return oneLine(text.size() > kLongestQuote ? text.substr(0, kLongestQuote) + "..." : text);
}

Error damaged(const MappedFile& file, const std::string& why)
{
    return {"is no readable .npy file (" + why + ")", file.path(), "Write it again with numpy.save"};
}

Place findHeader(const MappedFile& file)
{
    const auto bytes = file.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto byteAt = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(text[at])); };
    std::size_t at = kMagic.size();
    if (text.size() < at + kVersionBytes)
        throw damaged(file, "it ends inside its first bytes");
    const std::size_t version = byteAt(at);
    if (version < 1 || version > 3)
        throw damaged(file, fmt::format("format version {} is not 1 to 3", version));
    at += kVersionBytes;
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    if (text.size() < at + lengthBytes)
        throw damaged(file, "it ends inside its first bytes");
    std::size_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i)
        length |= byteAt(at + i) << (8 * i);
    at += lengthBytes;
    if (length > text.size() - at)
        throw damaged(file, fmt::format("its header claims {} bytes, the file has {} left", length, text.size() - at));
    return {text.substr(at, length), at + length};
}

tensor::DType dtypeOf(const MappedFile& file, std::string descriptor, std::optional<tensor::DType> untyped)
{
    const std::string asWritten = shown(descriptor);
    char order = '|';
    if (!descriptor.empty() && std::string_view("<>|=").find(descriptor.front()) != std::string_view::npos) {
        order = descriptor.front();
        descriptor.erase(0, 1);
    }
    if (descriptor.starts_with("O"))
        throw Error("holds pickled Python objects, which are not loaded", file.path(), "Save an array of numbers");
    if (descriptor == "V1" || descriptor == "V2") {
        const int bytes = descriptor.back() - '0';
        if (untyped && tensor::sizeOf(*untyped) == bytes)
            return *untyped;
        if (descriptor == "V2")
            return tensor::DType::BFloat16;
        throw Error("does not record the type of its 1-byte elements (" + asWritten + ")", file.path(),
                    "Name it: --dtype float8_e4m3fn or --dtype float8_e5m2");
    }
    const auto dtype = tensor::dtypeFromName(descriptor);
    if (!dtype)
        throw Error("has elements of type " + asWritten + ", which are not compared", file.path(),
                    "Convert to float, bfloat16, float8, a signed integer, uint8 or bool");
    if (order == '>' && tensor::sizeOf(*dtype) > 1)
        throw Error("has big-endian elements (" + asWritten + ")", file.path(),
                    "Save it again with array.astype(array.dtype.newbyteorder('<'))");
    return *dtype;
}

} // namespace

bool looksLikeNpy(std::span<const std::byte> bytes)
{
    return bytes.size() >= kMagic.size()
        && std::equal(kMagic.begin(), kMagic.end(), bytes.begin(), [](char wanted, std::byte found) {
               return static_cast<unsigned char>(wanted) == static_cast<unsigned char>(found);
           });
}

LoadedTensor readNpy(std::shared_ptr<const MappedFile> file, std::optional<tensor::DType> untyped)
{
    if (!looksLikeNpy(file->bytes()))
        throw damaged(*file, "it does not begin as one");
    const Place place = findHeader(*file);
    NpyHeader header = parseNpyHeader(place.header);
    if (!header.problem.empty())
        throw damaged(*file, header.problem);
    const tensor::DType dtype = dtypeOf(*file, header.descriptor, untyped);
    const auto bytes = bytesOf(header.shape, tensor::sizeOf(dtype));
    if (!bytes)
        throw damaged(*file, "its shape " + shown(shapeText(header.shape)) + " is larger than any memory");
    const std::size_t there = file->bytes().size() - place.dataOffset;
    if (static_cast<std::size_t>(*bytes) > there)
        throw Error(fmt::format("ends early: {} of {} bytes of data are there", there, *bytes), file->path(), "Copy it again");
    if (header.isFortranOrder)
        std::ranges::reverse(header.shape);
    LoadedTensor loaded = tensorIn(std::move(file), place.dataOffset, dtype, std::move(header.shape));
    if (header.isFortranOrder) {
        std::ranges::reverse(loaded.view.shape);
        std::ranges::reverse(loaded.view.strides);
    }
    return loaded;
}

} // namespace assay::tensorfile
