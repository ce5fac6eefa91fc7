// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One way to compute a layer (direct, plain NCHW, a product), tuned by the library's default strategy or taken from a log.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "packages/kernels/operators/operator_task.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tuning.hpp"

namespace bench {

/// A form of a layer, and what a log says of it.
struct form {
    std::string layer, name;
    programs::operator_task task;  ///< whose `plan` throws tunekit::error where the result is wrong

    /// What a log calls it.
    [[nodiscard]] std::string title() const { return layer + "/" + name; }
    [[nodiscard]] std::string text(tunekit::index i) const
    {
        const auto names = task.space.names();
        const auto texts = task.space.texts(i);
        std::string out;
        for (std::size_t j = 0; j < texts.size(); ++j) out += (j == 0 ? "" : " ") + names[j] + "=" + texts[j];
        return out;
    }
};

inline constexpr tunekit::candidate_limits form_limits{.abandon_factor = 1.5, .max_run_seconds = 5};

/// How often the candidates of a form are run.
inline constexpr tunekit::measure::until_confident form_repetition{.standard_error = 0.02, .group = 1, .max_runs = 24};

/// The form of that name of a layer.
inline form form_of(std::string layer, std::string name, programs::operator_task task)
{
    form out{.layer = std::move(layer), .name = std::move(name), .task = std::move(task)};
    out.task.plan = [plan = std::move(out.task.plan), what = out.title()](tunekit::index i) {
        try {
            return plan(i);
        } catch (const tunekit::error& e) {
            throw tunekit::error("the winner of " + what + ": " + e.what());
        }
    };
    return out;
}

/// How the forms of a run are tuned: by `recipes::combined`, one after another, `seconds` each.
inline auto form_recipe(double seconds)
{
    const auto base = tunekit::recipes::combined();
    return tunekit::recipe{base.strategy, base.repetition,
                           form_limits,   std::size_t{1},
                           1.0,           tunekit::schedule::sequential{.seconds_per_task = seconds}};
}

/// The best of a record's finalists and the untuned configuration by `measurer`, in interleaved rounds of about `seconds`, none of whose times
/// have chosen them: of those that the rounds cannot tell apart the one with the lowest median.
template <tunekit::measure::measurer Measurer>
tunekit::index winner_of(const form& of, Measurer measurer, const tunekit::tuning& record, double seconds)
{
    constexpr std::size_t most = 6;
    auto finalists = record.finalists(most);
    if (std::find(finalists.begin(), finalists.end(), of.task.untuned) == finalists.end())
        finalists.push_back(of.task.untuned);
    const double each = (std::max)(0.005, record.found() ? record.incumbent().measured.run_seconds : 0.0);
    const double rounds = (std::min)(40.0, (std::max)(5.0, seconds / (each * static_cast<double>(finalists.size()))));
    const auto result = tunekit::measure::race(measurer, finalists, {.run_seconds = form_limits.max_run_seconds},
                                               {.max_rounds = static_cast<std::uint32_t>(rounds)});
    if (!result.winner) throw tunekit::error("no configuration of " + of.title() + " works");
    tunekit::index best = *result.winner;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& s : result.standings) {
        const double cost = 1 + s.against_winner.median;  // rounds that were not run side by side do not compare
        if (s.tied && cost < least) {
            least = cost;
            best = s.candidate;
        }
    }
    return best;
}

}  // namespace bench
