// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/link_filters.h"

namespace assay::views {

using namespace Qt::StringLiterals;

LinkFilters::LinkFilters(QString ruleSet)
    : m_ruleSet(std::move(ruleSet))
{
}

QString LinkFilters::flag(const QString& name) const
{
    return (m_ruleSet == u"as-published"_s ? u"is:"_s : QString(u"rule:"_s + m_ruleSet + u'/')) + name;
}

QString LinkFilters::inFamily(const QString& family)
{
    if (family.isEmpty())
        return {};
    const bool quote = family.contains(u' ') || family.contains(u',');
    return u" family:"_s + (quote ? QString(u'"' + family + u'"') : family);
}

QString LinkFilters::audited(const QString& family) const
{
    return flag(u"audited"_s) + inFamily(family);
}

QString LinkFilters::toleranceFree(const QString& family) const
{
    return flag(u"tolerance_free"_s) + inFamily(family);
}

QString LinkFilters::violation(const QString& family) const
{
    return flag(u"violation"_s) + inFamily(family);
}

QString LinkFilters::forgiven() const
{
    return flag(u"forgiven"_s);
}

QString LinkFilters::gate(contract::Gate gate, const QString& verdict, const QString& family, bool forgiving) const
{
    const std::string_view id = contract::id(gate);
    const QString failing = QString::fromLatin1(id.data(), qsizetype(id.size())) + u':' + verdict;
    return flag(u"audited"_s) + inFamily(family) + u' ' + failing + (forgiving ? u" -"_s + flag(u"forgiven"_s) : QString());
}

QString LinkFilters::baseline(bool theyPass, bool wePass) const
{
    return flag(u"audited"_s) + (theyPass ? u" baseline:pass"_s : u" baseline:fail"_s)
        + (wePass ? u" -"_s + flag(u"violation"_s) : u" "_s + flag(u"violation"_s));
}

} // namespace assay::views
