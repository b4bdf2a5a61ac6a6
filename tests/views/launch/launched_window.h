// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/store/store_fixture.h"
#include "views/launch/gate_tile_model.h"
#include "views/launch/gate_tiles.h"
#include "views/launch/launch_page.h"
#include "views/shell/main_window.h"
#include "views/shell/message_bar.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

namespace assay::tests {

/// The real window on the launch place, and a person with a keyboard in front of it.
class LaunchedWindow {
public:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString database() const { return path(QStringLiteral("launches.db")); }

    /// An empty database.
    void make() const { store::Database::open(database().toStdString(), store::OpenMode::ReadWriteCreate); }

    void open(bool hasDatabase = true, const QString& session = {}, const QSize& size = {1440, 900})
    {
        m_window = std::make_unique<views::MainWindow>(session);
        m_window->resize(size);
        m_window->show();
        views::StartRequest request;
        if (hasDatabase)
            request.spot.database = database();
        request.spot.place = QStringLiteral("launch");
        request.theme = QStringLiteral("light");
        m_window->start(request);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isSettled(), 20000);
    }
    void close() { m_window.reset(); }

    void press(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QVERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers);
    }
    /// Replaces what stands in the line @p name of the form.
    void type(const QString& name, const QString& text) const
    {
        auto& line = find<QLineEdit>(QStringLiteral("launch.") + name);
        line.setFocus();
        line.selectAll();
        QTest::keyClicks(&line, text);
    }

    views::MainWindow& window() const { return *m_window; }
    views::LaunchPage& page() const { return find<views::LaunchPage>(QStringLiteral("launch.page")); }
    template <typename Widget> Widget& find(const QString& name) const
    {
        auto* widget = m_window->findChild<Widget*>(name);
        if (widget == nullptr)
            qFatal("no %s", qPrintable(name));
        return *widget;
    }
    QString text(const QString& label) const { return find<QLabel>(QStringLiteral("launch.") + label).text(); }
    views::GateTileModel& tiles() const { return *m_window->findChild<views::GateTileModel*>(); }
    contract::StripCell tile(contract::Gate gate) const { return tiles().strip().cell(gate); }
    QString log() const { return find<QPlainTextEdit>(QStringLiteral("launch.log")).toPlainText(); }
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
