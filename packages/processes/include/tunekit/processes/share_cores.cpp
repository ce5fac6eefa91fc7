// SPDX-License-Identifier: MIT
#include "tunekit/processes/share_cores.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure {

namespace detail {

int first_of_core(int cpu)
{
    char name[80];
    std::snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    const descriptor file(::open(name, O_RDONLY | O_CLOEXEC));
    char text[32] = {};
    if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return cpu;
    char* end = nullptr;
    const long first = std::strtol(text, &end, 10);
    return end != text && first >= 0 ? static_cast<int>(first) : cpu;
}

core_shares share_cores(std::size_t n, std::size_t spared, const std::vector<int>& allowed, int (*core_of)(int))
{
    std::vector<int> cores;  // ascending; `groups` has the processors of each
    std::vector<std::vector<int>> groups;
    for (const int cpu : allowed) {
        const int core = core_of(cpu);
        const auto k = std::lower_bound(cores.begin(), cores.end(), core) - cores.begin();
        if (k == std::ssize(cores) || cores[static_cast<std::size_t>(k)] != core) {
            cores.insert(cores.begin() + k, core);
            groups.insert(groups.begin() + k, std::vector<int>{});
        }
        groups[static_cast<std::size_t>(k)].push_back(cpu);
    }
    if (groups.size() < n + spared) {
        groups.clear();
        for (const int cpu : allowed) groups.push_back({cpu});
    }
    if (groups.size() < n + spared)
        invalid("share_cores: " + std::to_string(n) + " workers and " + std::to_string(spared) + " spared on " +
                std::to_string(allowed.size()) +
                " processors, want one for each; fewer workers, or .pinned = false if timings need not be exact");
    const std::size_t given = groups.size() - spared;
    core_shares out;
    out.workers.resize(n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t g = k * given / n; g < (k + 1) * given / n; ++g)
            out.workers[k].insert(out.workers[k].end(), groups[g].begin(), groups[g].end());
    for (std::size_t g = given; g < groups.size(); ++g)
        out.spared.insert(out.spared.end(), groups[g].begin(), groups[g].end());
    return out;
}

void check_cores(const std::vector<std::vector<int>>& cores, std::size_t n, const std::vector<int>& allowed)
{
    require(cores.size() == n,
            "isolated_workers: cores has another length than there are workers, want one list for each");
    std::vector<int> taken;
    for (const std::vector<int>& own : cores) {
        require(!own.empty(), "isolated_workers: a worker has no cores, want one or more");
        for (const int core : own) {
            if (std::find(allowed.begin(), allowed.end(), core) == allowed.end())
                invalid("isolated_workers: this process may not use processor " + std::to_string(core) +
                        ", want one that it may");
            if (std::find(taken.begin(), taken.end(), core) != taken.end())
                invalid("isolated_workers: processor " + std::to_string(core) +
                        " is given twice, want each for one worker: at most one candidate runs there at a time");
            taken.push_back(core);
        }
    }
}

}  // namespace detail

detail::core_shares share_cores(std::size_t n, std::size_t spared)
{
    require(n >= 1, "share_cores: 0 workers, want >= 1");
    return detail::share_cores(n, spared, detail::allowed_cores());
}

}  // namespace tunekit::measure
