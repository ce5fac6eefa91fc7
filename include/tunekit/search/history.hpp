// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Trials of earlier tasks, from which a model learns before a task has its own.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/search/scores.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/transfer.hpp"

namespace tunekit::search {

/// Trials of other tasks whose spaces have the same parameters, by name and order: other layers, or other machines. Each
/// task's costs are scored against its own best, so that slow and fast tasks count alike.
///
///     auto strategy = recipes::autotvm_reg().strategy;
///     history past(strategy.options);
///     const auto log = io::read_log("yesterday.jsonl");
///     past.add(other_space, io::trials_of(log, "R3", other_space));
///     auto found = tune(space, measure, with_history(strategy, past, gen), {.trials = 512}, gen);
///
/// Memory: a row of features per trial.
class history {
public:
    /// Makes an empty history for strategies with these options. It uses their encoding, scale and cap of scores.
    explicit history(const model_guided_options& options) : options_(options) {}

    /// Adds the trials measured in `space`. A task without a valid trial adds nothing. Throws std::invalid_argument
    /// where the parameters are not those of the tasks before, or a trial lies outside the space.
    /// Cost: the features of the trials, and O(trials) for their scores.
    template <class Space>
    void add(const Space& space, std::span<const measure::trial> trials)
    {
        const auto given = space.names();
        if (names_.empty()) names_.assign(given.begin(), given.end());
        require(std::equal(names_.begin(), names_.end(), given.begin(), given.end()),
                "history.add: the space has other parameters than the ones before, want tasks of the same kernel");
        const std::size_t d = space.feature_count(options_.encoding);
        require(dimensions_ == 0 || d == dimensions_,
                "history.add: the space has another number of features, want an encoding that has the same");
        std::vector<index> which;
        std::vector<double> costs;
        double best = std::numeric_limits<double>::infinity();
        for (const measure::trial& t : trials) {
            require(t.candidate < space.size(),
                    "history.add: a trial lies outside the space, want the trials of this space");
            which.push_back(t.candidate);
            costs.push_back(t.measured.failed ? std::numeric_limits<double>::infinity() : t.measured.cost);
            if (t.measured.ok()) best = (std::min)(best, t.measured.cost);
        }
        if (!(best < std::numeric_limits<double>::infinity())) return;
        dimensions_ = d;
        rows_.resize(rows_.size() + which.size() * d);
        space.features(which, std::span<float>(rows_).last(which.size() * d), options_.encoding);
        const std::vector<double> more = scores_of(costs, best, options_.scale, options_.cost_cap_quantile);
        scores_.insert(scores_.end(), more.begin(), more.end());
    }

    /// The number of trials held, failures included.
    [[nodiscard]] std::size_t size() const noexcept { return scores_.size(); }
    /// The number of features of a trial; 0 before there is one.
    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
    /// The features of all trials, row-major: `size()` rows of `dimensions()`. Valid until the next `add`.
    [[nodiscard]] std::span<const float> rows() const noexcept { return rows_; }
    /// One score per trial, more is better, relative to the best of its own task. Valid until the next `add`.
    [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }

private:
    model_guided_options options_;
    std::vector<std::string> names_;
    std::size_t dimensions_ = 0;
    std::vector<float> rows_;
    std::vector<double> scores_;
};

/// A copy of `strategy` whose model begins with `past`. Its first round comes from the past. The past loses weight as the
/// task's own trials come in. The past's encoding and scale should be the strategy's. Throws std::invalid_argument where
/// the past has no trial. Randomness: what one fit of the model to the past draws.
template <class Model, class Acquire, class Explore, class Screen, generator G>
[[nodiscard]] auto with_history(const model_guided<Model, Acquire, Explore, Screen>& strategy, const history& past,
                                G& gen)
{
    require(past.size() > 0,
            "with_history: the past has no valid trial, want one; without a past take the strategy as it is");
    auto learnt = strategy.model.start(past.dimensions());
    strategy.model.fit(learnt, surrogate::features(past.rows(), past.dimensions()), past.scores(), gen);
    return model_guided{surrogate::transfer{strategy.model, std::move(learnt)}, strategy.acquire, strategy.explore,
                        strategy.screen, strategy.options};
}

}  // namespace tunekit::search
