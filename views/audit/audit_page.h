// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <memory>

namespace assay::views {

struct Context;

/// A stratified sample judged by hand, one kernel at a time: what is known of the kernel, the label, and what the labels say.
///
/// The verdict is hidden until V asks for it, which is recorded. Keys: 1 to 4 an answer, Enter saves it and goes on, J and K the
/// next and the previous kernel, R reason, N note, E evidence, Backspace or Ctrl+Z take the last label back, A adjudicates.
class AuditPage final : public QWidget {
    Q_OBJECT
public:
    explicit AuditPage(Context& context, QWidget* parent = nullptr);
    ~AuditPage() override;

    /// True while something is read, or a label is not on disk yet.
    bool isLoading() const;
    /// Name of the plan shown; "" while there is none.
    QString plan() const;

Q_SIGNALS:
    /// The report of this plan is wanted in a file.
    void exportAsked(const QString& plan);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
