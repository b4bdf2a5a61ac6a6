// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QString>

namespace assay::views {

/// Collects letters typed in quick succession into one search text, as lists do.
class TypeAhead {
public:
    /// @return what has been typed so far, @p text included; begins anew after a pause of keyboardInputInterval()
    QString add(const QString& text);
    /// Takes the last letter back (it led nowhere).
    void forgetLast();
    void clear();
    const QString& text() const { return m_text; }

private:
    QString m_text;
    QElapsedTimer m_since;
};

} // namespace assay::views
