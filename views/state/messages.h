// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>

#include <deque>
#include <functional>

namespace assay::views {

/// What the window's message bar shows. Queued; errors stay until dismissed. The last ones are kept to be read again.
class Messages final : public QObject {
    Q_OBJECT
public:
    enum class Level { Info, Warning, Error };
    Q_ENUM(Level)

    struct Entry {
        QDateTime time;
        Level level = Level::Info;
        QString text;
        QString details; ///< "" for none

        /// The text with the details below it.
        QString whole() const;
    };
    static constexpr std::size_t kKept = 200;

    explicit Messages(QObject* parent = nullptr);

    /// @param action  label of a button, "" for none; @p run is called when it is pressed
    void post(Level level, const QString& text, const QString& details = {}, const QString& action = {},
              std::function<void()> run = {});

    /// What was posted, newest first, at most kKept. A message that repeats the one before it only renews its time.
    const std::deque<Entry>& history() const;

Q_SIGNALS:
    void posted(assay::views::Messages::Level level, const QString& text, const QString& details, const QString& action,
                const std::function<void()>& run);

private:
    std::deque<Entry> m_history;
};

/// Name of the icon that tells @p level.
QString iconOf(Messages::Level level);

} // namespace assay::views
