// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cstdio>

namespace tunekit::measure::detail {

const char* remedy_of(int why) noexcept
{
    return why == EMFILE || why == ENFILE   ? "; want more descriptors (ulimit -n)"
           : why == EAGAIN                  ? "; want room for more processes (ulimit -u)"
           : why == ENOMEM                  ? "; want more memory"
           : why == ENOSPC || why == EDQUOT ? "; want room there, or TMPDIR and the folder of builds elsewhere"
                                            : "";
}

bool wrote_file(const std::string& name, std::string_view text, mode_t mode) noexcept
{
    const auto opened = [&] {
        constexpr int waits_for_nobody = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
        return descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | waits_for_nobody, mode));
    };
    descriptor file = opened();
    if (!file && errno == ELOOP && ::unlink(name.c_str()) == 0) file = opened();  // a link gives way
    if (!file) return false;
    while (!text.empty()) {
        const ssize_t put = ::write(file.get(), text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

std::size_t receive_packet(int from, void* bytes, std::size_t room) noexcept
{
    for (;;) {
        std::size_t size = 0;
        switch (receive_now(from, bytes, room, size, nullptr, true)) {
            case received::packet:
                return size;
            case received::end:
                return 0;
            case received::nothing_yet:
                break;
        }
        pollfd event{from, POLLIN, 0};
        if (::poll(&event, 1, -1) < 0 && errno != EINTR) return 0;
    }
}

void poll_set::wait(double now)
{
    const double left = 1e3 * (until - now);
    const int milliseconds = left > 1e9 ? 1000000000 : left > 0 ? static_cast<int>(left) + 1 : 0;
    ::poll(events.data(), static_cast<nfds_t>(events.size()), milliseconds);
}

bool close_all_but(int keep) noexcept
{
    if (::dup2(keep, 3) < 0 || !close_from_4()) return false;
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0) return false;
    for (const int fd : {0, 1, 2})
        if (::dup2(null, fd) < 0) return false;
    if (null > 3) ::close(null);
    return true;
}

void plain_signal(int signal) noexcept
{
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, nullptr);
}

void unblock_signals() noexcept
{
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void reset_signals() noexcept
{
    for (int s = 1; s < NSIG; ++s) plain_signal(s);
    unblock_signals();
}

void die_with(pid_t parent, int signal) noexcept
{
    system::detail::end_with_parent(signal);
    if (::getppid() != parent) end_process(0);
}

void limit_memory(std::size_t more) noexcept
{
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const std::size_t now = memory_of(0, 0);  // in a PID namespace, the number of getpid() is another process in /proc
    if (more == 0 || now == 0) return;
    const rlimit space{now + more, now + more};
    ::setrlimit(RLIMIT_AS, &space);
}

std::string short_number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

std::string signal_text(int signal)
{
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV, touched memory that it may not";
        case SIGBUS:
            return "SIGBUS, touched memory that is not there";
        case SIGFPE:
            return "SIGFPE, arithmetic without a result";
        case SIGILL:
            return "SIGILL, an instruction that this machine does not have";
        case SIGABRT:
            return "SIGABRT, abort or an exception that nobody caught";
        case SIGKILL:
            return "SIGKILL, from outside";
        case SIGTRAP:
            return "SIGTRAP, a trap";
        case SIGXCPU:
            return "SIGXCPU, too much processor time";
        default:
            return "signal " + std::to_string(signal);
    }
}

}  // namespace tunekit::measure::detail
