// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/shell/session.h"
#include "views/state/context.h"
#include "views/state/deep_link.h"

#include <QMainWindow>

#include <memory>

namespace assay::views {

/// What a start asks for, from the command line or a link.
struct StartRequest {
    DeepLink spot; ///< database, page, audit, kernel, gate, filter: each may be empty
    bool readOnly = false;
    QString importPath; ///< imported once the database is open; makes the database where it does not exist
    bool resetLayout = false;
    QString section;     ///< of the evidence: what EvidencePane::showSection() takes; "": as it is
    QStringList tensors; ///< two files of tensors to compare, reference first
    QString tensor;      ///< of these files, this tensor alone; "": all
    QString dtype;       ///< of elements of a .npy file that records none
    QString theme;       ///< "light", "dark", "system"; "": as in the session
};

/// The one window: rail, top bar, notices, and the page of the current place. It only arranges; pages and state do the work.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    /// @param sessionPath  where the session is kept; "" for a window that neither reads nor writes one
    explicit MainWindow(const QString& sessionPath, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Carries out @p request over what the session remembers. Failures are messages, and startFailed() for scripts.
    void start(const StartRequest& request);

    Context& context();
    /// Nothing loads, nothing imports, and the spot that start() asked for is on screen.
    bool isSettled() const;

    void openDatabase(const QString& path, bool readOnly = false);
    void importPath(const QString& path);
    /// Compares two .npy or .safetensors files on a page of their own.
    void compareTensors(const QString& reference, const QString& candidate, const QString& tensor = {},
                        const QString& dtype = {});

Q_SIGNALS:
    void startFailed(const QString& message);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
