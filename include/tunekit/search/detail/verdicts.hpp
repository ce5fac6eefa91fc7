// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a model predicts of candidates: their values by a criterion, and their means.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/search/detail/candidate_pool.hpp"
#include "tunekit/search/detail/climb.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::search::detail {

/// The values by a criterion and the predicted means of candidates, with their positions in a pool.
struct verdicts {
    std::vector<scored_position> values, means;

    void add(double value, double mean, std::size_t at)
    {
        values.push_back({value, static_cast<std::uint32_t>(at)});
        means.push_back({mean, static_cast<std::uint32_t>(at)});
    }
};

/// The verdicts on what `pool` asks about and was not proposed. `predict(pool)` gives the predictions, `value(prediction)`
/// the value of one.
template <class Predict, class Value>
[[nodiscard]] verdicts judge(const candidate_pool& pool, const space::unvisited& proposed, const Predict& predict,
                             const Value& value)
{
    verdicts out;
    const std::vector<stats::prediction> predicted = predict(pool);
    for (std::size_t k = 0; k < predicted.size(); ++k)
        if (const std::uint32_t at = pool.asked[k]; !proposed.contains(pool.listed[at]))
            out.add(value(predicted[k]), predicted[k].mean, at);
    return out;
}

/// `climb` by the values in `found`. What is judged on the way joins the pool and `found`.
template <class Space, class Predict, class Value, generator G>
void climb(verdicts& found, candidate_pool& pool, const Space& space, const space::unvisited& proposed,
           space::encoding encoding, std::size_t width, std::size_t rounds, const Predict& predict, const Value& value,
           G& gen)
{
    std::vector<index> listed;
    std::vector<double> values;
    for (const scored_position& v : found.values) {
        listed.push_back(pool.listed[v.at]);
        values.push_back(v.score);
    }
    const auto judge_some = [&](const std::vector<index>& some) {
        const std::size_t first = pool.listed.size();
        pool.add(some, space, encoding);
        const std::vector<stats::prediction> predicted = predict(pool);
        std::vector<double> out;
        for (std::size_t k = 0; k < some.size(); ++k) {
            out.push_back(value(predicted[k]));
            found.add(out.back(), predicted[k].mean, first + k);
        }
        return out;
    };
    climb(space, listed, values, proposed, width, rounds, judge_some, gen);
}

}  // namespace tunekit::search::detail
