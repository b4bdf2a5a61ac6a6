// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/prompt.h"

#include "views/theme/theme.h"

#include <QCompleter>
#include <QDir>
#include <QFileSystemModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kWidth = 640; // px
} // namespace

QString expandPath(const QString& path)
{
    QString text = path.trimmed();
    if (text.startsWith(u"file:"_s))
        text = QUrl(text).toLocalFile();
    if (text == u"~"_s || text.startsWith(u"~/"_s))
        text = QDir::homePath() + text.mid(1);
    return text.isEmpty() ? text : QDir::cleanPath(QDir::current().absoluteFilePath(text));
}

Prompt::Prompt(const Theme& theme, QWidget* window)
    : Overlay(window)
    , m_theme(theme)
    , m_title(new QLabel(this))
    , m_hint(new QLabel(this))
    , m_fields(new QVBoxLayout)
    , m_problem(new QLabel(this))
    , m_accept(new QPushButton(this))
{
    setObjectName(u"prompt"_s);
    m_hint->setWordWrap(true);
    m_hint->setProperty("look", u"muted"_s);
    m_problem->setObjectName(u"promptProblem"_s);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_accept->setObjectName(u"promptAccept"_s);
    m_accept->setProperty("look", u"primary"_s);
    m_fields->setSpacing(8);

    auto* buttons = new QHBoxLayout;
    auto* esc = new QLabel(tr("Esc closes"), this);
    esc->setProperty("look", u"muted"_s);
    buttons->addWidget(esc);
    buttons->addStretch();
    buttons->addWidget(m_accept);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(20, 16, 20, 16);
    lines->setSpacing(8);
    lines->addWidget(m_title);
    lines->addWidget(m_hint);
    lines->addSpacing(4);
    lines->addLayout(m_fields);
    lines->addWidget(m_problem);
    lines->addSpacing(4);
    lines->addLayout(buttons);
    connect(m_accept, &QPushButton::clicked, this, &Prompt::accept);
}

QWidget* Prompt::makeField(const Field& field)
{
    auto* box = new QWidget(this);
    auto* lines = new QVBoxLayout(box);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(4);
    auto* label = new QLabel(field.label, box);
    label->setFont(m_theme.smallFont());
    auto* line = new QLineEdit(field.text, box);
    line->setObjectName(u"promptField%1"_s.arg(m_lines.size()));
    line->setPlaceholderText(field.placeholder);
    line->setAccessibleName(field.label);
    label->setBuddy(line);
    if (field.isPath) {
        auto* files = new QFileSystemModel(line);
        files->setRootPath(QString());
        auto* completer = new QCompleter(files, line);
        line->setCompleter(completer);
    }
    connect(line, &QLineEdit::returnPressed, this, &Prompt::accept);
    lines->addWidget(label);
    lines->addWidget(line);
    m_lines << line;
    return box;
}

void Prompt::ask(const Question& question)
{
    m_question = question;
    setAccessibleName(question.title);
    m_title->setText(question.title);
    m_title->setFont(m_theme.titleFont());
    m_hint->setText(question.hint);
    m_hint->setVisible(!question.hint.isEmpty());
    m_accept->setText(question.accept);
    m_accept->setAccessibleName(question.accept);
    while (QLayoutItem* item = m_fields->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    m_lines.clear();
    for (const Field& field : question.fields)
        m_fields->addWidget(makeField(field));
    m_problem->clear();
    m_problem->hide();
    present(m_lines.first());
    m_lines.first()->selectAll();
    place();
}

void Prompt::complain(const QString& problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    QPalette ink = m_problem->palette();
    ink.setColor(QPalette::WindowText, m_theme.cell(contract::StripCell::FailHard));
    m_problem->setPalette(ink);
    setAccessibleDescription(problem);
    if (!isVisible())
        present(m_lines.first());
    place();
}

void Prompt::accept()
{
    QStringList answers;
    for (qsizetype i = 0; i < m_lines.size(); ++i) {
        const QString text = m_lines[i]->text().trimmed();
        answers << (m_question.fields[i].isPath ? expandPath(text) : text);
    }
    const auto answer = m_question.answer;
    if (const QString problem = answer(answers); !problem.isEmpty())
        complain(problem);
    else
        dismiss();
}

QSize Prompt::wantedSize() const
{
    layout()->activate();
    const int height = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(kWidth) : layout()->totalSizeHint().height();
    return {kWidth, height};
}

} // namespace assay::views
