// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A strategy at work on one space: it is asked, and hears of results.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/ledger.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::detail {

template <class Space, class Strategy, generator G>
struct run;

/// Up to `n` jobs: dropped ones, those to begin with, or a proposal of the strategy. Outside of the class, so that
/// `TUNEKIT_ONCE` may have it.
template <class Space, class Strategy, class G>
[[nodiscard]] std::vector<job> asked(run<Space, Strategy, G>& r, const Space& space, tuning& record, std::size_t n);

/// A result of which the strategy has heard.
template <class Space, class Strategy, class G>
[[nodiscard]] measure::trial heard(run<Space, Strategy, G>& r, const Space& space, measure::trial t);

/// What the strategy expects of ln cost of a configuration that is out.
template <class Space, class Strategy, class G>
[[nodiscard]] std::optional<stats::prediction> expectation(const run<Space, Strategy, G>& r, const Space& space,
                                                           index candidate);

/// A strategy on one space, with the books of its jobs. Space and record belong to the caller.
template <class Space, class Strategy, generator G>
struct run {
    Strategy strategy;
    candidate_limits limits;
    G gen;
    search::state_of<Strategy, Space> state;
    ledger books;
    std::uint64_t proposals = 0;

    run(const Space& space, const Strategy& chosen, const candidate_limits& each, const budget& limit, G g)
        : strategy(chosen), limits(each), gen(std::move(g)), state(strategy.start(space)), books(limit, space.size())
    {
    }

    [[nodiscard]] std::vector<job> ask(const Space& space, tuning& record, std::size_t n)
    {
        return asked(*this, space, record, n);
    }

    /// Tells the strategy and the record what is known of a configuration. False where something was known already.
    bool know(const Space& space, tuning& record, index candidate, measure::measurement m)
    {
        if (!books.unknown(candidate)) return false;
        measure::trial t = heard(*this, space, {candidate, std::move(m)});
        books.know(candidate);
        record.know(std::move(t));
        return true;
    }

    /// True where the answer counted. It came at `stamp`; the record's time grows by `passed`.
    bool tell(const Space& space, tuning& record, const job& j, measure::measurement m, double passed, double stamp,
              std::size_t worker)
    {
        const bool counts = books.answered(j);
        (void)books.pass_to(stamp);
        if (counts) record.append(heard(*this, space, {j.candidate, std::move(m), worker, j.carried}), passed);
        else record.pass(passed);
        if (books.idle()) books.decide(record);
        return counts;
    }

    /// True where it was the second loss of the configuration, which counts as an answer.
    bool drop(const Space& space, tuning& record, const job& j, bool lost)
    {
        if (!books.dropped(j, lost)) return false;
        record.append(heard(*this, space, {j.candidate, lost_for_good()}), 0);
        if (books.idle()) books.decide(record);
        return true;
    }
};

template <class Space, class Strategy, class G>
std::vector<job> asked(run<Space, Strategy, G>& r, const Space& space, tuning& record, std::size_t n)
{
    r.books.decide(record);
    if (record.stopped() != stop_reason::running || n == 0) return {};
    const measure::limits within = r.limits.at(record.best_cost());
    std::vector<job> out = r.books.waiting(record, n, within);
    if (!out.empty()) return out;
    n = (std::min)(n, r.books.room(record));
    if (n == 0) return {};
    while (out.empty()) {
        const std::vector<index> proposed = r.strategy.propose(r.state, space, n, r.gen);
        if (proposed.empty()) {
            if (r.books.idle()) record.stop(stop_reason::exhausted);
            break;
        }
        ++r.proposals;
        out = r.books.accept(proposed, n, within);  // empty: all of it is out already
    }
    return out;
}

template <class Space, class Strategy, class G>
measure::trial heard(run<Space, Strategy, G>& r, const Space& space, measure::trial t)
{
    refuse_bad_cost(t.measured);
    r.strategy.observe(r.state, space, std::span<const index>(&t.candidate, 1),
                       std::span<const measure::measurement>(&t.measured, 1), r.gen);
    return t;
}

/// What the strategy expects of ln cost of a configuration that it has not observed; empty where it has no member for
/// that, or expects nothing yet.
template <class Space, class Strategy, class G>
std::optional<stats::prediction> expectation(const run<Space, Strategy, G>& r, const Space& space, index candidate)
{
    if constexpr (requires { r.strategy.expected(r.state, space, candidate); })
        return r.strategy.expected(r.state, space, candidate);
    else return std::nullopt;
}

}  // namespace tunekit::detail
