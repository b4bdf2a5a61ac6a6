// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QString>
#include <QtTest>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace assay::tests {

/// A second process made by fork(). Call it before the test starts threads; the child never returns to the test.
class Child {
public:
    /// Runs @p work in the child. It may call the function it is given to say "ready"; afterwards the child waits to be killed
    /// where @p stays, else it ends with status 0, or 1 after an exception.
    Child(bool stays, const std::function<void(const std::function<void()>&)>& work)
    {
        int pipeEnds[2] = {-1, -1};
        if (::pipe(pipeEnds) != 0)
            qFatal("pipe: %s", std::strerror(errno));
        m_pid = ::fork();
        if (m_pid == 0) {
            int status = 0;
            try {
                work([&] { [[maybe_unused]] const auto written = ::write(pipeEnds[1], "r", 1); });
                if (stays)
                    ::pause();
            } catch (const std::exception& error) {
                std::fprintf(stderr, "child: %s\n", error.what());
                status = 1;
            }
            ::_exit(status);
        }
        ::close(pipeEnds[1]);
        m_ready = pipeEnds[0];
    }
    ~Child()
    {
        if (m_pid > 0)
            kill();
        ::close(m_ready);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// True once the child said "ready"; false where it ended without.
    bool waitReady() const
    {
        char mark = 0;
        return ::read(m_ready, &mark, 1) == 1;
    }
    void kill()
    {
        ::kill(m_pid, SIGKILL);
        wait();
    }
    /// Exit status; -1 after a signal.
    int wait()
    {
        int status = 0;
        ::waitpid(m_pid, &status, 0);
        m_pid = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    pid_t pid() const { return m_pid; }

private:
    pid_t m_pid = -1;
    int m_ready = -1;
};

inline bool succeeds(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(10000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

/// Something mounted on @p path for as long as the object lives; isMounted() is false where this machine does not allow it.
class Mount {
public:
    Mount(const std::filesystem::path& path, const QStringList& arguments)
        : m_path(QString::fromStdString(path.string()))
    {
        m_mounted = succeeds(QStringLiteral("mount"), arguments + QStringList{m_path});
    }
    ~Mount()
    {
        if (m_mounted)
            succeeds(QStringLiteral("umount"), {QStringLiteral("-l"), m_path});
    }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;

    static QStringList tmpfs(const QString& size)
    {
        return {QStringLiteral("-t"), QStringLiteral("tmpfs"), QStringLiteral("-o"), QStringLiteral("size=") + size,
                QStringLiteral("tmpfs")};
    }
    bool isMounted() const { return m_mounted; }
    bool makeReadOnly() const
    {
        return succeeds(QStringLiteral("mount"), {QStringLiteral("-o"), QStringLiteral("remount,ro"), m_path});
    }

private:
    QString m_path;
    bool m_mounted = false;
};

/// A file or folder that nobody may change: by its mode, or for root by the immutable attribute.
class Unchangeable {
public:
    explicit Unchangeable(const std::filesystem::path& path)
        : m_path(path)
    {
        std::error_code problem;
        std::filesystem::permissions(path, std::filesystem::perms::owner_write, std::filesystem::perm_options::remove, problem);
        m_attribute = ::geteuid() == 0
            && succeeds(QStringLiteral("chattr"), {QStringLiteral("+i"), QString::fromStdString(path.string())});
        m_holds = ::access(path.c_str(), W_OK) != 0;
    }
    ~Unchangeable()
    {
        if (m_attribute)
            succeeds(QStringLiteral("chattr"), {QStringLiteral("-i"), QString::fromStdString(m_path.string())});
        std::error_code problem;
        std::filesystem::permissions(m_path, std::filesystem::perms::owner_write, std::filesystem::perm_options::add, problem);
    }
    Unchangeable(const Unchangeable&) = delete;
    Unchangeable& operator=(const Unchangeable&) = delete;

    bool holds() const { return m_holds; }

private:
    std::filesystem::path m_path;
    bool m_attribute = false;
    bool m_holds = false;
};

} // namespace assay::tests
