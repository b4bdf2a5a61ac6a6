// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/places.h"

#include <QtGlobal>

namespace assay::views {

using namespace Qt::StringLiterals;

const std::array<Place, 4>& places()
{
    static const std::array<Place, 4> list = {
        Place{"triage"_L1, QT_TRANSLATE_NOOP("Places", "Triage"), "triage"_L1, "Ctrl+1"_L1,
              QT_TRANSLATE_NOOP("Places", "What fails, and why")},
        Place{"audit"_L1, QT_TRANSLATE_NOOP("Places", "Audit"), "audit"_L1, "Ctrl+2"_L1,
              QT_TRANSLATE_NOOP("Places", "A stratified sample, judged by hand")},
        Place{"calibrate"_L1, QT_TRANSLATE_NOOP("Places", "Calibrate"), "calibrate"_L1, "Ctrl+3"_L1,
              QT_TRANSLATE_NOOP("Places", "Where the thresholds come from")},
        Place{"launch"_L1, QT_TRANSLATE_NOOP("Places", "Launch"), "launch"_L1, "Ctrl+4"_L1,
              QT_TRANSLATE_NOOP("Places", "Run a kernel through the gates")},
    };
    return list;
}

QString placeOfPage(const QString& page)
{
    return page == u"overview"_s || page == u"kernels"_s ? u"triage"_s : page;
}

} // namespace assay::views
