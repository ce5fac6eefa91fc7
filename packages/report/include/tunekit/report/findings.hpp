// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The findings of a run, as numbers: winner, gain, ties, failures, importance of parameters.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/report/account.hpp"
#include "tunekit/report/detail/tell.hpp"
#include "tunekit/report/importance.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tunekit::report {

namespace detail {

[[nodiscard]] inline std::optional<double> as_number(const std::string& text)
{
    const auto x = core::number<double>(text);
    return x && std::isfinite(*x) ? x : std::nullopt;
}

/// Empty unless every trial has a value of each parameter.
[[nodiscard]] inline std::vector<findings::value_axis> axes_of(const seen_task& t)
{
    for (const auto& x : t.trials)
        if (x.values.size() != t.parameters.size()) return {};
    std::vector<findings::value_axis> out;
    for (std::size_t j = 0; j < t.parameters.size(); ++j) {
        findings::value_axis a{.name = t.parameters[j]};
        a.numeric = true;
        for (const auto& x : t.trials) {
            a.values.push_back(x.values[j]);
            a.numeric = a.numeric && as_number(x.values[j]);
        }
        std::map<std::string_view, std::size_t> place;  // in the space
        for (std::size_t k = 0; j < t.texts.size() && k < t.texts[j].size(); ++k) place.emplace(t.texts[j][k], k);
        const bool listed =
            std::all_of(a.values.begin(), a.values.end(), [&](const auto& v) { return place.contains(v); });
        const auto before = [&](const std::string& x, const std::string& y) {
            if (listed) return place.at(x) < place.at(y);
            if (a.numeric && *as_number(x) != *as_number(y)) return *as_number(x) < *as_number(y);
            return x < y;
        };
        std::sort(a.values.begin(), a.values.end(), before);
        a.values.erase(std::unique(a.values.begin(), a.values.end()), a.values.end());
        for (const auto& x : t.trials)
            a.of_trial.push_back(static_cast<std::size_t>(
                std::lower_bound(a.values.begin(), a.values.end(), x.values[j], before) - a.values.begin()));
        out.push_back(std::move(a));
    }
    return out;
}

/// The most trials to which the forest is fitted, drawn at random. More do not make its result better.
inline constexpr std::size_t max_rows_of_forest = 1500;
inline constexpr std::size_t min_rows_of_forest = 16;

inline void add_shares(const seen_task& t, findings& f)
{
    f.order.resize(f.axes.size());
    for (std::size_t j = 0; j < f.order.size(); ++j) f.order[j] = j;
    if (f.axes.empty() || f.verified < min_rows_of_forest) return;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < t.trials.size(); ++i)
        if (t.trials[i].verified()) rows.push_back(i);
    random::philox gen(1);
    if (rows.size() > max_rows_of_forest) {
        random::partial_shuffle(std::span(rows), max_rows_of_forest, gen);
        rows.resize(max_rows_of_forest);
        std::sort(rows.begin(), rows.end());
    }
    std::vector<float> x;
    std::vector<double> y;
    for (const std::size_t i : rows) {
        for (const auto& a : f.axes) x.push_back(static_cast<float>(a.of_trial[i]));
        y.push_back(std::log(t.trials[i].measured.cost));
    }
    const surrogate::features table(x, f.axes.size());
    const surrogate::random_forest model{.trees = 50};
    auto forest = model.start(f.axes.size());
    model.fit(forest, table, y, gen);
    std::vector<std::vector<float>> values;
    for (const auto& a : f.axes) {
        auto& v = values.emplace_back();
        for (std::size_t k = 0; k < a.values.size(); ++k) v.push_back(static_cast<float>(k));
    }
    f.shares = surrogate::importance_of(forest, values);
    f.shares_good = surrogate::importance_of(forest, values, {.at_most = stats::median(y)});
    std::stable_sort(f.order.begin(), f.order.end(), [&](std::size_t a, std::size_t b) {
        return f.shares->singles[a].mean > f.shares->singles[b].mean;
    });
}

/// The most trials in which idle parameters are looked for.
inline constexpr std::size_t max_rows_of_idle = 10000;

/// Finds idle parameters. What is told of a run is luck with a chance of 1 % at most: the chance of one tie is that of
/// any two costs, and under a condition at least that of the comparisons where it does not hold.
inline void add_idle(const seen_task& t, findings& f)
{
    constexpr std::size_t least = 5;  // comparisons
    struct tally {
        std::size_t compared = 0, same = 0;
        void add(const tally& x) { compared += x.compared, same += x.same; }
    };
    std::vector<std::size_t> rows;
    std::vector<double> costs;
    for (std::size_t i = 0; i < t.trials.size() && rows.size() < max_rows_of_idle; ++i)
        if (t.trials[i].verified()) rows.push_back(i), costs.push_back(t.trials[i].measured.cost);
    std::sort(costs.begin(), costs.end());
    double ties = 1, run = 0;
    for (std::size_t i = 1; i < costs.size(); ++i) ties += run = costs[i] == costs[i - 1] ? run + 1 : 0;
    const double n = static_cast<double>(rows.size()), any = ties / (n * (n - 1) / 2 + 1);
    std::size_t statements = 0;
    for (const auto& a : f.axes) statements += f.axes.size() * a.values.size();
    const auto beyond = [&](const tally& x, double luck) {
        return x.compared >= least && x.same == x.compared &&
               static_cast<double>(x.compared) * std::log(luck) < std::log(0.01 / static_cast<double>(statements));
    };
    for (std::size_t j = 0; j < f.axes.size(); ++j) {
        const auto before = [&](std::size_t a, std::size_t b) {
            for (std::size_t k = 0; k < f.axes.size(); ++k)
                if (const auto& at = f.axes[k].of_trial; k != j && at[a] != at[b]) return at[a] < at[b];
            return false;
        };
        std::sort(rows.begin(), rows.end(), before);
        tally all;
        std::vector<std::vector<tally>> given;  // by another parameter and its value
        for (const auto& a : f.axes) given.emplace_back(a.values.size());
        for (auto at = rows.begin(); at != rows.end();) {
            const auto end = std::upper_bound(at, rows.end(), *at, before);
            costs.clear();
            for (auto i = at; i != end; ++i) costs.push_back(t.trials[*i].measured.cost);
            std::sort(costs.begin(), costs.end());
            const std::size_t other = static_cast<std::size_t>(
                costs.end() - std::unique(costs.begin(), costs.end()));  // each is the same as one before
            const tally here{costs.size() - 1, other};
            all.add(here);
            for (std::size_t k = 0; k < f.axes.size(); ++k)
                if (k != j) given[k][f.axes[k].of_trial[*at]].add(here);
            at = end;
        }
        findings::idle_parameter found{.parameter = j};
        if (beyond(all, any)) {
            found.comparisons = all.compared;
        } else {
            for (std::size_t k = 0; k < f.axes.size(); ++k) {
                findings::idle_parameter one{.parameter = j};
                for (std::size_t v = 0; v < given[k].size(); ++v) {
                    const tally& x = given[k][v];
                    const double elsewhere =
                        static_cast<double>(all.same - x.same + 1) / static_cast<double>(all.compared - x.compared + 1);
                    if (!beyond(x, (std::max)(any, elsewhere))) continue;
                    one.comparisons += x.compared;
                    one.where.append(one.where.empty() ? f.axes[k].name + " = " : ", ").append(f.axes[k].values[v]);
                }
                if (one.comparisons > found.comparisons) found = std::move(one);
            }
        }
        if (found.comparisons > 0) f.idle.push_back(std::move(found));
    }
    std::stable_sort(f.idle.begin(), f.idle.end(),
                     [](const auto& a, const auto& b) { return a.comparisons > b.comparisons; });
}

}  // namespace detail

/// Computes the findings from the trials and rounds of `t`. Spreads are standard errors, so an interval is +- 1.96 of
/// them, and for fewer than ten batches what Student's t has in place of 1.96: 4.3 for three. The interval of a gain is
/// that of a quotient whose logarithm is normal. The measured cost of a winner among many is a little too low by
/// chance: measure again before you trust a tie.
/// Cost: that of a forest of 50 trees over at most 1500 trials.
[[nodiscard]] inline findings findings_of(const seen_task& t)
{
    findings f;
    std::map<measure::failure_kind, findings::failure_count> kinds;
    double best = std::numeric_limits<double>::infinity();
    double best_before = best;  // the last quarter
    for (std::size_t i = 0; i < t.trials.size(); ++i) {
        const seen_task::trial& x = t.trials[i];
        if (4 * i < 3 * t.trials.size()) best_before = best;
        if (x.measured.failed) {
            ++f.failed;
            auto& k = kinds[x.measured.failed->kind];
            k.kind = x.measured.failed->kind;
            if (t.baseline == x.candidate && !f.default_failed) f.default_failed = x.measured.failed;
            if (k.trials++ == 0) k.message = x.measured.failed->message;
        } else if (x.measured.at_least) {
            ++f.cut_short;
        } else if (x.over_limit()) {
            ++f.over_limit;
        } else if (x.verified()) {
            ++f.verified;
            if (!f.reference && !t.baseline) f.reference = i;
            if (t.baseline == x.candidate && !f.reference) f.reference = i, f.against_baseline = true;
            if (t.baseline == x.candidate) f.default_failed.reset();
            if (x.measured.cost < best) {
                best = x.measured.cost;
                f.winner = i;
                f.incumbents.push_back(i);
                if (4 * i < 3 * t.trials.size()) best_before = best;
            }
        }
    }
    for (auto& [kind, count] : kinds) f.failures.push_back(std::move(count));
    std::stable_sort(
        f.failures.begin(), f.failures.end(),
        [](const findings::failure_count& a, const findings::failure_count& b) { return a.trials > b.trials; });
    if (f.winner) {
        if (!f.reference)  // the baseline never ran
            for (std::size_t i = 0; i < t.trials.size() && !f.reference; ++i)
                if (t.trials[i].verified()) f.reference = i;
        f.late_gain = std::isfinite(best_before) ? 1 - best / best_before : 0;
    }
    for (const seen_task::trial& x : t.trials) {
        const std::vector<double>& runs = x.measured.batches;
        f.runs += runs.size();
        if (!runs.empty())
            f.slow_runs += static_cast<std::size_t>(std::count_if(
                runs.begin(), runs.end(),
                [least = *std::min_element(runs.begin(), runs.end())](double s) { return s > 2 * least; }));
    }
    detail::tell_trials(t, f);
    detail::tell_rounds(t, f);
    detail::tell_front(t, f);
    f.axes = detail::axes_of(t);
    for (findings::failure_count& k : f.failures) k.where = detail::values_that_fail(t, f, k);
    detail::add_shares(t, f);
    detail::add_idle(t, f);
    return f;
}

/// The findings of all tasks of a run.
[[nodiscard]] inline std::vector<findings> findings_of(const seen_run& run)
{
    std::vector<findings> out;
    for (const auto& t : run.tasks) out.push_back(findings_of(t));
    return out;
}

namespace detail {

/// A point of the model's latency over a run: seconds of the run, seconds of the model. There is one after each answer,
/// once every task has a configuration.
struct latency_point {
    double seconds = 0;  ///< of the run
    double latency = 0;  ///< seconds of the model
};

/// The model's latency by the stamps of all trials: sum of weight * best cost.
[[nodiscard]] inline std::vector<latency_point> latency_of(const seen_run& run)
{
    struct answer {
        double stamp;
        std::size_t task;
        double cost;
    };
    std::vector<answer> all;
    for (std::size_t k = 0; k < run.tasks.size(); ++k)
        for (const auto& t : run.tasks[k].trials)
            if (t.verified()) all.push_back({t.stamp, k, t.measured.cost});
    std::stable_sort(all.begin(), all.end(), [](const answer& a, const answer& b) { return a.stamp < b.stamp; });
    std::vector<double> best(run.tasks.size(), std::numeric_limits<double>::infinity());
    std::vector<latency_point> out;
    for (const auto& a : all) {
        if (!(a.cost < best[a.task])) continue;
        best[a.task] = a.cost;
        double sum = 0;
        for (std::size_t k = 0; k < best.size(); ++k) sum += run.tasks[k].weight * best[k];
        if (std::isfinite(sum)) out.push_back({a.stamp, sum});
    }
    return out;
}

}  // namespace detail
}  // namespace tunekit::report
