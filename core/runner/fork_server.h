// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/bubblewrap.h"
#include "core/runner/channel.h"
#include "core/runner/sandbox.h"

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace assay::runner {

class PartyLink;

/// How parties are made on this machine.
struct ForkServerOptions {
    std::string python;                   ///< absolute path of the interpreter
    std::vector<std::string> importPaths; ///< its sys.path, the folder of assay_worker included
    std::vector<std::string> prefixes;    ///< sys.prefix, sys.base_prefix and the like
    /// Modules imported before the first fork; "?name" may be missing. torch imports its compiler at the first mode or compiled
    /// function it meets: inside the oracle's modes that import fails half-way, and for good.
    std::vector<std::string> warm = {"torch", "?torch._dynamo"};
    std::string partyModule = "assay_worker.party"; ///< its main(socket) talks to the judge
    bool gpu = false;                               ///< parties may use the GPU
    bool sandbox = true;                            ///< false: only on explicit demand
    sandbox::Limits limits;
    std::int64_t folderBytes = std::int64_t{1} << 30; ///< size of each private folder of a party
};

/// A Python process inside bubblewrap that has imported what is slow to import, and forks one confined process for each party.
/// It runs no foreign code. It dies with the thread that called start(): keep that thread.
class ForkServer {
public:
    explicit ForkServer(ForkServerOptions options);
    ~ForkServer();
    ForkServer(const ForkServer&) = delete;
    ForkServer& operator=(const ForkServer&) = delete;

    const ForkServerOptions& options() const { return m_options; }

    /// Starts the process and waits until everything is imported.
    /// @throws Error  in one line, with the remedy: no bubblewrap, no namespaces, no torch, ...
    void start(const std::stop_token& stop = {});

    /// A new party, confined or about to be. Starts the process again where it died. @throws Error
    std::unique_ptr<PartyLink> fork();

    /// What the sandbox as a whole could not enforce.
    const std::vector<std::string>& isolation() const { return m_isolation; }

    /// Ends the process and every party.
    void end();

private:
    void launch(const std::vector<std::string>& prefix, const std::stop_token& stop);
    std::string startRequest() const;
    std::string request(const std::string& text, std::span<const int> files, std::chrono::milliseconds limit,
                        const std::stop_token& stop);
    std::string lastWords();
    VisiblePaths visiblePaths() const;

    ForkServerOptions m_options;
    Channel m_control;
    Descriptor m_output;
    std::string m_tail;
    pid_t m_process = -1;
    std::vector<std::string> m_isolation;
};

} // namespace assay::runner
