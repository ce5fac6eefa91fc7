// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/system/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_LINUX
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#else
#include <crt_externs.h>
#include <libproc.h>
#include <sys/event.h>
#include <sys/ioctl.h>
#include <atomic>
#endif

namespace tunekit::system::detail {

[[noreturn]] void end_process(int status) noexcept
{
#if TUNEKIT_ON_LINUX
    for (;;) ::syscall(SYS_exit_group, status);
#else
    ::_exit(status);
#endif
}

void descriptor::reset() noexcept
{
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

std::pair<descriptor, descriptor> make_pipe() noexcept
{
    int ends[2] = {-1, -1};
#if TUNEKIT_ON_LINUX
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
#else
    if (::pipe(ends) != 0) return {};
    for (const int fd : ends) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    return {descriptor(ends[0]), descriptor(ends[1])};
}

std::pair<descriptor, descriptor> socket_pair() noexcept
{
    int ends[2] = {-1, -1};
#if TUNEKIT_ON_LINUX
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {};
#else
    // There are no packets between processes, so each is preceded by its length; the buffers hold the longest.
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return {};
    for (const int fd : ends) {
        const int yes = 1, room = 1 << 18;
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
        ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    }
#endif
    return {descriptor(ends[0]), descriptor(ends[1])};
}

bool send_packet(int to, const void* bytes, std::size_t size, int passed) noexcept
{
    iovec parts[2] = {{nullptr, 0}, {const_cast<void*>(bytes), size}};  // sendmsg does not write there
    alignas(cmsghdr) unsigned char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
#if TUNEKIT_ON_LINUX
    constexpr int quietly = MSG_NOSIGNAL;
    message.msg_iov = parts + 1;
    message.msg_iovlen = 1;
#else
    constexpr int quietly = 0;  // see SO_NOSIGPIPE
    std::uint32_t length = static_cast<std::uint32_t>(size);
    parts[0] = {&length, sizeof length};
    size += sizeof length;
    message.msg_iov = parts;
    message.msg_iovlen = 2;
#endif
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
        const ssize_t sent = ::sendmsg(to, &message, quietly);
        if (sent < 0 && errno == EINTR) continue;
#if TUNEKIT_ON_LINUX
        return sent >= 0 && static_cast<std::size_t>(sent) == size;
#else
        if (sent < 0) return false;
        size -= static_cast<std::size_t>(sent);
        if (size == 0) return true;
        // The rest of a long one, or after a signal; the descriptor has gone with the first bytes.
        message.msg_control = nullptr;
        message.msg_controllen = 0;
        auto left = static_cast<std::size_t>(sent);
        for (iovec& part : parts) {
            const std::size_t gone = left < part.iov_len ? left : part.iov_len;
            part.iov_base = static_cast<char*>(part.iov_base) + gone;
            part.iov_len -= gone;
            left -= gone;
        }
#endif
    }
}

received receive_now(int from, void* bytes, std::size_t room, std::size_t& size, descriptor* passed, bool wait) noexcept
{
    iovec parts[2] = {{nullptr, 0}, {bytes, room}};
    alignas(cmsghdr) unsigned char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
#if TUNEKIT_ON_LINUX
    const int flags = MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT);
    message.msg_iov = parts + 1;
    message.msg_iovlen = 1;
#else
    // Only a packet that is there as a whole is taken. Its sender never waits for long: the buffers hold the longest.
    std::uint32_t length = 0;
    for (;;) {
        const ssize_t seen = ::recv(from, &length, sizeof length, MSG_PEEK | (wait ? MSG_WAITALL : MSG_DONTWAIT));
        if (seen < 0 && errno == EINTR) continue;
        if (seen < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? received::nothing_yet : received::end;
        if (seen == 0 || (seen == sizeof length && length > room)) return received::end;
        pollfd state{from, POLLIN, 0};
        ::poll(&state, 1, 0);  // before the look at what is there: behind an end comes no more
        int there = 0;
        if (::ioctl(from, FIONREAD, &there) != 0) return received::end;
        if (seen == sizeof length && static_cast<std::size_t>(there) >= sizeof length + length) break;
        if ((state.revents & (POLLHUP | POLLERR)) != 0) return received::end;  // it ended within a packet
        if (!wait) return received::nothing_yet;
        ::usleep(100);
    }
    const int flags = 0;
    parts[0] = {&length, sizeof length};
    parts[1].iov_len = length;
    message.msg_iov = parts;
    message.msg_iovlen = 2;
#endif
    if (passed != nullptr) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
    }
    ssize_t got = -1;
    do got = ::recvmsg(from, &message, flags);
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? received::nothing_yet : received::end;
    if (got == 0) return received::end;
    if (passed != nullptr) {
        const cmsghdr* const head = CMSG_FIRSTHDR(&message);
        if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head), sizeof(int));
            *passed = descriptor(fd);
#if !TUNEKIT_ON_LINUX
            ::fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
        }
    }
    size = static_cast<std::size_t>(got);
#if !TUNEKIT_ON_LINUX
    size -= sizeof length;
#endif
    return received::packet;
}

#if !TUNEKIT_ON_LINUX
/// What the system keeps of a process; all 0 where it does not say.
static proc_taskinfo task_of(pid_t pid) noexcept
{
    proc_taskinfo out{};
    if (::proc_pidinfo(pid, PROC_PIDTASKINFO, 0, &out, sizeof out) != static_cast<int>(sizeof out)) out = {};
    return out;
}
#endif

bool each_number_in(const char* directory, void* self, void (*f)(void* self, int number, int directory))
{
    DIR* const dir = ::opendir(directory);
    if (dir == nullptr) return false;
    while (const dirent* const entry = ::readdir(dir)) {
        char* end = nullptr;
        const long number = std::strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '\0') f(self, static_cast<int>(number), ::dirfd(dir));
    }
    ::closedir(dir);
    return true;
}

int thread_count()
{
#if TUNEKIT_ON_LINUX
    int n = 0;
    return each_number_in("/proc/self/task", [&n](int, int) { ++n; }) ? n : 0;
#else
    return task_of(::getpid()).pti_threadnum;
#endif
}

bool close_from_4() noexcept
{
#if TUNEKIT_ON_LINUX && defined(SYS_close_range)
    if (::syscall(SYS_close_range, 4U, ~0U, 0U) == 0) return true;
#endif
    bool found = true;
    while (found) {  // closing while reading may skip entries, so it repeats until a pass finds none
        found = false;
        if (!each_number_in(TUNEKIT_ON_LINUX ? "/proc/self/fd" : "/dev/fd", [&found](int fd, int own) {
                if (fd > 3 && fd != own) found = ::close(fd) == 0 || found;
            }))
            return false;
    }
    return true;
}

void end_with_parent(int signal) noexcept
{
#if TUNEKIT_ON_LINUX
    ::prctl(PR_SET_PDEATHSIG, signal);
#else
    (void)signal;
#endif
}

void adopt_descent() noexcept
{
#if TUNEKIT_ON_LINUX
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

#if TUNEKIT_ON_LINUX
const int all_children = __WALL;
#else
const int all_children = 0;
#endif

bool each_listed_child([[maybe_unused]] pid_t parent, [[maybe_unused]] void* self,
                       [[maybe_unused]] void (*f)(void* self, pid_t child))
{
#if TUNEKIT_ON_LINUX
    return false;  // it is in /proc
#else
    pid_t pids[1024];
    const int bytes = ::proc_listpids(PROC_PPID_ONLY, static_cast<std::uint32_t>(parent), pids, sizeof pids);
    for (int k = 0; k < bytes / static_cast<int>(sizeof(pid_t)); ++k)
        if (pids[k] > 0) f(self, pids[k]);
    return true;
#endif
}

pid_t fork_into(unsigned long kinds) noexcept
{
    if (kinds == 0) return ::fork();
#if TUNEKIT_ON_LINUX
    return static_cast<pid_t>(::syscall(SYS_clone, kinds | SIGCHLD, 0UL, 0UL, 0UL, 0UL));
#else
    errno = ENOSYS;
    return -1;
#endif
}

void go_on_untraced(pid_t child, int signal) noexcept
{
#if TUNEKIT_ON_LINUX
    ::ptrace(PTRACE_DETACH, child, nullptr, signal);
#else
    ::kill(child, signal);
    ::kill(child, SIGCONT);
#endif
}

placement::placement() noexcept
{
#if TUNEKIT_ON_LINUX
    scheduler_ = ::sched_getscheduler(0);
    CPU_ZERO(&cores_);
    known_ = ::sched_getaffinity(0, sizeof cores_, &cores_) == 0;
#endif
}

bool placement::differs(const placement& now) const noexcept
{
#if TUNEKIT_ON_LINUX
    return scheduler_ != now.scheduler_ || (known_ && now.known_ && !CPU_EQUAL(&now.cores_, &cores_));
#else
    (void)now;
    return false;
#endif
}

std::vector<int> allowed_cores()
{
    std::vector<int> out;
#if TUNEKIT_ON_LINUX
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) out.push_back(static_cast<int>(core));
#else
    for (int core = 0; core < ::sysconf(_SC_NPROCESSORS_ONLN); ++core) out.push_back(core);
#endif
    return out;
}

bool use_cores(std::span<const int> cores) noexcept
{
    if (cores.empty()) return true;
#if TUNEKIT_ON_LINUX
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int core : cores)
        if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
#else
    return true;
#endif
}

std::size_t memory_of(pid_t pid, int at) noexcept
{
#if TUNEKIT_ON_LINUX
    char name[40];
    std::snprintf(name, sizeof name, "/proc/%d/statm", static_cast<int>(pid));
    const descriptor file(::open(pid == 0 ? "/proc/self/statm" : name, O_RDONLY | O_CLOEXEC));
    char text[128] = {};
    if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return 0;
    unsigned long pages[2] = {0, 0};
    if (std::sscanf(text, "%lu %lu", &pages[0], &pages[1]) != 2) return 0;
    return static_cast<std::size_t>(pages[at]) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
#else
    const proc_taskinfo info = task_of(pid == 0 ? ::getpid() : pid);
    return static_cast<std::size_t>(at == 0 ? info.pti_virtual_size : info.pti_resident_size);
#endif
}

signal_news signal_news::listening() noexcept
{
    signal_news out;
#if TUNEKIT_ON_LINUX
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGCONT);
    out.from_ = descriptor(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
#else
    out.from_ = descriptor(::kqueue());
    struct kevent of[3];
    EV_SET(&of[0], SIGCHLD, EVFILT_SIGNAL, EV_ADD, 0, 0, nullptr);
    EV_SET(&of[1], SIGTERM, EVFILT_SIGNAL, EV_ADD, 0, 0, nullptr);
    EV_SET(&of[2], static_cast<uintptr_t>(::getppid()), EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, nullptr);
    for (const struct kevent& one : of) ::kevent(out.from_.get(), &one, 1, nullptr, 0, nullptr);
#endif
    return out;
}

bool signal_news::take() noexcept
{
    bool end = false;
#if TUNEKIT_ON_LINUX
    signalfd_siginfo one;
    while (::read(from_.get(), &one, sizeof one) == sizeof one) end = end || one.ssi_signo == SIGTERM;
#else
    const timespec at_once{};
    struct kevent one;
    while (::kevent(from_.get(), nullptr, 0, &one, 1, &at_once) == 1)
        end = end || one.filter == EVFILT_PROC || one.ident == SIGTERM;
#endif
    return end;
}

awaited_signals::awaited_signals() noexcept
{
#if TUNEKIT_ON_LINUX
    sigemptyset(&heard_);
    sigaddset(&heard_, SIGCHLD);
    sigaddset(&heard_, SIGTERM);
    sigaddset(&heard_, SIGCONT);
#endif
}

bool awaited_signals::await() noexcept
{
#if TUNEKIT_ON_LINUX
    return ::sigwaitinfo(&heard_, nullptr) == SIGTERM;
#else
    pollfd event{news_.fd(), POLLIN, 0};
    ::poll(&event, 1, 1000);
    return news_.take();
#endif
}

void forget_unwritten(std::FILE* stream) noexcept
{
#if TUNEKIT_ON_LINUX
    ::__fpurge(stream);
#else
    ::fpurge(stream);
#endif
}

char** environment() noexcept
{
#if TUNEKIT_ON_LINUX
    return environ;
#else
    return *::_NSGetEnviron();  // libraries have no `environ`
#endif
}

void leave_heap_out_of_forks() noexcept
{
#if TUNEKIT_ON_LINUX
    constexpr std::uintptr_t worth_it = std::uintptr_t{1}
                                        << 18;  // smaller ones are those of libraries, which a child needs
    std::FILE* const maps = core::detail::sanitized ? nullptr : std::fopen("/proc/self/maps", "re");
    const auto stack = reinterpret_cast<std::uintptr_t>(&maps), own = reinterpret_cast<std::uintptr_t>(&errno);
    char line[4352], kind[5];
    std::uintptr_t from = 0, to = 0;
    unsigned long file = 0;
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
        if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu", &from, &to, kind, &file) != 4) continue;
        const auto holds = [&](std::uintptr_t at) { return from <= at && at < to; };
        if (file == 0 && std::strcmp(kind, "rw-p") == 0 && to - from >= worth_it && !holds(stack) && !holds(own))
            ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTFORK);
    }
    if (maps != nullptr) std::fclose(maps);
#endif
}

pid_t fork_alone([[maybe_unused]] bool together) noexcept
{
#if TUNEKIT_ON_LINUX
    const unsigned long shared = together ? CLONE_FILES | CLONE_FS : 0;
    if (!core::detail::sanitized) return static_cast<pid_t>(::syscall(SYS_clone, shared | SIGCHLD, 0UL, 0UL, 0UL, 0UL));
#endif
    return ::fork();
}

pid_t start_sibling([[maybe_unused]] int (*f)(void*), [[maybe_unused]] void* of,
                    [[maybe_unused]] std::span<char> stack) noexcept
{
#if TUNEKIT_ON_LINUX
    return ::clone(f, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | CLONE_PARENT | SIGCHLD, of);
#else
    errno = ENOSYS;
    return -1;
#endif
}

void become(const char* name, char* const* arguments, char** with) noexcept
{
#if TUNEKIT_ON_LINUX
    ::execvpe(name, arguments, with);
#else
    *::_NSGetEnviron() = with;
    ::execvp(name, arguments);
#endif
}

void say_what_is_not_held() noexcept
{
#if !TUNEKIT_ON_LINUX
    static std::atomic_flag said;
    if (!said.test_and_set())
        std::fputs(
            "tunekit: on this system processes that a candidate detaches from itself outlive the run, and workers "
            "have no cores of their own\n",
            stderr);
#endif
}

}  // namespace tunekit::system::detail
