// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Simulated ranks, without MPI. They answer from a recording, over a network of given latency, on a virtual clock.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/simulated.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace support {

namespace measure = tunekit::measure;
namespace mpi = tunekit::mpi;
namespace wire = tunekit::mpi::detail;

/// Settings of `simulated_ranks`.
struct simulated_ranks_options {
    std::size_t ranks = 1;             ///< >= 1; the number of ranks that measure
    double latency_s = 0;              ///< >= 0; seconds that a message takes
    std::vector<double> slowness{};    ///< > 0; the seconds of each rank per recorded second; empty: 1 for all
    std::vector<double> joins{};       ///< the seconds at which each rank says hello; empty: at once
    std::vector<mpi::duty> duties{};   ///< what each rank does of a job; empty: all measure
    std::string device = "simulated";  ///< the device key of all ranks
};

/// A carrier for `leased_pool` with simulated ranks. They answer with rows of a recording and take as long as those
/// took. Time passes in `wait`, and in `spend`, by which a study accounts for rank 0's own work.
///
///     support::simulated_ranks ranks({tk::measure::recorded_rows(table)}, {tk::measure::identity_of(space)}, {.ranks = 4096});
///     tk::mpi::leased_pool pool(ranks, {tk::measure::identity_of(space)});
///
/// Each rank begins one order after another. A rank can be stopped for a time (`stop`), as SIGSTOP does. It sends the
/// messages of that time when the stop is over. A rank can be ended (`end`). It then sends nothing more, and the
/// carrier does not report that unless told.
///
/// Errors:     std::invalid_argument for an index that is no row or an option out of range.
/// Randomness: that of the rows.
/// Cost:       the logarithm of the number of messages on their way, per message.
template <rows Rows = measure::recorded_rows>
class simulated_ranks {
public:
    /// The rows of each task, and the tasks that the ranks name in their greetings. Throws std::invalid_argument unless
    /// there are rows for each task and the options are in range.
    simulated_ranks(std::vector<Rows> per_task, const std::vector<measure::task_identity>& tasks,
                    simulated_ranks_options options = {})
        : rows_(std::move(per_task)), options_(std::move(options)), ranks_(options_.ranks)
    {
        const std::size_t n = options_.ranks;
        tunekit::require(n >= 1, "simulated_ranks: ranks is 0, want >= 1");
        tunekit::require(options_.latency_s >= 0, "simulated_ranks: latency_s is negative, want >= 0");
        tunekit::require(rows_.size() == tasks.size(),
                         "simulated_ranks: another number of rows than of tasks, want the same");
        options_.slowness = slowness_of(std::move(options_.slowness), n, "simulated_ranks");
        options_.joins = one_each(std::move(options_.joins), n, 0.0, "simulated_ranks: joins");
        options_.duties = one_each(std::move(options_.duties), n, mpi::duty::measures, "simulated_ranks: duties");
        for (std::size_t w = 0; w < n; ++w) {
            const wire::greeting who{.version = tunekit::core::version_text(),
                                     .host = "rank" + std::to_string(w),
                                     .device = options_.device,
                                     .duty = options_.duties[w],
                                     .tasks = tasks};
            says(w, options_.joins[w], wire::word::hello, wire::to_bytes(who));
        }
    }

    [[nodiscard]] std::size_t workers() const noexcept { return ranks_.size(); }
    [[nodiscard]] double now() const noexcept { return now_; }
    /// Moves the clock on by the seconds that rank 0 works.
    void spend(double seconds) { now_ += seconds; }

    void send(std::size_t worker, wire::word what, const std::vector<unsigned char>& bytes)
    {
        ++messages_;
        rank& r = ranks_.at(worker);
        if (what != wire::word::order || r.ended <= now_) return;
        const auto o = wire::from_bytes<wire::order>(bytes).value();
        tunekit::require(o.task < rows_.size(), "simulated_ranks: no rows for this task, want those of every task");
        const measure::recorded_row row = rows_[static_cast<std::size_t>(o.task)].row(o.candidate, o.within);
        const double began = running((std::max)(r.free, now_ + options_.latency_s), r);
        const auto [result, seconds, code] = share_of(options_.duties[worker], row, o);
        r.free = running(began + seconds * options_.slowness[worker], r);
        says(worker, began, wire::word::began, wire::to_bytes(o.number));
        says(worker, r.free, wire::word::answer, wire::to_bytes(wire::reply{o.number, result, r.free - began, code}));
    }

    [[nodiscard]] std::optional<wire::message> receive()
    {
        while (!on_the_way_.empty() && on_the_way_.top().at <= now_) {
            said next = on_the_way_.top();
            on_the_way_.pop();
            if (next.from_rank_at >= ranks_[next.what.worker].ended) continue;
            ++messages_;
            return std::move(next.what);
        }
        return std::nullopt;
    }

    void wait(double seconds)
    {
        const double until = now_ + (std::max)(seconds, 0.0);
        now_ = on_the_way_.empty() ? until : (std::max)(now_, (std::min)(until, on_the_way_.top().at));
    }

    /// Stops a rank from one time until another.
    void stop(std::size_t worker, double from, double until)
    {
        ranks_.at(worker).stopped_from = from;
        ranks_.at(worker).stopped_until = until;
    }
    /// Ends a rank at a time. With `told` the carrier reports the end with a `bye`, as an MPI with fault tolerance
    /// does.
    void end(std::size_t worker, double at, bool told = false)
    {
        if (told)
            on_the_way_.push(
                {at, count_++, at - 1, {worker, wire::word::bye, wire::to_bytes(std::string("was killed"))}});
        ranks_.at(worker).ended = at;
    }

    /// The number of messages that were sent or received so far.
    [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }

private:
    static constexpr double never = std::numeric_limits<double>::infinity();
    struct rank {
        double free = 0, stopped_from = never, stopped_until = never, ended = never;
    };
    struct said {
        double at = 0;
        std::uint64_t number = 0;  ///< the order among messages of one time
        double from_rank_at = 0;
        wire::message what{};

        friend bool operator<(const said& a, const said& b) { return a.at != b.at ? a.at > b.at : a.number > b.number; }
    };

    struct share {
        measure::measurement result{};
        double seconds = 0;
        std::vector<unsigned char> code{};
    };
    /// What a rank of this duty does of a recorded evaluation. Its code is the number of the configuration.
    [[nodiscard]] static share share_of(mpi::duty a, const measure::recorded_row& row, const wire::order& o)
    {
        share out{row.result, row.seconds, {}};
        const double build = (std::min)(row.result.build_seconds, row.seconds);
        if (a == mpi::duty::builds) {
            out.seconds = build;
            const auto kind = row.result.failed ? row.result.failed->kind : measure::failure_kind::lost;
            if (kind == measure::failure_kind::build_error || kind == measure::failure_kind::build_timeout) return out;
            out.result = {};
            out.result.cost = (std::max)(build, 1e-9);
            out.result.build_seconds = build;
            out.code = wire::to_bytes(std::uint64_t{o.candidate});
        } else if (a == mpi::duty::runs) {
            tunekit::require(o.code == wire::to_bytes(std::uint64_t{o.candidate}),
                             "simulated_ranks: a rank that runs has other code than its candidate's");
            out.result.build_seconds = 0;
            out.seconds = row.seconds - build;
        }
        return out;
    }

    /// The time at which a rank does what it would do at `t` if it were not stopped.
    [[nodiscard]] static double running(double t, const rank& r)
    {
        return t >= r.stopped_from && t < r.stopped_until ? r.stopped_until : t;
    }

    void says(std::size_t w, double at, wire::word what, std::vector<unsigned char> bytes)
    {
        on_the_way_.push({at + options_.latency_s, count_++, at, {w, what, std::move(bytes)}});
    }

    std::vector<Rows> rows_;
    simulated_ranks_options options_;
    std::vector<rank> ranks_;
    std::priority_queue<said> on_the_way_{};
    double now_ = 0;
    std::uint64_t count_ = 0, messages_ = 0;
};

}  // namespace support
