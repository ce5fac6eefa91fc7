// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

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

/// Descriptors that are closed with this object.
struct descriptors {
    std::vector<int> all{};

    descriptors() = default;
    descriptors(const descriptors&) = delete;
    descriptors& operator=(const descriptors&) = delete;
    ~descriptors() { close(); }
    void close()
    {
        for (const int fd : all) ::close(fd);
        all.clear();
    }
};

/// A fork of this process and of its interpreter, with a pipe from it to here and channels both ways. It leads a process group, which
/// ends with this object: an interrupt of Python's may come between any two instructions, and loses no child and no descriptor. On
/// Linux it also ends with this process.
/// (`measure::isolated` forks no process that runs other threads, as one with numpy does, and knows no interpreter.)
class child {
public:
    /// In the child `answer` is called with the end of the pipe that it writes, and its ends of the channels. The child ends where that
    /// returns, with status 0, or raises, with status 1: an interrupt that reaches it does not go on with this process's work.
    child(const nb::callable& answer, std::size_t channels)
    {
        const no_signals here;  // an interrupt in what Python modules do around a fork would be lost
        if (PyErr_CheckSignals() != 0) throw nb::python_error();  // what came before
        descriptors theirs;  // no other fork of Python has them: the interpreter's lock is held
        int ends[2] = {-1, -1};
        if (::pipe(ends) != 0) no_more("pipe");
        take(ends, theirs);
        for (std::size_t k = 0; k < channels; ++k) {
            if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) no_more("socket");
            take(ends, theirs);
        }
        PyOS_BeforeFork();
        pid_ = ::fork();
        const int why = errno;
        if (pid_ == 0) {
            PyOS_AfterFork_Child();
            ::setsid();
#ifdef __linux__
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
            ours_.close();
            if (::getppid() != owner_) ::_exit(1);
            here.end();
            call_and_leave(answer, theirs.all);
        }
        theirs.close();
        PyOS_AfterFork_Parent();
        if (pid_ < 0) throw tunekit::error(std::string("isolated: cannot fork: ") + std::strerror(why));
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() { end(); }

    /// The end of the pipe that is read.
    [[nodiscard]] int pipe() const { return ours_.all.front(); }
    /// The ends of the channels.
    [[nodiscard]] std::vector<int> channels() const { return {ours_.all.begin() + 1, ours_.all.end()}; }

    /// Whether it has ended.
    [[nodiscard]] bool ended() const
    {
        if (pid_ <= 0) return true;
        siginfo_t info{};
        const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
        return looked != 0 ? errno != EINTR : info.si_pid != 0;
    }

    /// Ends the channels. One that has some may end by itself, within 5 seconds: it has children of its own to end.
    void hang_up() const
    {
        if (owner_ != ::getpid() || ours_.all.size() == 1) return;
        const nb::gil_scoped_release free;
        for (const int channel : channels()) ::shutdown(channel, SHUT_RDWR);
        for (int k = 0; k < 5000 && !ended(); ++k) ::usleep(1000);
    }

    /// Hangs up, kills it with all of its group, and waits for its end. Returns its status as waitpid gives it.
    int end()
    {
        if (pid_ <= 0 || owner_ != ::getpid()) return status_;  // not in a copy of the object, of a later fork
        hang_up();
        const nb::gil_scoped_release free;
        ::kill(pid_, SIGKILL);
        ::kill(-pid_, SIGKILL);  // until it is waited for, the number is its own
        while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status_;
    }

private:
    [[noreturn, gnu::cold]] static void no_more(const char* what)
    {
        throw tunekit::error(std::string("isolated: has no ") + what + ": " + std::strerror(errno));
    }
    void take(const int (&ends)[2], descriptors& theirs)
    {
        for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ours_.all.push_back(ends[0]);
        theirs.all.push_back(ends[1]);
    }
    [[noreturn]] static void call_and_leave(const nb::callable& answer, const std::vector<int>& theirs) noexcept
    {
        try {
            answer(theirs.front(), std::vector<int>(theirs.begin() + 1, theirs.end()));
            ::_exit(0);
        } catch (...) {
            ::_exit(1);
        }
    }

    pid_t owner_ = ::getpid();
    pid_t pid_ = -1;
    descriptors ours_{};
    int status_ = 0;
};

}  // namespace

void bind_child(nb::module_& m)
{
    nb::class_<child>(m, "Child")
        .def(nb::init<const nb::callable&, std::size_t>())
        .def("pipe", &child::pipe)
        .def("channels", &child::channels)
        .def("ended", &child::ended)
        .def("hang_up", &child::hang_up)
        .def("end", &child::end);
}

}  // namespace python
