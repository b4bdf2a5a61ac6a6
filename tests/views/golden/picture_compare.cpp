// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/golden/picture_compare.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace assay::tests {

using namespace Qt::StringLiterals;

namespace {

std::array<int, 3> channels(QRgb color)
{
    return {qRed(color), qGreen(color), qBlue(color)};
}

int distance(QRgb a, QRgb b)
{
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

double meanDistance(const QImage& a, const QImage& b, const QRect& tile)
{
    std::array<int, 3> sum{};
    for (int y = tile.top(); y <= tile.bottom(); ++y) {
        for (int x = tile.left(); x <= tile.right(); ++x) {
            const auto one = channels(a.pixel(x, y));
            const auto other = channels(b.pixel(x, y));
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += one[i] - other[i];
        }
    }
    const int largest = std::max({std::abs(sum[0]), std::abs(sum[1]), std::abs(sum[2])});
    return static_cast<double>(largest) / (tile.width() * tile.height());
}

} // namespace

PictureDifference difference(const QImage& wanted, const QImage& actual)
{
    PictureDifference found;
    found.map = actual.convertToFormat(QImage::Format_Grayscale8).convertToFormat(QImage::Format_RGB32);
    qint64 differing = 0;
    for (int y = 0; y < wanted.height(); ++y) {
        for (int x = 0; x < wanted.width(); ++x) {
            if (distance(wanted.pixel(x, y), actual.pixel(x, y)) <= kChannelDistance)
                continue;
            ++differing;
            found.map.setPixel(x, y, qRgb(255, 0, 0));
        }
    }
    found.share = static_cast<double>(differing) / (static_cast<double>(wanted.width()) * wanted.height());
    // Tiles overlap by half, so that a cell lies mostly in one of them wherever it is.
    for (int y = 0; y + kTile <= wanted.height(); y += kTile / 2) {
        for (int x = 0; x + kTile <= wanted.width(); x += kTile / 2) {
            const QRect tile(x, y, kTile, kTile);
            const double mean = meanDistance(wanted, actual, tile);
            if (mean > found.worstTile) {
                found.worstTile = mean;
                found.worstPlace = tile;
            }
        }
    }
    return found;
}

bool isSame(const PictureDifference& difference)
{
    return difference.share <= kLargestShare && difference.worstTile <= kLargestTile;
}

QString describe(const PictureDifference& difference)
{
    return u"%1 % of the pixels differ (%2 % may); the worst place is %3 of 255 apart (%4 may) at x %5, y %6"_s
        .arg(100 * difference.share, 0, 'f', 3)
        .arg(100 * kLargestShare, 0, 'f', 1)
        .arg(difference.worstTile, 0, 'f', 1)
        .arg(kLargestTile, 0, 'f', 0)
        .arg(difference.worstPlace.x())
        .arg(difference.worstPlace.y());
}

} // namespace assay::tests
