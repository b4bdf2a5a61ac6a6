// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace assay::views {

/// What the window's message bar shows. Queued; errors stay until dismissed.
class Messages final : public QObject {
    Q_OBJECT
public:
    enum class Level { Info, Warning, Error };
    Q_ENUM(Level)

    explicit Messages(QObject* parent = nullptr);

    /// @param action  label of a button, "" for none; @p run is called when it is pressed
    void post(Level level, const QString& text, const QString& details = {}, const QString& action = {},
              std::function<void()> run = {});

Q_SIGNALS:
    void posted(assay::views::Messages::Level level, const QString& text, const QString& details, const QString& action,
                const std::function<void()>& run);
};

} // namespace assay::views
