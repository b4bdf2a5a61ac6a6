// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Tile sizes of the operator's device kernels: the one place they are taken from.
namespace assay::gdn::plan {

inline constexpr int kChunk = 64;    ///< tokens that are taken at once
inline constexpr int kSubBlock = 16; ///< tokens whose decays are taken pair by pair; rows of a tensor core's tile
inline constexpr int kSubBlocks = kChunk / kSubBlock;
inline constexpr int kFarRows = kSubBlock * (1 + 2 + 3); ///< rows before, or behind, each of a chunk's inner splits, added up
inline constexpr int kChannelTile = 64;                  ///< key channels whose gradients a block makes
inline constexpr int kPadding = 8;      ///< elements behind a row of 16-bit elements: eight rows then lie in different banks
inline constexpr int kFloatPadding = 4; ///< the same for fp32
inline constexpr int kPairPadding
    = 8; ///< fp32 that eight rows of a result read or write as pairs: four rows then lie in different banks
inline constexpr int kStages = 2; ///< chunks a scan has in shared memory: one at work, one on its way

inline constexpr int kPlaceThreads = 256;
inline constexpr int kGroup = 4; ///< tokens of a warp that prepares a chunk; their decays are taken pair by pair
inline constexpr int kGroups = kChunk / kGroup;
inline constexpr int kNearBlock = 2 * kGroup; ///< tokens whose system is inverted row by row
inline constexpr int kHalvings = 4;           ///< of a chunk, down to groups: 32 | 32, 16 | 16, 8 | 8, 4 | 4 tokens
inline constexpr int kPrepareThreads = kGroups * 32;
/// Chunks that a head's preparation is ahead in bringing tokens near: with 16 heads as many blocks as half of a chip carries.
inline constexpr int kPrepareAhead = 4;
inline constexpr int kScanThreads = 192; ///< four warps that carry the state, two that copy
inline constexpr int kProductThreads = 256;
inline constexpr int kGradientThreads = 256; ///< two warps for 16 channels, half of the tokens each
inline constexpr int kGradientBlocks = 2;    ///< on a processor, so that one computes while the other waits

/// Value channels of a scan's state that a block carries, 16 by two warps that share the keys. Fewer would read a chunk's tiles
/// through the second-level cache more often than it serves them.
inline constexpr int kScanValues = 32;
inline constexpr int kScanCarriers = kScanValues / 16 * 64; ///< threads that carry the state

} // namespace assay::gdn::plan
