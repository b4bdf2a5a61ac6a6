// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/page_printer.h"

#include <QAbstractTextDocumentLayout>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QUrl>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr double kMarginMm = 18;
constexpr int kDotsPerInch = 300;
constexpr int kScreenDots = 96; ///< what a pixel of HTML is
constexpr double kTextPoints = 9;
constexpr int kFooterPixels = 9;

/// What a page for the screen leaves to the reader's taste is settled for paper.
constexpr auto kPaperStyle
    = "body { font-family: Inter, 'DejaVu Sans'; } h1 { font-size: 15pt; } h2 { font-size: 12pt; } "
      "h3 { font-size: 10pt; } th { background: #f2f4f7; } table { font-size: 7pt; } td, th { padding: 1px 5px; } "
      "pre, code { font-family: 'JetBrains Mono', 'DejaVu Sans Mono'; font-size: 7pt; white-space: pre-wrap; }";

/// Draws the figures of the page at the resolution of the paper; every other address is nobody's business.
class PaperDocument final : public QTextDocument {
protected:
    QVariant loadResource(int type, const QUrl& url) override
    {
        const QString address = url.toString();
        const QString mark = u"data:image/svg+xml;base64,"_s;
        if (type != QTextDocument::ImageResource || !address.startsWith(mark))
            return {};
        QSvgRenderer svg(QByteArray::fromBase64(address.mid(mark.size()).toLatin1()));
        if (!svg.isValid())
            return {};
        constexpr double kFiner = 3;
        QImage image((svg.defaultSize().toSizeF() * kFiner).toSize(), QImage::Format_ARGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        svg.render(&painter);
        painter.end();
        image.setDevicePixelRatio(kFiner);
        return image;
    }
};

void paintPages(QTextDocument& document, QPdfWriter& writer)
{
    QPainter painter(&writer);
    const double scale = static_cast<double>(kDotsPerInch) / kScreenDots;
    painter.scale(scale, scale);
    const QSizeF page = document.pageSize();
    const int pages = document.pageCount();
    QFont footer(u"Inter"_s);
    footer.setPixelSize(kFooterPixels); // points would follow the resolution twice
    for (int i = 0; i < pages; ++i) {
        if (i > 0)
            writer.newPage();
        painter.save();
        painter.translate(0, -i * page.height());
        document.drawContents(&painter, QRectF(0, i * page.height(), page.width(), page.height()));
        painter.restore();
        painter.setFont(footer);
        painter.drawText(QRectF(0, page.height() + 8, page.width(), 20), Qt::AlignHCenter, u"%1 / %2"_s.arg(i + 1).arg(pages));
    }
}

} // namespace

QString printPage(const QString& html, const QString& pdf)
{
    QFile source(html);
    if (!source.open(QIODevice::ReadOnly))
        return u"%1 cannot be read: %2"_s.arg(html, source.errorString());
    QSaveFile target(pdf);
    if (!target.open(QIODevice::WriteOnly))
        return u"%1 cannot be written: %2"_s.arg(pdf, target.errorString());

    QPdfWriter writer(&target);
    writer.setResolution(kDotsPerInch);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(kMarginMm, kMarginMm, kMarginMm, kMarginMm), QPageLayout::Millimeter);
    PaperDocument document;
    QFont font(u"Inter"_s);
    font.setPointSizeF(kTextPoints);
    document.setDefaultFont(font);
    document.setDocumentMargin(0);
    // The page's own style speaks of screens: dark ones too.
    QString text = QString::fromUtf8(source.readAll());
    const qsizetype start = text.indexOf(u"<style>"_s);
    const qsizetype end = text.indexOf(u"</style>"_s);
    if (start >= 0 && end > start)
        text.replace(start, end - start, u"<style>"_s + QString::fromLatin1(kPaperStyle));
    // Numbers are right-aligned by the style of the screen, which the layout for paper does not know.
    text.replace(u"<td class=\"n\""_s, u"<td align=\"right\""_s);
    text.replace(u"<th class=\"n\""_s, u"<th align=\"right\""_s);
    document.setHtml(text);
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    const QSizeF area = writer.pageLayout().paintRectPixels(kScreenDots).size();
    document.setPageSize(area);
    paintPages(document, writer);
    if (!target.commit())
        return u"%1 cannot be written: %2"_s.arg(pdf, target.errorString());
    return {};
}

} // namespace assay::views
