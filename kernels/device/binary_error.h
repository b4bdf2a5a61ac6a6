// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace assay::device {

/// A device binary that cannot be read. The text is one line: what is wrong, and at which byte or section.
class BinaryError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace assay::device
