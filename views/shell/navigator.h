// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"
#include "views/state/deep_link.h"
#include "views/state/query_channel.h"

#include <QObject>

#include <optional>

namespace assay::views {

struct Context;

/// Takes the window to a spot that is named in words (a link, a command line, a typed kernel id), and names the spot it is at.
class Navigator final : public QObject {
    Q_OBJECT
public:
    explicit Navigator(Context& context, QObject* parent = nullptr);

    /// Opens the link's database where it is not the open one and goes to its spot. Failures come as failed().
    void follow(const DeepLink& link);
    /// Within the open database: audit, filter and page at once, the kernel as soon as it is found.
    void goTo(const DeepLink& link);
    /// The kernel a person means by @p text ("179", "#12"), shown on the page "kernels".
    void goToKernel(const QString& text, std::optional<contract::Gate> gate = {});

    /// Puts a link to the current spot on the clipboard, as soon as the kernel's id is known.
    void copyLink();

Q_SIGNALS:
    void failed(const QString& message); ///< one line
    void arrived();                      ///< goToKernel() or follow() is where it should be
    void linkCopied(const QString& link);

private:
    void putOnClipboard(const DeepLink& link);
    Context& m_context;
    QueryChannel m_search;
    QueryChannel m_linkSearch;
};

/// "corpus/audit": how links and sessions name an audit.
QString scopeName(const store::Scope& scope);

} // namespace assay::views
