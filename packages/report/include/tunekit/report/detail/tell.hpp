// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How trials and the rounds of a last comparison become an account, and what explains failures.

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/report/account.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/student_t.hpp"

namespace tunekit::report::detail {

[[nodiscard]] inline bool has_spread(const measure::measurement& m) { return std::isfinite(m.spread) && m.spread > 0; }

/// Half the 95 % interval of a cost: so many standard errors as Student's t has for its batches, where they are below
/// ten, or else the normal distribution.
[[nodiscard]] inline double margin_of(const measure::measurement& m)
{
    constexpr double normal = 1.959963984540054;
    const std::size_t n = m.batches.size();
    const bool few = n >= 2 && n < 10;
    return m.spread * (few ? stats::student_t_quantile(0.975, static_cast<double>(n - 1)) : normal);
}

/// The cost that is stated of a measurement: where its fastest runs ranked it, their median, which is rather what
/// a call takes in use.
[[nodiscard]] inline double stated(const measure::measurement& m)
{
    const bool by_fastest = m.batches.size() > 1 && m.cost == measure::fastest_quarter<>{}.estimate_of(m.batches).cost;
    return by_fastest ? stats::median(m.batches) : m.cost;
}

/// What is known of a configuration besides its cost: from its trial, from before the run, or from its rounds.
[[nodiscard]] inline findings::configuration told_of(const seen_task& t, index candidate)
{
    findings::configuration out{.candidate = candidate};
    for (const auto* const all : {&t.rounds, &t.known, &t.trials})
        for (const seen_task::trial& x : *all) {
            if (x.candidate != candidate) continue;
            out.values = x.values;
            if (x.measured.values.size() != 0) out.numbers = x.measured.values;
            if (all == &t.trials) out.trial = static_cast<std::size_t>(&x - t.trials.data());
        }
    return out;
}

/// What the trials, and what was known before, say of the best.
inline void tell_trials(const seen_task& t, findings& f)
{
    const auto told = [&](const seen_task::trial& x, bool known) {
        const measure::measurement& m = x.measured;
        findings::configuration out = told_of(t, x.candidate);
        out.values = x.values;
        if (!known) out.trial = static_cast<std::size_t>(&x - t.trials.data());
        out.cost = stated(m);
        out.runs = m.runs;
        if (has_spread(m)) out.within = {out.cost - margin_of(m), out.cost + margin_of(m)};
        return out;
    };
    const seen_task::trial* best = f.winner ? &t.trials[*f.winner] : nullptr;
    const seen_task::trial* other = f.reference ? &t.trials[*f.reference] : nullptr;
    bool best_known = false, other_known = false;
    for (const seen_task::trial& x : t.known) {
        if (!x.verified()) continue;
        if (best == nullptr || x.measured.cost < best->measured.cost) best = &x, best_known = true;
        if (x.candidate != t.baseline || f.against_baseline) continue;
        other = &x;
        other_known = f.against_baseline = true;
    }
    if (best == nullptr) {
        const seen_task::trial* nearest = nullptr;
        for (const auto* const all : {&t.known, &t.trials})
            for (const seen_task::trial& x : *all)
                if (x.over_limit() && (nearest == nullptr || x.measured.cost < nearest->measured.cost)) nearest = &x;
        if (nearest != nullptr) f.nearest = told_of(t, nearest->candidate);
        return;
    }
    const auto &w = best->measured, &r = (other == nullptr ? best : other)->measured;
    f.best = told(*best, best_known);
    if (other != nullptr) f.compared = told(*other, other_known);
    f.gain = stated(r) / stated(w);
    if (!has_spread(w)) return;
    if (has_spread(r)) {
        const double half = std::hypot(margin_of(w) / w.cost, margin_of(r) / r.cost);
        f.gain_range = {f.gain * std::exp(-half), f.gain * std::exp(half)};
    }
    for (std::size_t i = 0; i < t.trials.size(); ++i) {
        const auto& x = t.trials[i];
        if (!x.verified() || x.candidate == f.best->candidate || !has_spread(x.measured)) continue;
        if (x.measured.cost - w.cost <= std::hypot(margin_of(w), margin_of(x.measured)))
            f.tied.push_back(told(x, false));
    }
    std::stable_sort(f.tied.begin(), f.tied.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
}

/// What the last comparison says instead: costs of rounds that were run side by side.
inline void tell_rounds(const seen_task& t, findings& f)
{
    const last_comparison found = concluded(t);
    f.verdict = found;
    if (!f.best || !found.best) return;
    if (found.kept) f.tied.clear();
    if (found.finalists == 0) {
        if (!found.kept) return;
        if (!f.against_baseline) {  // it was cut short, so it is no reference
            f.compared = told_of(t, *found.best);
            f.compared->cost = found.cost;
        }
        f.best = f.compared;
        f.winner = f.best->trial;
        f.gain = 1;
        f.gain_range = {};
        return;
    }
    f.tied.clear();
    if (f.against_baseline || t.baseline) f.compared.reset();
    const bool compares = t.baseline || f.compared;  // a flag and a value: g++ 12 warns of an optional
    const index against = t.baseline ? *t.baseline : f.compared ? f.compared->candidate : index{0};
    bool raced = false;
    measure::slowdown best, other;
    for (const measure::standing& s : found.race.standings) {
        const bool over = !t.objective.empty() && s.cost >= measure::broken_cost;
        if (s.failed || s.costs.empty() || over) continue;
        findings::configuration c = told_of(t, s.candidate);
        c.cost = s.cost;
        c.runs = s.costs.size();
        if (const auto within = stats::order_interval(s.costs); within.coverage >= 0.95) c.within = within.within;
        const bool untuned = compares && s.candidate == against, winner = s.candidate == *found.best;
        if (untuned) f.compared = c, other = s.against_winner, raced = true;
        if (untuned && t.baseline) f.against_baseline = true, f.default_failed.reset();
        if (winner) best = s.against_winner;
        else if (s.tied && t.goals.empty()) f.tied.push_back(c);
        if (winner) f.best = std::move(c);
    }
    std::stable_sort(f.tied.begin(), f.tied.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    if (f.best->trial) f.winner = f.best->trial;
    if (!f.compared) return;
    if (!raced) {  // what it is compared with was measured during the search alone
        f.gain = f.compared->cost / f.best->cost;
        f.gain_range = {};
        return;
    }
    if (f.compared->trial) f.reference = f.compared->trial;
    f.gain = (1 + other.median) / (1 + best.median);  // both intervals hold together
    f.gain_range = {(1 + other.low) / (1 + best.high),
                    best.low > -1 ? (1 + other.high) / (1 + best.low) : std::numeric_limits<double>::infinity()};
    if (f.compared->candidate == f.best->candidate) f.gain = 1, f.gain_range = {};
    if (f.compared->runs <
        f.best->runs) {  // it left early, and the machine may have changed since: rounds compare, not costs
        f.compared->cost = f.best->cost * f.gain;
        f.compared->within = {f.best->cost * f.gain_range.low, f.best->cost * f.gain_range.high};
    }
}

/// The front of several goals: of the last comparison, or of single measurements without a last comparison.
inline void tell_front(const seen_task& t, findings& f)
{
    if (t.goals.size() < 2) return;
    if (!t.rounds.empty()) {
        f.front = front_of(race_of(t));
        return;
    }
    std::vector<measure::trial> all;
    for (const auto* const seen : {&t.known, &t.trials})
        for (const seen_task::trial& x : *seen) all.push_back({.candidate = x.candidate, .measured = x.measured});
    f.front = front_of(all, t.goals);
}

/// The values of one parameter that explain the failures of a kind, as findings::failure_count::where has them.
[[nodiscard]] inline std::string values_that_fail(const seen_task& t, const findings& f,
                                                  const findings::failure_count& of)
{
    std::string out;
    std::size_t best = 0;
    for (const findings::value_axis& a : f.axes) {
        std::vector<std::size_t> bad(a.values.size()), all(a.values.size());
        for (std::size_t i = 0; i < t.trials.size(); ++i) {
            ++all[a.of_trial[i]];
            if (const auto& why = t.trials[i].measured.failed; why && why->kind == of.kind) ++bad[a.of_trial[i]];
        }
        std::string text = a.name + " = ";
        std::size_t failed = 0, tried = 0, chosen = 0;
        for (std::size_t v = 0; v < all.size(); ++v) {
            if (2 * bad[v] <= all[v]) continue;
            failed += bad[v];
            tried += all[v];
            if (++chosen <= 4) text += (chosen > 1 ? ", " : "") + (a.values[v].empty() ? "''" : a.values[v]);
        }
        if (chosen > 4) text += ", ...";
        const bool explains = failed >= 3 && 10 * failed >= 9 * of.trials && 10 * failed >= 9 * tried;
        const std::size_t right = failed + t.trials.size() - tried;
        if (explains && tried + 2 <= t.trials.size() && right > best) best = right, out = text;
    }
    return out;
}

}  // namespace tunekit::report::detail
