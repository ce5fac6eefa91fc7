// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One configuration while it is measured: what `timed` does between preparing a kernel and its estimate.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/caches.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/kernel_forms.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/measure/verify.hpp"

namespace tunekit::measure {

/// How batches are timed, beside the repetition policy.
struct timing {
    cache state = cache::warm;
    std::size_t flush_bytes = 0;  ///< written before a cold run; 0: `beyond_caches()`
    double least_steps = 200;  ///< a batch lasts at least so many of the clock's smallest steps; 0: as the policy says
    double settled = 0.05;     ///< warm until a run is no more than this share faster than the fastest before it...
    std::uint32_t settled_runs = 2;  ///< ...so many times in a row
    std::uint32_t most_warm_up_runs = 20;
    double most_warm_up_seconds = 0.1;  ///< no further warm-up run after this

    friend bool operator==(const timing&, const timing&) = default;
};

namespace detail {

/// One configuration while it is measured.
/// `Timed` is the `timed` that measures, `Run` what prepare() made of its kernel.
template <class Timed, class Run>
struct timed_session {
    Timed& self;
    Run& run;
    const limits& within;
    double start;
    measurement& out;
    flusher flush;
    wall_clock wall{};
    std::uint64_t turn = 0;

    static constexpr bool reports = !std::is_void_v<decltype(run_once(std::declval<Run&>(), 0))>;

    [[nodiscard]] double left() const { return within.run_seconds - (wall() - start); }
    [[nodiscard]] bool alone() const { return restores<Run> || self.options.state == cache::cold; }

    void before()
    {
        if constexpr (restores<Run>) run.restore();
        flush();
    }

    /// Seconds per run of `n` runs.
    double batch(std::uint64_t n)
    {
        double sum = 0;
        if constexpr (reports) {
            for (std::uint64_t i = 0; i < n; ++i) {
                before();
                const double t = static_cast<double>(run_once(run, turn++));
                sum += t > 0 ? t : std::numeric_limits<double>::quiet_NaN();
            }
        } else if (alone()) {
            for (std::uint64_t i = 0; i < n; ++i) {
                before();
                const double from = self.now();
                run_once(run, turn++);
                asm volatile("" ::: "memory");
                sum += self.now() - from;
            }
        } else {
            const double from = self.now();
            for (std::uint64_t i = 0; i < n; ++i) {
                run_once(run, turn++);
                asm volatile("" ::: "memory");  // each run's stores happen, and happen here
            }
            sum = self.now() - from;
        }
        return sum / static_cast<double>(n);
    }

    void fail(failure_kind kind, std::string message) { out.failed = failure{kind, 0, std::move(message)}; }

    /// Whether `n` runs can have taken `t` seconds each. A clock that jumps forward shows where it tells more than
    /// run_seconds while the wall clock has not reached them.
    bool credible(double t, std::uint64_t n)
    {
        if (!(t >= 0 && t <= (std::numeric_limits<double>::max)())) {
            fail(failure_kind::bad_cost, "a run took " + std::to_string(t) + " s");
        } else if (!reports && t * static_cast<double>(n) > within.run_seconds && left() > 0) {
            fail(failure_kind::bad_cost,
                 "a run took " + std::to_string(t) + " s, but not on the wall: the clock jumped");
        }
        return !out.failed;
    }

    /// Cuts the candidate short where it is certainly dearer than the limit.
    bool abandons(const std::vector<double>& seen)
    {
        if (!surely_above(seen, within.abandon_above)) return false;
        out.cost = seen.front();
        for (const double t : seen)
            out.cost = t < out.cost ? t : out.cost;
        out.at_least = true;
        if (out.batches.empty()) out.runs = static_cast<std::uint32_t>(seen.size());
        return true;
    }

    template <class Config>
    void measure(const Config& config)
    {
        if constexpr (!std::same_as<decltype(self.check), no_check>) {
            if constexpr (poisons<decltype(self.check)>) self.check.poison();
            before();
            static_cast<void>(run_once(run, turn++));
            if (auto wrong = verdict(self.check, config))
                return fail(failure_kind::wrong_result, std::move(*wrong));
            if (left() <= 0) return fail(failure_kind::run_timeout, "the checked run took all of run_seconds");
        }
        double fastest = 0;
        if (!warm_up(fastest)) return;
        const std::uint64_t least = least_runs(fastest);
        if (out.failed) return;
        while (const std::uint32_t wanted = self.repeat.next(out.batches)) {
            std::uint64_t n = wanted > least ? wanted : least;
            const double affordable = left() / fastest;
            if (affordable < static_cast<double>(n)) {
                if (!out.batches.empty() || left() <= 0) break;
                if (affordable < 1) {  // the warm-up runs are all there will be
                    out.batches.push_back(fastest);
                    out.runs = 1;
                    break;
                }
                n = static_cast<std::uint64_t>(affordable);
            }
            const double t = batch(n);
            if (!credible(t, n)) return;
            if (t == 0) return fail(failure_kind::bad_cost, "a timed run took 0 s");
            out.batches.push_back(t);
            out.runs += static_cast<std::uint32_t>(n);
            if (abandons(out.batches)) return;
        }
        if (out.batches.empty()) return fail(failure_kind::run_timeout, "warm-up took all of run_seconds");
        const estimate found = self.repeat.estimate_of(out.batches);
        out.cost = found.cost;
        out.spread = found.spread;
    }

    /// Single runs until they get no faster. False where the measurement is over.
    bool warm_up(double& fastest)
    {
        const timing& how = self.options;
        const double from = wall();
        std::vector<double> seen;
        std::uint32_t calm = 0;
        do {
            const double t = batch(1);
            if (!credible(t, 1)) return false;
            calm = !seen.empty() && t >= (1 - how.settled) * fastest ? calm + 1 : 0;
            fastest = seen.empty() || t < fastest ? t : fastest;
            seen.push_back(t);
            if (abandons(seen)) return false;
        } while (calm < how.settled_runs && seen.size() < how.most_warm_up_runs &&
                 wall() - from < how.most_warm_up_seconds && fastest < left());
        return true;
    }

    /// Runs that make a batch long enough for the clock; brings `fastest`, which one short run cannot tell, up to
    /// date.
    std::uint64_t least_runs(double& fastest)
    {
        if (reports || alone() || self.options.least_steps == 0) return 1;
        const double enough = self.options.least_steps * smallest_step(self.now);
        std::uint64_t n = 1;
        while (static_cast<double>(n) * fastest < enough && n < (std::uint64_t{1} << 24)) {
            const double ratio = enough / (static_cast<double>(n) * fastest);
            const double grown = static_cast<double>(n) * (ratio < 10 ? 1.1 * ratio : 10);
            n = grown > static_cast<double>(n + 1) ? static_cast<std::uint64_t>(grown) : n + 1;
            fastest = batch(n);
            if (!credible(fastest, n)) break;
        }
        return n;
    }
};

}  // namespace detail
}  // namespace tunekit::measure
