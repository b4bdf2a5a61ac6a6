// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace assay::views {

class Theme;

/// What Fusion and a palette alone cannot do: flat frames, quiet headers and slim scroll bars on a 4 px grid.
/// Widgets choose a variant by the dynamic property "look": "panel", "card", "muted", "title", "primary", "quiet", "banner",
/// "chip".
QString styleSheet(const Theme& theme);

} // namespace assay::views
