// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a sample judged by hand, into a file whose name says the form.
#include "views/shell/main_window_p.h"

#include "core/report/output_file.h"
#include "core/report/sample_report.h"
#include "views/audit/page_printer.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

void writeText(const QString& path, const std::string& text)
{
    report::OutputFile file(toFilesystemPath(path));
    file.write(text);
    file.commit();
}

/// The page is laid out from a file of its own, which goes with the folder.
void writePdf(const QString& path, const std::string& html)
{
    const QTemporaryDir folder;
    const QString page = folder.filePath(u"page.html"_s);
    writeText(page, html);
    if (const QString problem = printPage(page, path); !problem.isEmpty())
        throw Error(problem.toStdString(), path.toStdString(), "Choose another place");
}

void writeReport(const report::SampleReport& report, const QString& path)
{
    const QString form = QFileInfo(path).suffix().toLower();
    if (form == u"csv"_s)
        writeText(path, report::toCsv(report));
    else if (form == u"md"_s)
        writeText(path, report::toMarkdown(report));
    else if (form == u"pdf"_s)
        writePdf(path, report::toHtml(report));
    else
        writeText(path, report::toHtml(report));
}

} // namespace

void MainWindow::Private::askReport(const QString& plan)
{
    if (plan.isEmpty())
        return;
    const QString folder = QFileInfo(workspace.path()).absolutePath();
    prompt->ask({tr("Write the report of \u201c%1\u201d").arg(plan),
                 tr("The ending says the form: .pdf or .html with the figure, .md, or .csv with a line a label."),
                 tr("Write"),
                 {{tr("File"), QDir(folder).filePath(u"manual-audit.pdf"_s), {}, true}},
                 [this, plan](const QStringList& answers) {
                     const QString path = answers[0];
                     if (!QStringList{u"csv"_s, u"md"_s, u"html"_s, u"pdf"_s}.contains(QFileInfo(path).suffix().toLower()))
                         return tr("Name a file that ends in .pdf, .html, .md or .csv.");
                     jobs.start(tr("Report"), [this, plan, path](std::stop_token stop, const Jobs::Progress&) {
                         const auto database = workspace.borrow();
                         const store::InterruptOnStop interrupt(*database, std::move(stop));
                         writeReport(report::buildSampleReport(*database, plan.toStdString()), path);
                         return tr("Report written: %1").arg(path);
                     });
                     return QString();
                 }});
}

} // namespace assay::views
