// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a model is asked about: now and then all that an explorer lists, in between the best of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tunekit/random/choice.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit {

/// A score and whose it is.
struct scored_position {
    double score = 0;
    std::uint32_t at = 0;
};

/// Puts the `n` of highest score in front, the best first; equal ones by position. Cost O(all + n log n).
inline void best_first(std::vector<scored_position>& all, std::size_t n)
{
    const auto better = [](const scored_position& a, const scored_position& b) {
        return a.score != b.score ? a.score > b.score : a.at < b.at;
    };
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((std::min)(n, all.size()));
    if (end != all.end()) std::nth_element(all.begin(), end, all.end(), better);
    std::sort(all.begin(), end, better);
}

/// Configurations with their features, and the positions of those to ask a model about. Positions are in an order by lot:
/// equal scores, of which trees have many, go by it, and not by a direction in the space. A regular value.
struct candidate_pool {
    std::vector<index> listed;
    std::vector<float> rows;              ///< features of listed, row-major
    std::vector<std::uint32_t> asked;     ///< positions in listed, ascending
    std::size_t features = 0;             ///< of one

    friend bool operator==(const candidate_pool&, const candidate_pool&) = default;

    /// Takes over `some` configurations, all asked about. Randomness: one `random::shuffle`. Precondition: fewer than 2^32.
    template <class Space, generator G>
    void take(std::vector<index> some, const Space& space, space::encoding encoding, G& gen)
    {
        listed = std::move(some);
        random::shuffle(listed, gen);
        features = space.feature_count(encoding);
        rows.resize(listed.size() * features);
        space.features(listed, rows, encoding);
        ask_all();
    }

    void ask_all()
    {
        asked.resize(listed.size());
        std::iota(asked.begin(), asked.end(), std::uint32_t{0});
    }

    /// Of two rankings by `best_first`, the `n` first of each.
    void ask_first(std::size_t n, const std::vector<scored_position>& one, const std::vector<scored_position>& other)
    {
        asked.clear();
        for (const auto* best : {&one, &other})
            for (std::size_t k = 0; k < (std::min)(n, best->size()); ++k) asked.push_back((*best)[k].at);
        std::sort(asked.begin(), asked.end());
        asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    }

    /// The predictions of what is asked about, in its order.
    template <class Model>
    [[nodiscard]] std::vector<stats::prediction> predict(const Model& model, const surrogate::state_of<Model>& fitted) const
    {
        std::vector<stats::prediction> out(asked.size());
        if (asked.empty()) return out;
        if (asked.size() == listed.size()) {
            model.predict(fitted, surrogate::features(rows, features), out);
            return out;
        }
        std::vector<float> some(asked.size() * features);
        for (std::size_t k = 0; k < asked.size(); ++k)
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(asked[k] * features), features,
                        some.begin() + static_cast<std::ptrdiff_t>(k * features));
        model.predict(fitted, surrogate::features(some, features), out);
        return out;
    }
};

}  // namespace tunekit
