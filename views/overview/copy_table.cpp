// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/copy_table.h"

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString oneLine(QString cell)
{
    for (const QChar breaking : {u'\t', u'\n', u'\r'})
        cell.replace(breaking, u' ');
    return cell;
}

} // namespace

QString toTsv(const QVector<QStringList>& rows)
{
    QString text;
    for (const QStringList& row : rows) {
        QStringList cells;
        for (const QString& cell : row)
            cells << oneLine(cell);
        text += cells.join(u'\t') + u'\n';
    }
    return text;
}

QString toMarkdownTable(const QVector<QStringList>& rows)
{
    QString text;
    for (qsizetype r = 0; r < rows.size(); ++r) {
        QStringList cells;
        for (const QString& cell : rows[r])
            cells << oneLine(cell).replace(u'|', u"\\|"_s);
        text += u"| "_s + cells.join(u" | "_s) + u" |\n"_s;
        if (r == 0)
            text += u'|' + u" --- |"_s.repeated(rows[r].size()) + u'\n';
    }
    return text;
}

} // namespace assay::views
