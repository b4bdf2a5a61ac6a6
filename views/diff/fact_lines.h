// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/diff/diff_engine.h"

#include <QStringList>

namespace assay::views {

/// What is said above the pictures: where the differences are, or that there are none, and how large they are.
QStringList factLines(const DiffFacts& facts, const DiffSource& source, bool hasBound);

} // namespace assay::views
