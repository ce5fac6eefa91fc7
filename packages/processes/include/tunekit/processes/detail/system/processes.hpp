// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What systems that fork do differently about processes: what a process is told, how it talks, where it runs, and who
/// looks after whom. Linux has all of it. macOS has no new parent for orphans, no end with the parent, no limit of the
/// address space, no processors of one's own and no namespaces; what stands here for them says so.

#include "tunekit/processes/detail/needs_forks.hpp"  // first

#include <sched.h>
#include <sys/select.h>  // sigset_t
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tunekit::system::detail {

/// Ends this process at once. `_exit` does the same, but a sanitizer adds work to it, such as writing what the parent
/// had in its buffers at the fork.
[[noreturn]] void end_process(int status) noexcept;

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

    void reset() noexcept;
    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// The read end and the write end of a pipe, closed by exec; both empty, with errno, where the system gives none.
[[nodiscard]] std::pair<descriptor, descriptor> make_pipe() noexcept;

/// The two ends of a conversation in packets; both empty, with errno, where the system gives none.
std::pair<descriptor, descriptor> socket_pair() noexcept;

/// Sends one packet, with a descriptor where `passed` is one. False where the other end is closed.
bool send_packet(int to, const void* bytes, std::size_t size, int passed = -1) noexcept;

/// The result of an attempt to receive a packet.
enum class received : std::uint8_t { packet, nothing_yet, end };

/// Receives one packet of at most `room` bytes and sets `size` to its length. It does not wait, unless `wait` is set
/// and the socket is one that waits. `end`: the conversation is over, or broken.
received receive_now(int from, void* bytes, std::size_t room, std::size_t& size, descriptor* passed = nullptr,
                     bool wait = false) noexcept;

/// Calls `f(self, number, descriptor of the directory)` for each entry of a directory of numbers, such as
/// /proc/self/task. False where it cannot be read.
bool each_number_in(const char* directory, void* self, void (*f)(void* self, int number, int directory));

/// The same with `f(number, descriptor of the directory)`.
template <class F>
bool each_number_in(const char* directory, F&& f)
{
    return each_number_in(
        directory, const_cast<void*>(static_cast<const void*>(&f)),
        [](void* self, int number, int of) { (*static_cast<std::remove_reference_t<F>*>(self))(number, of); });
}

/// The number of threads of this process; 0 where it is not known.
[[nodiscard]] int thread_count();

/// Closes every descriptor from 4 on. True on success.
[[nodiscard]] bool close_from_4() noexcept;

/// Asks the system to send `signal` to this process when the thread that forked it ends. macOS has no such thing: there
/// the end of a conversation, or `signal_news`, tells of the parent's end.
void end_with_parent(int signal) noexcept;

/// Makes this process the new parent of descendants that lose theirs. On macOS they get the system's first process, and
/// are not found any more.
void adopt_descent() noexcept;

/// What waits for children of every kind: a flag of waitpid.
extern const int all_children;

/// Calls f(self, pid) for each child of `parent`, where the system has a call for that; false where it has none.
bool each_listed_child(pid_t parent, void* self, void (*f)(void* self, pid_t child));

/// Forks into namespaces of CLONE_NEW... `kinds`, as fork does for 0. ENOSYS where the system has none.
[[nodiscard]] pid_t fork_into(unsigned long kinds) noexcept;

/// Lets a child go on that asked to be traced, with the signal at which it stopped.
void go_on_untraced(pid_t child, int signal) noexcept;

/// Where a process runs and in which class, to compare. macOS places threads itself.
class placement {
public:
    placement() noexcept;
    /// Whether `now` is another class, or other processors.
    [[nodiscard]] bool differs(const placement& now) const noexcept;

private:
#if TUNEKIT_ON_LINUX
    int scheduler_ = 0;
    cpu_set_t cores_;
    bool known_ = false;
#endif
};

/// The processors that this thread may use, ascending; empty where the system does not say.
[[nodiscard]] std::vector<int> allowed_cores();

/// Restricts this thread, and what it starts from now on, to `cores`. True on success. It does nothing where `cores` is
/// empty, and on macOS.
bool use_cores(std::span<const int> cores) noexcept;

/// The bytes of a process: `at` 0 is the address space, 1 the resident memory. A `pid` of 0 is this process. 0 where it
/// is not known.
[[nodiscard]] std::size_t memory_of(pid_t pid, int at) noexcept;

/// SIGCHLD, SIGTERM and SIGCONT, which ends a stop and tells of the parent's end (macOS tells of that itself), as
/// something to poll. Precondition: they are blocked.
class signal_news {
public:
    signal_news() = default;
    /// Listens from now on. `fd()` is -1, with errno, where the system does not let it.
    [[nodiscard]] static signal_news listening() noexcept;

    [[nodiscard]] int fd() const noexcept { return from_.get(); }

    /// Takes all that came. True where this process is to end.
    bool take() noexcept;

private:
    descriptor from_;
};

/// The same for a process that waits for nothing else, and has no descriptor for it on Linux.
class awaited_signals {
public:
    awaited_signals() noexcept;
    /// Waits for one of them; on macOS for a second at most, so that nothing is missed that came before. True where
    /// this process is to end.
    bool await() noexcept;

private:
#if TUNEKIT_ON_LINUX
    sigset_t heard_;
#else
    signal_news news_ = signal_news::listening();
#endif
};

/// Forgets what a stream has not written yet.
void forget_unwritten(std::FILE* stream) noexcept;

/// The environment of this process.
[[nodiscard]] char** environment() noexcept;

/// Leaves the heap of this process out of those that it forks, so that they are small and quickly made. They have its
/// stack and what is mapped as shared, and must allocate nothing before they become another program. It does nothing on
/// macOS.
void leave_heap_out_of_forks() noexcept;

/// Forks, without what libraries do at a fork: that may want the heap. `together`: both have one table of descriptors
/// and one working directory, where the system can.
[[nodiscard]] pid_t fork_alone(bool together = false) noexcept;

/// Whether there is `start_sibling`; a sanitizer does not take to it.
inline constexpr bool starts_siblings = TUNEKIT_ON_LINUX != 0 && !core::detail::sanitized;

/// Starts a child of this process's parent that runs `f(of)` on `stack` in this process's memory, which copies nothing.
/// This process waits until the other has become a program or ended. Returns its number, or -1 with errno.
[[nodiscard]] pid_t start_sibling(int (*f)(void* of), void* of, std::span<char> stack) noexcept;

/// Becomes the program `name`, looked for in PATH. Returns where that fails.
void become(const char* name, char* const* arguments, char** with) noexcept;

/// Says once, on standard error, what isolation cannot hold on this system: nothing on Linux.
void say_what_is_not_held() noexcept;

}  // namespace tunekit::system::detail
