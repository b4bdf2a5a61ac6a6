// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/deep_link.h"

#include <QUrl>
#include <QUrlQuery>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr auto kScheme = "workbench"_L1;

void append(QUrlQuery& query, const QString& key, const QString& value)
{
    // Everything but letters and digits is escaped: chat programs cut links at spaces, quotes and brackets.
    if (!value.isEmpty())
        query.addQueryItem(key, QString::fromLatin1(QUrl::toPercentEncoding(value)));
}
} // namespace

QString toText(const DeepLink& link)
{
    QUrlQuery query;
    append(query, u"place"_s, link.place);
    append(query, u"audit"_s, link.audit);
    append(query, u"kernel"_s, link.kernel);
    if (link.gate) {
        const std::string_view gate = contract::id(*link.gate);
        append(query, u"gate"_s, QString::fromLatin1(gate.data(), static_cast<qsizetype>(gate.size())));
    }
    append(query, u"filter"_s, link.filter);

    QUrl url;
    url.setScheme(kScheme);
    url.setHost(u""_s);
    url.setPath(link.database, QUrl::DecodedMode);
    url.setQuery(query);
    return QString::fromLatin1(url.toEncoded());
}

std::optional<DeepLink> parseDeepLink(const QString& text)
{
    const QUrl url(text.trimmed(), QUrl::StrictMode);
    if (!url.isValid() || url.scheme() != kScheme || url.path().isEmpty())
        return std::nullopt;
    const QUrlQuery query(url);
    const auto value = [&query](const QString& key) { return query.queryItemValue(key, QUrl::FullyDecoded); };
    DeepLink link{url.path(QUrl::FullyDecoded), value(u"place"_s), value(u"audit"_s),
                  value(u"kernel"_s),           std::nullopt,      value(u"filter"_s)};
    if (const QString gate = value(u"gate"_s); !gate.isEmpty()) {
        link.gate = contract::gateFromId(gate.toStdString());
        if (!link.gate)
            return std::nullopt;
    }
    return link;
}

} // namespace assay::views
