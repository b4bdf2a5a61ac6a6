// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace assay::workbench {

/// Milliseconds since the kernel started this process, loading of libraries included; -1 where /proc does not tell.
/// The kernel counts starts in ticks, so the figure is good to about 10 ms.
std::int64_t millisecondsSinceProcessStart();

} // namespace assay::workbench
