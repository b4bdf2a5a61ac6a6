// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/import_root.h"

#include "core/text/error.h"
#include "import_fixture.h"

using namespace assay;
using namespace assay::ingest;
using assay::tests::ImportFixture;

/// A folder "root" to import, and "outside" beside it that must never be read.
class ImportRootTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void aFileInsideIsRead();
    void anAbsolutePathIsRefused();
    void aPathThatClimbsOutIsRefused();
    void aLinkThatStaysInsideIsFollowed();
    void aLinkThatLeadsOutIsRefused();
    void aLinkToNothingSaysSo();
    void aFolderThatIsALinkIsNotEntered();
    void theOneLineTextOfALinkIsFollowed();
    void theOneLineTextOfALinkNeverLeadsOut_data();
    void theOneLineTextOfALinkNeverLeadsOut();
    void linkTextsThatPointAtEachOtherEnd();
    void aLineOfCodeIsNoLinkText_data();
    void aLineOfCodeIsNoLinkText();
    void aPathOfAnotherMachineMeansItsLongestTailHere();
    void aForeignPathWithoutAFileHereIsNotFound();
    void aSourceLargerThanTheLimitIsNotRead();
    void bytesAreKeptAsTheyAre();

private:
    std::filesystem::path root() const { return m_files->path("root"); }

    std::unique_ptr<ImportFixture> m_files;
};

void ImportRootTest::init()
{
    m_files = std::make_unique<ImportFixture>();
    m_files->write("root/a/kernel.py", "inside");
    m_files->write("outside/secret.py", "secret");
}

void ImportRootTest::aFileInsideIsRead()
{
    QCOMPARE(ImportRoot(root()).readText("a/kernel.py").bytes.value(), std::string("inside"));
}

void ImportRootTest::anAbsolutePathIsRefused()
{
    const RootedText text = ImportRoot(root()).readText(m_files->path("outside/secret.py"));
    QVERIFY(!text.bytes);
    QVERIFY(text.problem.find("absolute path") != std::string::npos);
}

void ImportRootTest::aPathThatClimbsOutIsRefused()
{
    const RootedText text = ImportRoot(root()).readText("a/../../outside/secret.py");
    QVERIFY(!text.bytes);
    QVERIFY(text.problem.find("leads out") != std::string::npos);
}

void ImportRootTest::aLinkThatStaysInsideIsFollowed()
{
    std::filesystem::create_symlink("a/kernel.py", root() / "link.py");
    const RootedText text = ImportRoot(root()).readText("link.py");
    QCOMPARE(text.bytes.value(), std::string("inside"));
    QVERIFY(text.linked);
}

void ImportRootTest::aLinkThatLeadsOutIsRefused()
{
    std::filesystem::create_symlink("../outside/secret.py", root() / "link.py");
    std::filesystem::create_directory_symlink("../outside", root() / "folder");
    for (const char* path : {"link.py", "folder/secret.py"}) {
        const RootedText text = ImportRoot(root()).readText(path);
        QVERIFY(!text.bytes);
        QVERIFY(text.problem.find("leads out of the imported folder") != std::string::npos);
    }
}

void ImportRootTest::aLinkToNothingSaysSo()
{
    std::filesystem::create_symlink("gone.py", root() / "link.py");
    QCOMPARE(ImportRoot(root()).readText("link.py").problem, std::string("a link to nothing: link.py"));
}

void ImportRootTest::aFolderThatIsALinkIsNotEntered()
{
    std::filesystem::create_directory_symlink("../outside", root() / "folder");
    std::filesystem::create_directory_symlink(".", root() / "circle");
    std::vector<std::string> problems;
    const auto files = ImportRoot(root()).files("", problems);
    QCOMPARE(files.size(), std::size_t{3});
    QVERIFY(problems.empty());
}

void ImportRootTest::theOneLineTextOfALinkIsFollowed()
{
    m_files->write("root/b/link.py", "../a/kernel.py");
    const RootedText text = ImportRoot(root()).readText("b/link.py");
    QCOMPARE(text.bytes.value(), std::string("inside"));
    QVERIFY(text.linked);
}

void ImportRootTest::theOneLineTextOfALinkNeverLeadsOut_data()
{
    QTest::addColumn<QString>("target");
    QTest::newRow("climbs") << "../outside/secret.py";
    QTest::newRow("climbs further") << "../../../../etc/hosts.conf";
    QTest::newRow("absolute") << "/etc/ld.so.conf";
}

void ImportRootTest::theOneLineTextOfALinkNeverLeadsOut()
{
    QFETCH(QString, target);
    m_files->write("root/link.py", target.toStdString());
    const RootedText text = ImportRoot(root()).readText("link.py");
    QVERIFY(!text.bytes);
    QVERIFY(text.problem.find("leads out of the imported folder") != std::string::npos);
}

void ImportRootTest::linkTextsThatPointAtEachOtherEnd()
{
    m_files->write("root/x/one.py", "../y/two.py");
    m_files->write("root/y/two.py", "../x/one.py");
    QVERIFY(ImportRoot(root()).readText("x/one.py").bytes.has_value());
}

void ImportRootTest::aLineOfCodeIsNoLinkText_data()
{
    QTest::addColumn<QString>("line");
    QTest::newRow("import") << "import os/path.py";
    QTest::newRow("comment") << "# see a/b.py";
    QTest::newRow("call") << "open('/etc/x.py')";
    QTest::newRow("a number") << "1/2";
    QTest::newRow("a name") << "kernel.py";
    QTest::newRow("nothing") << "";
    QTest::newRow("two lines") << "a/b.py\na/c.py";
}

void ImportRootTest::aLineOfCodeIsNoLinkText()
{
    QFETCH(QString, line);
    QVERIFY(!linkText(line.toStdString()));
}

void ImportRootTest::aPathOfAnotherMachineMeansItsLongestTailHere()
{
    m_files->write("root/code/kernel.py", "right");
    m_files->write("root/kernel.py", "wrong");
    const ImportRoot folder(root());
    const RootedFile file = folder.locateTail("/home/someone/run/code/kernel.py", "");
    QCOMPARE(folder.readText(file).bytes.value(), std::string("right"));
    QCOMPARE(folder.readText(folder.locateTail("C:\\runs\\kernel.py", "")).bytes.value(), std::string("wrong"));
    QCOMPARE(folder.readText(folder.locateTail("../../code/kernel.py", "")).bytes.value(), std::string("right"));
}

void ImportRootTest::aForeignPathWithoutAFileHereIsNotFound()
{
    const std::string secret = m_files->path("outside/secret.py").string();
    QVERIFY(!ImportRoot(root()).locateTail(secret, "").found());
}

void ImportRootTest::aSourceLargerThanTheLimitIsNotRead()
{
    m_files->write("root/large.py", std::string(1000, 'x'));
    const RootedText text = ImportRoot(root()).readText("large.py", 999);
    QVERIFY(!text.bytes);
    QVERIFY(text.problem.starts_with("1000 bytes"));
}

void ImportRootTest::bytesAreKeptAsTheyAre()
{
    const std::string bytes = "a\r\nb\xE2\x80\xAF\xE2\x80\x94\n\n";
    m_files->write("root/crlf.py", bytes);
    QCOMPARE(ImportRoot(root()).readText("crlf.py").bytes.value(), bytes);
}

QTEST_APPLESS_MAIN(ImportRootTest)
#include "tst_import_root.moc"
