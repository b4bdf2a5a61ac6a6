// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/navigator.h"

#include "core/store/kernel_details.h"
#include "core/store/triage.h"
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

bool isSameFile(const QString& a, const QString& b)
{
    return QFileInfo(a).canonicalFilePath() == QFileInfo(b).canonicalFilePath() && QFileInfo::exists(a);
}

/// The id to put into a link: the corpus' own where it leads back to the same kernel, else "#" and the row.
std::string linkId(store::Database& database, std::int64_t scopeId, std::int64_t kernelId)
{
    const std::vector<store::TriageRow> rows = store::triageRows(database, scopeId, std::array{kernelId});
    if (!rows.empty() && store::findKernel(database, scopeId, rows.front().externalId) == kernelId)
        return rows.front().externalId;
    return '#' + std::to_string(kernelId);
}

} // namespace

QString scopeName(const store::Scope& scope)
{
    return QString::fromStdString(scope.auditId ? scope.corpusName + '/' + scope.auditName : scope.corpusName);
}

Navigator::Navigator(Context& context, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_search(context.workspace)
    , m_linkSearch(context.workspace)
{
    connect(&m_search, &QueryChannel::failed, this, &Navigator::failed);
    connect(&m_linkSearch, &QueryChannel::failed, this, &Navigator::failed);
}

void Navigator::follow(const DeepLink& link)
{
    Workspace& workspace = m_context.workspace;
    if (!link.database.isEmpty() && !(workspace.isOpen() && isSameFile(workspace.path(), link.database))
        && !workspace.open(link.database))
        return; // Workspace::openFailed has said why
    goTo(link);
}

void Navigator::goTo(const DeepLink& link)
{
    Workspace& workspace = m_context.workspace;
    if (!link.audit.isEmpty()) {
        const auto& scopes = workspace.scopes();
        const auto found = std::ranges::find(scopes, link.audit, scopeName);
        if (found == scopes.end()) {
            Q_EMIT failed(
                tr("There is no audit %1 in %2. Choose one at the top of the window.").arg(link.audit, workspace.path()));
            return;
        }
        workspace.setScope(found->id);
    }
    if (!link.filter.isEmpty() && !m_context.filters.setText(link.filter)) {
        Q_EMIT failed(m_context.filters.problem());
        return;
    }
    if (!link.place.isEmpty())
        m_context.selection.setPlace(link.place);
    if (link.kernel.isEmpty()) {
        if (link.gate)
            m_context.selection.setGate(link.gate);
        Q_EMIT arrived();
        return;
    }
    goToKernel(link.kernel, link.gate);
}

void Navigator::goToKernel(const QString& text, std::optional<contract::Gate> gate)
{
    const std::int64_t scopeId = m_context.workspace.scopeId();
    m_search.start<std::optional<std::int64_t>>(
        [scopeId, id = text.toStdString()](store::Database& database, std::stop_token) {
            return store::findKernel(database, scopeId, id);
        },
        [this, text, gate](std::optional<std::int64_t> found) {
            if (!found) {
                Q_EMIT failed(
                    tr("There is no kernel %1 in this audit. Look for it in another one (top of the window).").arg(text));
                return;
            }
            m_context.selection.go({u"kernels"_s, *found, gate, m_context.filters.text()});
            Q_EMIT arrived();
        });
}

void Navigator::copyLink()
{
    const Selection::Spot& spot = m_context.selection.spot();
    const Workspace& workspace = m_context.workspace;
    DeepLink link;
    link.database = QFileInfo(workspace.path()).absoluteFilePath();
    link.place = spot.place;
    link.audit = workspace.scope() ? scopeName(*workspace.scope()) : QString();
    link.gate = spot.gate;
    link.filter = m_context.filters.text();
    if (spot.kernelId == 0) {
        putOnClipboard(link);
        return;
    }
    m_linkSearch.start<std::string>(
        [scopeId = workspace.scopeId(), kernelId = spot.kernelId](store::Database& database, std::stop_token) {
            return linkId(database, scopeId, kernelId);
        },
        [this, link](const std::string& id) mutable {
            link.kernel = QString::fromStdString(id);
            putOnClipboard(link);
        });
}

void Navigator::putOnClipboard(const DeepLink& link)
{
    const QString text = toText(link);
    QGuiApplication::clipboard()->setText(text);
    Q_EMIT linkCopied(text);
}

} // namespace assay::views
