// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The strategy of AutoTVM, AdaTune and Chameleon: measure, learn, search the model, choose what to measure.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/tune/scores.hpp"

namespace tunekit {

/// Settings of `model_guided` that belong to no part.
struct model_guided_options {
    std::size_t plan = 64;                                ///< configurations per fit of the model, at most; > 0
    score_scale scale = score_scale::throughput;
    space::encoding encoding = space::encoding::values;   ///< what the model sees of a configuration
    std::size_t first = 0;                                ///< configurations by lot before the first fit; 0: a plan
    double growth = 0;      ///< > 0: a plan is at most this share of what was measured, and at least one; 0: `plan`
    double tell_apart = 1;  ///< in (0, 1]; below 1: the model sees this share of the valid costs apart, lowest first

    /// Small plans first: 8 by lot, then a tenth of what is known, up to 64; the dearer half of the costs and the
    /// failures count as the median. Why: docs/rationale.md, "What AutoTVM and AdaTune lose by plans of 64".
    [[nodiscard]] static constexpr model_guided_options growing()
    {
        return {.first = 8, .growth = 0.1, .tell_apart = 0.5};
    }
};

/// Plans `plan` configurations at a time: at first by lot, then fits `model` to everything measured, lets `explore`
/// search for candidates that `acquire` values most, and `screen` choose among them.
///
///     const model_guided mine{surrogate::random_forest{.trees = 64}, acquisition::expected_improvement{},
///                             explore::annealing{}, screen::keep_best{}, {.plan = 32}};
///
/// A batch never reaches over a plan's end. While nothing valid was measured, and where the search finds nothing new,
/// plans are drawn by lot. Failures are taught as the worst score, or with `tell_apart` < 1 as the valid cost at that
/// quantile, which dearer ones count as too. A measurement that was cut short (`at_least`) is taught as if its bound
/// were its cost: too good at most, and by construction far from the best. A model that knows something beforehand
/// (`surrogate::transfer`) is asked from the first plan on.
///
/// Randomness: per plan what the model's fit, the explorer and the screen draw, in this order.
/// Cost:       per plan one fit and the explorer's predictions; memory O(trials * features).
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS, algorithm 1.
/// Departures: TVM fills a batch beyond the plan's end with random configurations; here the batch is shorter.
template <class Model, class Acquire, class Explore, class Screen>
struct model_guided {
    static_assert(surrogate::model<Model, surrogate::features, archetype::generator>,
                  "tunekit: model_guided, part 1: not a surrogate::model over features");
    static_assert(acquisition::criterion<Acquire>, "tunekit: model_guided, part 2: not an acquisition::criterion");

    Model model;
    Acquire acquire;
    Explore explore;
    Screen screen;
    model_guided_options options{};

    template <class Space>
    struct state {
        static_assert(explore::starts_on<Explore, Space>,
                      "tunekit: model_guided, part 3: not an explore::explorer on this space");

        surrogate::state_of<Model> model;
        explore::state_of<Explore, Space> explore;
        space::unvisited proposed;
        std::vector<index> measured;
        std::vector<double> costs;     ///< one per measured; +inf for failures
        std::vector<float> rows;       ///< features of measured, row-major
        double best = std::numeric_limits<double>::infinity();
        std::vector<index> plan;
        std::size_t next = 0;          ///< position in the plan
    };

    template <class Space>
    [[nodiscard]] state<Space> start(const Space& space) const
    {
        require(options.plan > 0, "model_guided: plan is 0, want >= 1");
        require(options.growth >= 0, "model_guided: growth is negative or NaN, want >= 0");
        require(options.tell_apart > 0 && options.tell_apart <= 1,
                "model_guided: tell_apart is outside (0, 1] or NaN, want a share");
        return {model.start(space.feature_count(options.encoding)), explore.start(space), {}, {}, {}, {},
                std::numeric_limits<double>::infinity(), {}, 0};
    }

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state<Space>& s, const Space& space, std::size_t n, G& gen) const
    {
        if (s.next == s.plan.size()) make_plan(s, space, gen);
        const std::size_t end = (std::min)(s.plan.size(), s.next + n);
        std::vector<index> batch(s.plan.begin() + static_cast<std::ptrdiff_t>(s.next),
                                 s.plan.begin() + static_cast<std::ptrdiff_t>(end));
        s.next = end;
        return batch;
    }

    template <class Space, generator G>
    void observe(state<Space>& s, const Space& space, std::span<const index> batch,
                 std::span<const measure::measurement> measured, G&) const
    {
        const std::size_t d = space.feature_count(options.encoding);
        s.rows.resize(s.rows.size() + batch.size() * d);
        space.features(batch, std::span<float>(s.rows).last(batch.size() * d), options.encoding);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            s.proposed.take(batch[i]);  // news where somebody else chose it
            s.measured.push_back(batch[i]);
            s.costs.push_back(measured[i].failed ? std::numeric_limits<double>::infinity() : measured[i].cost);
            if (measured[i].ok()) s.best = (std::min)(s.best, measured[i].cost);
        }
    }

    /// The scores that the model is fitted to, one per measured configuration. Precondition: a valid one.
    template <class Space>
    [[nodiscard]] std::vector<double> scores(const state<Space>& s) const
    {
        return scores_of(s.costs, s.best, options.scale, options.tell_apart);
    }

private:
    /// The model and the criterion as an explorer sees them.
    template <class Space>
    class judge {
    public:
        judge(const model_guided& self, const state<Space>& s, const Space& space)
            : self_(self), state_(s), space_(space), d_(space.feature_count(self.options.encoding)),
              best_(self.options.scale == score_scale::throughput ? 1 : 0)
        {
        }

        [[nodiscard]] double best() const { return best_; }

        void predict(std::span<const index> in, std::span<stats::prediction> out) const
        {
            if (in.empty()) return;
            features_.resize(in.size() * d_);
            space_.features(in, features_, self_.options.encoding);
            self_.model.predict(state_.model, surrogate::features(features_, d_), out);
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
        std::size_t d_;
        double best_;
        mutable std::vector<float> features_;  // kept between calls for their memory
        mutable std::vector<stats::prediction> predictions_;
    };

    template <class Space, class G>
    void make_plan(state<Space>& s, const Space& space, G& gen) const
    {
        static_assert(explore::explorer<Explore, Space, judge<Space>, G>,
                      "tunekit: model_guided, part 3: not an explore::explorer");
        static_assert(screen::screen<Screen, Space, G>, "tunekit: model_guided, part 4: not a screen::screen");
        s.plan.clear();
        s.next = 0;
        const std::size_t known = s.measured.size();
        const std::size_t first = options.first > 0 ? options.first : options.plan;
        const bool valid = s.best < std::numeric_limits<double>::infinity();
        bool informed = false;  // before it saw enough of this task
        if constexpr (surrogate::knows<Model>) informed = model.knows(s.model);
        if (((valid && known >= first) || informed) && s.proposed.taken() < space.size()) {
            const std::size_t n = known < first ? first - known : plan_size(known);
            if (valid) {
                const std::vector<double> y = scores(s);
                model.fit(s.model, surrogate::features(s.rows, space.feature_count(options.encoding)), y, gen);
            }
            const judge<Space> judge_of(*this, s, space);
            const auto candidates = explore.explore(s.explore, space, judge_of, s.proposed.visited(), n, gen);
            for (const index i : screen.select(space, candidates, s.proposed.visited(), n, gen))
                if (s.proposed.take(i)) s.plan.push_back(i);
        }
        if (!s.plan.empty()) return;
        const std::size_t n = known < first ? first - known : first;
        while (s.plan.size() < n) {
            const auto i = s.proposed.draw(space, gen);
            if (!i) break;
            s.plan.push_back(*i);
        }
    }

    [[nodiscard]] std::size_t plan_size(std::size_t known) const
    {
        if (options.growth == 0) return options.plan;
        const double share = (std::max)(1.0, options.growth * static_cast<double>(known));
        return share < static_cast<double>(options.plan) ? static_cast<std::size_t>(share) : options.plan;
    }
};

template <class M, class A, class X, class S>
model_guided(M, A, X, S) -> model_guided<M, A, X, S>;
template <class M, class A, class X, class S>
model_guided(M, A, X, S, model_guided_options) -> model_guided<M, A, X, S>;

}  // namespace tunekit
