// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool without hardware: answers come from a recording, and a virtual clock moves by the time that they took.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/simulated.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/replay.hpp"

namespace support {

namespace measure = tunekit::measure;
using measure::recorded_row, measure::recorded_rows;

/// Settings of `simulated_workers`.
struct simulated_options {
    std::size_t workers = 1;         ///< >= 1; how many jobs run at a time
    std::size_t builders = 0;        ///< builders for all workers; 0: a worker builds what it runs
    std::size_t queued = 0;          ///< jobs per worker that may wait for it
    std::vector<double> slowness{};  ///< seconds of each worker per recorded second, > 0; empty: 1 for all
};

/// A pool of simulated workers. They answer with rows of a recording and take as long as those took. Time passes only
/// in `collect`, and in `pass` for the strategy's own computing.
///
///     support::simulated_workers pool(table, {.workers = 8});        // table: std::vector<recorded_row>
///     support::simulated_workers many({rows_of_a, rows_of_b}, {.workers = 32, .builders = 8});   // by job::task
///
/// The same submissions give the same answers at the same times. Each worker has one job; others wait in the order in
/// which they came, and of several workers that are free the first takes the next. With `builders`, a job is first built
/// by a builder, for its recorded build_seconds, while workers run other jobs: as `pipeline` does. A job that waits
/// hears of what is in, and its row is asked for when it begins to run. `end` ends a worker and `lose` loses a job, as
/// failing hardware does.
///
/// Errors:     std::invalid_argument for an index that is no row, a task without rows, or an option out of range.
///             tunekit::error from `collect` once every worker has ended and all answers were returned.
/// Randomness: that of the rows.
/// Cost:       per event, one pass over the jobs that are out.
/// Threads:    one at a time; tables may be shared. Precondition: tables outlive the pool.
template <rows Rows = recorded_rows>
class simulated_workers {
public:
    /// Takes rows for each task, in the order of job::task. Throws std::invalid_argument without rows, or where a
    /// setting is out of range.
    explicit simulated_workers(std::vector<Rows> per_task, simulated_options options = {})
        : rows_(std::move(per_task)), options_(std::move(options)), workers_(options_.workers)
    {
        tunekit::require(!rows_.empty(), "simulated_workers: no rows, want those of one task or more");
        tunekit::require(options_.workers >= 1, "simulated_workers: workers is 0, want >= 1");
        options_.slowness = slowness_of(std::move(options_.slowness), options_.workers, "simulated_workers");
    }
    /// Views the table of the only task. Throws std::invalid_argument where a setting is out of range.
    explicit simulated_workers(std::span<const recorded_row> table, simulated_options options = {})
        requires std::same_as<Rows, recorded_rows>
        : simulated_workers(std::vector<Rows>{recorded_rows(table)}, std::move(options))
    {
    }

    [[nodiscard]] std::size_t workers() const noexcept { return workers_.size(); }
    /// The number of jobs that may be submitted now; 0 once every worker has ended.
    [[nodiscard]] std::size_t room() const noexcept
    {
        const std::size_t live = alive();
        const std::size_t places = live == 0 ? 0 : live * (1 + options_.queued) + options_.builders;
        return places > jobs_.size() ? places - jobs_.size() : 0;
    }
    /// Virtual seconds since the beginning; they move in `collect` and `pass` only.
    [[nodiscard]] double now() const noexcept { return now_; }

    /// Takes a job. Throws std::invalid_argument where there is no room, or no row for it.
    void submit(const tunekit::job& what)
    {
        tunekit::require(room() > 0, "simulated_workers.submit: no room, want a call of room() before");
        tunekit::require(what.task < rows_.size(),
                         "simulated_workers.submit: no rows for this task, want those of every task");
        const recorded_row r = row(what);  // also where no builder asks, because an index that is no row is told here
        const double build = options_.builders == 0 ? 0 : (std::min)(r.result.build_seconds, r.seconds);
        jobs_.push_back(
            {.what = what, .build = build, .at = build > 0 ? stage::to_build : stage::to_run, .submitted = now_});
        assign();
    }

    /// Lets virtual time pass until the first answer, for at most `seconds`, and returns the answers of that moment.
    [[nodiscard]] std::vector<tunekit::answer> collect(double seconds)
    {
        const double end = now_ + (std::max)(seconds, 0.0);
        while (given_.empty() && !jobs_.empty()) {
            double next = std::numeric_limits<double>::infinity();
            for (const held& j : jobs_)
                if (j.at == stage::building || j.at == stage::running) next = (std::min)(next, j.until);
            if (next > end) {
                now_ = end;
                break;
            }
            now_ = next;
            for (held& j : jobs_) {
                if (j.at == stage::building && j.until <= now_) {
                    j.at = stage::to_run;
                    j.built = ++built_;
                }
                if (j.at == stage::running && j.until <= now_) finish(j);
            }
            settle();
        }
        if (given_.empty() && jobs_.empty() && alive() == 0)
            throw tunekit::error("simulated_workers: every worker has ended, so nothing more can be measured");
        return std::exchange(given_, {});
    }

    /// Lets `seconds` pass in which the caller computes; the answers of that time wait for `collect`.
    void pass(double seconds)
    {
        const double end = now_ + (std::max)(seconds, 0.0);
        std::vector<tunekit::answer> all = std::exchange(given_, {});
        while (now_ < end) {
            for (tunekit::answer& a : collect(end - now_)) all.push_back(std::move(a));
            if (jobs_.empty()) now_ = end;
        }
        given_ = std::move(all);
    }

    /// Loses a job that is out. Its worker continues. Throws std::invalid_argument where the ticket is not out.
    void lose(tunekit::ticket name)
    {
        const auto j = std::find_if(jobs_.begin(), jobs_.end(), [&](const held& h) { return h.what.ticket == name; });
        tunekit::require(j != jobs_.end(), "simulated_workers.lose: a ticket that is not out, want one that is");
        lose(*j);
        settle();
    }

    /// Ends a worker. Its job is lost; with the last worker all jobs are. Throws std::invalid_argument for an unknown
    /// worker.
    void end(std::size_t worker)
    {
        tunekit::require(worker < workers_.size(), "simulated_workers.end: no such worker, want one below workers()");
        workers_[worker].ended = true;
        for (held& j : jobs_)
            if ((j.at == stage::running && j.worker == worker) || alive() == 0) lose(j);
        settle();
    }

private:
    enum class stage : std::uint8_t { to_build, building, to_run, running, over };
    struct held {
        tunekit::job what{};
        measure::measurement gives{};  ///< once it runs
        double build = 0;              ///< seconds
        stage at = stage::to_run;
        double submitted = 0, began = 0, until = 0;
        double in_build = 0;  ///< seconds for which a builder had it
        std::size_t worker = 0;
        std::uint64_t built = 0;  ///< its place in the order in which jobs were built
    };
    struct worker_state {
        bool busy = false, ended = false;
    };

    [[nodiscard]] recorded_row row(const tunekit::job& j) const { return rows_[j.task].row(j.candidate, j.limits); }

    [[nodiscard]] std::size_t alive() const noexcept
    {
        return static_cast<std::size_t>(
            std::count_if(workers_.begin(), workers_.end(), [](const worker_state& w) { return !w.ended; }));
    }

    void finish(held& j)
    {
        workers_[j.worker].busy = false;
        j.at = stage::over;
        for (held& other : jobs_)
            if (other.at < stage::running) other.what.hear(j.what, j.gives);
        given_.push_back({.ticket = j.what.ticket,
                          .measured = std::move(j.gives),
                          .worker = j.worker,
                          .queued_s = j.began - j.submitted - j.in_build,
                          .ran_s = now_ - j.began,
                          .within = j.what.limits});
    }

    void lose(held& j)
    {
        if (j.at == stage::over) return;
        const bool ran = j.at == stage::running;
        if (ran) workers_[j.worker].busy = false;
        j.at = stage::over;
        given_.push_back({.ticket = j.what.ticket,
                          .worker = j.worker,
                          .queued_s = (ran ? j.began : now_) - j.submitted - j.in_build,
                          .ran_s = ran ? now_ - j.began : 0});
    }

    void settle()
    {
        std::erase_if(jobs_, [](const held& j) { return j.at == stage::over; });
        assign();
    }

    /// Gives waiting jobs to builders and workers that are free.
    void assign()
    {
        auto building = static_cast<std::size_t>(
            std::count_if(jobs_.begin(), jobs_.end(), [](const held& j) { return j.at == stage::building; }));
        for (held& j : jobs_) {
            if (j.at != stage::to_build || building >= options_.builders) continue;
            ++building;
            j.at = stage::building;
            j.until = now_ + j.build;
            j.in_build = j.build;
        }
        for (std::size_t k = 0; k < workers_.size(); ++k) {
            if (workers_[k].busy || workers_[k].ended) continue;
            held* next = nullptr;
            for (held& j : jobs_)
                if (j.at == stage::to_run && (next == nullptr || j.built < next->built)) next = &j;
            if (next == nullptr) return;
            workers_[k].busy = true;
            next->at = stage::running;
            next->worker = k;
            next->began = now_;
            recorded_row r = row(next->what);
            next->gives = std::move(r.result);
            next->until = now_ + (r.seconds - next->build) * options_.slowness[k];
        }
    }

    std::vector<Rows> rows_;
    simulated_options options_;
    std::vector<worker_state> workers_;
    std::vector<held> jobs_{};  ///< those out, in the order in which they came
    std::vector<tunekit::answer> given_{};
    double now_ = 0;
    std::uint64_t built_ = 0;
};

simulated_workers(std::span<const recorded_row>, simulated_options) -> simulated_workers<recorded_rows>;
simulated_workers(const std::vector<recorded_row>&, simulated_options) -> simulated_workers<recorded_rows>;
template <rows R>
simulated_workers(std::vector<R>, simulated_options) -> simulated_workers<R>;

}  // namespace support
