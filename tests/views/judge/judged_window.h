// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/store/store_fixture.h"
#include "views/evidence/gate_strip_bar.h"
#include "views/shell/main_window.h"
#include "views/shell/message_bar.h"
#include "views/shell/prompt.h"
#include "views/state/jobs.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/triage/kernel_table_model.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <string>
#include <utility>
#include <vector>

namespace assay::tests {

/// The real window on a database of kernels with sources, and how a person uses it to judge them.
class JudgedWindow {
public:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString database() const { return path(QStringLiteral("kernels.db")); }
    std::string mark(const QString& name) const { return path(name).toStdString(); }

    /// Kernels "1", "2", ... as (candidate, reference).
    void fill(const std::vector<std::pair<std::string, std::string>>& pairs) const
    {
        const auto file = store::Database::open(database().toStdString(), store::OpenMode::ReadWriteCreate);
        std::vector<store::ImportedItem> items;
        for (std::size_t i = 0; i < pairs.size(); ++i)
            items.push_back(sourceRow(std::to_string(i + 1), pairs[i].first, pairs[i].second));
        import(*file, std::move(items));
    }

    void open(bool readOnly = false, const QString& session = {})
    {
        m_window = std::make_unique<views::MainWindow>(session);
        m_window->resize(1440, 900);
        m_window->show();
        views::StartRequest request;
        request.spot.database = database();
        request.spot.place = QStringLiteral("kernels");
        request.readOnly = readOnly;
        request.theme = QStringLiteral("light");
        m_window->start(request);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_VERIFY(m_window->isSettled());
    }
    void close() { m_window.reset(); }

    void press(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QVERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers);
    }

    /// What Ctrl+J asks for, typed.
    void chooseSettings(const QString& contract, const QString& python, const QString& seed = QStringLiteral("7")) const
    {
        press(Qt::Key_J, Qt::ControlModifier);
        auto* prompt = m_window->findChild<views::Prompt*>();
        QVERIFY(prompt && prompt->isVisible());
        const QStringList answers{QStringLiteral("cpu"), contract, seed, QStringLiteral("1"), python, QString()};
        for (qsizetype i = 0; i < answers.size(); ++i) {
            // Lines of an earlier question may be on their way out.
            QLineEdit* line = nullptr;
            for (auto* found : prompt->findChildren<QLineEdit*>(QStringLiteral("promptField%1").arg(i)))
                line = found->isVisible() ? found : line;
            QVERIFY(line);
            line->setFocus();
            line->selectAll();
            QTest::keyClick(line, Qt::Key_Delete);
            QTest::keyClicks(line, answers[i]);
        }
        press(Qt::Key_Return);
        QVERIFY2(!prompt->isVisible(), qPrintable(prompt->accessibleDescription()));
    }

    views::MainWindow& window() const { return *m_window; }
    views::Context& context() const { return m_window->context(); }
    QString message() const { return m_window->findChild<views::MessageBar*>()->text(); }
    QPushButton& messageAction() const { return *m_window->findChild<QPushButton*>(QStringLiteral("messageAction")); }
    QString finding() const
    {
        return m_window->findChild<QWidget*>(QStringLiteral("triage.evidence"))
            ->findChild<QLabel*>(QStringLiteral("finding"))
            ->text();
    }
    QTableView& table() const { return *m_window->findChild<QTableView*>(QStringLiteral("triage.table")); }
    int rows() const { return table().model()->rowCount(); }
    QString cell(int row, store::TriageColumn column) const
    {
        return table().model()->index(row, static_cast<int>(column)).data().toString();
    }
    QString outcome(int row) const { return cell(row, store::TriageColumn::Outcome); }
    contract::StripCell gate(int row, contract::Gate gate) const
    {
        const QModelIndex index = table().model()->index(row, static_cast<int>(store::TriageColumn::Gates));
        return contract::GateStrip(index.data(views::KernelTableModel::StripRole).toLongLong()).cell(gate);
    }
    QString shownAudit() const
    {
        const store::Scope* scope = context().workspace.scope();
        return scope && scope->auditId ? QString::fromStdString(scope->auditName) : QString();
    }
    /// What another program writes.
    void change(const std::string& sql) const
    {
        store::Database::open(database().toStdString(), store::OpenMode::ReadWrite)->sqlite().exec(sql);
    }
    std::int64_t stored(const std::string& sql) const
    {
        const auto file = store::Database::open(database().toStdString(), store::OpenMode::ReadOnly);
        return number(*file, sql);
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<views::MainWindow> m_window;
};

} // namespace assay::tests
