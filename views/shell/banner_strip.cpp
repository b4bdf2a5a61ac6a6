// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/banner_strip.h"

#include "views/state/workspace.h"
#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kIcon = 14; // px
} // namespace

BannerStrip::BannerStrip(Workspace& workspace, const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
{
    setObjectName(u"bannerStrip"_s);
    setProperty("look", u"banner"_s);
    setAccessibleName(tr("Notice about this database"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    for (const auto signal : {&Workspace::opened, &Workspace::closed, &Workspace::scopesChanged, &Workspace::scopeChanged})
        connect(&workspace, signal, this, &BannerStrip::refresh);
    connect(&theme, &Theme::changed, this, &BannerStrip::dress);
    dress();
    refresh();
}

QString BannerStrip::text() const
{
    return m_text->text();
}

void BannerStrip::dress()
{
    m_icon->setPixmap(m_theme.icon(u"warning"_s).pixmap(QSize(kIcon, kIcon), devicePixelRatioF()));
}

void BannerStrip::refresh()
{
    QStringList lines;
    const store::Scope* scope = m_workspace.scope();
    if (scope && (scope->corpusOrigin == "illustrative" || scope->auditOrigin == "illustrative"))
        lines << tr("Illustrative results: written for demonstration, not measured.");
    if (QString how = m_workspace.banner(); !how.isEmpty()) {
        how[0] = how[0].toUpper();
        lines << how + (how.endsWith(u'.') ? u""_s : u"."_s);
    }
    // Asked for or not: a person who wonders why a note cannot be written finds the answer here.
    if (m_workspace.isReadOnly() && m_workspace.banner().isEmpty())
        lines << tr("Read-only: notes, waivers and imports are off.");
    m_text->setText(lines.join(u' '));
    setAccessibleDescription(m_text->text());
    setVisible(!lines.isEmpty());
}

} // namespace assay::views
