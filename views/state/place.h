// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <initializer_list>

class QWidget;

namespace assay::views {

struct Context;
class QueryChannel;

/// What every place of the window begins with: its names, the look of a page, and that it takes the keyboard.
void setUpPlace(QWidget& place, const QString& objectName, const QString& title);

/// Loads a place anew whenever the database is another one or has changed, and posts what its queries fail with.
/// The connections end with the place.
void followDatabase(QWidget& place, Context& context, std::initializer_list<QueryChannel*> channels, std::function<void()> load);

} // namespace assay::views
