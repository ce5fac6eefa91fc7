// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One model, three ways to use it, in turn: a criterion, the model's favourite, a step from the best measured.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/least_crowded.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/tune/candidate_pool.hpp"

namespace tunekit {

/// Settings of `portfolio` that belong to no part.
struct portfolio_options {
    std::size_t first = 8;     ///< configurations before the first model; >= 1
    std::size_t among = 64;    ///< draws that each of them is the least crowded of; 1: by lot alone; >= 1
    std::size_t every = 64;    ///< up to so many measurements the model is fitted again after each
    double growth = 0.2;       ///< then after this share of those beyond; no plan is longer than this share of all; > 0
    std::size_t shortlist = 512;  ///< best by criterion, and by mean, to ask the model about between complete lists
    double tell_apart = 0.5;   ///< in (0, 1]; share of the valid costs, lowest first, that the model sees apart
    std::size_t by_criterion = 1, by_mean = 1, by_step = 1;  ///< proposals of each per round; one of them > 0
    std::size_t by_lot = 1, lot_until = 32;  ///< and so many by lot, up to so many measurements
    space::encoding encoding = space::encoding::values;
};

/// Fits `model` to -ln cost at growing intervals, scores what `explore` lists, and proposes in turn
///     the candidate that `acquire` values most,
///     the candidate of the highest mean,
///     the neighbour (one parameter changed) of the best measured configuration with the highest mean, or of the next best
///     where all neighbours of that one were proposed.
/// The first looks where the model is unsure, the second trusts it, the third needs it little: each goes on where the
/// others err.
/// Up to `lot_until` measurements a turn goes by lot: a model of few points does not know what it has not seen.
///
/// With n measurements the model is fitted again after max(1, growth (n - every)) more, if it is asked for proposals then:
/// a plan is at most max(1, growth n) long. The complete list is scored once in max(1, growth n) measurements; a fit in
/// between scores the `shortlist` best of it, by criterion and by mean. So a fresh model costs little more than its fit.
///
/// The first configurations are each `space::least_crowded` of `among` draws.
///
/// The model sees min(ln cost, q), q the quantile `tell_apart` of the ln costs so far, failures left out: how bad the bad
/// ones are says nothing of where the best lies, and would take most splits and all of the sd. A failure, and anything
/// while nothing valid was measured, counts as q. A measurement cut short (`at_least`) counts as its bound and is no
/// centre of steps.
///
/// Randomness: a sample of `among` per first configuration; one `uniform_index` per proposal by lot and rejection; per fit
///             what model and list draw; a shuffle of the list, once where it is complete, and of the neighbours of each
///             centre: equal scores, of which trees have many, go by lot.
/// Cost:       every + ln(trials / every) / growth fits, each with a prediction and a score for the shortlist;
///             ln(trials) / growth times for all that is listed; per proposal O(1), and a batch of neighbours where fitted
///             or the best changed. Memory O((trials + listed) features).
/// Threads:    const calls on distinct states are safe.
/// Source:     ours. SMAC (Hutter, Hoos, Leyton-Brown 2011) interleaves and searches locally; expected improvement on log
///             costs as there.
template <class Model, class Acquire, class Explore>
struct portfolio {
    static_assert(surrogate::model<Model, surrogate::features, archetype::generator>,
                  "tunekit: portfolio, part 1: not a surrogate::model over features");
    static_assert(acquisition::criterion<Acquire>, "tunekit: portfolio, part 2: not an acquisition::criterion");

    Model model;
    Acquire acquire;
    Explore explore;
    portfolio_options options{};

    /// A regular value where the model's state is one: copy it to replay.
    struct state {
        surrogate::state_of<Model> model;
        space::unvisited proposed;
        std::vector<index> measured;
        std::vector<double> log_costs;       ///< one per measured; +inf for failures
        std::vector<float> rows;             ///< features of measured, row-major
        std::vector<index> ranking;          ///< valid ones, lowest cost first
        std::vector<double> ranking_costs;   ///< their ln cost
        candidate_pool candidates;
        std::vector<index> by_criterion, by_mean, steps;  ///< what to propose next, the next one last
        std::size_t exhausted = 0;           ///< leading entries of `ranking` without a neighbour left
        bool stepping = false;               ///< whether `steps` are those of ranking[exhausted]
        std::size_t refit_at = 0, relist_at = 0, plan_end = 0;  ///< measurements
        std::size_t turn = 0;
        bool fitted = false;

        friend bool operator==(const state&, const state&) = default;
    };

    /// Throws std::invalid_argument where a setting is out of range.
    template <class Space>
    [[nodiscard]] state start(const Space& space) const
    {
        require(options.first >= 1, "portfolio: first is 0, want >= 1");
        require(options.among >= 1, "portfolio: among is 0, want >= 1");
        require(options.growth > 0, "portfolio: growth is not positive, want > 0");
        require(options.tell_apart > 0 && options.tell_apart <= 1,
                "portfolio: tell_apart is outside (0, 1] or NaN, want a share");
        require(options.by_criterion + options.by_mean + options.by_step > 0,
                "portfolio: no proposals of any kind, want one > 0");
        state s;
        s.model = model.start(space.feature_count(options.encoding));
        return s;
    }

    /// At most `n`; fewer where the first ones or the space end, or the next fit is due. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        static_assert(explore::lists<Explore, Space, G>, "tunekit: portfolio, part 3: not an explore::lists on this space");
        const bool first = s.measured.size() < options.first;
        const bool blind = first || s.ranking.empty();
        if (first) n = (std::min)(n, options.first - s.measured.size());
        if (!blind) {
            if (s.measured.size() >= s.refit_at && s.proposed.taken() < space.size()) learn(s, space, gen);
            n = (std::min)(n, (std::max)(s.plan_end, s.measured.size() + 1) - s.measured.size());
        }
        std::vector<index> batch;
        while (batch.size() < n) {
            std::optional<index> i;
            if (first && options.among > 1) i = first_one(s, space, batch, gen);
            else if (!blind) i = next(s, space, gen);
            if (i) s.proposed.take(*i);
            else i = s.proposed.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
        }
        return batch;
    }

    template <class Space, generator G>
    void observe(state& s, const Space& space, std::span<const index> batch, std::span<const measure::measurement> measured,
                 G&) const
    {
        assert(batch.size() == measured.size());
        const std::size_t d = space.feature_count(options.encoding);
        s.rows.resize(s.rows.size() + batch.size() * d);
        space.features(batch, std::span<float>(s.rows).last(batch.size() * d), options.encoding);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const bool failed = measured[i].failed || !(measured[i].cost > 0) || !std::isfinite(measured[i].cost);
            const double x = failed ? std::numeric_limits<double>::infinity() : std::log(measured[i].cost);
            s.proposed.take(batch[i]);  // news where somebody else chose it
            s.measured.push_back(batch[i]);
            s.log_costs.push_back(x);
            if (failed || measured[i].at_least) continue;
            const auto at = std::upper_bound(s.ranking_costs.begin(), s.ranking_costs.end(), x) - s.ranking_costs.begin();
            s.ranking_costs.insert(s.ranking_costs.begin() + at, x);
            s.ranking.insert(s.ranking.begin() + at, batch[i]);
            if (static_cast<std::size_t>(at) > s.exhausted) continue;
            s.exhausted = static_cast<std::size_t>(at);
            s.stepping = false;
        }
    }

    /// The scores that the model is fitted to, one per measured configuration. Precondition: a valid one.
    [[nodiscard]] std::vector<double> scores(const state& s) const
    {
        assert(!s.ranking_costs.empty());
        std::vector<double> valid;
        const auto told = [](double x) { return std::isfinite(x); };
        std::copy_if(s.log_costs.begin(), s.log_costs.end(), std::back_inserter(valid), told);
        const double below = options.tell_apart * static_cast<double>(valid.size() - 1);
        const auto at = valid.begin() + static_cast<std::ptrdiff_t>(below);
        std::nth_element(valid.begin(), at, valid.end());
        const double worst = *at;
        std::vector<double> y;
        y.reserve(s.log_costs.size());
        for (const double x : s.log_costs) y.push_back(-(std::min)(x, worst));
        return y;
    }

private:
    [[nodiscard]] std::size_t share_of(std::size_t n) const
    {
        return (std::max)(static_cast<std::size_t>(options.growth * static_cast<double>(n)), std::size_t{1});
    }

    /// Fits, and lines up enough for the proposals until the next fit.
    template <class Space, class G>
    void learn(state& s, const Space& space, G& gen) const
    {
        const std::size_t n = s.measured.size();
        const std::size_t share = share_of(n);
        model.fit(s.model, surrogate::features(s.rows, space.feature_count(options.encoding)), scores(s), gen);
        s.fitted = true;
        s.stepping = false;
        s.plan_end = n + share;
        s.refit_at = n + share_of(n - (std::min)(n, options.every));
        const bool complete = n >= s.relist_at;
        if (complete) {
            s.relist_at = n + share;
            if (s.candidates.listed.empty() || !explore.complete(space))
                s.candidates.take(explore.list(space, s.ranking, gen), space, options.encoding, gen);
            else s.candidates.ask_all();
        }
        const std::vector<stats::prediction> predicted = s.candidates.predict(model, s.model);
        std::vector<scored_position> values, means;
        for (std::size_t k = 0; k < predicted.size(); ++k) {
            const std::uint32_t at = s.candidates.asked[k];
            if (s.proposed.contains(s.candidates.listed[at])) continue;
            values.push_back({acquire.value(predicted[k], -s.ranking_costs.front()), at});
            means.push_back({predicted[k].mean, at});
        }
        // Plans until the next list: twice the share at most.
        const std::size_t kept = complete ? (std::max)(options.shortlist, 4 * share) : 2 * share;
        s.by_criterion = line_of(s.candidates.listed, values, kept);
        s.by_mean = line_of(s.candidates.listed, means, kept);
        if (complete) s.candidates.ask_first(kept, values, means);
    }

    template <class Space, class G>
    [[nodiscard]] std::optional<index> first_one(const state& s, const Space& space, std::span<const index> batch,
                                                 G& gen) const
    {
        std::vector<index> before(s.measured);
        before.insert(before.end(), batch.begin(), batch.end());
        return space::least_crowded(space, before, options.among, s.proposed, gen);
    }

    /// The `n` of highest score, the best last.
    [[nodiscard]] static std::vector<index> line_of(const std::vector<index>& which, std::vector<scored_position>& all,
                                                    std::size_t n)
    {
        best_first(all, n);
        std::vector<index> out((std::min)(n, all.size()));
        for (std::size_t k = 0; k < out.size(); ++k) out[out.size() - 1 - k] = which[all[k].at];
        return out;
    }

    /// The proposal of whose turn it is; of the next in turn where that one has none. Empty: by lot.
    template <class Space, class G>
    [[nodiscard]] std::optional<index> next(state& s, const Space& space, G& gen) const
    {
        const std::size_t judged = options.by_criterion + options.by_mean + options.by_step;
        const std::size_t round = judged + (s.measured.size() < options.lot_until ? options.by_lot : 0);
        for (std::size_t k = 0; k < round; ++k) {
            const std::size_t t = s.turn % round;
            s.turn = (t + 1) % round;
            if (t >= judged) return std::nullopt;  // by lot
            const auto i = t < options.by_criterion                     ? pop(s.by_criterion, s.proposed)
                           : t < options.by_criterion + options.by_mean ? pop(s.by_mean, s.proposed)
                                                                        : step(s, space, gen);
            if (i) return i;
        }
        return std::nullopt;
    }

    [[nodiscard]] static std::optional<index> pop(std::vector<index>& line, const space::unvisited& proposed)
    {
        while (!line.empty()) {
            const index i = line.back();
            line.pop_back();
            if (!proposed.contains(i)) return i;
        }
        return std::nullopt;
    }

    template <class Space, class G>
    [[nodiscard]] std::optional<index> step(state& s, const Space& space, G& gen) const
    {
        for (; s.exhausted < s.ranking.size(); ++s.exhausted) {
            if (!s.stepping) {
                std::vector<index> around = space.neighbours_of(s.ranking[s.exhausted], space::neighbourhood::any_value);
                std::erase_if(around, [&](index i) { return s.proposed.contains(i); });
                candidate_pool here;
                here.take(std::move(around), space, options.encoding, gen);
                const std::vector<stats::prediction> predicted = here.predict(model, s.model);
                std::vector<scored_position> means;
                for (const std::uint32_t at : here.asked) means.push_back({predicted[at].mean, at});
                s.steps = line_of(here.listed, means, means.size());
                s.stepping = true;
            }
            if (const auto i = pop(s.steps, s.proposed)) return i;
            s.stepping = false;
        }
        return std::nullopt;
    }
};

template <class M, class A, class X>
portfolio(M, A, X) -> portfolio<M, A, X>;
template <class M, class A, class X>
portfolio(M, A, X, portfolio_options) -> portfolio<M, A, X>;

}  // namespace tunekit
