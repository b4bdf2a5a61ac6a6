// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/type_ahead.h"

#include <QApplication>

namespace assay::views {

QString TypeAhead::add(const QString& text)
{
    // Twice the list interval: people type a family's name more slowly than they step through a list.
    if (!m_since.isValid() || m_since.elapsed() > 2LL * QApplication::keyboardInputInterval())
        m_text.clear();
    m_since.restart();
    m_text += text;
    return m_text;
}

void TypeAhead::forgetLast()
{
    m_text.chop(1);
}

void TypeAhead::clear()
{
    m_text.clear();
}

} // namespace assay::views
