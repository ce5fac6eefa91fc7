// SPDX-License-Identifier: MIT
#pragma once

// A thread that saves: after a while, when it is told to, and when the process is asked to end by SIGTERM.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

namespace kokkos_tuner {

/// The handler writes one byte into a pipe, and nothing else: it is safe whatever it interrupts. The thread then saves and
/// ends the process by the same signal, whose effect is the usual one again. A program with a handler of its own for SIGTERM
/// keeps it. In children that were forked the signal has its usual effect.
class saver {
public:
    /// Begins to call `save` every `seconds`.
    saver(double seconds, std::function<void()> save) : save_(std::move(save))
    {
        if (::pipe(pipe_) != 0) return;
        for (const int end : pipe_) ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(pipe_[1], F_SETFL, O_NONBLOCK);  // a save that hangs holds nobody up who asks for another one
        struct sigaction before{};
        if (::sigaction(SIGTERM, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
            owner() = ::getpid();
            wakes() = pipe_[1];
            struct sigaction ours{};
            ours.sa_handler = heard;
            ours.sa_flags = SA_RESTART;
            handles_ = ::sigaction(SIGTERM, &ours, nullptr) == 0;
        }
        const int wait = static_cast<int>(std::clamp(std::ceil(1000 * seconds), 1.0, 1e9));
        thread_ = std::thread([this, wait] { run(wait); });
    }
    saver(const saver&) = delete;
    saver& operator=(const saver&) = delete;
    ~saver()
    {
        if (!thread_.joinable()) return;
        if (handles_) ::signal(SIGTERM, SIG_DFL);
        quits_ = true;
        wake('q');
        thread_.join();
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }

    /// Whether this process began it; a child that was forked did not, and has no such thread.
    [[nodiscard]] bool here() const noexcept { return ::getpid() == began_; }

    /// Saves soon.
    void soon() const noexcept { wake('s'); }

private:
    static std::atomic<pid_t>& owner()
    {
        static std::atomic<pid_t> is{0};
        return is;
    }
    static std::atomic<int>& wakes()
    {
        static std::atomic<int> is{-1};
        return is;
    }

    static void heard(int)
    {
        const char t = 't';
        const int before = errno;  // of what was interrupted
        if (::getpid() == owner() && ::write(wakes(), &t, 1) == 1) {
            errno = before;
            return;
        }
        ::signal(SIGTERM, SIG_DFL);
        ::raise(SIGTERM);
    }

    void wake(char why) const noexcept
    {
        if (::write(pipe_[1], &why, 1) != 1) return;  // it is awake often enough
    }

    void run(int wait)
    {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are the application's
        for (;;) {
            pollfd from{.fd = pipe_[0], .events = POLLIN, .revents = 0};
            char why = 's';
            if (::poll(&from, 1, wait) > 0 && ::read(pipe_[0], &why, 1) != 1) continue;
            if (why == 'q' || quits_) return;
            save_();
            if (why != 't') continue;
            ::signal(SIGTERM, SIG_DFL);
            ::kill(::getpid(), SIGTERM);
            return;
        }
    }

    std::function<void()> save_;
    int pipe_[2] = {-1, -1};
    bool handles_ = false;
    std::atomic<bool> quits_{false};
    pid_t began_ = ::getpid();
    std::thread thread_;
};

}  // namespace kokkos_tuner
