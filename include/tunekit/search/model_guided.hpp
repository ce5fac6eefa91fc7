// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The model-guided strategy of AutoTVM, AdaTune and Chameleon: measure, learn, search the model, choose what to
/// measure.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/search/detail/guidance.hpp"
#include "tunekit/search/detail/in_turn.hpp"
#include "tunekit/search/detail/member_names.hpp"
#include "tunekit/search/detail/pending.hpp"
#include "tunekit/search/scores.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search {

/// Settings of `model_guided` that belong to none of its parts.
struct model_guided_options {
    std::size_t round = 64;                              ///< configurations per fit of the model, at most; > 0
    score_scale scale = score_scale::throughput;         ///< the scale of the scores that the model is fitted to
    space::encoding encoding = space::encoding::values;  ///< what the model sees of a configuration
    std::size_t first = 0;                               ///< random configurations before the first fit; 0: a round
    double growth = 0;  ///< > 0: a round is at most this share of what was proposed, and at least one; 0: `round`
    double cost_cap_quantile = 1;  ///< in (0, 1]; failures and valid costs above this quantile count as that quantile

    /// Settings for small rounds first: 8 at random, then a tenth of what was proposed, up to 64. Costs above the
    /// median, and failures, count as the median. Why: docs/rationale.md, "What AutoTVM and AdaTune lose by rounds of
    /// 64".
    [[nodiscard]] static constexpr model_guided_options growing()
    {
        return {.first = 8, .growth = 0.1, .cost_cap_quantile = 0.5};
    }
};

/// Proposes configurations in rounds of `round`. The first round is random. Then `model` is fitted to everything
/// measured, `explore` searches for candidates that `acquire` values most, and `screen` chooses among them.
///
///     const model_guided mine{surrogate::random_forest{.trees = 64}, acquisition::expected_improvement{},
///                             explore::annealing{}, screen::keep_best{}, {.round = 32}};
///
/// A batch never crosses a round's end. While nothing valid was measured, and where the search finds nothing new,
/// rounds are drawn at random. The model sees a failure as the worst score. With `cost_cap_quantile` < 1 it sees
/// failures and slower costs as the valid cost at that quantile. It sees a measurement that was cut short (`at_least`)
/// as if its bound were its cost: an optimistic value, but still known to be worse than the incumbent.
///
/// Past:       with a `past` that fits the space it has no random round: it begins as `portfolio` does, and works in
///             turn with a state that knows nothing of the past. The forecasts are features of the model, but for that
///             of a single source.
/// Pending:    it never waits. Configurations that are out count in `first` and in `growth`. They are not searched for
///             again and do not enter the fit. Once `first` are proposed, the model is fitted as soon as one valid
///             answer is in. Until then random configurations go out, one at a time. Trials that somebody else chose
///             enter the fit too.
/// Randomness: per round what the model's fit, the explorer and the screen draw, in this order; one `uniform_index` per
///             random configuration and rejection.
/// Cost:       per round one fit and the explorer's predictions; memory O(trials * features).
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS, algorithm 1.
/// Departures: TVM fills a batch beyond the round's end with random configurations; here the batch is shorter.
template <class Model, class Acquire, class Explore, class Screen>
struct model_guided {
    static_assert(surrogate::model<Model, surrogate::features, archetype::generator>,
                  "tunekit: model_guided, part 1: not a surrogate::model over features");
    static_assert(acquisition::criterion<Acquire>, "tunekit: model_guided, part 2: not an acquisition::criterion");
    // What depends on the space is checked where the space is known: in `state` and `line_up`.
    static_assert(detail::has_start<Explore>,
                  "tunekit: model_guided, part 3: not an explore::explorer, start(space) is missing");
    static_assert(detail::has_explore<Explore>,
                  "tunekit: model_guided, part 3: not an explore::explorer, explore(state, space, judge, visited, n, "
                  "gen) is missing");
    static_assert(
        detail::has_select<Screen>,
        "tunekit: model_guided, part 4: not a screen::screen, select(space, candidates, visited, n, gen) is missing");

    Model model;      ///< the surrogate: it predicts the score of a configuration from its features
    Acquire acquire;  ///< the criterion: how much a prediction is worth measuring
    Explore explore;  ///< the explorer: it searches for configurations that `acquire` values most
    Screen screen;    ///< the screen: it chooses a round among the explorer's candidates
    model_guided_options options{};
    forecasts past{};  ///< what was measured before; empty: nothing is known

    /// The state of a run over one kind of space: what was measured, and the round in progress.
    template <class Space>
    struct state {
        static_assert(explore::starts_on<Explore, Space>,
                      "tunekit: model_guided, part 3: not an explore::explorer on this space");

        surrogate::state_of<Model> model;           ///< what the model has learned from its last fit
        explore::state_of<Explore, Space> explore;  ///< what the explorer keeps from one round to the next
        space::unvisited proposed;                  ///< the configurations proposed, lined up or observed, and the rest
        std::vector<index> measured;                ///< in the order in which the answers came
        std::vector<double> costs;                  ///< seconds, one per measured; +inf for failures
        std::vector<float> rows;                    ///< features of measured, row-major
        double best = std::numeric_limits<double>::infinity();  ///< the lowest valid cost in seconds; +inf before one
        std::vector<index> round;                               ///< the configurations of the round in progress
        std::size_t next = 0;                                   ///< of the round, the position of the next to propose
        detail::pending out;                                    ///< proposed and not answered
        detail::guidance told;                                  ///< what the past says of the space
        detail::turns turn;                                     ///< with a past: whose proposal is next
        detail::other_state<state> alone;                       ///< with a past: the state that knows nothing of it
    };

    /// Takes an experience as its past; an empty one changes nothing.
    void remember(forecasts known) { past = std::move(known); }

    /// Starts a run. Throws std::invalid_argument where a setting is out of range, here or in a part.
    template <class Space>
    [[nodiscard]] state<Space> start(const Space& space) const
    {
        require(options.round > 0, "model_guided: round is 0, want >= 1");
        require(options.growth >= 0, "model_guided: growth is negative or NaN, want >= 0");
        require(options.cost_cap_quantile > 0 && options.cost_cap_quantile <= 1,
                "model_guided: cost_cap_quantile is outside (0, 1] or NaN, want a share");
        const auto begun = [&](detail::guidance told) {
            return state<Space>{.model = model.start(columns(told, space)),
                                .explore = explore.start(space),
                                .proposed = {},
                                .measured = {},
                                .costs = {},
                                .rows = {},
                                .round = {},
                                .out = {},
                                .told = std::move(told),
                                .turn = {},
                                .alone = {}};
        };
        state<Space> cold = begun({});
        if (past.empty()) return cold;
        detail::guidance told(space, past);
        if (!told.on()) return cold;
        state<Space> s = begun(std::move(told));
        s.turn.starts = s.told.starts();
        s.alone.hold(std::move(cold));
        return s;
    }

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state<Space>& s, const Space& space, std::size_t n, G& gen) const
    {
        if (!s.alone.there()) return own(s, space, n, gen);
        return detail::proposed_in_turn(s.turn, space, n, [&](bool plain, std::size_t some) {
            return own(plain ? *s.alone : s, space, some, gen);
        });
    }

    template <class Space, generator G>
    void observe(state<Space>& s, const Space& space, std::span<const index> batch,
                 std::span<const measure::measurement> measured, G&) const
    {
        hear(s, space, batch, measured);
        if (!s.alone.there()) return;
        hear(*s.alone, space, batch, measured);
        s.turn.hear(batch, measured);
    }

    /// The scores that the model is fitted to, one per measured configuration. Precondition: a valid one.
    template <class Space>
    [[nodiscard]] std::vector<double> scores(const state<Space>& s) const
    {
        return scores_of(s.costs, s.best, options.scale, options.cost_cap_quantile);
    }

private:
    /// What the state itself proposes.
    template <class Space, class G>
    [[nodiscard]] std::vector<index> own(state<Space>& s, const Space& space, std::size_t n, G& gen) const
    {
        if (n == 0) return {};
        if (s.next == s.round.size()) {
            if (s.proposed.taken() >= space.size()) return {};
            line_up(s, space, gen);
        }
        const std::size_t end = (std::min)(s.round.size(), s.next + n);
        std::vector<index> batch(s.round.begin() + static_cast<std::ptrdiff_t>(s.next),
                                 s.round.begin() + static_cast<std::ptrdiff_t>(end));
        s.next = end;
        s.out.add(batch);
        return batch;
    }

    template <class Space>
    void hear(state<Space>& s, const Space& space, std::span<const index> batch,
              std::span<const measure::measurement> measured) const
    {
        const std::vector<float> more = rows_of(s, space, batch);
        s.rows.insert(s.rows.end(), more.begin(), more.end());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            // May be new, or lined up and not proposed yet: somebody else may have chosen it.
            if (!s.proposed.take(batch[i]) && !s.out.take(batch[i])) forget(s, batch[i]);
            s.measured.push_back(batch[i]);
            s.costs.push_back(measured[i].failed ? std::numeric_limits<double>::infinity() : measured[i].cost);
            if (measured[i].ok()) s.best = (std::min)(s.best, measured[i].cost);
        }
    }

    /// The features of a row, with the forecasts where the model is told of them.
    template <class Space>
    [[nodiscard]] std::size_t columns(const detail::guidance& told, const Space& space) const
    {
        return space.feature_count(options.encoding) + (told.careful() ? 0 : told.sources());
    }

    template <class Space>
    [[nodiscard]] std::vector<float> rows_of(const state<Space>& s, const Space& space,
                                             std::span<const index> which) const
    {
        const std::size_t d = space.feature_count(options.encoding);
        std::vector<float> rows(which.size() * d);
        space.features(which, rows, options.encoding);
        return s.told.careful() ? rows : s.told.with_columns(space, which, std::move(rows), d);
    }

    /// Takes a configuration out of the round where it was not proposed yet.
    template <class Space>
    static void forget(state<Space>& s, index i)
    {
        const auto waiting = s.round.begin() + static_cast<std::ptrdiff_t>(s.next);
        s.round.erase(std::remove(waiting, s.round.end(), i), s.round.end());
    }

    /// The model and the criterion as an explorer sees them.
    template <class Space>
    class judge {
    public:
        judge(const model_guided& self, const state<Space>& s, const Space& space)
            : self_(self), state_(s), space_(space), best_(self.options.scale == score_scale::throughput ? 1 : 0)
        {
        }

        [[nodiscard]] double best() const { return best_; }

        void predict(std::span<const index> in, std::span<stats::prediction> out) const
        {
            if (in.empty()) return;
            const std::size_t d = self_.columns(state_.told, space_);
            if (state_.told.on()) {
                features_ = self_.rows_of(state_, space_, in);
            } else {
                features_.resize(in.size() * d);
                space_.features(in, features_, self_.options.encoding);
            }
            self_.model.predict(state_.model, surrogate::features(features_, d), out);
        }

        void score(std::span<const index> in, std::span<double> out) const
        {
            predictions_.resize(in.size());
            predict(in, predictions_);
            for (std::size_t i = 0; i < in.size(); ++i) out[i] = self_.acquire.value(predictions_[i], best_);
        }

    private:
        const model_guided& self_;
        const state<Space>& state_;
        const Space& space_;
        double best_;
        mutable std::vector<float> features_;  // both are kept between calls to reuse their memory
        mutable std::vector<stats::prediction> predictions_;
    };

    template <class Space, class G>
    void line_up(state<Space>& s, const Space& space, G& gen) const
    {
        static_assert(explore::explorer<Explore, Space, judge<Space>, G>,
                      "tunekit: model_guided, part 3: not an explore::explorer");
        static_assert(screen::screen<Screen, Space, G>, "tunekit: model_guided, part 4: not a screen::screen");
        s.round.clear();
        s.next = 0;
        const std::size_t known = s.measured.size() + s.out.size();  // an answer will come for those that are out
        const std::size_t cold = options.first > 0 ? options.first : options.round;
        const std::size_t first = s.told.on() ? (std::max)(s.told.first(cold), std::size_t{1}) : cold;
        const bool valid = s.best < std::numeric_limits<double>::infinity();
        if (valid && known >= first && s.proposed.taken() < space.size()) {
            const std::size_t n = round_size(known);
            const std::vector<double> y = scores(s);
            model.fit(s.model, surrogate::features(s.rows, columns(s.told, space)), y, gen);
            const judge<Space> judge_of(*this, s, space);
            const auto candidates = explore.explore(s.explore, space, judge_of, s.proposed.visited(),
                                                    screen::candidates_for(screen, n), gen);
            for (const index i : screen.select(space, candidates, s.proposed.visited(), n, gen))
                if (s.proposed.take(i)) s.round.push_back(i);
        }
        if (!s.round.empty()) return;
        const std::size_t beyond = s.out.empty() ? first : 1;  // an answer may change what comes next
        const std::size_t n = known < first ? first - known : beyond;
        while (s.round.size() < n) {
            const auto i = s.proposed.draw(space, gen);
            if (!i) break;
            s.round.push_back(*i);
        }
    }

    [[nodiscard]] std::size_t round_size(std::size_t known) const
    {
        if (options.growth == 0) return options.round;
        const double share = (std::max)(1.0, options.growth * static_cast<double>(known));
        return share < static_cast<double>(options.round) ? static_cast<std::size_t>(share) : options.round;
    }
};

template <class M, class A, class X, class S>
model_guided(M, A, X, S) -> model_guided<M, A, X, S>;
template <class M, class A, class X, class S>
model_guided(M, A, X, S, model_guided_options) -> model_guided<M, A, X, S>;

}  // namespace tunekit::search
