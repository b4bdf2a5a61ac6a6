// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/launch/device_facts.h"
#include "views/launch/launch_settings.h"

#include <QWidget>

#include <map>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace assay::views {

class DeviceCard;
class Theme;

/// What is launched, and on what. A line that makes no sense says what was expected, right below itself, while one types.
class LaunchForm final : public QWidget {
    Q_OBJECT
public:
    explicit LaunchForm(const Theme& theme, QWidget* parent = nullptr);

    LaunchSettings settings() const;
    void setSettings(const LaunchSettings& settings);
    void setFacts(const DeviceFacts& facts);
    /// What becomes of the result: "kept in audit.db", or why nowhere. Stands above the buttons.
    void setKeeping(const QString& sentence);
    void setRunning(bool running);
    bool isValid() const { return m_problems.isEmpty(); }
    void focusFirst();
    /// Puts the keyboard in the first line that is wrong.
    void focusProblem();

Q_SIGNALS:
    void settingsChanged();
    void runAsked();
    void stopAsked();

private:
    QLineEdit* makeLine(const QString& name, const QString& spoken);
    QLabel* makeProblem(const QString& name);
    QWidget* buildSizes();
    void buildFields(QVBoxLayout& column);
    void buildFoot(QVBoxLayout& column);
    void addField(QVBoxLayout& column, const QString& title, QWidget* field, QList<LaunchField> fields);
    void fillDevices();
    void choosePreset(int index);
    void showFamily();
    void validate();
    void changed();
    QWidget* widgetOf(LaunchField field) const;

    const Theme& m_theme;
    DeviceFacts m_facts;
    QList<FieldProblem> m_problems;
    bool m_isRunning = false;
    bool m_isFilling = false;
    QComboBox* m_family = nullptr;
    QLabel* m_inputs = nullptr;
    QComboBox* m_preset = nullptr;
    QLineEdit* m_batch = nullptr;
    QLineEdit* m_tokens = nullptr;
    QLineEdit* m_heads = nullptr;
    QLineEdit* m_keys = nullptr;
    QLineEdit* m_values = nullptr;
    QComboBox* m_dtype = nullptr;
    QComboBox* m_device = nullptr;
    QWidget* m_elsewhere = nullptr;
    QLineEdit* m_prefix = nullptr;
    QLineEdit* m_remoteDevice = nullptr;
    QLineEdit* m_seed = nullptr;
    std::map<QString, QLabel*> m_problemLines; ///< by the name of their field's widget
    DeviceCard* m_card = nullptr;
    QLabel* m_keeping = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_stop = nullptr;
};

} // namespace assay::views
