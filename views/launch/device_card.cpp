// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/device_card.h"

#include "views/theme/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

DeviceCard::DeviceCard(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_title(new QLabel(this))
    , m_lines(new QLabel(this))
{
    setObjectName(u"launch.device"_s);
    setProperty("look", u"card"_s);
    setAccessibleName(tr("What the run would use"));
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    m_lines->setObjectName(u"launch.deviceLines"_s);
    m_lines->setTextFormat(Qt::PlainText);
    m_lines->setWordWrap(true);
    m_lines->setProperty("look", u"muted"_s);
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(4);
    column->addWidget(m_title);
    column->addWidget(m_lines);
}

void DeviceCard::setCard(const DeviceCardText& text)
{
    QFont bold = m_theme.uiFont();
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);
    m_title->setText(text.title);
    m_lines->setText(text.lines.join(u'\n'));
    setAccessibleDescription(this->text());
}

QString DeviceCard::text() const
{
    return m_title->text() + u'\n' + m_lines->text();
}

} // namespace assay::views
