// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>

#include "tunekit/core/detail/system.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/descent.hpp"

namespace tunekit::measure::detail {

void refuse_threads(const char* who, const char* want)
{
    const int threads = sanitized ? 1 : thread_count();
    if (threads > 1)
        throw error(std::string(who) + ": this process runs " + std::to_string(threads) +
                    " threads, of which a fork keeps one; " + want);
}

namespace {

/// The environment of this process with the variables of a command in it, as exec takes it.
std::vector<std::string> environment_of(const command_line& what)
{
    std::vector<std::string> out;
    for (const auto& [name, value] : what.environment) out.push_back(name + '=' + value);
    for (char** e = system::detail::environment(); e != nullptr && *e != nullptr; ++e) {
        const bool replaced =
            std::any_of(what.environment.begin(), what.environment.end(), [now = std::string_view(*e)](const auto& v) {
                return now.starts_with(v.first) && now.substr(v.first.size()).starts_with('=');
            });
        if (!replaced) out.emplace_back(*e);
    }
    return out;
}

}  // namespace

exec_words::exec_words(const command_line& what, std::string_view path, std::span<char> room)
{
    const std::vector<std::string> environment = environment_of(what);
    std::size_t words = 2, bytes = path.size() + 1 + words * sizeof(char*);
    for (const auto* const list : {&what.arguments, &environment})
        for (const std::string& text : *list) ++words, bytes += text.size() + 1 + sizeof(char*);
    if (room.empty()) own_.reset(new char[bytes]);
    else if (bytes > room.size()) return;
    char* const memory = own_ ? own_.get() : room.data();
    char** next = reinterpret_cast<char**>(memory);  // as aligned as what new gives
    char* free = memory + words * sizeof(char*);
    const auto put = [&free](std::string_view text) {
        char* const at = free;
        free += text.copy(at, text.size());
        *free++ = '\0';
        return at;
    };
    arguments_ = next;
    for (const std::string& text : what.arguments) *next++ = put(text);
    *next++ = nullptr;
    environment_ = next;
    for (const std::string& text : environment) *next++ = put(text);
    *next = nullptr;
    path_ = put(path);
}

void bounded_text::add(std::string_view more)
{
    const std::size_t first = (std::min)(half_ - head_.size(), more.size());
    head_ += more.substr(0, first);
    more.remove_prefix(first);
    total_ += more.size();
    tail_ += more;
    if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);
}

std::string bounded_text::text() const
{
    if (!cut()) return head_ + tail_;
    return head_ + "\n[" + std::to_string(total_ - half_) + " bytes are left out]\n" +
           tail_.substr(tail_.size() - half_);
}

std::pair<descriptor, descriptor> pipe_for_child() noexcept
{
    auto ends = system::detail::make_pipe();
    for (descriptor* const end : {&ends.first, &ends.second})
        if (*end && end->get() < 4) *end = descriptor(::fcntl(end->get(), F_DUPFD_CLOEXEC, 4));
    if (!ends.first || !ends.second) return {};
    return ends;
}

descriptor heard_text::open(bool roomy) noexcept
{
    auto [ours, theirs] = pipe_for_child();
    from_ = std::move(ours);
    if (!from_) return {};
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
    if (roomy) ::fcntl(from_.get(), F_SETPIPE_SZ, 1 << 20);
#else
    (void)roomy;
#endif
    return std::move(theirs);
}

void heard_text::hear()
{
    char some[16384];
    for (std::size_t heard = 0; from_ && heard < (std::size_t{1} << 22);) {
        const std::ptrdiff_t got = ::read(from_.get(), some, sizeof some);
        if (got > 0) {
            text_.add({some, static_cast<std::size_t>(got)});
            heard += static_cast<std::size_t>(got);
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            from_.reset();
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

bool child::ended() noexcept { return reaped(WNOHANG); }

void child::end() noexcept
{
    if (pid_ < 0) return;
    kill(SIGKILL);
    reaped(0);
}

void child::end_within(double seconds) noexcept
{
    const wall_clock now;
    const double deadline = now() + seconds;
    for (int nap = 50; seconds > 0 && now() < deadline; nap = (std::min)(2 * nap, 10000)) {
        if (ended()) return;
        if (nap >= 10000 || nap == 50) kill(SIGCONT);
        ::usleep(static_cast<useconds_t>(nap));
    }
    end_descent_of(pid_);
    end();
}

void child::kill(int signal) const noexcept
{
    if (pid_ <= 0 || (whom_ == reach::group && ::kill(-pid_, signal) == 0)) return;
    ::kill(pid_, signal);  // alone, or before it leads a group
}

bool child::reaped(int flags) noexcept
{
    while (pid_ >= 0) {
        siginfo_t info{};
        const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags);
        if (looked != 0 && errno == EINTR) continue;
        if (looked == 0 && info.si_pid == 0) return false;
        if (whom_ == reach::group) ::kill(-pid_, SIGKILL);  // before wait4, so that no other process has the number
        while (::wait4(pid_, &status_, 0, &used_) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
    return true;
}

int spawn(pid_t& pid, const char* path, exec_words& words, std::span<const int> given) noexcept
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&how);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&how, &signals);
    sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&how, &signals);
    ::posix_spawnattr_setpgroup(&how, 0);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = 0;
    for (int k = 0; k < static_cast<int>(given.size()) && failed == 0; ++k) {
        const int from = given[static_cast<std::size_t>(k)];
        failed = from < 0 ? ::posix_spawn_file_actions_addopen(&files, k, "/dev/null", O_RDWR, 0)
                          : ::posix_spawn_file_actions_adddup2(&files, from, k);
    }
    if (failed == 0) failed = ::posix_spawn(&pid, path, &files, &how, words.arguments(), words.environment());
    ::posix_spawnattr_destroy(&how);
    ::posix_spawn_file_actions_destroy(&files);
    return failed;
}

}  // namespace tunekit::measure::detail
