// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What every rank does at its start, and what a rank that measures does until its end.

#include <unistd.h>
#if __has_include(<link.h>)
#include <link.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/mpi/code_folder.hpp"
#include "tunekit/mpi/detail/endpoint.hpp"
#include "tunekit/mpi/detail/mpi.hpp"
#include "tunekit/mpi/detail/server.hpp"
#include "tunekit/mpi/launched.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::mpi {

namespace detail {

/// Sleeps for longer and longer times while nothing happens.
class naps {
public:
    void wake() noexcept { next_ = shortest; }
    void take(double at_most)
    {
        const double s = (std::min)(next_, at_most);
        if (s > 0) ::usleep(static_cast<useconds_t>(1e6 * s));
        next_ = (std::min)(longest, 1.5 * next_);
    }

private:
    static constexpr double shortest = 20e-6, longest = 1e-3;
    double next_ = shortest;
};

[[nodiscard]] inline std::string host_name()
{
    char text[256] = {};
    return ::gethostname(text, sizeof text - 1) == 0 ? text : "unknown";
}

/// At most eight bytes of a program's constants. They are read across the gaps that a sanitizer puts between them.
[[gnu::no_sanitize_address]] inline std::uint64_t constants_at(const unsigned char* from, std::size_t n) noexcept
{
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < n; ++k) word |= std::uint64_t{from[k]} << (8 * k);
    return word;
}

/// A sum of the program's code and constants, as they lie in memory; the same in every process of one binary. Its
/// shared libraries are not part of it. Empty on systems whose loader does not tell where they are.
[[nodiscard]] inline std::string program_sum()
{
#if __has_include(<link.h>)
    std::uint64_t sum = 0;
    const auto add = [](dl_phdr_info* program, std::size_t, void* to) {
        for (std::size_t k = 0; k < program->dlpi_phnum; ++k) {
            const auto& segment = program->dlpi_phdr[k];
            if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != PF_R) continue;
            const auto* from = reinterpret_cast<const unsigned char*>(program->dlpi_addr + segment.p_vaddr);
            for (std::size_t at = 0, n = segment.p_filesz; at < n; at += sizeof(std::uint64_t)) {
                const std::uint64_t word = constants_at(from + at, (std::min)(sizeof(std::uint64_t), n - at));
                *static_cast<std::uint64_t*>(to) = core::mixed(*static_cast<std::uint64_t*>(to), word);
            }
        }
        return 1;  // the program is the first
    };
    ::dl_iterate_phdr(add, &sum);
    return core::text_of(sum);
#else
    return {};
#endif
}

/// A number for a device key: the first rank with the same key. Collective.
[[nodiscard]] inline int class_of(const std::string& device, MPI_Comm comm)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    constexpr int longest = 256;
    std::vector<char> mine(longest), all(static_cast<std::size_t>(size) * longest);
    std::copy_n(device.begin(), (std::min)(device.size(), std::size_t{longest - 1}), mine.begin());
    check(MPI_Allgather(mine.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, comm), "tell devices");
    for (int r = 0; r < size; ++r)
        if (std::equal(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(r) * longest)) return r;
    return 0;
}

/// The processors of a rank that its launcher did not bind: its share of the machine. None where it is bound, or alone.
[[nodiscard]] inline std::vector<std::vector<int>> cores_of_rank(const place& at)
{
    const auto online = static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN));
    try {
        const auto all = measure::share_cores(1).workers;
        if (at.local_ranks <= 1 || all.empty() || all.front().size() < online) return {};
        const auto shares = measure::share_cores(at.local_ranks).workers;
        if (at.local_rank < shares.size()) return {shares[at.local_rank]};
    } catch (const std::invalid_argument&) {  // more ranks than cores
    }
    return {};
}

/// The worker with which a rank measures, built before MPI begins.
struct own_worker {
    std::optional<measure::isolated_workers> pool{};
    std::string why{};  ///< the reason where there is no worker
    std::vector<measure::task_identity> tasks{};
};

template <class Make>
own_worker build_worker(Make& make, const place& at, measure::isolated_workers::options with)
{
    own_worker out;
    try {
        if (with.pinned && with.cores.empty()) with.cores = cores_of_rank(at);
        out.pool.emplace(
            1,
            [&](std::size_t) {
                auto tasks = measure::detail::tasks_of(make, at.local_rank);
                for (const auto& t : tasks) out.tasks.push_back(t.identity());
                return tasks;
            },
            with);
    } catch (const std::exception& e) {
        out.pool.reset();
        out.why = std::string("cannot measure: ") + e.what();
    }
    return out;
}

/// Serves orders on a rank that measures, until rank 0 ends it. Where rank 0 has failed, or has said nothing for so
/// many seconds, it ends the process of a rank that is there for nothing else, and throws tunekit::error in an
/// application.
inline void serve_rank(MPI_Comm comm, own_worker own, const greeting& who, const std::optional<code_folder>& code,
                       double patience_seconds, bool whole_job)
{
    const auto left_alone = [&](const char* why) {
        if (whole_job) std::_Exit(1);
        throw error(std::string("mpi.serve: rank 0 ") + why);
    };
    endpoint line(comm);
    server at(std::move(own.pool), own.why, who, code);
    naps pause;
    const measure::wall_clock now;  // that of MPI may be the time of day, which jumps
    double heard = now();
    while (!at.over()) {
        at.look_after(0.02);
        bool quiet = !at.busy();
        while (const auto m = line.receive()) {
            if (m->worker != 0) continue;
            quiet = false;
            heard = now();
            at.hear(*m);
            if (m->what == word::bye) left_alone("has failed");
        }
        while (auto m = at.say()) {
            quiet = false;
            line.send(0, m->what, std::move(m->bytes));
        }
        if (now() > heard + patience_seconds && !at.left()) left_alone("has said nothing for patience_seconds");
        if (quiet) pause.take(1);
        else pause.wake();
    }
    while (!line.all_sent()) pause.take(1);
}

/// Throws tunekit::error where MPI gave another place than the launcher told. A rank that does not know which of
/// several ranks of its machine it is does not measure. Collective over `among`.
inline void check_place(const std::optional<place>& told, own_worker& own, MPI_Comm among)
{
    int rank = 0, size = 1, local = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto text = [](std::size_t r, std::size_t n) { return std::to_string(r) + " of " + std::to_string(n); };
    const std::size_t r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(size);
    if (told && (told->rank != r || told->ranks != n))
        throw error("mpi.serve: the launcher's variables say rank " + text(told->rank, told->ranks) + ", MPI says " +
                    text(r, n) + ": want the launcher of the MPI that the program was built with");
    MPI_Comm machine = MPI_COMM_NULL;
    check(MPI_Comm_split_type(among, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine), "find the machine");
    MPI_Comm_size(machine, &local);
    MPI_Comm_free(&machine);
    if (local == 1 || (told && told->local_known)) return;
    own.pool.reset();
    own.why = "cannot measure: the launcher does not say which of the " + std::to_string(local) +
              " ranks of its machine it is, and so which device is its; want MPI_LOCALRANKID=0, 1, ...";
}

}  // namespace detail

}  // namespace tunekit::mpi
