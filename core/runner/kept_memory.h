// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::runner {

/// Blocks of this many bytes and more are mapped each by itself, and given back with it. The C library takes no larger number.
inline constexpr int kMappedBytes = 32 << 20;
/// Bytes that may lie free at the end of the heap before any go back to the system.
inline constexpr int kKeptBytes = 256 << 20;

/// From here on this process keeps the memory that it frees, and all its threads share it. A judge makes and drops tensors of a
/// megabyte thousands of times; by default each comes as fresh pages, which the system clears and counts one by one. Has to come
/// before threads start. Elsewhere than with the GNU C library nothing changes.
void keepFreedMemory();

} // namespace assay::runner
