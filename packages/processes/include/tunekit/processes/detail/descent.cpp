// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/descent.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "tunekit/measure/clocks.hpp"

namespace tunekit::measure::detail {

proc_text::proc_text(const char* name, int a, int b) noexcept
{
    char path[64];
    std::snprintf(path, sizeof path, name, a, b);
    read(descriptor(::open(path, O_RDONLY | O_CLOEXEC)));
}

std::string_view proc_text::text() const noexcept
{
    return {text_.data(), known() ? static_cast<std::size_t>(size_) : 0};
}

std::pair<char, pid_t> proc_text::state_and_parent() const noexcept
{
    const std::size_t at = text().rfind(')');
    if (at == std::string_view::npos || at + 4 >= text().size()) return {'?', -1};
    return {text()[at + 2], static_cast<pid_t>(std::strtol(text_.data() + at + 4, nullptr, 10))};
}

void proc_text::read(const descriptor& file) noexcept
{
    if (file) size_ = ::pread(file.get(), text_.data(), text_.size() - 1, 0);
    text_[known() ? static_cast<std::size_t>(size_) : 0] = '\0';
}

void each_child_of(pid_t parent, void* self, void (*f)(void* self, pid_t child))
{
    if (system::detail::each_listed_child(parent, self, f)) return;
    char name[40];
    std::snprintf(name, sizeof name, "/proc/%d/task", static_cast<int>(parent));
    bool listed = false;
    each_number_in(name, [&](int thread, int) {
        const proc_text children("/proc/%d/task/%d/children", static_cast<int>(parent), thread);
        listed = listed || children.known();
        children.each_number([&](int child) { f(self, child); });
    });
    if (listed) return;
    each_number_in("/proc", [&](int pid, int) {  // a kernel without lists of children
        if (proc_text("/proc/%d/stat", pid).state_and_parent().second == parent) f(self, pid);
    });
}

void signal_descent(pid_t parent, int signal, int depth, pid_t but) noexcept
{
    each_child_of(parent, [&](pid_t child) {
        if (child == but) return;
        ::kill(child, signal);
        if (depth < 64) signal_descent(child, signal, depth + 1);
    });
}

namespace {

// Whether one of the descendants of `parent` has not ended.
bool has_living_descent(pid_t parent, int depth = 0) noexcept
{
    bool out = false;
    each_child_of(parent, [&](pid_t child) {
        out = out || proc_text("/proc/%d/stat", child).state_and_parent().first != 'Z' ||
              (depth < 64 && has_living_descent(child, depth + 1));
    });
    return out;
}

}  // namespace

void end_descent_of(pid_t parent, double seconds) noexcept
{
    if (parent <= 0 || ::kill(parent, SIGSTOP) != 0) return;
    const wall_clock now;
    const double deadline = now() + seconds;
    for (unsigned nap = 20; has_living_descent(parent) && now() < deadline; nap = (std::min)(2 * nap, 5000U)) {
        signal_descent(parent, SIGSTOP);
        signal_descent(parent, SIGKILL);
        ::usleep(nap);
    }
}

bool end_descent(double seconds, pid_t but) noexcept
{
    const auto only_that = [but] {
        bool others = but <= 0;
        if (!others) each_child_of(::getpid(), [&](pid_t child) { others = others || child != but; });
        return !others;
    };
    const wall_clock now;
    const double deadline = now() + seconds;
    for (unsigned nap = 20, round = 0;; nap = (std::min)(2 * nap, 5000U), ++round) {
        pid_t ended = 0;
        do ended = ::waitpid(-1, nullptr, WNOHANG | system::detail::all_children);
        while (ended > 0);
        if (ended < 0 || only_that()) return true;
        if (now() >= deadline) return false;
        // Processes that fork without end take the places of killed ones. So they are stopped first: that frees no
        // place.
        for (unsigned again = 0; again < (std::min)(round, 10U); ++again) signal_descent(::getpid(), SIGSTOP, 0, but);
        signal_descent(::getpid(), SIGKILL, 0, but);
        ::usleep(nap);
    }
}

leftovers::leftovers(pid_t keeper, pid_t worker) noexcept
    : worker_(worker),
      adopted_(open("/proc/%d/task/%d/children", keeper)),
      keeper_(open("/proc/%d/task/%d/stat", keeper))
{
    if (!sanitized) threads_ = open("/proc/%d/task", worker);  // a sanitizer has a thread of its own, which may run
}

leftovers::found leftovers::look() const
{
    int below = 0;
    proc_text(adopted_).each_number([&below](int) { ++below; });
    if (below > 1) return found::processes;
    struct stat s{};
    if (!threads_ || ::fstat(threads_.get(), &s) != 0 || s.st_nlink <= alone) return found::nothing;
    return look_at_threads();
}

bool leftovers::keeper_sleeps() const { return !keeper_ || proc_text(keeper_).state_and_parent().first == 'S'; }

descriptor leftovers::open(const char* name, pid_t pid) noexcept
{
    char path[64];
    std::snprintf(path, sizeof path, name, static_cast<int>(pid), static_cast<int>(pid));
    return descriptor(::open(path, O_RDONLY | O_CLOEXEC));
}

leftovers::found leftovers::look_at_threads() const
{
    found out = found::nothing;
    char name[40];
    std::snprintf(name, sizeof name, "/proc/%d/task", static_cast<int>(worker_));
    each_number_in(name, [&](int thread, int) {
        if (thread == worker_) return;
        const proc_text stat("/proc/%d/task/%d/stat", static_cast<int>(worker_), thread);
        if (stat.state_and_parent().first == 'R') out = found::running_threads;
    });
    return out;
}

}  // namespace tunekit::measure::detail
