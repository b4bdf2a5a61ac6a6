// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/slice_slider.h"

#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace assay::views {

using namespace Qt::StringLiterals;

/// The line with the handle and the ticks.
class SliceSlider::Track final : public QWidget {
public:
    explicit Track(SliceSlider& owner)
        : QWidget(&owner)
        , m_owner(owner)
    {
        setMinimumWidth(80);
        setFixedHeight(22);
        setFocusPolicy(Qt::TabFocus);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = m_owner.m_theme;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double middle = height() / 2.0 + 3;
        painter.fillRect(QRectF(kEnd, middle - 1.5, width() - 2 * kEnd, 3), theme.line());
        painter.setPen(Qt::NoPen);
        const QColor failing = theme.cell(contract::StripCell::FailHard);
        double last = -1;
        for (std::size_t i = 0; i < m_owner.m_failures.size(); ++i) {
            const double x = position(static_cast<std::int64_t>(i));
            if (m_owner.m_failures[i] == 0 || x < last + 1)
                continue;
            painter.fillRect(QRectF(x - 1, 1, 2, 6), failing);
            last = x;
        }
        painter.setBrush(theme.accent());
        painter.drawEllipse(QPointF(position(m_owner.index()), middle), 6, 6);
        if (hasFocus()) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.accent(), 1));
            painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        }
    }

    void mousePressEvent(QMouseEvent* event) override { moveTo(event->position().x()); }
    void mouseMoveEvent(QMouseEvent* event) override
    {
        if (event->buttons() & Qt::LeftButton)
            moveTo(event->position().x());
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
            m_owner.setIndex(m_owner.index() + (event->key() == Qt::Key_Right ? 1 : -1));
        else
            QWidget::keyPressEvent(event);
    }

private:
    static constexpr double kEnd = 7; // px kept free for the handle

    double position(std::int64_t index) const
    {
        const double last = static_cast<double>(std::max<std::int64_t>(1, m_owner.m_size - 1));
        return kEnd + static_cast<double>(index) / last * (width() - 2 * kEnd);
    }
    void moveTo(double x)
    {
        const double share = (x - kEnd) / (width() - 2 * kEnd);
        m_owner.setIndex(static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(m_owner.m_size - 1) + 0.5));
    }

    SliceSlider& m_owner;
};

SliceSlider::SliceSlider(const Theme& theme, int axis, std::int64_t size, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_axis(axis)
    , m_size(size)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* name = new QLabel(tr("axis %1").arg(axis), this);
    m_track = new Track(*this);
    m_track->setAccessibleName(tr("Slice of axis %1").arg(axis));
    m_box = new QSpinBox(this);
    m_box->setRange(0, static_cast<int>(std::min<std::int64_t>(size - 1, std::numeric_limits<int>::max())));
    m_box->setAccessibleName(tr("Index along axis %1").arg(axis));
    m_box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_said = new QLabel(tr("of %1").arg(number_text::count(size)), this);
    m_said->setProperty("look", u"muted"_s);
    layout->addWidget(name);
    layout->addWidget(m_track, 1);
    layout->addWidget(m_box);
    layout->addWidget(m_said);
    connect(m_box, &QSpinBox::valueChanged, this, [this] {
        m_track->update();
        Q_EMIT indexChanged();
    });
    connect(&theme, &Theme::changed, m_track, qOverload<>(&QWidget::update));
}

std::int64_t SliceSlider::index() const
{
    return m_box->value();
}

void SliceSlider::setIndex(std::int64_t index)
{
    m_box->setValue(static_cast<int>(std::clamp<std::int64_t>(index, 0, m_box->maximum())));
}

void SliceSlider::setFailures(std::vector<std::int64_t> failures, const QString& what)
{
    m_failures = std::move(failures);
    const auto failing = std::ranges::count_if(m_failures, [](std::int64_t count) { return count > 0; });
    m_said->setText(m_failures.empty()
                        ? tr("of %1").arg(number_text::count(m_size))
                        : tr("of %1 \u00b7 %2 %3").arg(number_text::count(m_size), number_text::count(failing), what));
    m_track->update();
}

std::int64_t SliceSlider::failingFrom(int direction) const
{
    for (std::int64_t i = index() + direction; i >= 0 && i < std::ssize(m_failures); i += direction) {
        if (m_failures[static_cast<std::size_t>(i)] > 0)
            return i;
    }
    return -1;
}

} // namespace assay::views
