// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a function whose loops are compiled for several vector widths; the machine's widest is taken at run time. Each clone
/// gives the same bits because -ffp-contract=off keeps it from fusing a multiplication into an addition.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif
