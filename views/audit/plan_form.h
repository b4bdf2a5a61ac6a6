// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/sample_plan.h"
#include "views/state/query_channel.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableView;

namespace assay::views {

struct Context;
class StrataModel;

/// A new plan: frame, strata, allocation, size and seed, with the sample it would give beside it while one types.
class PlanForm final : public QWidget {
    Q_OBJECT
public:
    explicit PlanForm(Context& context, QWidget* parent = nullptr);

    /// Names of the plans that Neyman's rule can learn from, and corpora whose published sample is no plan yet.
    void setKnown(const QStringList& plans, const QStringList& published);
    bool isLoading() const;
    void focusFirst();
    bool canLeave() const; ///< there is a plan to go back to

Q_SIGNALS:
    void createAsked(const assay::store::PlanRequest& request);
    void publishedAsked(const QString& corpus);
    void left();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build();
    QWidget* buildFields();
    void preview();
    void show(const store::SamplePlan& plan);
    void complain(const QString& problem);
    store::PlanRequest request() const;
    void create();
    void suggestName();

    Context& m_context;
    QueryChannel m_channel;
    QTimer m_soon;
    QStringList m_plans;
    QStringList m_published;
    QLineEdit* m_name = nullptr;
    QLineEdit* m_filter = nullptr;
    QList<QCheckBox*> m_by;
    QComboBox* m_rule = nullptr;
    QComboBox* m_prior = nullptr;
    QSpinBox* m_size = nullptr;
    QLineEdit* m_seed = nullptr;
    QPushButton* m_create = nullptr;
    QPushButton* m_adopt = nullptr;
    QPushButton* m_back = nullptr;
    QLabel* m_said = nullptr;
    QTableView* m_table = nullptr;
    StrataModel* m_strata = nullptr;
};

} // namespace assay::views
