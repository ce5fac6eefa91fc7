// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Objectives: what counts as the cost of a measurement, computed from its cost and the numbers beside it.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/space/expression.hpp"

namespace tunekit::measure {

/// The numbers of a measurement by their names, as an objective sees them.
struct named_measurement {
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< what the measurer says
    measured_values values{};                                ///< the numbers beside it
    std::span<const std::string> names{};                    ///< of the values, in their order

    /// The number of that name; else NaN, or it was not measured. "cost" is the cost, or the value of that name:
    /// the cost as it was measured, where an objective has replaced it.
    [[nodiscard]] double operator[](std::string_view name) const noexcept;
};

namespace detail {

/// An objective: a callable of a `named_measurement` that returns what is to be lowered, a positive finite number.
template <class O>
concept objective_function = std::copyable<O> && requires(const O& goal, const named_measurement& m) {
    { goal(m) } -> std::convertible_to<double>;
};

}  // namespace detail

/// The objective of a measurement that breaks a limit: above that of every one that keeps it, and the higher the more.
///
///     1e30 (1 + (x - limit) / |limit|);    1e30 (1 + x) for a limit of 0
///
/// It is a cost like any other, and no failure: among broken ones the nearest to the limit is best. An objective that
/// is at or above 1e30 by itself cannot be told from it. NaN for an x that is not finite.
[[nodiscard]] double broken_limit(double x, double limit) noexcept;

/// An objective from a text.
///
///     const std::vector<std::string> names{"bytes", "joules"};
///     measure::objective("cost where bytes <= 1e6", names);
///
/// Grammar: an expression of `space::expression` over `cost` and the names, such as `2 * cost + 1e-9 * bytes`,
/// `cost * joules` or `bytes`; then, if wanted, `where` and limits `A <= B`, joined by `and`, of which the sum of what
/// each is broken by counts. A name that has more than letters, digits and `_` stands in backquotes.
///
/// Errors: std::invalid_argument for what is no objective, and for an unknown name: one line that lists the known ones.
class objective {
public:
    /// Parses `text` over `cost` and `names`.
    objective(std::string text, std::span<const std::string> names);

    /// The text that it was parsed from.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Whether it is the cost alone, so that nothing changes.
    [[nodiscard]] bool is_cost() const noexcept { return limits_.empty() && goal_.text() == "cost"; }
    /// What is to be lowered.
    [[nodiscard]] double operator()(const named_measurement& m) const;
    [[nodiscard]] const std::vector<std::string>& reads() const noexcept
    {
        return reads_;
    }  ///< the names of its numbers

private:
    struct bound {
        space::expression what, limit;
    };

    [[nodiscard]] double number(const space::expression& of, const named_measurement& m) const;

    std::string text_;
    std::vector<std::string> all_;  // "cost", then the names
    std::vector<std::string> reads_;
    space::expression goal_;
    std::vector<bound> limits_;
};

/// The names of the values of measurements that an objective has judged: `names` and, behind them, "cost".
/// Errors: std::invalid_argument where these are more than `measured_values::most`.
[[nodiscard]] std::vector<std::string> judged_names(std::span<const std::string> names);

namespace detail {

/// Throws std::invalid_argument for a name that is neither "cost" nor one of `names`.
void check_reads(std::span<const std::string> reads, std::span<const std::string> names);

/// A measurement on its way to an objective: what it was before, with all its numbers.
struct unjudged {
    measurement of;
    named_measurement whole;
    bool judged_before = false;

    unjudged(measurement m, std::span<const std::string> names);

    /// The measurement whose cost is `goal`, with `spread` and `batches`; or the failure that `goal` is not a cost.
    [[nodiscard]] measurement become(double goal, double spread, std::vector<double> batches) &&;
    /// The failure that there is no objective.
    [[nodiscard]] measurement refused(std::string why) &&;
};

}  // namespace detail

/// `m` as `goal` judges it: `cost` and `batches` are the goal's, and the cost that was measured stands behind the other
/// values, under the name "cost". A measurement that was judged before is judged anew from there, so another objective
/// can be applied to an old log. `names` are those of m's values.
///
/// Failures: `bad_cost` where the objective is no positive finite number, as it is where one of its numbers was not
///           measured; the message says which number it is.
template <detail::objective_function O>
[[nodiscard]] measurement judged(measurement m, const O& goal, std::span<const std::string> names)
{
    detail::unjudged one(std::move(m), names);
    const auto at = [&](double cost) {
        named_measurement other = one.whole;
        other.cost = cost;
        return static_cast<double>(goal(other));
    };
    if (one.of.failed) return std::move(one).refused({});
    try {
        const double cost = one.whole.cost, objective = at(cost);
        double spread = 0;
        std::vector<double> batches;
        if (!one.judged_before && objective > 0 && std::isfinite(objective)) {
            if (one.of.spread > 0) spread = std::fabs(at(cost + one.of.spread) - objective);
            for (const double t : one.of.batches) batches.push_back(at(t));
        }
        return std::move(one).become(objective, spread, std::move(batches));
    } catch (const std::invalid_argument& e) {  // such as a division by 0
        return std::move(one).refused(e.what());
    }
}

/// A measurer or a pool whose measurements are judged by an objective, so that any strategy, recipe and race lowers it.
///
///     const std::vector<std::string> names{"joules"};
///     tk::measure::by_objective both(measurer, tk::measure::objective("cost * joules", names), names);
///     auto found = tk::tune(space, both, tk::recipes::combined(), {.trials = 200}, gen);
///
/// Its measurements have the names `judged_names(names)`. Limits in seconds mean nothing to an objective: no candidate
/// is abandoned as slow. It refers to what measures.
///
/// Errors: std::invalid_argument for an objective with a `reads()` that names an unknown number; those of what
/// measures.
/// Cost:   that of the objective for each measurement and each of its batches.
template <class Measures, detail::objective_function O>
class by_objective {
public:
    /// Refers to `measures`, whose values are called `names`.
    by_objective(Measures& measures, O goal, std::vector<std::string> names)
        : measures_(measures), goal_(std::move(goal)), names_(std::move(names))
    {
        if constexpr (requires { goal_.reads(); }) detail::check_reads(goal_.reads(), names_);
        static_cast<void>(judged_names(names_));
    }

    /// Measures and judges a batch.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
        requires measurer<Measures>
    {
        std::vector<measurement> out = measures_.measure(batch, without_abandoning(within));
        for (measurement& m : out) m = judge(std::move(m));
        return out;
    }

    /// The workers of the pool.
    [[nodiscard]] std::size_t workers() const
        requires pool<Measures>
    {
        return measures_.workers();
    }
    /// The number of jobs that may be submitted now.
    [[nodiscard]] std::size_t room() const
        requires pool<Measures>
    {
        return measures_.room();
    }
    /// The seconds of the pool.
    [[nodiscard]] double now() const
        requires pool<Measures>
    {
        return measures_.now();
    }
    /// Takes a job. Precondition: there is room.
    void submit(job next)
        requires pool<Measures>
    {
        next.limits = without_abandoning(next.limits);
        measures_.submit(next);
    }
    /// The next answers, judged.
    [[nodiscard]] std::vector<answer> collect(double seconds)
        requires pool<Measures>
    {
        std::vector<answer> out = measures_.collect(seconds);
        for (answer& a : out)
            if (a.measured) a.measured = judge(*std::move(a.measured));
        return out;
    }
    /// What the pool tells of a worker.
    [[nodiscard]] auto about(std::size_t worker) const
        requires requires(const Measures& p) { p.about(worker); }
    {
        return measures_.about(worker);
    }
    /// The workers that have left the pool.
    [[nodiscard]] decltype(auto) left() const
        requires requires(const Measures& p) { p.left(); }
    {
        return measures_.left();
    }
    /// Whether the pool has given up what was out.
    [[nodiscard]] bool stopped() const
        requires requires(const Measures& p) { p.stopped(); }
    {
        return measures_.stopped();
    }

private:
    [[nodiscard]] static limits without_abandoning(limits l) noexcept
    {
        l.abandon_above = l.abandon_factor = std::numeric_limits<double>::infinity();
        return l;
    }
    [[nodiscard]] measurement judge(measurement m) const { return judged(std::move(m), goal_, names_); }

    Measures& measures_;
    O goal_;
    std::vector<std::string> names_;
};

}  // namespace tunekit::measure

#if TUNEKIT_BODIES
namespace tunekit::measure {

TUNEKIT_INLINE double named_measurement::operator[](std::string_view name) const noexcept
{
    for (std::size_t k = 0; k < names.size() && k < values.size(); ++k)
        if (names[k] == name) return values[k];
    return name == "cost" ? cost : std::numeric_limits<double>::quiet_NaN();
}

namespace detail {

/// By how much `x` is beyond `limit`, as a share of it; 0 where it is not, NaN where x is not finite.
TUNEKIT_INLINE double beyond(double x, double limit) noexcept
{
    if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
    if (x <= limit) return 0;
    return (std::min)((x - limit) / (limit != 0 ? std::fabs(limit) : 1), 1e100);
}

TUNEKIT_INLINE double broken_by(double share) noexcept { return broken_cost * (1 + share); }

}  // namespace detail

TUNEKIT_INLINE double broken_limit(double x, double limit) noexcept
{
    return detail::broken_by(detail::beyond(x, limit));
}

namespace detail {

inline constexpr space::expression_role objective_role{"objective", "number"};

/// The names that an objective's text may use.
TUNEKIT_INLINE std::vector<std::string> with_cost(std::span<const std::string> names)
{
    std::vector<std::string> out{"cost"};
    for (const std::string& n : names)
        if (n != "cost") out.push_back(n);
    return out;
}

/// The part of an objective's text before `where`, and the conditions behind it.
TUNEKIT_INLINE std::pair<std::string, std::vector<std::string>> parts_of_objective(const std::string& text)
{
    const auto trimmed = [](std::string_view part) {
        while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
        while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.remove_suffix(1);
        return std::string(part);
    };
    const std::size_t where = text.find(" where ");
    std::pair<std::string, std::vector<std::string>> out{trimmed(std::string_view(text).substr(0, where)), {}};
    require(!out.first.empty(), "objective '" + text + "' says nothing to lower, want cost, or an expression of it");
    for (std::size_t at = where; at != std::string::npos;) {
        const std::size_t from = at + (at == where ? 7 : 5);
        at = text.find(" and ", from);
        out.second.push_back(trimmed(std::string_view(text).substr(from, at == std::string::npos ? at : at - from)));
    }
    return out;
}

}  // namespace detail

TUNEKIT_INLINE objective::objective(std::string text, std::span<const std::string> names)
    : text_(std::move(text)),
      all_(detail::with_cost(names)),
      goal_(detail::parts_of_objective(text_).first, all_, {}, detail::objective_role)
{
    std::vector<std::size_t> used = goal_.names_used();
    for (const std::string& condition : detail::parts_of_objective(text_).second) {
        const std::size_t at = condition.find("<=");
        require(at != std::string::npos && condition.find("<=", at + 2) == std::string::npos,
                "objective '" + text_ + "': '" + condition + "' is not a limit, want NAME <= NUMBER");
        bound one{{condition.substr(0, at), all_, {}, detail::objective_role},
                  {condition.substr(at + 2), all_, {}, detail::objective_role}};
        for (const auto* part : {&one.what, &one.limit})
            used.insert(used.end(), part->names_used().begin(), part->names_used().end());
        limits_.push_back(std::move(one));
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const std::size_t j : used) reads_.push_back(all_[j]);
}

TUNEKIT_INLINE double objective::number(const space::expression& of, const named_measurement& m) const
{
    return of.value([&](std::size_t j) { return m[all_[j]]; });
}

TUNEKIT_INLINE double objective::operator()(const named_measurement& m) const
{
    double beyond = 0;
    for (const bound& b : limits_) beyond += detail::beyond(number(b.what, m), number(b.limit, m));
    return beyond == 0 ? number(goal_, m) : detail::broken_by(beyond);
}

TUNEKIT_INLINE std::vector<std::string> judged_names(std::span<const std::string> names)
{
    std::vector<std::string> out(names.begin(), names.end());
    if (std::find(out.begin(), out.end(), "cost") == out.end()) out.emplace_back("cost");
    require(out.size() <= measured_values::most,
            "objective: there are 8 numbers in addition to the cost, want at most 7: the measured cost is kept, too");
    return out;
}

namespace detail {

TUNEKIT_INLINE void check_reads(std::span<const std::string> reads, std::span<const std::string> names)
{
    const std::vector<std::string> all = with_cost(names);
    for (const std::string& name : reads) {
        if (std::find(all.begin(), all.end(), name) != all.end()) continue;
        std::string known;
        for (const std::string& n : all) known += (known.empty() ? "" : ", ") + n;
        invalid("objective: no number is called '" + name + "', want one of " + known);
    }
}

TUNEKIT_INLINE unjudged::unjudged(measurement m, std::span<const std::string> names) : of(std::move(m))
{
    std::vector<double> all(of.values.begin(), of.values.end());
    all.resize(names.size(), std::numeric_limits<double>::quiet_NaN());  // one that failed has none
    const auto kept = std::find(names.begin(), names.end(), "cost");
    judged_before = kept != names.end() && of.values.size() == names.size();
    if (kept == names.end()) all.push_back(of.failed ? std::numeric_limits<double>::quiet_NaN() : of.cost);
    of.values = measured_values(std::span<const double>(all));
    whole = {.cost = judged_before ? all[static_cast<std::size_t>(kept - names.begin())] : of.cost,
             .values = of.values,
             .names = names};
}

TUNEKIT_INLINE measurement unjudged::become(double goal, double spread, std::vector<double> batches) &&
{
    if (std::isfinite(goal) && goal > 0) {
        of.cost = goal;
        of.spread = std::isfinite(spread) ? spread : 0;
        of.batches = std::move(batches);
        return std::move(of);
    }
    std::string why = "the objective is " + core::text_of(goal) + ", want a positive finite number";
    for (std::size_t k = 0; k < whole.names.size(); ++k)
        if (!std::isfinite(of.values[k])) {
            why += "; '" + whole.names[k] + "' " + (std::isnan(of.values[k]) ? "was not measured" : "is infinite");
            break;
        }
    return std::move(*this).refused(std::move(why));
}

TUNEKIT_INLINE measurement unjudged::refused(std::string why) &&
{
    if (!of.failed) of.failed = failure{.kind = failure_kind::bad_cost, .message = std::move(why)};
    of.cost = std::numeric_limits<double>::quiet_NaN();
    of.spread = 0;
    of.batches.clear();
    return std::move(of);
}

}  // namespace detail
}  // namespace tunekit::measure
#endif  // TUNEKIT_BODIES
