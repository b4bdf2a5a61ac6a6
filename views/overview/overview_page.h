// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <memory>

namespace assay::views {

struct Context;

/// What an audit says at first sight: the rate that matters, the funnel to it, who fails what, and what the audit published.
///
/// Every number is a link to the rows behind it: following it sets the filter and goes to the place "kernels". Tab and the
/// arrow keys walk the links, Enter follows, typing the start of a family or gate moves to it.
class OverviewPage final : public QWidget {
    Q_OBJECT
public:
    explicit OverviewPage(Context& context, QWidget* parent = nullptr);
    ~OverviewPage() override;

    /// Name of the rule set the numbers stand under ("as-published").
    QString ruleSet() const;
    void setRuleSet(const QString& name);

    /// True while numbers are being computed; the last ones stay on the page meanwhile.
    bool isLoading() const;

Q_SIGNALS:
    /// The page shows the numbers of the current scope and rule set.
    void loaded();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
