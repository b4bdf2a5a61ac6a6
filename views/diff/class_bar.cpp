// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/class_bar.h"

#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSwatch = 12; // px
constexpr int kGap = 3;     // px, between a swatch and its name

QIcon swatch(const QColor& color, const QColor& hatch, bool isHatched, qreal ratio)
{
    QPixmap pixmap(QSize(kSwatch + kGap, kSwatch) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setClipRect(0, 0, kSwatch, kSwatch);
    painter.fillRect(0, 0, kSwatch, kSwatch, color);
    if (isHatched) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(hatch, 1.5));
        for (int offset = -kSwatch; offset < kSwatch; offset += 4)
            painter.drawLine(offset, kSwatch, offset + kSwatch, 0);
    }
    painter.end();
    return QIcon(pixmap);
}

} // namespace

ClassBar::ClassBar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    const QString names[OverlayCount] = {tr("NaN"), tr("+Inf"), tr("\u2212Inf"), tr("other class")};
    for (std::size_t i = 0; i < OverlayCount; ++i) {
        auto* button = new QToolButton(this);
        button->setObjectName(u"overlay.%1"_s.arg(i));
        button->setProperty("name", names[i]);
        button->setCheckable(true);
        button->setChecked(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize({kSwatch + kGap, kSwatch});
        button->setFocusPolicy(Qt::TabFocus);
        m_buttons[i] = button;
        layout->addWidget(button);
        connect(button, &QToolButton::toggled, this, &ClassBar::overlaysChanged);
    }
    layout->addStretch(1);
    connect(&theme, &Theme::changed, this, &ClassBar::restyle);
    clear();
    restyle();
}

void ClassBar::restyle()
{
    const ClassColors colors = ClassColors::of(m_theme);
    const QColor of[OverlayCount] = {colors.nan, colors.positiveInfinity, colors.negativeInfinity, m_theme.surface()};
    for (std::size_t i = 0; i < OverlayCount; ++i)
        m_buttons[i]->setIcon(swatch(of[i], colors.hatch, i == Mismatch, devicePixelRatioF()));
}

void ClassBar::setCounts(const tensor::Comparison& found)
{
    const auto say = [](QToolButton* button, const QString& counts, const QString& tip) {
        const QString name = button->property("name").toString();
        button->setText(name + u"  "_s + counts);
        button->setToolTip(name + u": "_s + tip + QLatin1Char('.') + QLatin1Char(' ')
                           + ClassBar::tr("Click to show or hide their colour."));
        button->setAccessibleName(name + u", "_s + tip);
    };
    const auto both = [&](QToolButton* button, std::int64_t reference, std::int64_t candidate) {
        const QString left = number_text::count(reference), right = number_text::count(candidate);
        say(button, reference == candidate ? left : left + u" \u2192 "_s + right,
            tr("%1 in the reference, %2 in the candidate").arg(left, right));
    };
    both(m_buttons[NaN], found.reference.nan, found.candidate.nan);
    both(m_buttons[PositiveInfinity], found.reference.positiveInfinity, found.candidate.positiveInfinity);
    both(m_buttons[NegativeInfinity], found.reference.negativeInfinity, found.candidate.negativeInfinity);
    say(m_buttons[Mismatch], number_text::count(found.classMismatch),
        tr("%1 elements are finite, NaN or infinite where the reference is not").arg(number_text::count(found.classMismatch)));
}

void ClassBar::clear()
{
    for (QToolButton* button : m_buttons)
        button->setText(button->property("name").toString() + u"  \u2026"_s);
}

Overlays ClassBar::overlays() const
{
    return {m_buttons[NaN]->isChecked(), m_buttons[PositiveInfinity]->isChecked(), m_buttons[NegativeInfinity]->isChecked(),
            m_buttons[Mismatch]->isChecked()};
}

} // namespace assay::views
