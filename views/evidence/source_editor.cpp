// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/source_editor.h"

#include "views/evidence/measure_text.h"
#include "views/evidence/syntax_style.h"
#include "views/theme/theme.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QToolTip>

#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexerpython.h>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNumberMargin = 0;
constexpr int kSignMargin = 1;
constexpr int kHintMargin = 2;

/// C++ with the words CUDA adds.
class CudaLexer final : public QsciLexerCPP {
public:
    using QsciLexerCPP::QsciLexerCPP;
    const char* keywords(int set) const override
    {
        if (set == 2)
            return "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __forceinline__ "
                   "threadIdx blockIdx "
                   "blockDim gridDim warpSize __syncthreads __syncwarp half nv_bfloat16";
        return QsciLexerCPP::keywords(set);
    }
};

QColor tint(const Theme& theme, QColor color, float share)
{
    const QColor base = theme.surface();
    const auto mix = [share](float a, float b) { return a + (b - a) * share; };
    return QColor::fromRgbF(mix(base.redF(), color.redF()), mix(base.greenF(), color.greenF()), mix(base.blueF(), color.blueF()));
}

/// The font of numbers, but never one that draws "!=" or "->" as one sign: a source is shown as it was written.
QFont codeFont(const Theme& theme)
{
    QFont font = theme.numberFont();
    if (!font.family().startsWith(u"JetBrains Mono"_s))
        return font;
    const QStringList families = QFontDatabase::families();
    for (const QString& plain : {u"JetBrains Mono NL"_s, u"DejaVu Sans Mono"_s}) {
        if (families.contains(plain)) {
            font.setFamily(plain);
            break;
        }
    }
    return font;
}

} // namespace

SourceEditor::SourceEditor(const Theme& theme, const QString& name, QWidget* parent)
    : QsciScintilla(parent)
    , m_theme(theme)
{
    setAccessibleName(name);
    setReadOnly(true);
    setUtf8(true);
    setFrameShape(QFrame::NoFrame);
    setTabWidth(4);
    setExtraAscent(1);
    setExtraDescent(1);
    SendScintilla(SCI_SETMARGINLEFT, 0UL, 6L);
    setCaretLineVisible(true);
    setFolding(QsciScintilla::NoFoldStyle);
    setMarginType(kNumberMargin, QsciScintilla::NumberMargin);
    setMarginType(kSignMargin, QsciScintilla::SymbolMargin);
    setMarginType(kHintMargin, QsciScintilla::SymbolMargin);
    setMarginWidth(kSignMargin, 0);
    setMarginWidth(kHintMargin, 0);
    setMarginMarkerMask(kSignMargin, (1 << AddedMark) | (1 << RemovedMark));
    setMarginMarkerMask(kHintMargin, 1 << HintMark);
    markerDefine(QsciScintilla::RightTriangle, HintMark);
    markerDefine(QsciScintilla::Plus, AddedMark);
    markerDefine(QsciScintilla::Minus, RemovedMark);
    markerDefine(QsciScintilla::Background, AddedLine);
    markerDefine(QsciScintilla::Background, RemovedLine);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1UL);
    SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    // Tab leaves the editor: it is read-only, and a person without a mouse has to get out of it.
    SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(SCK_TAB));
    SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(SCK_TAB + (SCMOD_SHIFT << 16)));
    connect(&theme, &Theme::changed, this, &SourceEditor::restyle);
    restyle();
}

SourceEditor::~SourceEditor() = default;

QsciLexer* SourceEditor::makeLexer(const QString& language, QObject* parent)
{
    if (language == u"python"_s)
        return new QsciLexerPython(parent);
    if (language == u"cpp"_s)
        return new CudaLexer(parent);
    return nullptr;
}

void SourceEditor::chooseLexer(const QString& language)
{
    if (language == m_language && (m_lexer || language.isEmpty()))
        return;
    m_language = language;
    setLexer(nullptr);
    delete m_lexer;
    m_lexer = makeLexer(language, this);
    restyle();
}

void SourceEditor::setSource(const QString& text, const QString& language)
{
    markerDeleteAll();
    m_remarks.clear();
    setMarginWidth(kSignMargin, 0);
    setMarginWidth(kHintMargin, 0);
    chooseLexer(language);
    setText(text);
    setCursorPosition(0, 0);
    SendScintilla(SCI_SETFIRSTVISIBLELINE, 0UL);
    showLineNumbers();
}

void SourceEditor::showLineNumbers()
{
    SendScintilla(SCI_MARGINTEXTCLEARALL);
    setMarginType(kNumberMargin, QsciScintilla::NumberMargin);
    setMarginWidth(kNumberMargin, QString(QString::number(lines()).size() + 1, u'0'));
}

void SourceEditor::setHints(const std::vector<SourceHint>& hints)
{
    for (const SourceHint& hint : hints) {
        markerAdd(hint.line, HintMark);
        QString& remark = m_remarks[hint.line];
        remark
            += (remark.isEmpty() ? QString() : u"\n"_s) + tr("Hint, not a verdict: %1").arg(measure_text::fromUtf8(hint.reason));
    }
    setMarginWidth(kHintMargin, hints.empty() ? 0 : 16);
}

void SourceEditor::setDiff(const LineDiff& diff)
{
    // Two columns of numbers, the reference's and the candidate's, as every merged view has them.
    setMarginType(kNumberMargin, QsciScintilla::TextMarginRightJustified);
    int widest = 1;
    for (const DiffLine& line : diff.lines)
        widest = std::max({widest, line.left + 1, line.right + 1});
    const int digits = int(QString::number(widest).size());
    setMarginWidth(kNumberMargin, QString(2 * digits + 3, u'0'));
    for (int row = 0; row < int(diff.lines.size()); ++row) {
        const DiffLine& line = diff.lines[std::size_t(row)];
        const auto number = [digits](int value) {
            return value >= 0 ? QString::number(value + 1).rightJustified(digits) : QString(digits, u' ');
        };
        setMarginText(row, number(line.left) + u' ' + number(line.right), QsciScintilla::STYLE_LINENUMBER);
        if (line.kind == DiffKind::Same)
            continue;
        const bool added = line.kind == DiffKind::Added;
        markerAdd(row, added ? AddedMark : RemovedMark);
        markerAdd(row, added ? AddedLine : RemovedLine);
        m_remarks[row] = added ? tr("only in the candidate, line %1").arg(line.right + 1)
                               : tr("only in the reference, line %1").arg(line.left + 1);
    }
    setMarginWidth(kSignMargin, 16);
}

void SourceEditor::setWrapped(bool on)
{
    setWrapMode(on ? QsciScintilla::WrapCharacter : QsciScintilla::WrapNone);
}

bool SourceEditor::isAdded(int line) const
{
    return (markersAtLine(line) & (1U << AddedLine)) != 0;
}

bool SourceEditor::isRemoved(int line) const
{
    return (markersAtLine(line) & (1U << RemovedLine)) != 0;
}

bool SourceEditor::hasHintMark(int line) const
{
    return (markersAtLine(line) & (1U << HintMark)) != 0;
}

QString SourceEditor::remarkAt(int line) const
{
    return m_remarks.value(line);
}

void SourceEditor::showLine(int line)
{
    setCursorPosition(line, 0);
    const int above = std::max(0, int(SendScintilla(SCI_LINESONSCREEN)) / 3);
    SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0, line - above)));
}

bool SourceEditor::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const long position = SendScintilla(SCI_POSITIONFROMPOINT, static_cast<unsigned long>(help->pos().x()),
                                            static_cast<long>(help->pos().y()));
        const QString remark = remarkAt(int(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(position))));
        if (remark.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), remark, viewport());
        return true;
    }
    return QsciScintilla::viewportEvent(event);
}

void SourceEditor::restyle()
{
    const QFont font = codeFont(m_theme);
    const SyntaxColors colors = syntaxColors(m_theme);
    setFont(font);
    if (m_lexer) {
        styleLexer(*m_lexer, m_theme, font);
        setLexer(m_lexer);
    }
    setPaper(m_theme.surface());
    setColor(colors.text);
    for (int style = 0; !m_lexer && style < 32; ++style) {
        SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(style), m_theme.surface());
        SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(style), colors.text);
    }
    setMarginsFont(font);
    setMarginsBackgroundColor(m_theme.raised());
    setMarginsForegroundColor(m_theme.mutedInk());
    setMarginBackgroundColor(kSignMargin, m_theme.raised());
    setMarginBackgroundColor(kHintMargin, m_theme.raised());
    setCaretForegroundColor(m_theme.ink());
    setCaretLineBackgroundColor(tint(m_theme, m_theme.ink(), 0.05F));
    setSelectionBackgroundColor(tint(m_theme, m_theme.accent(), 0.30F));
    setSelectionForegroundColor(m_theme.ink());
    setMarkerBackgroundColor(m_theme.accent(), HintMark);
    setMarkerForegroundColor(m_theme.accent(), HintMark);
    setMarkerForegroundColor(m_theme.accent(), AddedMark);
    setMarkerBackgroundColor(m_theme.raised(), AddedMark);
    setMarkerForegroundColor(m_theme.mutedInk(), RemovedMark);
    setMarkerBackgroundColor(m_theme.raised(), RemovedMark);
    // Red and amber belong to verdicts; the candidate's lines wear the accent, the reference's a grey.
    setMarkerBackgroundColor(tint(m_theme, m_theme.accent(), 0.14F), AddedLine);
    setMarkerBackgroundColor(tint(m_theme, m_theme.mutedInk(), 0.16F), RemovedLine);
}

} // namespace assay::views
