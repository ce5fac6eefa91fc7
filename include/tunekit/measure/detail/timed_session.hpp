// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The measurement of one configuration: what `timed` does after preparing a kernel, up to the estimate.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/kernel_forms.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/measure/timed_options.hpp"

namespace tunekit::measure::detail {

/// Bytes that few caches hold. Who can ask the system writes twice its last level instead: `isolated` does.
inline constexpr std::size_t usual_flush = std::size_t{64} << 20;

/// Writes memory until the caches hold nothing else.
class flusher {
public:
    /// Writes `bytes` in each call; with 0 a call does nothing.
    explicit flusher(std::size_t bytes) : bytes_(bytes) {}

    void operator()() noexcept
    {
        volatile unsigned char* const at = bytes_.data();
        for (std::size_t i = 0; i < bytes_.size(); i += 64) at[i] = static_cast<unsigned char>(at[i] + 1);
    }

private:
    std::vector<unsigned char> bytes_;
};

/// What timing needs of a kernel, a check, a policy and a clock, whatever their types: functions of `self`. Each is
/// called at most once per batch.
struct timed_parts {
    void* self = nullptr;
    bool reports = false;  ///< whether runs return their own seconds
    bool alone = false;    ///< whether each run is timed by itself
    bool checked = false;
    std::optional<std::string> (*checked_run)(void* self) = nullptr;  ///< runs once and checks; empty: all is well
    double (*batch)(void* self, std::uint64_t runs) = nullptr;        ///< seconds per run
    double (*empty_batch)(void* self, std::uint64_t runs) = nullptr;  ///< seconds per turn of a loop without a kernel
    double (*step)(void* self) = nullptr;                             ///< smallest step of the clock
    std::uint32_t (*next)(void* self, std::span<const double> batches) = nullptr;
    estimate (*estimate_of)(void* self, std::span<const double> batches) = nullptr;
};

std::string seconds_text(double seconds);

/// Warms up, times and checks what its parts run. The result is in `out`.
class timed_session {
public:
    timed_session(timed_parts parts, const timed_options& options, const limits& within, double start,
                  measurement& out);

    /// Warms up and times, and checks before that where the candidate cannot be cut short. Where limits::max_runs is
    /// limited it only looks.
    void measure();

    /// Runs once and compares the result. False where that is wrong.
    bool check();

private:
    [[nodiscard]] double until_the_end() const { return within_.run_seconds - (wall_() - start_); }
    /// The seconds left for timing: what is still to be checked has its own.
    [[nodiscard]] double left() const { return until_the_end() - check_seconds_; }

    void fail(failure_kind kind, std::string message);

    /// Times batches, without anything else, until one is not above the limit.
    void look();

    /// Whether `n` runs can have taken `t` seconds each. A clock has jumped forward where it gives more than
    /// run_seconds and the wall clock has not reached them.
    bool credible(double t, std::uint64_t n);

    /// Cuts the candidate short where it is certainly slower than the limit.
    bool abandons(const std::vector<double>& seen);

    /// Makes single runs until they get no faster. False where the measurement is over.
    bool warm_up(double& fastest);

    /// The number of runs that make a batch long enough for the clock. It updates `fastest`, which one short run cannot
    /// give.
    std::uint64_t least_runs(double& fastest);

    /// Fails where a run takes as long as a loop without a kernel: then no work is left, and its time is the loop's.
    void refuse_nothing(double fastest, std::uint64_t n);

    /// Times batches as the policy says, as far as time allows. False where the measurement is over.
    bool time_batches(double fastest, std::uint64_t least);

    timed_parts parts_;
    const timed_options& options_;
    const limits& within_;
    double start_;
    measurement& out_;
    wall_clock wall_{};
    double prepared_seconds_ = wall_() - start_;
    double check_seconds_ = 0;  ///< of preparing anew and of the run that is checked; 0: nothing will be checked
};

/// Runs one configuration of a `timed`. `Run` is what `prepare` made of its kernel.
template <class Timed, class Run, class Config>
class timed_run {
public:
    timed_run(Timed& how, Run& run, const Config& config, std::size_t flush_bytes)
        : how_(how), run_(run), config_(config), flush_(flush_bytes)
    {
    }

    [[nodiscard]] timed_parts parts()
    {
        timed_parts out{.self = this, .reports = reports, .alone = alone(), .checked = checks};
        out.batch = [](void* self, std::uint64_t n) { return of(self).batch(n); };
        out.empty_batch = [](void* self, std::uint64_t n) { return of(self).empty_batch(n); };
        out.step = [](void* self) { return smallest_step(of(self).how_.now); };
        out.next = [](void* self, std::span<const double> seen) { return of(self).how_.repeat.next(seen); };
        out.estimate_of = [](void* self, std::span<const double> seen) {
            return of(self).how_.repeat.estimate_of(seen);
        };
        if constexpr (checks) out.checked_run = [](void* self) { return of(self).checked_run(); };
        return out;
    }

    /// The numbers beside the seconds that the last timed run reported; none where none did.
    [[nodiscard]] const measured_values& values() const noexcept { return values_; }

private:
    static constexpr bool reports = !std::is_void_v<decltype(run_once(std::declval<Run&>(), 0))>;
    static constexpr bool checks = !std::same_as<decltype(Timed::check), no_check>;

    static timed_run& of(void* self) { return *static_cast<timed_run*>(self); }
    [[nodiscard]] bool alone() const { return restores<Run> || how_.options.state == cache::cold; }

    void before()
    {
        if constexpr (restores<Run>) run_.restore();
        flush_();
    }

    std::optional<std::string> checked_run()
    {
        if constexpr (poisons<decltype(Timed::check)>) how_.check.poison();
        before();
        static_cast<void>(run_once(run_, turn_++));
        return verdict(how_.check, config_);
    }

    /// Seconds per run of `n` runs, or the first reported time that is not positive.
    double batch(std::uint64_t n)
    {
        double sum = 0;
        if constexpr (reports) {
            for (std::uint64_t i = 0; i < n; ++i) {
                before();
                const double t = seconds_of(run_once(run_, turn_++));
                if (!(t > 0)) return t;
                sum += t;
            }
        } else if (alone()) {
            for (std::uint64_t i = 0; i < n; ++i) {
                before();
                const double begun = how_.now();
                run_once(run_, turn_++);
                keep_stores();
                sum += how_.now() - begun;
            }
        } else {
            const double begun = how_.now();
            for (std::uint64_t i = 0; i < n; ++i) {
                run_once(run_, turn_++);
                keep_stores();  // each run's stores are made, and made here
            }
            sum = how_.now() - begun;
        }
        return sum / static_cast<double>(n);
    }

    template <class Answer>
    double seconds_of(const Answer& answer)
    {
        if constexpr (std::same_as<Answer, reported>) {
            values_ = answer.values;
            return answer.cost;
        } else {
            return static_cast<double>(answer);
        }
    }

    double empty_batch(std::uint64_t n)
    {
        const double begun = how_.now();
        for (std::uint64_t i = 0; i < n; ++i) keep_stores();
        return (how_.now() - begun) / static_cast<double>(n);
    }

    Timed& how_;
    Run& run_;
    const Config& config_;
    flusher flush_;
    std::uint64_t turn_ = 0;
    measured_values values_{};  ///< those of the last run, where it reports some
};

}  // namespace tunekit::measure::detail

#if TUNEKIT_BODIES
namespace tunekit::measure::detail {

TUNEKIT_INLINE std::string seconds_text(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g s", seconds);
    return text;
}

TUNEKIT_INLINE timed_session::timed_session(timed_parts parts, const timed_options& options, const limits& within,
                                            double start, measurement& out)
    : parts_(parts), options_(options), within_(within), start_(start), out_(out)
{
}

TUNEKIT_INLINE void timed_session::measure()
{
    if (within_.only_looks()) return look();
    const bool cuts = within_.abandon_above < std::numeric_limits<double>::infinity();
    if (parts_.checked && (!cuts || options_.checks == measure::check::always)) {
        if (!check()) return;
        if (left() <= 0) return fail(failure_kind::run_timeout, "the checked run took all of run_seconds");
    }
    double fastest = 0;
    if (!warm_up(fastest)) return;
    const std::uint64_t least = least_runs(fastest);
    if (out_.failed || !time_batches(fastest, least)) return;
    if (out_.batches.empty()) return fail(failure_kind::run_timeout, "warm-up took all of run_seconds");
    const estimate found = parts_.estimate_of(parts_.self, out_.batches);
    out_.cost = found.cost;
    out_.spread = found.spread;
}

TUNEKIT_INLINE void timed_session::look()
{
    double t = parts_.batch(parts_.self, 1);
    if (!credible(t, 1)) return;
    const std::uint64_t n = least_runs(t);
    if (out_.failed) return;
    while (true) {
        out_.cost = out_.batches.empty() || t < out_.cost ? t : out_.cost;
        out_.batches.push_back(t);
        out_.runs += static_cast<std::uint32_t>(n);
        out_.at_least = out_.cost > within_.abandon_above;
        const bool fits = static_cast<double>(n) * t < until_the_end();
        if (!out_.at_least || out_.batches.size() >= within_.max_runs || !fits) return;
        t = parts_.batch(parts_.self, n);
        if (!credible(t, n)) return;
    }
}

TUNEKIT_INLINE void timed_session::fail(failure_kind kind, std::string message)
{
    out_.failed = failure{.kind = kind, .message = std::move(message)};
}

TUNEKIT_INLINE bool timed_session::check()
{
    if (auto wrong = parts_.checked_run(parts_.self)) {
        fail(failure_kind::wrong_result, std::move(*wrong));
        return false;
    }
    out_.checked = check_state::ok;
    return true;
}

TUNEKIT_INLINE bool timed_session::credible(double t, std::uint64_t n)
{
    constexpr double most = (std::numeric_limits<double>::max)();
    if (parts_.reports) {
        if (!(t > 0 && t <= most))
            fail(failure_kind::bad_cost, "the kernel reported " + seconds_text(t) + ", want a positive time");
    } else if (!(t >= 0 && t <= most)) {
        fail(failure_kind::bad_cost, "a run took " + seconds_text(t) + ": the clock jumped");
    } else if (t * static_cast<double>(n) > within_.run_seconds && until_the_end() > 0) {
        fail(failure_kind::bad_cost, "a run took " + seconds_text(t) + ", but not on the wall: the clock jumped");
    }
    return !out_.failed;
}

TUNEKIT_INLINE bool timed_session::abandons(const std::vector<double>& seen)
{
    if (!surely_above(seen, within_.abandon_above)) return false;
    out_.cost = seen.front();
    for (const double t : seen) out_.cost = t < out_.cost ? t : out_.cost;
    out_.at_least = true;
    if (out_.batches.empty()) out_.runs = static_cast<std::uint32_t>(seen.size());
    return true;
}

TUNEKIT_INLINE bool timed_session::warm_up(double& fastest)
{
    const double begun = wall_();
    std::vector<double> seen;
    std::uint32_t calm = 0;
    do {
        const double t = parts_.batch(parts_.self, 1);
        if (!credible(t, 1)) return false;
        calm = !seen.empty() && t >= (1 - timed_options::warm_up_gain) * fastest ? calm + 1 : 0;
        fastest = seen.empty() || t < fastest ? t : fastest;
        if (parts_.checked && out_.checked == check_state::unchecked) check_seconds_ = prepared_seconds_ + fastest;
        seen.push_back(t);
        if (abandons(seen)) return false;
    } while (calm < options_.warm_up_calm_runs && seen.size() < options_.max_warm_up_runs &&
             wall_() - begun < options_.max_warm_up_seconds && fastest < left());
    return true;
}

TUNEKIT_INLINE std::uint64_t timed_session::least_runs(double& fastest)
{
    if (parts_.reports || parts_.alone || options_.min_steps == 0) return 1;
    const double enough = options_.min_steps * parts_.step(parts_.self);
    std::uint64_t n = 1;
    while (static_cast<double>(n) * fastest < enough && n < (std::uint64_t{1} << 24)) {
        const double ratio = enough / (static_cast<double>(n) * fastest);
        const double grown = static_cast<double>(n) * (ratio < 10 ? 1.1 * ratio : 10);
        n = grown > static_cast<double>(n + 1) ? static_cast<std::uint64_t>(grown) : n + 1;
        fastest = parts_.batch(parts_.self, n);
        if (!credible(fastest, n)) return n;
    }
    if (fastest < 5e-9) refuse_nothing(fastest, n);
    return n;
}

TUNEKIT_INLINE void timed_session::refuse_nothing(double fastest, std::uint64_t n)
{
    double empty = parts_.empty_batch(parts_.self, n);
    for (int again = 0; again < 2; ++again) {
        const double t = parts_.empty_batch(parts_.self, n);
        empty = t < empty ? t : empty;
    }
    if (fastest < 1.3 * empty)
        fail(failure_kind::bad_cost, "a run took " + seconds_text(fastest) +
                                         ", as long as an empty loop: the compiler has removed the kernel's "
                                         "work; have its result used, say by measure::keep");
}

TUNEKIT_INLINE bool timed_session::time_batches(double fastest, std::uint64_t least)
{
    while (const std::uint32_t wanted = parts_.next(parts_.self, out_.batches)) {
        std::uint64_t n = wanted > least ? wanted : least;
        const double affordable = left() / fastest;
        if (affordable < static_cast<double>(n)) {
            if (!out_.batches.empty() || left() <= 0) return true;
            if (affordable < 1) {  // no time is left beyond the warm-up, so its fastest run counts
                out_.batches.push_back(fastest);
                out_.runs = 1;
                return true;
            }
            n = static_cast<std::uint64_t>(affordable);
        }
        const double t = parts_.batch(parts_.self, n);
        if (!credible(t, n)) return false;
        if (t == 0) {
            fail(failure_kind::bad_cost, "a timed run took 0 s");
            return false;
        }
        out_.batches.push_back(t);
        out_.runs += static_cast<std::uint32_t>(n);
        if (abandons(out_.batches)) return false;
        if (enough_of_first(out_.batches, within_)) return true;
    }
    return true;
}

}  // namespace tunekit::measure::detail
#endif  // TUNEKIT_BODIES
