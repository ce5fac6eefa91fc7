// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/system/counters.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_LINUX
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

namespace tunekit::system::detail {

namespace {

constexpr const char* names[] = {"instructions",     "cycles",       "branches",    "branch-misses",
                                 "cache-references", "cache-misses", "page-faults", "context-switches"};

}  // namespace

event_counter::event_counter(const std::string& name) noexcept
{
    errno = EINVAL;
    for (std::size_t k = 0; k < std::size(names); ++k) {
        if (name != names[k]) continue;
        errno = ENOSYS;
#if TUNEKIT_ON_LINUX
        constexpr unsigned configs[] = {PERF_COUNT_HW_INSTRUCTIONS,        PERF_COUNT_HW_CPU_CYCLES,
                                        PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
                                        PERF_COUNT_HW_CACHE_REFERENCES,    PERF_COUNT_HW_CACHE_MISSES,
                                        PERF_COUNT_SW_PAGE_FAULTS,         PERF_COUNT_SW_CONTEXT_SWITCHES};
        perf_event_attr how{};
        how.size = sizeof how;
        how.type = k < 6 ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
        how.config = configs[k];
        how.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        how.disabled = how.enable_on_exec = how.inherit = 1;  // this process execs nothing: nothing of it is counted
        how.exclude_kernel = k < 7 ? 1 : 0;                   // where switches happen
        how.exclude_hv = 1;
        const auto open = [&how] {
            return descriptor(static_cast<int>(::syscall(SYS_perf_event_open, &how, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
        };
        file_ = open();
        if (!file_) return;
        how.type = PERF_TYPE_SOFTWARE;
        how.config = PERF_COUNT_SW_DUMMY;
        how.inherit = 0;
        apart_ = open();
#endif
    }
}

double event_counter::since_last() noexcept
{
    const auto before = last_;
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (::read(file_.get(), last_.data(), sizeof last_) != static_cast<ssize_t>(sizeof last_)) return unknown;
    const auto passed = [&](std::size_t k) { return static_cast<double>(last_[k] - before[k]); };
    return passed(2) > 0 ? passed(0) * (passed(1) / passed(2)) : unknown;
}

std::string counter_problem(const std::string& name, int why)
{
    std::string out = "program: the counter '" + name + "' ";
    if (why == EINVAL) {
        out += "is unknown, want one of ";
        for (const char* const one : names) out.append(one).append(one == std::end(names)[-1] ? "" : ", ");
        return out;
    }
    if (why == EACCES || why == EPERM)
        return out +
               "may not be read by this user; want a smaller number in /proc/sys/kernel/perf_event_paranoid (2, "
               "or 1 for context-switches), CAP_PERFMON, or a container that allows perf_event_open";
    if (why == ENOENT || why == ENODEV || why == EOPNOTSUPP)
        return out + "is none of this machine, as in most virtual machines; want another cost, such as cpu";
    if (why == ENOSYS) return out + "needs perf_event_open, which this kernel or container does not have";
    return out + "cannot be opened: " + std::strerror(why);
}

}  // namespace tunekit::system::detail
