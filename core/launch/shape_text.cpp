// SPDX-License-Identifier: Apache-2.0
#include "core/launch/shape_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::launch {

std::array<std::int64_t, 5> sizesOf(const gdn::Shape& shape)
{
    return {shape.batch, shape.tokens, shape.heads, shape.keys, shape.values};
}

std::string shapeText(const gdn::Shape& shape)
{
    return fmt::format("{}", fmt::join(sizesOf(shape), " x "));
}

void writeShape(json::ObjectText& object, const gdn::Shape& shape)
{
    json::Writer& writer = object.key("shape");
    writer.StartArray();
    for (const std::int64_t size : sizesOf(shape))
        writer.Int64(size);
    writer.EndArray();
}

} // namespace assay::launch
