// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A portfolio of ways to use one model, in rotation: a criterion, the highest mean, a step from the best measured, and
/// the opinion of a second model.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/search/detail/candidate_pool.hpp"
#include "tunekit/search/detail/least_crowded.hpp"
#include "tunekit/search/detail/member_names.hpp"
#include "tunekit/search/detail/pending.hpp"
#include "tunekit/search/detail/standings.hpp"
#include "tunekit/search/detail/verdicts.hpp"
#include "tunekit/search/portfolio_options.hpp"
#include "tunekit/search/scores.hpp"
#include "tunekit/search/second_opinion.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search {

/// Fits `model` to -ln cost at growing intervals, scores what `explore` lists, and makes three kinds of proposal in
/// rotation:
/// * the candidate that `acquire` values most;
/// * the candidate of the highest mean;
/// * a step: the neighbour (one parameter changed) of the best measured configuration with the highest mean. Where all
///   neighbours of that configuration were proposed, the step is from the next best.
///
/// The first kind explores where the model is unsure, the second trusts the model, and the third needs it little. So each
/// makes progress where the others err. Where there is a second opinion, its best candidate comes first in each rotation.
/// While it is used, it replaces the proposals of the highest mean. Where the list is the whole space, it replaces the
/// steps too. Up to `random_until` proposals, one in each rotation is random: a model of few points does not know what it
/// has not seen. A model of many points can still be sure of a plateau.
///
/// With n measurements the model is fitted again after max(1, growth (n - refit_each_until)) more, if it is asked then. A
/// round is at most max(1, growth n) long. The complete list is scored once in that many measurements. A fit in between
/// scores the `shortlist` best of it, so a fresh model costs little more than its fit. Where the list is not the whole
/// space, each fit makes a new one. The neighbours of its best join it, and theirs, as long as the criterion rises.
///
/// Each of the first configurations is the one of `first_draws` random draws whose values are used least so far.
///
/// The model sees min(ln cost, q), where q is the quantile `cost_cap_quantile` of the valid ln costs so far. The
/// differences among bad costs say nothing about the place of the best, and would take most splits and all of the sd. A
/// failure counts as q. A measurement cut short (`at_least`) counts as its bound and is no centre of steps.
///
/// Pending:    it never waits. Configurations that are out count in every threshold. The model is not fitted again before
///             a quarter of them is answered. Only measurements enter the fit, those of trials that somebody else chose
///             too. To count those that are out with their predicted mean did not help (docs/search.md). Before the first
///             valid answer, more configurations go out that are isolated from all proposed ones.
/// Randomness: a sample of `first_draws` per first configuration; one `uniform_index` per random proposal and rejection;
///             per fit what model and list draw; a shuffle of the list, once where it is complete, and of the neighbours
///             of each centre. The shuffle orders equal scores, of which trees have many.
/// Cost:       refit_each_until + ln(trials / refit_each_until) / growth fits, each with predictions for the shortlist;
///             predictions for all that is listed, ln(trials) / growth times; per proposal O(1), and predictions for the
///             neighbours of a centre after a fit and where the best changed. Memory O((trials + listed) features).
/// Threads:    const calls on distinct states are safe.
/// Source:     ours; SMAC (Hutter, Hoos, Leyton-Brown 2011) interleaves, and searches locally on log costs.
template <class Model, class Acquire, class Explore, class Second = no_second_opinion>
struct portfolio {
    static_assert(surrogate::model<Model, surrogate::features, archetype::generator>,
                  "tunekit: portfolio, part 1: not a surrogate::model over features");
    static_assert(acquisition::criterion<Acquire>, "tunekit: portfolio, part 2: not an acquisition::criterion");
    static_assert(detail::has_list<Explore>(),
                  "tunekit: portfolio, part 3: not an explore::lists, list(space, best, gen) is missing");

    Model model;      ///< the surrogate, fitted to -ln cost
    Acquire acquire;  ///< the criterion: how much a prediction is worth measuring
    Explore explore;  ///< lists the configurations that are scored (`explore::lists`)
    portfolio_options options{};
    Second second{};  ///< a `second_opinion`, or none

    /// Whether there is a second opinion.
    static constexpr bool has_second = !std::is_same_v<Second, no_second_opinion>;

    /// The state of a run. It is a regular value where the model's state is one: copy it to replay.
    struct state {
        surrogate::state_of<Model> model;          ///< what the model has learned from its last fit
        space::unvisited proposed;                 ///< the configurations proposed or observed, and the rest
        detail::pending out;                       ///< proposed and not answered
        detail::used_values used;                  ///< how often each value of a parameter was proposed or observed
        std::vector<index> measured;               ///< in the order in which the answers came
        std::vector<double> log_costs;             ///< ln of the seconds, one per measured; +inf for failures
        std::vector<float> rows;                   ///< features of measured, row-major
        detail::standings best;                    ///< the valid measurements, best first, and the steps left from them
        detail::candidate_pool candidates;         ///< what the explorer listed, with features
        std::vector<index> by_criterion, by_mean;  ///< what to propose next, the next one last
        std::size_t refit_at = 0;                  ///< number of measurements from which the model is fitted again
        /// Numbers measured or out: from `relist_at` the list is complete again, at `round_end` the round ends.
        std::size_t relist_at = 0, round_end = 0;
        std::size_t turn = 0;           ///< position in the rotation of the next proposal
        bool fitted = false;            ///< whether the model was fitted at least once
        typename Second::state second;  ///< what the second opinion knows

        /// The number of configurations proposed here or chosen by somebody else: measured or still out.
        [[nodiscard]] std::size_t known() const noexcept { return measured.size() + out.size(); }

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Errors: those of `portfolio_options::check` and of the parts.
    template <class Space>
    [[nodiscard]] state start(const Space& space) const
    {
        options.check();
        state s;
        s.model = model.start(space.feature_count(options.encoding));
        if constexpr (has_second) s.second = second.start(space);
        return s;
    }

    /// At most `n` configurations; fewer where the first ones or the space end, or the next fit is due. Empty when the
    /// space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        static_assert(explore::lists<Explore, Space, G>,
                      "tunekit: portfolio, part 3: not an explore::lists on this space");
        std::vector<index> batch;
        if (n == 0 || s.proposed.taken() >= space.size()) return batch;
        const std::size_t known = s.known();
        const bool first = known < options.first;
        const bool spread = first || !s.out.empty();
        const bool blind = first || s.best.ranking.empty();
        if (first) n = (std::min)(n, options.first - known);
        if (!blind) {
            // A proposal of the second opinion needs no fresh fit of the first model.
            const bool unasked = n == 1 && s.fitted && s.turn < seconds(s);
            if (s.measured.size() >= s.refit_at && !unasked) learn(s, space, gen);
            n = (std::min)(n, (std::max)(s.round_end, known + 1) - known);
        }
        while (batch.size() < n) {
            std::optional<index> i;
            if (!blind) i = next(s, space, known, gen);
            else if (spread && options.first_draws > 1)
                i = detail::least_crowded(space, s.used, options.first_draws, s.proposed, gen);
            if (i) s.proposed.take(*i);
            else i = s.proposed.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
            s.out.add(*i);
            s.used.add(space, std::span(&*i, 1));
        }
        return batch;
    }

    template <class Space, generator G>
    void observe(state& s, const Space& space, std::span<const index> batch,
                 std::span<const measure::measurement> measured, G&) const
    {
        assert(batch.size() == measured.size());
        const std::size_t d = space.feature_count(options.encoding);
        s.rows.resize(s.rows.size() + batch.size() * d);
        space.features(batch, std::span<float>(s.rows).last(batch.size() * d), options.encoding);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const bool failed = measured[i].failed || !(measured[i].cost > 0) || !std::isfinite(measured[i].cost);
            const double x = failed ? std::numeric_limits<double>::infinity() : std::log(measured[i].cost);
            s.proposed.take(batch[i]);  // may be new: somebody else may have chosen it
            if (!s.out.take(batch[i])) s.used.add(space, batch.subspan(i, 1));
            s.measured.push_back(batch[i]);
            s.log_costs.push_back(x);
            if (!failed && !measured[i].at_least) s.best.add(batch[i], x);
        }
    }

    /// The scores that the model is fitted to, one per measured configuration. Precondition: a valid one.
    [[nodiscard]] std::vector<double> scores(const state& s) const
    {
        return detail::capped_log_scores(s.log_costs, options.cost_cap_quantile);
    }

private:
    /// Turns of the second opinion in a rotation, 0 where it is not asked any more.
    [[nodiscard]] std::size_t seconds(const state& s) const
    {
        if constexpr (has_second) return s.known() < second.until ? options.by_second : 0;
        else return 0;
    }

    [[nodiscard]] std::size_t share_of(std::size_t n) const
    {
        return (std::max)(static_cast<std::size_t>(options.growth * static_cast<double>(n)), std::size_t{1});
    }

    /// Fits, and lines up enough for the proposals until the next fit.
    template <class Space, class G>
    void learn(state& s, const Space& space, G& gen) const
    {
        const std::size_t n = s.known();
        const std::size_t share = share_of(n);
        model.fit(s.model, surrogate::features(s.rows, space.feature_count(options.encoding)), scores(s), gen);
        s.fitted = true;
        s.best.listed = false;  // its steps were ordered by the previous fit
        s.round_end = n + share;
        // With many out, a fit after each answer would make workers wait for fits that learn little.
        const std::size_t due = share_of(n - (std::min)(n, options.refit_each_until));
        const bool whole = explore.complete(space);
        s.refit_at =
            s.measured.size() + (std::max)(whole ? due : (std::min)(due, options.refit_within), s.out.size() / 4);
        const bool complete = n >= s.relist_at || !whole;
        if (complete) {
            s.relist_at = n + share;
            if (s.candidates.listed.empty() || !whole)
                s.candidates.take(explore.list(space, s.best.ranking, gen), space, options.encoding, gen);
            else s.candidates.ask_all();
        }
        const auto predict = [&](const detail::candidate_pool& asked) { return asked.predict(model, s.model); };
        const auto value = [&](const stats::prediction& p) { return acquire.value(p, -s.best.log_costs.front()); };
        detail::verdicts found = detail::judge(s.candidates, s.proposed, predict, value);
        if (!whole)
            detail::climb(found, s.candidates, space, s.proposed, options.encoding, options.climb_width,
                          options.climb_rounds, predict, value, gen);
        // Enough until the next list: that is at most twice the share, and what goes out before the answers come.
        const std::size_t kept = (complete ? (std::max)(options.shortlist, 4 * share) : 2 * share) + s.out.size();
        s.by_criterion = detail::line_of(s.candidates.listed, found.values, kept);
        s.by_mean = detail::line_of(s.candidates.listed, found.means, kept);
        if (complete) s.candidates.ask_first(kept, found.values, found.means);
    }

    /// What the second opinion proposes.
    template <class Space, class G>
    [[nodiscard]] std::optional<index> other(state& s, const Space& space, G& gen) const
    {
        if constexpr (has_second)
            return second.next(s.second, space, s.measured,
                               detail::capped_log_scores(s.log_costs, second.cost_cap_quantile), s.best.ranking,
                               -s.best.log_costs.front(), s.by_criterion, s.proposed, gen);
        else return std::nullopt;
    }

    /// The proposal of the kind whose turn it is, or of the next kind that has one. Empty: propose a random one.
    template <class Space, class G>
    [[nodiscard]] std::optional<index> next(state& s, const Space& space, std::size_t known, G& gen) const
    {
        const std::size_t ahead = seconds(s);
        const std::size_t means = ahead > 0 ? 0 : options.by_mean;
        const std::size_t steps = ahead > 0 && explore.complete(space) ? 0 : options.by_step;
        const std::size_t model_turns = ahead + options.by_criterion + means, judged = model_turns + steps;
        const std::size_t turns = judged + (known < options.random_until ? options.by_random : 0);
        for (std::size_t k = 0; k < turns; ++k) {
            const std::size_t t = s.turn % turns;
            s.turn = (t + 1) % turns;
            if (t >= judged) return std::nullopt;
            std::optional<index> i;
            if (t < ahead) i = other(s, space, gen);
            else if (t < ahead + options.by_criterion) i = detail::next_of(s.by_criterion, s.proposed);
            else if (t < model_turns) i = detail::next_of(s.by_mean, s.proposed);
            else i = s.best.step(space, s.proposed, model, s.model, options.encoding, gen);
            if (i) return i;
        }
        return std::nullopt;
    }
};

template <class M, class A, class X, class S = no_second_opinion>
portfolio(M, A, X, portfolio_options = {}, S = {}) -> portfolio<M, A, X, S>;

}  // namespace tunekit::search
