// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of one worker, from a measurer.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"

namespace support {

namespace measure = tunekit::measure;

/// Measures `batch` and calls `each(measurement)` per candidate, in order, as soon as it is known. A measurer that
/// streams gets the whole batch; any other gets one candidate at a time. Throws tunekit::error where a measurer does
/// not return one measurement per candidate.
template <measure::measurer M, class Each>
void measure_each(M& m, std::span<const tunekit::index> batch, const measure::limits& l, Each&& each)
{
    if constexpr (measure::streaming_measurer<M>) {
        m.measure(batch, l, each);
    } else {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto one = m.measure(batch.subspan(i, 1), l);
            if (one.size() != 1) throw tunekit::error("measure_each: the measurer did not answer its candidate");
            each(std::move(one.front()));
        }
    }
}

/// Settings of `one_worker`.
struct one_worker_options {
    std::size_t ahead = 1;  ///< >= 1: jobs that may be out
};

/// A pool whose one worker is a measurer, or a measurer for each task. It refers to them.
///
///     support::one_worker pool(measure);
///     support::one_worker builds_ahead(measure_generated, {.ahead = 8});
///
/// `collect` measures, so it blocks, whatever seconds it is given. It measures the first job that is out. A
/// `streaming_measurer` gets all jobs that follow it with the same task and the same limits, because they are built
/// together; their answers come together. A measurer takes one set of limits for a batch, and the jobs of one `ask`
/// share their limits, which fall as answers come. So `room()` is `ahead` where nothing is out, and once answers come
/// it is 0 until all jobs are answered.
///
/// Errors:     those of the measurer, after the answers that it gave were returned; the other jobs stay out.
///             std::invalid_argument for a task without a measurer.
/// Cost:       that of the measurer.
/// Threads:    one at a time. Precondition: the measurers outlive the pool.
template <measure::measurer M, measure::clock Clock = measure::wall_clock>
class one_worker {
public:
    /// Refers to the measurer of the one task. Throws std::invalid_argument where `ahead` is 0.
    explicit one_worker(M& measure, one_worker_options how = {}, Clock clock = {})
        : one_worker(std::span<M>(&measure, 1), how, std::move(clock))
    {
    }
    /// Refers to a measurer for each task, in the order of job::task. Throws std::invalid_argument without a measurer,
    /// or `ahead` is 0.
    explicit one_worker(std::span<M> per_task, one_worker_options how = {}, Clock clock = {})
        : measurers_(per_task), options_(how), clock_(std::move(clock)), start_(clock_())
    {
        tunekit::require(!per_task.empty(), "one_worker: no measurer, want that of one task or more");
        tunekit::require(how.ahead >= 1, "one_worker: ahead is 0, want >= 1");
    }

    [[nodiscard]] std::size_t workers() const noexcept { return 1; }
    /// The number of jobs that may be submitted now; 0 while a part of what was out is answered and a part is not.
    [[nodiscard]] std::size_t room() const noexcept
    {
        return collecting_ || out_.size() >= options_.ahead ? 0 : options_.ahead - out_.size();
    }
    /// Seconds since it was built, as the last `collect` or `submit` read the clock.
    [[nodiscard]] double now() const noexcept { return now_; }

    /// Takes a job, without measuring it. Throws std::invalid_argument where there is no room, or no measurer for its
    /// task.
    void submit(const tunekit::job& next)
    {
        tunekit::require(room() > 0, "one_worker.submit: no room, want a call of room() before");
        tunekit::require(next.task < measurers_.size(),
                         "one_worker.submit: no measurer for this task, want one for each");
        read();
        out_.push_back({next, now_});
    }

    /// Measures what is next and returns its answers, however long that takes; none where nothing is out.
    [[nodiscard]] std::vector<tunekit::answer> collect(double)
    {
        if (out_.empty()) return {};
        collecting_ = true;
        std::vector<tunekit::index> batch;
        tunekit::job first = out_.front().what;  // its limits fall with each answer
        for (const waiting& w : out_) {
            if (w.what.task != first.task || !(w.what.limits == first.limits)) break;
            batch.push_back(w.what.candidate);
            if constexpr (!measure::streaming_measurer<M>) break;
        }
        std::vector<tunekit::answer> out;
        read();
        double began = now_;
        try {
            measure_each(measurers_[first.task], batch, first.limits, [&](measure::measurement m) {
                if (out.size() == batch.size())
                    throw tunekit::error("one_worker: the measurer answered more than it was asked");
                const waiting& w = out_[out.size()];
                read();
                const measure::limits in_force = first.limits;
                for (waiting& other : out_) other.what.hear(first, m);
                first.hear(first, m);
                out.push_back({.ticket = w.what.ticket,
                               .measured = std::move(m),
                               .queued_s = began - w.since,
                               .ran_s = now_ - began,
                               .within = in_force});
                began = now_;
            });
        } catch (...) {
            if (out.empty()) throw;  // else what was measured is returned, and the next call meets the fault again
        }
        if (out.empty()) throw tunekit::error("one_worker: the measurer did not answer its candidates");
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(out.size()));
        collecting_ = !out_.empty();
        return out;
    }

private:
    struct waiting {
        tunekit::job what;
        double since = 0;
    };

    void read()
    {
        const double seen = clock_() - start_;
        if (seen > now_) now_ = seen;  // a pool's time never goes backwards, even where the clock does
    }

    std::span<M> measurers_;
    one_worker_options options_;
    Clock clock_;
    double start_ = 0;
    double now_ = 0;
    std::vector<waiting> out_;
    bool collecting_ = false;  ///< some of what was out was answered, some was not
};

}  // namespace support
