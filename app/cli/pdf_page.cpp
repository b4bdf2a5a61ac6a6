// SPDX-License-Identifier: Apache-2.0
#include "app/cli/pdf_page.h"

#include "core/ingest/child_process.h"
#include "core/report/output_file.h"
#include "core/text/error.h"

#include <array>

#include <unistd.h>

namespace assay::cli {

namespace {

namespace fs = std::filesystem;

fs::path workbench()
{
    std::error_code none;
    const fs::path beside = fs::read_symlink("/proc/self/exe", none).parent_path();
    for (const fs::path& folder : {beside, fs::path("/usr/local/bin"), fs::path("/usr/bin")}) {
        const fs::path program = folder / "assay-workbench";
        if (::access(program.c_str(), X_OK) == 0)
            return program;
    }
    throw Error("assay-workbench, which lays pages out, is not installed", beside.string(),
                "Install it, or export html and print that");
}

/// A file beside the target that goes with its owner.
class PageFile {
public:
    PageFile(const std::string& html, const fs::path& target)
        : m_path(target.string() + ".page-" + std::to_string(::getpid()) + ".html")
    {
        report::OutputFile file(m_path);
        file.write(html);
        file.commit();
    }
    ~PageFile() { ::unlink(m_path.c_str()); }
    PageFile(const PageFile&) = delete;
    PageFile& operator=(const PageFile&) = delete;

    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

} // namespace

void writePdf(const std::string& html, const fs::path& target)
{
    const fs::path absolute = fs::absolute(target);
    const fs::path program = workbench();
    const PageFile page(html, absolute);
    ingest::ChildProcess child({program.string(), "--html", page.path().string(), "--pdf", absolute.string()});
    std::array<char, 4096> ignored{};
    while (child.read(ignored.data(), ignored.size()) > 0) { }
    if (child.wait() != 0)
        throw Error("the page could not be laid out: " + child.errorText(), absolute.string(), "Export html and print that");
}

} // namespace assay::cli
