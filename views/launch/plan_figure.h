// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/kernel_images.h"
#include "views/figure/figure_file.h"

#include <QString>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::views {

/// What the figure of the device kernels' plan shows.
struct PlanFigure {
    int keys = 128;
    int values = 128;
    bool hasTokenDecay = false;
    std::size_t target = 0;                                 ///< of plannedTargets(): whose registers and blocks are shown
    std::vector<launch::PlannedKernel> kernels;             ///< as they are planned
    std::vector<std::optional<launch::KernelImage>> images; ///< of `kernels`; empty where there is no library
    QString imageLack;                                      ///< why `images` is empty; "" where it is not
};

/// Index of the target whose numbers are shown unless another is asked for: sm_90a.
std::size_t usualTarget();

/// Reads the plan, and the images of the library beside the program where it is there. Takes tens of milliseconds.
/// @throws Error  for sizes that no kernel is built for
PlanFigure loadPlanFigure(int keys, int values, bool hasTokenDecay, std::size_t target);

/// What an accumulator of the plan is at in a phase.
enum class Work {
    Rests,    ///< nothing touches its columns
    Product,  ///< a product is accumulated
    Transfer, ///< it is read, drained, decayed or kept
};
Work workOf(std::string_view duty);

/// Columns whose accumulators are at work in @p phase, counted from 0.
int columnsAtWork(int phase);

/// The sentences below the figure: where its numbers come from, and what has never run.
QString captionOf(const PlanFigure& figure);

/// The numbers as CSV: a line a kernel, then a line an accumulator.
std::string toCsv(const PlanFigure& figure);

/// @p figure has to outlive the result.
FigureDrawing drawingOf(const PlanFigure& figure);

/// Writes the figure on white paper, and its numbers as CSV beside it. @throws Error
void exportPlan(const PlanFigure& figure, const FigureSize& size, const QString& path);

} // namespace assay::views
