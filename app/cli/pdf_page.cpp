// SPDX-License-Identifier: Apache-2.0
#include "app/cli/pdf_page.h"

#include "app/cli/window_picture.h"
#include "core/report/output_file.h"

#include <unistd.h>

namespace assay::cli {

namespace {

namespace fs = std::filesystem;

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
    const std::string program = windowProgram("export html and print that");
    const PageFile page(html, absolute);
    drawPicture(program, {"--html", page.path().string(), "--pdf", absolute.string()});
}

} // namespace assay::cli
