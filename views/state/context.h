// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace assay::views {

class FilterStack;
class Jobs;
class Messages;
class Selection;
class Theme;
class Workspace;

/// The shared objects, handed to every page by its constructor. Owned by the main window; outlives every page.
struct Context {
    Workspace& workspace;
    Selection& selection;
    FilterStack& filters;
    Jobs& jobs;
    Messages& messages;
    Theme& theme;
};

} // namespace assay::views
