// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tensorfile {

/// What the header of a .npy file says: a Python dictionary of exactly these three.
struct NpyHeader {
    std::string descriptor; ///< "<f4"
    bool isFortranOrder = false;
    std::vector<std::int64_t> shape;
    std::string problem; ///< "" where the header could be read, else why not, in a few words
};

/// Reads the literal that numpy writes, without a Python: nothing in it is evaluated. Source: numpy.lib.format, versions 1 to 3.
NpyHeader parseNpyHeader(std::string_view text);

} // namespace assay::tensorfile
