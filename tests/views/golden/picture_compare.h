// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>

namespace assay::tests {

/// How far a picture is from the committed one.
struct PictureDifference {
    double share = 0;     ///< of the pixels that differ by more than kChannelDistance in a channel
    double worstTile = 0; ///< largest difference of the mean colour of a kTile x kTile tile, 0 to 255
    QRect worstPlace;
    QImage map; ///< what differs, red on grey
};

// Text may be smoothed differently by another FreeType: single pixels change, but neither many of them nor the mean colour of
// a place. A strip cell that is missing or of another colour changes the mean of its place by 60 and more.
constexpr int kChannelDistance = 48;
constexpr int kTile = 12; // px: a little less than a strip cell
constexpr double kLargestShare = 0.005;
constexpr double kLargestTile = 32;

/// Both pictures must have the same size.
PictureDifference difference(const QImage& wanted, const QImage& actual);
bool isSame(const PictureDifference& difference);
QString describe(const PictureDifference& difference);

} // namespace assay::tests
