// SPDX-License-Identifier: Apache-2.0
#include "core/text/one_line.h"

#include <algorithm>

namespace assay {

std::string oneLine(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return text;
}

} // namespace assay
