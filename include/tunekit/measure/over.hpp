// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One configuration for many inputs: what cannot win is given up on early.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/evidence.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"

namespace tunekit::measure {

/// Settings of `over`.
struct over_options {
    /// The cost: the geometric mean of the ratios to the default, the sum divided by the default's, or the largest
    /// ratio.
    enum class goal : std::uint8_t { mean, sum, worst } of = goal::mean;
    bool timeouts_count = false;  ///< whether a run_timeout costs ten times limits::run_seconds; else it is a failure
    double confidence = 0.95;     ///< in ]0, 1]; of keeping a better candidate; 1: none is given up on
    std::uint64_t seed = 1;       ///< of the orders of the inputs
};

namespace detail {

/// Candidates on their way through the inputs, without a measurer: what `next(it)` gives goes to `take` while that says
/// so; then `it.out` is the measurement. The first one is the default, and is alone until it is through.
class input_track {
public:
    /// A candidate on its way.
    struct run {
        index candidate = 0;
        std::vector<std::size_t> order{};
        std::vector<double> against{}, behind{};  ///< where the incumbent lay when it began; how far this one is behind
        double so_far = 0;
        measurement out{};
    };

    input_track(std::vector<std::string> inputs, const over_options& how)
        : inputs_(std::move(inputs)), how_(how), usual_(inputs_.size(), std::numeric_limits<double>::quiet_NaN())
    {
        require(!inputs_.empty(), "over: there are no inputs, want at least one");
        for (std::string& name : inputs_) name = name.size() <= 200 ? name : name.substr(0, 200) + "...";
        require(how.confidence > 0 && how.confidence <= 1, "over: confidence is out of range, want 0 < it <= 1");
    }

    /// Whether the default is through.
    [[nodiscard]] bool begun() const noexcept { return !best_.empty(); }
    [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return left_out_; }

    [[nodiscard]] run begin(index candidate) const
    {
        return {.candidate = candidate, .order = order_of(candidate, !begun()), .against = best_};
    }
    /// The next pair of it and an input: candidate * n + input.
    [[nodiscard]] index next(const run& r) const
    {
        return r.candidate * inputs_.size() + r.order[r.out.batches.size()];
    }

    [[nodiscard]] bool take(run& r, measurement m, const limits& within)
    {
        const std::size_t k = r.order[r.out.batches.size()];
        if (how_.timeouts_count && m.failed && m.failed->kind == failure_kind::run_timeout)
            m = {.cost = 10 * within.run_seconds, .runs = m.runs, .run_seconds = m.run_seconds};
        else if (!m.failed && !(m.ok() && m.cost > 0)) m.failed = failure{failure_kind::bad_cost, 0, "no whole time"};
        r.out.runs += m.runs;
        r.out.build_seconds += m.build_seconds;
        r.out.run_seconds += m.run_seconds;
        if (m.failed) {
            m.failed->message = inputs_[k] + ": " + m.failed->message;
            m.cost = std::numeric_limits<double>::quiet_NaN();
            if (!begun()) left_out_.push_back(m.failed->message);
            else r.out.failed = std::move(m.failed);
        }
        r.out.batches.push_back(m.cost);
        if (r.out.failed || (begun() && gives_up(r, k))) return false;
        if (r.out.batches.size() < r.order.size()) return true;
        finish(r);
        return false;
    }

    void know(index candidate, const measurement& m)
    {
        run r = begin(candidate);
        const bool whole = m.ok() && m.batches.size() == r.order.size();
        if (!whole && !begun()) throw error("over: the first trial has no run of each input, want the run's own log");
        for (std::size_t j = 0; j < r.order.size() && !begun(); ++j)
            if (!(m.batches[j] > 0)) left_out_.push_back(inputs_[r.order[j]] + ": failed in the run that is taken up");
        r.out.batches = m.batches;
        if (whole) finish(r);
    }

    [[nodiscard]] std::vector<double> ratios(index candidate, const measurement& m) const
    {
        std::vector<double> out(inputs_.size(), std::numeric_limits<double>::quiet_NaN());
        const auto order = order_of(candidate, m.batches.size() == inputs_.size());
        for (std::size_t j = 0; j < (std::min)(order.size(), m.batches.size()); ++j)
            out[order[j]] = m.batches[j] / usual_[order[j]];
        return out;
    }

private:
    using goal = over_options::goal;
    [[nodiscard]] std::vector<std::size_t> order_of(index candidate, bool all) const
    {
        std::vector<std::size_t> out;
        for (std::size_t k = 0; k < inputs_.size(); ++k)
            if (all || usual_[k] > 0) out.push_back(k);
        auto gen = random::stream(how_.seed, 0x6f766572, candidate);
        random::shuffle(out, gen);
        return out;
    }

    /// Where a cost on input k lies: candidates are compared on this scale.
    [[nodiscard]] double at(std::size_t k, double cost) const
    {
        return how_.of == goal::sum ? cost / usual_mean_ : std::log(cost / usual_[k]);
    }
    [[nodiscard]] double cost_at(double x) const { return how_.of == goal::sum ? x : std::exp(x); }
    [[nodiscard]] double whole(const std::vector<double>& x) const  // of all inputs; NaN: one that does not count
    {
        double sum = 0, n = 0, most = -std::numeric_limits<double>::infinity();
        for (const double y : x)
            if (!std::isnan(y)) sum += y, n += 1, most = (std::max)(most, y);
        return how_.of == goal::worst ? most : sum / n;
    }

    /// Whether it cannot win, with k as the last input; its cost is then a bound.
    [[nodiscard]] bool gives_up(run& r, std::size_t k)
    {
        const double lies = at(k, r.out.batches.back()), best = whole(r.against);
        r.behind.push_back(lies - r.against[k]);
        r.so_far += lies / static_cast<double>(r.order.size());
        if (how_.confidence == 1 || r.out.batches.size() == r.order.size()) return false;
        double bound = how_.of == goal::worst ? lies : best + shown_above(r.behind, 1 / (1 - how_.confidence));
        if (how_.of == goal::sum) bound = (std::max)(bound, r.so_far);
        r.out.at_least = bound >= best;
        if (r.out.at_least) r.out.cost = cost_at(bound);
        return r.out.at_least;
    }

    void finish(run& r)
    {
        const bool first = !begun();
        std::vector<double> x(inputs_.size(), std::numeric_limits<double>::quiet_NaN());
        double sum = 0, n = 0;
        for (std::size_t j = 0; j < r.order.size() && first; ++j)
            if (const double cost = r.out.batches[j]; cost > 0) usual_[r.order[j]] = cost, sum += cost, n += 1;
        if (first && n == 0) throw error("over: the default failed on every input, the first so: " + left_out_.front());
        if (first) usual_mean_ = sum / n;
        for (std::size_t j = 0; j < r.order.size(); ++j) x[r.order[j]] = at(r.order[j], r.out.batches[j]);
        r.out.cost = first ? 1 : cost_at(whole(x));
        if (first || whole(x) < whole(best_)) best_ = std::move(x);
    }

    std::vector<std::string> inputs_, left_out_{};
    over_options how_;
    std::vector<double> usual_;  ///< of each input: the cost of the default; NaN where it failed
    double usual_mean_ = 0;
    std::vector<double> best_{};  ///< of each input: where the incumbent lies; empty before the default is through
};

}  // namespace detail

/// Measures candidates on several inputs, each with one cost, and gives up on those that cannot win.
///
///     space::value_product both({{"input", names}, {"tile", {8, 16}}}, {});  // the input is the first parameter
///     measure::function each{both, solve};  // or another measurer, such as a measure::program
///     measure::over all(names, each, {.seed = 7});
///     const auto found = tune(space, all, recipes::combined(), {.trials = 200}, gen, {.baseline = today});
///
/// `each` measures candidate * n + input, of n inputs. The first candidate is the default, and runs on all inputs
/// before another begins. An input that it fails on is left out. The cost is the geometric mean of the ratios to it, or
/// what `over_options::of` says: no time, and 1 for the default. A candidate fails if it fails on one input.
///
/// The inputs come in an order that is drawn anew for each candidate. After each of them it is compared with the
/// incumbent (the best when it began) on the same inputs, of which d_1, ..., d_m are the log ratios, or the differences
/// for a sum. It is given up on where
///
///     E = mean over l in {1/2, 1, ..., 512} of prod_j 2 / (1 + exp(-2 l d_j))  >=  1 / (1 - confidence).
///
/// If each d, given those before, is as likely so much above as below a middle of at most 0, E gains nothing in
/// expectation. Then the chance that it is ever so large is at most 1 - confidence, over all looks together (Ville's
/// inequality). This symmetry is an assumption: a candidate that loses a little on most inputs and gains much on a few
/// is given up on more often. For the worst ratio, and for a sum that is already larger, nothing is assumed.
///
/// What was given up on is a bound (`at_least`): the largest cost that the same test shows, not below the incumbent's.
/// `measurement::batches` has the cost on each input in their order; with `know` a resumed run is the same run.
///
/// Errors:     std::invalid_argument without inputs or for a confidence out of range; tunekit::error where the default
///             fails on every input; those of `each`.
/// Randomness: the orders, from seed and candidate alone.
/// Limits:     run_seconds and build_seconds are those of one input; abandon_above is not used.
/// Threads:    as `each`, which outlives it.
/// Source:     Birattari et al. (2002), A racing algorithm for configuring metaheuristics, GECCO; Hutter et al. (2011),
///             Sequential model-based optimization for general algorithm configuration, LION 5. The test: Ville (1939).
/// Departures: they compare by Friedman's test and by means, without a chance of error over all looks.
template <measurer M>
class over {
public:
    over(std::vector<std::string> inputs, M& each, const over_options& how = {})
        : each_(each), track_(std::move(inputs), how)
    {
    }

    /// Takes up the next trial of an earlier run. Throws tunekit::error where the first has not run on each input.
    void know(index candidate, const measurement& m) { track_.know(candidate, m); }
    /// A line for each input that is left out: its name, and how the default failed on it.
    [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return track_.left_out(); }
    /// The costs of a trial by input, each divided by the default's; NaN where there is none.
    [[nodiscard]] std::vector<double> ratios(index i, const measurement& m) const { return track_.ratios(i, m); }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is through.
    template <class Each>
    void measure(std::span<const index> batch, limits within, Each&& each)
    {
        within.abandon_above = within.abandon_factor = std::numeric_limits<double>::infinity();
        for (const index i : batch) {
            auto r = track_.begin(i);
            for (bool more = true; more;) {
                const index both = track_.next(r);
                more = track_.take(r, each_.measure(std::span(&both, 1), within).at(0), within);
            }
            each(std::move(r.out));
        }
    }

private:
    M& each_;
    detail::input_track track_;
};

}  // namespace tunekit::measure
