// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/gate_tile_model.h"

#include "views/theme/cell_shape.h"
#include "views/theme/number_text.h"

#include <algorithm>
#include <cmath>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

bool hasNumber(const contract::CheckResult& check)
{
    return check.value.isPresent() && check.threshold.isFinite();
}

/// How close to its limit a check came; what is not finite is beyond every limit.
double closeness(const contract::CheckResult& check)
{
    if (!check.value.isFinite())
        return std::numeric_limits<double>::infinity();
    // A limit of zero is either kept or passed by any amount.
    if (check.threshold.value <= 0)
        return check.value.value > check.threshold.value ? std::numeric_limits<double>::max() : 0;
    return std::abs(check.value.value) / check.threshold.value;
}

} // namespace

const contract::CheckResult* decidingCheck(const contract::GateResult& result)
{
    const contract::CheckResult* decided = nullptr;
    for (const contract::CheckResult& check : result.checks) {
        if (check.verdict == result.verdict && hasNumber(check) && (decided == nullptr || closeness(check) > closeness(*decided)))
            decided = &check;
    }
    return decided;
}

QString decidingNumber(const contract::GateResult& result)
{
    const contract::CheckResult* check = decidingCheck(result);
    if (check == nullptr)
        return {};
    const QString value = number_text::measured(check->value);
    return check->threshold.value == 0 ? GateTileModel::tr("%1 wrong").arg(value)
                                       : GateTileModel::tr("%1 of %2").arg(value, number_text::measured(check->threshold));
}

GateTileModel::GateTileModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void GateTileModel::clear()
{
    m_tiles = {};
    m_couldNotRun = false;
    Q_EMIT dataChanged(index(0), index(contract::kGateCount - 1));
}

void GateTileModel::begin()
{
    m_tiles.fill({TileStage::Waits, {}});
    m_couldNotRun = false;
    Q_EMIT dataChanged(index(0), index(contract::kGateCount - 1));
}

void GateTileModel::setRunning(contract::Gate gate)
{
    Tile& tile = m_tiles[std::size_t(contract::indexOf(gate))];
    if (tile.stage == TileStage::Done)
        return;
    tile.stage = TileStage::Runs;
    announce(gate);
}

void GateTileModel::setResult(const contract::GateResult& result)
{
    m_tiles[std::size_t(contract::indexOf(result.gate))] = {TileStage::Done, result};
    announce(result.gate);
}

void GateTileModel::end(bool couldNotRun)
{
    m_couldNotRun = couldNotRun;
    for (Tile& tile : m_tiles) {
        if (tile.stage == TileStage::Waits)
            tile.stage = TileStage::NotReached;
        else if (tile.stage == TileStage::Runs)
            tile.stage = TileStage::CutShort;
    }
    Q_EMIT dataChanged(index(0), index(contract::kGateCount - 1));
}

int GateTileModel::done() const
{
    return static_cast<int>(std::ranges::count(m_tiles, TileStage::Done, &Tile::stage));
}

int GateTileModel::exercised() const
{
    int all = 0;
    for (const Tile& tile : m_tiles)
        all += tile.result ? tile.result->exercised : 0;
    return all;
}

contract::GateStrip GateTileModel::strip() const
{
    contract::GateStrip strip;
    for (const contract::Gate gate : contract::kAllGates)
        strip.set(gate, cellOf(m_tiles[std::size_t(contract::indexOf(gate))]));
    return strip;
}

const contract::GateResult* GateTileModel::result(contract::Gate gate) const
{
    const Tile& tile = m_tiles[std::size_t(contract::indexOf(gate))];
    return tile.result ? &*tile.result : nullptr;
}

int GateTileModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : contract::kGateCount;
}

StripCell GateTileModel::cellOf(const Tile& tile) const
{
    if (tile.result)
        return contract::stripCell(tile.result->verdict, tile.result->severity);
    if (tile.stage == TileStage::Runs)
        return StripCell::Running;
    return m_couldNotRun && tile.stage == TileStage::CutShort ? StripCell::Error : StripCell::Absent;
}

QString GateTileModel::stateOf(const Tile& tile) const
{
    switch (tile.stage) {
    case TileStage::Idle:
        return tr("not run");
    case TileStage::Waits:
        return tr("waits");
    case TileStage::NotReached:
        return tr("not reached");
    case TileStage::CutShort:
        return m_couldNotRun ? tr("could not run") : tr("stopped");
    case TileStage::Runs:
    case TileStage::Done:
        break;
    }
    return cellTitle(cellOf(tile));
}

QString GateTileModel::shortStateOf(const Tile& tile) const
{
    switch (cellOf(tile)) {
    case StripCell::PassWithNote:
        return tr("passed, a note");
    case StripCell::FailHard:
        return tr("failed hard");
    case StripCell::FailSoft:
        return tr("failed soft");
    case StripCell::Unsupported:
        return tr("unsupported");
    case StripCell::Crash:
        return tr("crashed");
    case StripCell::Timeout:
        return tr("hung");
    case StripCell::Error:
        return tile.result ? tr("not judged") : stateOf(tile);
    default:
        return stateOf(tile);
    }
}

QString GateTileModel::findingOf(contract::Gate gate, const Tile& tile) const
{
    if (!tile.result)
        return {};
    QString text = QString::fromStdString(tile.result->finding);
    if (text.isEmpty())
        text = QString::fromStdString(tile.result->reason);
    if (const contract::CheckResult* check = decidingCheck(*tile.result); check != nullptr && !check->metric.empty())
        text += tr(" Closest to its limit: %1 %2, allowed %3.")
                    .arg(QString::fromStdString(check->metric), number_text::measured(check->value),
                         number_text::measured(check->threshold));
    if (!tile.result->power.empty())
        text += (text.isEmpty() ? QString() : u" "_s) + QString::fromStdString(tile.result->power);
    return fromView(contract::id(gate)) + u": "_s + text;
}

QVariant GateTileModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const contract::Gate gate = contract::kAllGates[std::size_t(index.row())];
    const Tile& tile = m_tiles[std::size_t(index.row())];
    switch (role) {
    case GateRole:
        return index.row();
    case CellRole:
        return static_cast<int>(cellOf(tile));
    case StageRole:
        return static_cast<int>(tile.stage);
    case IdRole:
    case Qt::DisplayRole:
        return fromView(contract::id(gate));
    case TitleRole:
        return fromView(contract::title(gate));
    case StateRole:
        return stateOf(tile);
    case ShortStateRole:
        return shortStateOf(tile);
    case CountRole:
        if (!tile.result || tile.result->total == 0)
            return QString();
        return tr("%1 of %2 checks").arg(tile.result->exercised).arg(tile.result->total);
    case NumberRole:
        return tile.result ? decidingNumber(*tile.result) : QString();
    case FindingRole:
    case Qt::ToolTipRole:
        return findingOf(gate, tile);
    case Qt::AccessibleTextRole: {
        QString text = fromView(contract::id(gate)) + u", "_s + fromView(contract::title(gate)) + u": "_s + stateOf(tile);
        if (tile.result && tile.result->total > 0)
            text += tr(", %1 of %2 checks").arg(tile.result->exercised).arg(tile.result->total);
        return text;
    }
    default:
        return {};
    }
}

QHash<int, QByteArray> GateTileModel::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractListModel::roleNames();
    names[CellRole] = "cell";
    names[StageRole] = "stage";
    names[StateRole] = "state";
    names[ShortStateRole] = "shortState";
    names[CountRole] = "count";
    names[NumberRole] = "number";
    names[FindingRole] = "finding";
    return names;
}

void GateTileModel::announce(contract::Gate gate)
{
    const QModelIndex at = index(contract::indexOf(gate));
    Q_EMIT dataChanged(at, at);
}

} // namespace assay::views
