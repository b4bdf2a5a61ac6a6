// SPDX-License-Identifier: Apache-2.0
#include "core/runner/kept_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace assay::runner {

void keepFreedMemory()
{
#ifdef __GLIBC__
    ::mallopt(M_MMAP_THRESHOLD, kMappedBytes);
    ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
    ::mallopt(M_ARENA_MAX, 1);
#endif
}

} // namespace assay::runner
