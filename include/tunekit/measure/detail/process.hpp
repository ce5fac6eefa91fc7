// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The POSIX calls that isolation uses, with their errors handled in one place.

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::measure::detail {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Ends this process at once. `_exit` does the same, but a sanitizer adds work to it, such as writing what the parent had in
/// its buffers at the fork.
[[noreturn]] inline void end_process(int status) noexcept
{
    for (;;) ::syscall(SYS_exit_group, status);
}

/// Owns a file descriptor.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int fd) noexcept : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { reset(); }

    void reset() noexcept
    {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }
    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// Writes a file with the content `text`. False, with errno, where it cannot be written whole.
inline bool wrote_file(const std::string& name, std::string_view text, mode_t mode) noexcept
{
    const descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file) return false;
    while (!text.empty()) {
        const ssize_t put = ::write(file.get(), text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

/// The two ends of a conversation in packets; both empty, with errno, where the system gives none.
inline std::pair<descriptor, descriptor> socket_pair() noexcept
{
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {};
    return {descriptor(ends[0]), descriptor(ends[1])};
}

/// Sends one packet, with a descriptor where `passed` is one. False where the other end is closed.
inline bool send_packet(int to, const void* bytes, std::size_t size, int passed = -1) noexcept
{
    iovec part{const_cast<void*>(bytes), size};  // sendmsg does not write there
    alignas(cmsghdr) unsigned char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (passed >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
        cmsghdr* const head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(head), &passed, sizeof(int));
    }
    for (;;) {
        const ssize_t sent = ::sendmsg(to, &message, MSG_NOSIGNAL);
        if (sent >= 0) return static_cast<std::size_t>(sent) == size;
        if (errno != EINTR) return false;
    }
}

/// The result of an attempt to receive a packet.
enum class received : std::uint8_t { packet, nothing_yet, end };

/// Receives one packet of at most `room` bytes and sets `size` to its length. It does not wait, unless `wait` is set and the
/// socket is one that waits. `end`: the conversation is over, or broken.
inline received receive_now(int from, void* bytes, std::size_t room, std::size_t& size, descriptor* passed = nullptr,
                            bool wait = false) noexcept
{
    iovec part{bytes, room};
    alignas(cmsghdr) unsigned char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (passed != nullptr) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
    }
    ssize_t got = -1;
    do got = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? received::nothing_yet : received::end;
    if (got == 0) return received::end;
    if (passed != nullptr) {
        const cmsghdr* const head = CMSG_FIRSTHDR(&message);
        if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head), sizeof(int));
            *passed = descriptor(fd);
        }
    }
    size = static_cast<std::size_t>(got);
    return received::packet;
}

/// Waits for one packet. Returns its length; 0 at the end of the conversation.
inline std::size_t receive_packet(int from, void* bytes, std::size_t room) noexcept
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

/// What several conversations wait for: descriptors with something to read, and a moment.
struct poll_set {
    std::vector<pollfd> events{};
    double until = std::numeric_limits<double>::infinity();

    void add(int fd) { events.push_back({fd, POLLIN, 0}); }
    void by(double moment) { until = (std::min)(until, moment); }

    /// Waits for the first of them. `now` is the time on the clock of the moments.
    void wait(double now)
    {
        const double left = 1e3 * (until - now);
        const int milliseconds = left > 1e9 ? 1000000000 : left > 0 ? static_cast<int>(left) + 1 : 0;
        ::poll(events.data(), events.size(), milliseconds);
    }
};

/// Calls `f(number, descriptor of the directory)` for each entry of a directory of numbers, such as /proc/self/task. False
/// where it cannot be read.
template <class F>
bool each_number_in(const char* directory, F&& f)
{
    DIR* const dir = ::opendir(directory);
    if (dir == nullptr) return false;
    while (const dirent* const entry = ::readdir(dir)) {
        char* end = nullptr;
        const long number = std::strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '\0') f(static_cast<int>(number), ::dirfd(dir));
    }
    ::closedir(dir);
    return true;
}

/// The number of threads of this process; 0 where it is not known.
inline int thread_count()
{
    int n = 0;
    return each_number_in("/proc/self/task", [&n](int, int) { ++n; }) ? n : 0;
}

/// Closes every descriptor from 4 on. True on success.
inline bool close_from_4() noexcept
{
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, 4U, ~0U, 0U) == 0) return true;
#endif
    bool found = true;
    while (found) {  // closing while reading may skip entries, so it repeats until a pass finds none
        found = false;
        if (!each_number_in("/proc/self/fd", [&found](int fd, int own) {
                if (fd > 3 && fd != own) found = ::close(fd) == 0 || found;
            }))
            return false;
    }
    return true;
}

/// Makes `keep` descriptor 3, makes 0 to 2 the null device, and closes every other one. True on success. Else errno says
/// why, and descriptor 3 is `keep` all the same where that was possible. It needs five descriptors.
inline bool close_all_but(int keep) noexcept
{
    if (::dup2(keep, 3) < 0 || !close_from_4()) return false;
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0) return false;
    for (const int fd : {0, 1, 2})
        if (::dup2(null, fd) < 0) return false;
    if (null > 3) ::close(null);
    return true;
}

/// Makes `signal` do what it does in a new process.
inline void plain_signal(int signal) noexcept
{
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, nullptr);
}

inline void unblock_signals() noexcept
{
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Makes every signal do what it does in a new process, and blocks none.
inline void reset_signals() noexcept
{
    for (int s = 1; s < NSIG; ++s) plain_signal(s);
    unblock_signals();
}

/// Asks the system to send `signal` to this process when the thread that forked it ends. Where `parent` has already ended,
/// this process ends at once.
inline void die_with(pid_t parent, int signal = SIGKILL) noexcept
{
    ::prctl(PR_SET_PDEATHSIG, signal);
    if (::getppid() != parent) end_process(0);
}

/// The processors that this thread may use, ascending; empty where the system does not say.
inline std::vector<int> allowed_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> out;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) out.push_back(static_cast<int>(core));
    return out;
}

/// Restricts this thread, and what it starts from now on, to `cores`. True on success. It does nothing where `cores` is
/// empty.
inline bool use_cores(std::span<const int> cores) noexcept
{
    if (cores.empty()) return true;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : cores)
        if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

/// Field `at` of /proc/<pid>/statm in bytes: field 0 is the address space, field 1 the resident memory. A `pid` of 0 is this
/// process. 0 where it cannot be read.
inline std::size_t memory_of(pid_t pid, int at) noexcept
{
    char name[40];
    std::snprintf(name, sizeof name, "/proc/%d/statm", static_cast<int>(pid));
    const descriptor file(::open(pid == 0 ? "/proc/self/statm" : name, O_RDONLY | O_CLOEXEC));
    char text[128] = {};
    if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return 0;
    unsigned long pages[2] = {0, 0};
    if (std::sscanf(text, "%lu %lu", &pages[0], &pages[1]) != 2) return 0;
    return static_cast<std::size_t>(pages[at]) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Forbids core files, and limits the address space to `more` bytes beyond what is mapped now (0: no limit).
inline void limit_memory(std::size_t more) noexcept
{
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const std::size_t now = memory_of(0, 0);  // in a PID namespace, the number of getpid() is another process in /proc
    if (more == 0 || now == 0) return;
    const rlimit space{now + more, now + more};
    ::setrlimit(RLIMIT_AS, &space);
}

/// A signal's name and meaning, such as "SIGSEGV, touched memory that it may not".
inline std::string signal_text(int signal)
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
