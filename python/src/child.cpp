// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "bind.hpp"
#include "tunekit/core/error.hpp"

namespace nb = nanobind;

namespace python {

namespace {

/// Keeps signals waiting that come to this thread.
class no_signals {
public:
    no_signals()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    no_signals(const no_signals&) = delete;
    no_signals& operator=(const no_signals&) = delete;
    ~no_signals() { end(); }
    void end() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

/// A fork of this process and of its interpreter, with a pipe from it to here. It leads a process group, which ends with this
/// object: an interrupt of Python's may come between any two instructions, and loses no child and no descriptor. On Linux it
/// also ends with this process.
/// (`measure::isolated` forks no process that runs other threads, as one with numpy does, and knows no interpreter.)
class child {
public:
    /// In the child `answer` is called with the end of the pipe that it writes. The child ends where that returns, with status
    /// 0, or raises, with status 1: an interrupt that reaches it does not go on with this process's work.
    explicit child(const nb::callable& answer)
    {
        const no_signals here;  // an interrupt in what Python modules do around a fork would be lost
        if (PyErr_CheckSignals() != 0) throw nb::python_error();  // what came before
        int ends[2] = {-1, -1};
        if (::pipe(ends) != 0) throw tunekit::error(std::string("isolated: has no pipe: ") + std::strerror(errno));
        for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
        PyOS_BeforeFork();
        pid_ = ::fork();
        const int why = errno;
        if (pid_ == 0) {
            PyOS_AfterFork_Child();
            ::setsid();
#ifdef __linux__
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
            ::close(ends[0]);
            if (::getppid() != owner_) ::_exit(1);
            here.end();
            call_and_leave(answer, ends[1]);
        }
        ::close(ends[1]);
        pipe_ = ends[0];
        PyOS_AfterFork_Parent();
        if (pid_ > 0) return;
        ::close(pipe_);
        throw tunekit::error(std::string("isolated: cannot fork: ") + std::strerror(why));
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child()
    {
        end();
        ::close(pipe_);
    }

    /// The end of the pipe that is read.
    [[nodiscard]] int pipe() const { return pipe_; }

    /// Whether it has ended.
    [[nodiscard]] bool ended() const
    {
        if (pid_ <= 0) return true;
        siginfo_t info{};
        const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
        return looked != 0 ? errno != EINTR : info.si_pid != 0;
    }

    /// Kills it with all of its group, and waits for its end. Returns its status as waitpid gives it.
    int end()
    {
        if (pid_ <= 0 || owner_ != ::getpid()) return status_;  // not in a copy of the object, of a later fork
        const nb::gil_scoped_release free;
        ::kill(pid_, SIGKILL);
        ::kill(-pid_, SIGKILL);  // until it is waited for, the number is its own
        while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status_;
    }

private:
    [[noreturn]] static void call_and_leave(const nb::callable& answer, int to) noexcept
    {
        try {
            answer(to);
            ::_exit(0);
        } catch (...) {
            ::_exit(1);
        }
    }

    pid_t owner_ = ::getpid();
    pid_t pid_ = -1;
    int pipe_ = -1;
    int status_ = 0;
};

}  // namespace

void bind_child(nb::module_& m)
{
    nb::class_<child>(m, "Child")
        .def(nb::init<const nb::callable&>())
        .def("pipe", &child::pipe)
        .def("ended", &child::ended)
        .def("end", &child::end);
}

}  // namespace python
