// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace assay::cli {

namespace {

[[noreturn]] void failedToWrite()
{
    const std::string reason = std::generic_category().message(errno);
    throw Error("cannot write: " + reason, "standard output", "Check where the output goes");
}

} // namespace

void print(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        failedToWrite();
}

void printLine(std::string_view text)
{
    print(text);
    print("\n");
}

void flushOutput()
{
    if (std::fflush(stdout) != 0)
        failedToWrite();
}

} // namespace assay::cli
