// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/sample_label.h"

#include <QFrame>
#include <QStringList>

#include <optional>

class QButtonGroup;
class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace assay::views {

class AuditQueue;
class Theme;

/// The label of one kernel: four answers with their keys, a reason code, a note and links, and who says so.
class LabelCard final : public QFrame {
    Q_OBJECT
public:
    LabelCard(const Theme& theme, QWidget* parent = nullptr);

    /// Shows the current kernel of @p queue; what is typed and not saved stays while the kernel does.
    void show(const AuditQueue& queue);
    void setReasons(const QStringList& codes);
    void setWritable(bool writable);

    void choose(store::AuditLabel label);
    std::optional<store::AuditLabel> chosen() const;
    /// Weighs the defect; the same again takes it back. Says so where no defect is confirmed.
    void weigh(store::DefectSeverity severity);
    std::optional<store::DefectSeverity> weighed() const;
    /// What was entered, for the kernel shown; nothing while no answer is chosen (the card says so).
    std::optional<store::NewLabel> entered();
    QString reviewer() const;
    /// Says one line under the answers, such as what was saved.
    void say(const QString& text);
    void focusReason();
    void focusNote();
    void focusEvidence();

Q_SIGNALS:
    void saveAsked();
    void undoAsked();
    void revealAsked();
    void reviewerChanged(const QString& reviewer);
    void adjudicationToggled(bool on);
    void left(); ///< Escape in a field: the keys mean answers again

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    QLineEdit* addLine(const QString& name, const QString& label, const QString& placeholder);
    void addSeverities();
    void admitSeverities();
    void showSeverities(std::optional<store::DefectSeverity> chosen);
    void fill(const AuditQueue& queue);
    QStringList suggestions() const;
    void suggest();
    QString othersText(const AuditQueue& queue) const;

    const Theme& m_theme;
    std::int64_t m_itemId = 0;
    bool m_isAdjudicating = false;
    bool m_wasDone = false;
    QLabel* m_progress = nullptr;
    QProgressBar* m_bar = nullptr;
    QLabel* m_kernel = nullptr;
    QLabel* m_others = nullptr;
    QButtonGroup* m_answers = nullptr;
    QButtonGroup* m_severities = nullptr;
    QLineEdit* m_reason = nullptr;
    QLabel* m_suggested = nullptr;
    QStringList m_codes;
    QLineEdit* m_note = nullptr;
    QLineEdit* m_evidence = nullptr;
    QLineEdit* m_reviewer = nullptr;
    QCheckBox* m_adjudicate = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_undo = nullptr;
    QPushButton* m_reveal = nullptr;
    QLabel* m_said = nullptr;
};

} // namespace assay::views
