// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"

namespace programs {

/// What a child process left behind.
struct child_answer {
    int status = 0;    ///< as waitpid gives it
    std::string text;  ///< what it wrote to its standard output and error
};

/// `work()`, which gives an exit status, in a child process that may crash: the parent goes on, and needs no library that `work` opens.
/// Throws tunekit::error, naming `what`, where no process can be forked, and where it has not ended after `seconds`; then it is killed.
template <class Work>
[[nodiscard]] child_answer in_child(const std::string& what, double seconds, Work&& work)
{
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) throw tunekit::error(what + ": no pipe: " + std::strerror(errno));
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setpgid(0, 0);
        ::dup2(ends[1], 1);
        ::dup2(ends[1], 2);
        int status = 126;
        try {
            status = work();
        } catch (const std::exception& e) {
            ::dprintf(2, "error: %s\n", e.what());
        } catch (...) {
            ::dprintf(2, "error: something that is no std::exception was thrown\n");
        }
        ::_exit(status);
    }
    const int failed = errno;
    ::close(ends[1]);
    child_answer out;
    if (pid > 0) {
        ::setpgid(pid, pid);  // whoever is first
        ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
        const tunekit::measure::wall_clock now;
        const double until = now() + seconds;
        for (bool ended = false; !ended;) {
            pollfd heard{.fd = ends[0], .events = POLLIN, .revents = 0};
            ::poll(&heard, 1, 1);
            ended = ::waitpid(pid, &out.status, WNOHANG) == pid;  // before reading, so that its last words are heard
            char some[4096];
            for (ssize_t got = 0; (got = ::read(ends[0], some, sizeof some)) > 0;)
                out.text.append(some, static_cast<std::size_t>(got));
            if (!ended && now() > until) {
                ::kill(-pid, SIGKILL);
                ::waitpid(pid, &out.status, 0);
                ::close(ends[0]);
                throw tunekit::error(what + ": the child has not ended in time");
            }
        }
    }
    ::close(ends[0]);
    if (pid < 0) throw tunekit::error(what + ": no child process: " + std::strerror(failed));
    return out;
}

}  // namespace programs
