// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measuring in a child process: no candidate can stop the tuner.

#include <sys/wait.h>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/isolation.hpp"
#include "tunekit/measure/process.hpp"
#include "tunekit/measure/worker.hpp"
#include "tunekit/measure/worker_link.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// What `isolated` returns: a measurer that owns a zygote, a worker, and what it knows of bad candidates. Move-only.
class isolated_measurer {
public:
    /// Forks. `work(index, limits)` measures one candidate, in the children; it is needed during this call alone.
    template <class Work>
    isolated_measurer(Work& work, isolation options) : options_(std::move(options)), link_(work, options_)
    {
    }

    /// Measures the batch in its order. Throws tunekit::error where the children cannot be had.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        std::vector<measurement> out;
        out.reserve(batch.size());
        for (const index i : batch)
            out.push_back(measure_one(i, within));
        return out;
    }

private:
    struct held {
        measurement what;
        double run_seconds = 0;  ///< the limit under which it failed
    };

    measurement measure_one(index which, const limits& within)
    {
        const auto known = bad_.find(which);
        if (known != bad_.end()) {
            const held& h = known->second;
            if (h.what.failed->kind != failure_kind::run_timeout || within.run_seconds <= h.run_seconds) return h.what;
        }
        bool culprit = false;
        const bool suspect = link_.served() > 0;
        measurement m = attempt(which, within, culprit);
        if (m.failed && suspect && !culprit) {
            const double before = m.run_seconds;
            m = attempt(which, within, culprit);  // in a fresh worker
            m.run_seconds += before;
        }
        if (m.failed) bad_[which] = {m, within.run_seconds};
        return m;
    }

    /// One candidate in the worker there is. Replaces the worker after any failure. `culprit`: no other candidate can
    /// be to blame.
    measurement attempt(index which, const limits& within, bool& culprit)
    {
        detail::order order{which, within};
        order.within.run_seconds *= 0.9;  // so that a good candidate hands in what it has before it is killed
        link_.give(order);
        const wall_clock now;
        const double start = now();
        measurement m;
        switch (link_.listen(which, start + within.run_seconds, m)) {
            case detail::heard::answer:
                if (m.failed && m.failed->kind == failure_kind::out_of_memory &&
                    options_.rule == memory_rule::address_space)
                    m.failed->message += ", held to " + megabytes() + " more of address space (RLIMIT_AS)";
                if (m.failed) link_.replace(true);
                break;
            case detail::heard::end:
                m.failed = ended(link_.replace(false));
                break;
            case detail::heard::nonsense:
                link_.replace(true);
                m.failed = failure{failure_kind::crash, 0, "damaged the worker, which answered nonsense"};
                break;
            case detail::heard::too_long:
                link_.replace(true);
                m.failed = failure{failure_kind::run_timeout, 0,
                                   "was still running after " + number(within.run_seconds) + " s"};
                break;
            case detail::heard::too_much:
                link_.replace(true);
                m.failed = failure{failure_kind::out_of_memory, 0,
                                   "made more than " + megabytes() + " resident (killed by the parent)"};
                break;
        }
        if (m.run_seconds == 0) m.run_seconds = now() - start;
        culprit = look_at_canaries(m);
        if (culprit && link_.served() != 0) link_.replace(true);
        return m;
    }

    /// What an ended conversation means, by how the worker ended.
    static failure ended(const detail::zygote_answer& how)
    {
        if (how.forced != 0) return {failure_kind::exited, 0, "closed the worker's descriptors and ran on"};
        if (WIFSIGNALED(how.status)) {
            const int signal = WTERMSIG(how.status);
            return {failure_kind::crash, signal, detail::signal_text(signal)};
        }
        const int status = WEXITSTATUS(how.status);
        if (status == detail::status_unheard) return {failure_kind::exited, status, "closed the worker's descriptors"};
        return {failure_kind::exited, status, "ended the process with status " + std::to_string(status)};
    }

    /// Turns damage beside the outputs into a failure, and mends it. True where there was any.
    bool look_at_canaries(measurement& m) const
    {
        std::string where;
        for (std::size_t k = 0; k < options_.canaries.size(); ++k) {
            const canary& c = options_.canaries[k];
            const std::size_t at = c.first_damaged();
            if (at == c.size) continue;
            c.restore();
            where += where.empty() ? "wrote beside output " : ", ";
            where += std::to_string(k) + ", " + std::to_string(at) + " bytes past its end";
        }
        if (where.empty()) return false;
        if (m.failed && (m.failed->kind == failure_kind::crash || m.failed->kind == failure_kind::exited)) {
            m.failed->message += "; " + where;
        } else {
            m.failed = failure{failure_kind::damaged_canary, 0, where};
        }
        m.cost = std::numeric_limits<double>::quiet_NaN();
        m.spread = 0;
        m.at_least = false;
        return true;
    }

    [[nodiscard]] std::string megabytes() const
    {
        return number(static_cast<double>(options_.memory_bytes >> 20)) + " MiB";
    }

    static std::string number(double x)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%g", x);
        return text;
    }

    isolation options_;
    std::map<index, held> bad_;
    detail::worker_link link_;
};

/// Measures the configurations of `space` in a child process that is replaced after any failure.
///
///     auto measure = isolated(space, timed{time_kernel, until_stable{}, check});
///
/// The children are forked here: kernel, check, space and all they capture are copied now, and what changes in the
/// parent later is not seen. Build it early: before large allocations, threads and device contexts. Outputs may lie in
/// `guarded_buffer`s; name their canaries in the options.
///
/// A candidate that ends the worker by signal or exit, runs longer than limits::run_seconds, takes more memory than it
/// may, answers wrongly or writes beside its output is a failed measurement. Where the worker had run other candidates
/// before, it is repeated once in a fresh one, unless a canary shows who it was; what fails there is kept and never run
/// again (after a time-out, unless the limit is longer). Workers have descriptors, signal handlers and a process group
/// of their own, write to the null device, and end with this process.
///
/// Throws:     tunekit::error where this process runs other threads or no child can be had; std::invalid_argument where
///             a setting of `how` is out of range.
/// Cost:       about 10 us per measurement; about 1 ms for a new worker.
/// Threads:    to be built and used on the thread that outlives it: the system ends the children with the thread that
///             forked them.
template <space::typed Space, class Timed>
[[nodiscard]] isolated_measurer isolated(const Space& space, Timed how, isolation options = {})
{
    how.validate();
    auto work = [&space, &how](index which, const limits& within) { return how(space.at(which), within); };
    return isolated_measurer(work, std::move(options));
}

}  // namespace tunekit::measure
