// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"
#include "core/contract/result.h"

#include <QAbstractListModel>

#include <array>
#include <optional>

namespace assay::views {

/// Where a gate stands in a run of the Launch place. What it says once it is done is the strip's business.
enum class TileStage {
    Idle,       ///< nothing runs and nothing ran
    Waits,      ///< its turn comes
    Runs,       ///< it is asked just now
    Done,       ///< it has a result
    NotReached, ///< the run ended before its turn
    CutShort,   ///< the run ended while it was asked
};

/// The twelve gates of a run, a row each. Fills as the run goes on.
class GateTileModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        GateRole = Qt::UserRole, ///< int, of contract::Gate
        CellRole,                ///< contract::StripCell as int: what the strip would show
        StageRole,               ///< TileStage as int
        IdRole,                  ///< "CMP-01"
        TitleRole,               ///< "value under input variation"
        StateRole,               ///< in words: "passed", "running", "waits"
        ShortStateRole,          ///< the same where there is little room: "failed hard"
        CountRole,               ///< "12 of 12 checks"; "" before it is known
        NumberRole,              ///< the number that matters: "0.31 of 1"; "" where nothing was measured
        FindingRole,             ///< the whole sentence
    };

    explicit GateTileModel(QObject* parent = nullptr);

    /// Nothing has run.
    void clear();
    /// Every gate waits.
    void begin();
    void setRunning(contract::Gate gate);
    void setResult(const contract::GateResult& result);
    /// The run is over: what still waits was not reached.
    /// @param couldNotRun  nothing could be judged; else a person stopped it
    void end(bool couldNotRun);

    int done() const;
    /// Checks that could have failed, of all gates that are done.
    int exercised() const;
    contract::GateStrip strip() const;
    const contract::GateResult* result(contract::Gate gate) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

private:
    struct Tile {
        TileStage stage = TileStage::Idle;
        std::optional<contract::GateResult> result;
    };
    contract::StripCell cellOf(const Tile& tile) const;
    QString stateOf(const Tile& tile) const;
    QString shortStateOf(const Tile& tile) const;
    QString findingOf(contract::Gate gate, const Tile& tile) const;
    void announce(contract::Gate gate);

    std::array<Tile, contract::kGateCount> m_tiles;
    bool m_couldNotRun = false;
};

/// The check that decided, or came closest to its limit; nullptr where none of @p result has a number and a limit.
const contract::CheckResult* decidingCheck(const contract::GateResult& result);

/// "0.31 of 1", or "3 wrong" where nothing is allowed; "" where there is no decidingCheck().
QString decidingNumber(const contract::GateResult& result);

} // namespace assay::views
