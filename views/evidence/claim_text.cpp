// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/claim_text.h"

#include "views/evidence/measure_text.h"

#include <QCoreApplication>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ClaimText", text);
}

constexpr int kIndent = 2;

/// Re-indents JSON by looking at its punctuation alone, so that every token stays byte for byte what the corpus wrote.
class Indenter {
public:
    QString run(const QString& json)
    {
        for (const QChar c : json)
            take(c);
        return m_out;
    }

private:
    void newLine() { m_out += u'\n' + QString(m_depth * kIndent, u' '); }

    void take(QChar c)
    {
        if (m_inString) {
            m_out += c;
            m_inString = m_escaped || c != u'"';
            m_escaped = !m_escaped && c == u'\\';
            return;
        }
        if (c.isSpace())
            return;
        const bool closes = c == u'}' || c == u']';
        if (m_opened && !closes)
            newLine();
        if (closes) {
            --m_depth;
            if (!m_opened)
                newLine();
        }
        m_opened = c == u'{' || c == u'[';
        m_out += c;
        if (m_opened)
            ++m_depth;
        else if (c == u',')
            newLine();
        else if (c == u':')
            m_out += u' ';
        m_inString = c == u'"';
    }

    QString m_out;
    int m_depth = 0;
    bool m_inString = false;
    bool m_escaped = false;
    bool m_opened = false;
};

} // namespace

QString prettyJson(const std::string& json)
{
    const QString text = measure_text::fromUtf8(json).trimmed();
    return text.startsWith(u'{') || text.startsWith(u'[') ? Indenter().run(text) : text;
}

QString claimSentence(const store::KernelRecord& kernel)
{
    const QString speed
        = kernel.claimedSpeedup ? tr(", with a speedup of %1").arg(measure_text::speedup(kernel.claimedSpeedup)) : QString();
    if (kernel.claimStatus == "accepted")
        return tr("The corpus accepts this kernel as correct") + speed + u'.';
    if (kernel.claimStatus == "rejected")
        return tr("The corpus rejects this kernel") + speed + u'.';
    if (kernel.claimStatus == "generation_failed")
        return tr("The corpus records that no usable kernel was generated.");
    if (kernel.claimStatus == "load_failed")
        return tr("The corpus records that the kernel could not be loaded.");
    if (kernel.claimStatus == "no_candidate")
        return tr("The corpus has a row for this kernel but no candidate.");
    if (kernel.claimedCorrect)
        return (*kernel.claimedCorrect ? tr("The corpus says the kernel is correct")
                                       : tr("The corpus says the kernel is not correct"))
            + speed + u'.';
    return tr("The corpus makes no claim about this kernel.");
}

} // namespace assay::views
