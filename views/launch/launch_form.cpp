// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/launch_form.h"

#include "views/launch/device_card.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSizeGap = 6; // px

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

/// The frame of a line says that it is wrong; the sentence below says how.
void markWrong(QWidget& field, bool isWrong)
{
    if (field.property("wrong").toBool() == isWrong)
        return;
    field.setProperty("wrong", isWrong);
    field.style()->unpolish(&field);
    field.style()->polish(&field);
}

/// "1 × 128 × 2 × 64 × 64"
QString sizesText(const std::array<std::int64_t, 5>& sizes)
{
    QStringList numbers;
    for (const std::int64_t size : sizes)
        numbers << QString::number(size);
    return numbers.join(u" \u00d7 "_s);
}

} // namespace

LaunchForm::LaunchForm(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(u"launch.form"_s);
    setAccessibleName(tr("What is launched"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(4);
    auto* title = new QLabel(tr("Launch"), this);
    title->setFont(theme.titleFont());
    column->addWidget(title);
    auto* about = new QLabel(tr("The project's own operator, forward and backward, through the twelve gates."), this);
    about->setProperty("look", u"muted"_s);
    about->setWordWrap(true);
    column->addWidget(about);
    column->addSpacing(6);
    buildFields(*column);
    column->addStretch();
    buildFoot(*column);
    fillDevices();
    setSettings({});
}

QLineEdit* LaunchForm::makeLine(const QString& name, const QString& spoken)
{
    auto* line = new QLineEdit(this);
    line->setObjectName(u"launch."_s + name);
    line->setAccessibleName(spoken);
    connect(line, &QLineEdit::textChanged, this, &LaunchForm::changed);
    connect(line, &QLineEdit::returnPressed, this, &LaunchForm::runAsked);
    return line;
}

QLabel* LaunchForm::makeProblem(const QString& name)
{
    auto* line = new QLabel(this);
    line->setObjectName(u"launch.problem."_s + name);
    line->setTextFormat(Qt::PlainText);
    line->setWordWrap(true);
    line->hide();
    m_problemLines[name] = line;
    return line;
}

QWidget* LaunchForm::buildSizes()
{
    auto* sizes = new QWidget(this);
    auto* grid = new QGridLayout(sizes);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kSizeGap);
    grid->setVerticalSpacing(2);
    struct Size {
        QString letter;
        QString name;
        QString spoken;
        QLineEdit*& line;
    };
    const Size all[] = {{u"B"_s, u"batch"_s, tr("B, sequences of a batch"), m_batch},
                        {u"T"_s, u"tokens"_s, tr("T, tokens of a sequence"), m_tokens},
                        {u"H"_s, u"heads"_s, tr("H, heads"), m_heads},
                        {u"K"_s, u"keys"_s, tr("K, key channels of a head"), m_keys},
                        {u"V"_s, u"values"_s, tr("V, value channels of a head"), m_values}};
    int place = 0;
    for (const Size& size : all) {
        size.line = makeLine(size.name, size.spoken);
        size.line->setToolTip(size.spoken);
        size.line->setAlignment(Qt::AlignRight);
        size.line->setMinimumWidth(34);
        auto* label = new QLabel(size.letter, sizes);
        label->setProperty("look", u"muted"_s);
        label->setBuddy(size.line);
        grid->addWidget(label, 0, place);
        grid->addWidget(size.line, 1, place);
        grid->setColumnStretch(place++, size.name == u"tokens"_s ? 4 : 3);
    }
    return sizes;
}

void LaunchForm::addField(QVBoxLayout& column, const QString& title, QWidget* field, QList<LaunchField> fields)
{
    auto* label = new QLabel(title, this);
    label->setBuddy(field);
    column.addSpacing(6);
    column.addWidget(label);
    column.addWidget(field);
    for (const LaunchField one : fields)
        column.addWidget(makeProblem(widgetOf(one)->objectName()));
}

void LaunchForm::buildFields(QVBoxLayout& column)
{
    m_family = new QComboBox(this);
    m_family->setObjectName(u"launch.family"_s);
    m_family->setAccessibleName(tr("Family"));
    for (const gdn::Family family : gdn::kAllFamilies)
        m_family->addItem(fromView(gdn::title(family)), fromView(gdn::name(family)));
    addField(column, tr("Family"), m_family, {});
    m_inputs = new QLabel(this);
    m_inputs->setObjectName(u"launch.inputs"_s);
    m_inputs->setProperty("look", u"muted"_s);
    m_inputs->setWordWrap(true);
    column.addWidget(m_inputs);

    m_preset = new QComboBox(this);
    m_preset->setObjectName(u"launch.preset"_s);
    m_preset->setAccessibleName(tr("Sizes worth a run"));
    m_preset->addItem(tr("own sizes"));
    for (const LaunchPreset& preset : launchPresets())
        m_preset->addItem(tr("%1: %2").arg(tr(preset.title), sizesText(preset.sizes)));
    QWidget* sizes = buildSizes();
    addField(column, tr("Sizes"), m_preset, {});
    column.addWidget(sizes);
    for (QLineEdit* line : {m_batch, m_tokens, m_heads, m_keys, m_values})
        column.addWidget(makeProblem(line->objectName()));

    m_dtype = new QComboBox(this);
    m_dtype->setObjectName(u"launch.dtype"_s);
    m_dtype->setAccessibleName(tr("Type"));
    for (const tensor::DType dtype :
         {tensor::DType::Float32, tensor::DType::BFloat16, tensor::DType::Float16, tensor::DType::Float64})
        m_dtype->addItem(fromView(tensor::name(dtype)));
    addField(column, tr("Type"), m_dtype, {LaunchField::Dtype});

    m_device = new QComboBox(this);
    m_device->setObjectName(u"launch.deviceChoice"_s);
    m_device->setAccessibleName(tr("Device"));
    addField(column, tr("Device"), m_device, {});
    m_elsewhere = new QWidget(this);
    auto* there = new QGridLayout(m_elsewhere);
    there->setContentsMargins(0, 0, 0, 0);
    there->setHorizontalSpacing(kSizeGap);
    m_prefix = makeLine(u"prefix"_s, tr("Command that leads to the other machine"));
    m_prefix->setPlaceholderText(u"ssh gpu01"_s);
    m_remoteDevice = makeLine(u"remoteDevice"_s, tr("Device there"));
    there->addWidget(m_prefix, 0, 0);
    there->addWidget(m_remoteDevice, 0, 1);
    there->setColumnStretch(0, 2);
    there->setColumnStretch(1, 1);
    column.addWidget(m_elsewhere);
    for (QWidget* line : std::initializer_list<QWidget*>{m_device, m_prefix, m_remoteDevice})
        column.addWidget(makeProblem(line->objectName()));
    m_seed = makeLine(u"seed"_s, tr("Seed of every stimulus"));
    addField(column, tr("Seed"), m_seed, {LaunchField::Seed});

    // The longest entry of a list need not fit the column: it shows in the list.
    for (QComboBox* box : {m_family, m_preset, m_dtype, m_device}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(12);
    }
    connect(m_family, &QComboBox::currentIndexChanged, this, &LaunchForm::changed);
    connect(m_preset, &QComboBox::activated, this, &LaunchForm::choosePreset);
    connect(m_dtype, &QComboBox::currentIndexChanged, this, &LaunchForm::changed);
    connect(m_device, &QComboBox::currentIndexChanged, this, &LaunchForm::changed);
}

void LaunchForm::buildFoot(QVBoxLayout& column)
{
    m_card = new DeviceCard(m_theme, this);
    column.addSpacing(10);
    column.addWidget(m_card);
    m_keeping = new QLabel(this);
    m_keeping->setObjectName(u"launch.keeping"_s);
    m_keeping->setProperty("look", u"muted"_s);
    m_keeping->setWordWrap(true);
    column.addSpacing(4);
    column.addWidget(m_keeping);
    column.addSpacing(4);
    auto* buttons = new QHBoxLayout;
    m_run = new QPushButton(tr("Run"), this);
    m_run->setObjectName(u"launch.run"_s);
    m_run->setProperty("look", u"primary"_s);
    m_run->setToolTip(tr("Run the operator through the gates (Ctrl+Enter)"));
    m_stop = new QPushButton(tr("Stop"), this);
    m_stop->setObjectName(u"launch.stop"_s);
    m_stop->setToolTip(tr("Stop the run; nothing of it is kept (Ctrl+.)"));
    buttons->addWidget(m_run, 2);
    buttons->addWidget(m_stop, 1);
    column.addLayout(buttons);
    connect(m_run, &QPushButton::clicked, this, &LaunchForm::runAsked);
    connect(m_stop, &QPushButton::clicked, this, &LaunchForm::stopAsked);
    setRunning(false);
}

/// The CPU, the GPUs that the driver tells of, one GPU to ask for where it tells of none, and another machine.
void LaunchForm::fillDevices()
{
    const QSignalBlocker quiet(m_device);
    const QString chosen = m_device->currentData().toString();
    m_device->clear();
    m_device->addItem(tr("CPU of this machine"), u"cpu"_s);
    for (std::size_t i = 0; i < m_facts.gpus.size(); ++i)
        m_device->addItem(tr("%1 (cuda:%2)").arg(m_facts.gpus[i].name).arg(i), u"cuda:%1"_s.arg(i));
    if (m_facts.gpus.empty())
        m_device->addItem(m_facts.isKnown ? tr("GPU of this machine: none was found") : tr("GPU of this machine"), u"cuda:0"_s);
    m_device->addItem(tr("Another machine \u2026"), QString());
    m_device->setCurrentIndex(std::max(0, m_device->findData(chosen)));
}

LaunchSettings LaunchForm::settings() const
{
    LaunchSettings settings;
    settings.family = m_family->currentData().toString();
    settings.batch = m_batch->text();
    settings.tokens = m_tokens->text();
    settings.heads = m_heads->text();
    settings.keys = m_keys->text();
    settings.values = m_values->text();
    settings.dtype = m_dtype->currentText();
    settings.isElsewhere = m_device->currentIndex() == m_device->count() - 1;
    settings.device = settings.isElsewhere ? m_remoteDevice->text() : m_device->currentData().toString();
    settings.prefix = m_prefix->text();
    settings.seed = m_seed->text();
    return settings;
}

void LaunchForm::setSettings(const LaunchSettings& settings)
{
    m_isFilling = true;
    m_family->setCurrentIndex(std::max(0, m_family->findData(settings.family)));
    m_batch->setText(settings.batch);
    m_tokens->setText(settings.tokens);
    m_heads->setText(settings.heads);
    m_keys->setText(settings.keys);
    m_values->setText(settings.values);
    m_dtype->setCurrentIndex(std::max(0, m_dtype->findText(settings.dtype)));
    m_prefix->setText(settings.prefix);
    m_remoteDevice->setText(settings.isElsewhere ? settings.device : u"cuda:0"_s);
    m_device->setCurrentIndex(settings.isElsewhere ? m_device->count() - 1 : std::max(0, m_device->findData(settings.device)));
    m_seed->setText(settings.seed);
    m_isFilling = false;
    changed();
}

void LaunchForm::setFacts(const DeviceFacts& facts)
{
    const LaunchSettings now = settings();
    m_facts = facts;
    fillDevices();
    setSettings(now);
}

void LaunchForm::setKeeping(const QString& sentence)
{
    m_keeping->setText(sentence);
}

void LaunchForm::setRunning(bool running)
{
    m_isRunning = running;
    m_stop->setEnabled(running);
    m_run->setEnabled(!running && isValid());
}

void LaunchForm::focusFirst()
{
    m_family->setFocus(Qt::OtherFocusReason);
}

void LaunchForm::focusProblem()
{
    if (m_problems.isEmpty())
        return;
    QWidget* wrong = widgetOf(m_problems.first().field);
    wrong->setFocus(Qt::OtherFocusReason);
    if (auto* line = qobject_cast<QLineEdit*>(wrong))
        line->selectAll();
}

void LaunchForm::choosePreset(int index)
{
    if (index == 0)
        return m_batch->setFocus(Qt::OtherFocusReason);
    const auto& sizes = launchPresets()[std::size_t(index - 1)].sizes;
    LaunchSettings wanted = settings();
    wanted.batch = QString::number(sizes[0]);
    wanted.tokens = QString::number(sizes[1]);
    wanted.heads = QString::number(sizes[2]);
    wanted.keys = QString::number(sizes[3]);
    wanted.values = QString::number(sizes[4]);
    setSettings(wanted);
}

void LaunchForm::showFamily()
{
    const auto family = gdn::familyNamed(m_family->currentData().toString().toStdString());
    QStringList names;
    for (const gdn::FamilyInput& input : gdn::inputsOf(*family))
        names << fromView(input.name);
    m_inputs->setText(tr("Takes %1 and do; gives o and the gradient of each input.").arg(names.join(u' ')));
    const QSignalBlocker quiet(m_preset);
    m_preset->setCurrentIndex(0);
    const LaunchSettings now = settings();
    for (std::size_t i = 0; i < launchPresets().size(); ++i) {
        const auto& sizes = launchPresets()[i].sizes;
        const QString typed = QStringList{now.batch, now.tokens, now.heads, now.keys, now.values}.join(u" \u00d7 "_s);
        if (typed == sizesText(sizes))
            m_preset->setCurrentIndex(int(i) + 1);
    }
}

QWidget* LaunchForm::widgetOf(LaunchField field) const
{
    switch (field) {
    case LaunchField::Batch:
        return m_batch;
    case LaunchField::Tokens:
        return m_tokens;
    case LaunchField::Heads:
        return m_heads;
    case LaunchField::Keys:
        return m_keys;
    case LaunchField::Values:
        return m_values;
    case LaunchField::Dtype:
        return m_dtype;
    case LaunchField::Device:
        return m_device->currentIndex() == m_device->count() - 1 ? static_cast<QWidget*>(m_remoteDevice) : m_device;
    case LaunchField::Prefix:
        return m_prefix;
    case LaunchField::Seed:
        break;
    }
    return m_seed;
}

void LaunchForm::validate()
{
    m_problems = problemsIn(settings(), machineMemory());
    for (auto& [name, line] : m_problemLines)
        line->hide();
    for (QWidget* field : findChildren<QWidget*>())
        markWrong(*field, false);
    for (const FieldProblem& problem : m_problems) {
        QWidget* field = widgetOf(problem.field);
        QLabel* line = m_problemLines.at(field->objectName());
        const bool isSize = problem.field <= LaunchField::Values;
        // Five sizes share one row: the line below says which it is about.
        line->setText(isSize ? tr("%1: %2").arg(field->accessibleName().section(u',', 0, 0), problem.text) : problem.text);
        line->show();
        markWrong(*field, true);
    }
    setRunning(m_isRunning);
}

void LaunchForm::changed()
{
    if (m_isFilling)
        return;
    m_elsewhere->setVisible(m_device->currentIndex() == m_device->count() - 1);
    showFamily();
    validate();
    m_card->setCard(deviceCard(settings(), m_facts));
    Q_EMIT settingsChanged();
}

} // namespace assay::views
