// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a model is asked about: now and then all that an explorer lists, and the best of it in between.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::search::detail {

/// A score, and the position of the candidate that has it.
struct scored_position {
    double score = 0;
    std::uint32_t at = 0;
};

/// Puts the `n` of highest score in front, the best first. Equal scores are ordered by position. Cost O(all + n log n).
void best_first(std::vector<scored_position>& all, std::size_t n);

/// The `n` of highest score of `all`, whose positions are in `which`. The best is last: proposals are taken from the back.
[[nodiscard]] std::vector<index> line_of(const std::vector<index>& which, std::vector<scored_position>& all,
                                         std::size_t n);

/// Takes the last of `line` that was not proposed, and drops those behind it; empty where there is none.
[[nodiscard]] std::optional<index> next_of(std::vector<index>& line, const space::unvisited& proposed);

/// Configurations with their features, and the positions of those to ask a model about. Positions are in random order. It
/// decides between equal scores, of which trees have many, so that no direction in the space is preferred. A regular
/// value.
struct candidate_pool {
    std::vector<index> listed;
    std::vector<float> rows;           ///< features of listed, row-major
    std::vector<std::uint32_t> asked;  ///< positions in listed, ascending
    std::size_t features = 0;          ///< of one

    friend bool operator==(const candidate_pool&, const candidate_pool&) = default;

    /// Replaces the list by `some` configurations, and asks about all of them. Precondition: fewer than 2^32.
    /// Randomness: one `tunekit::random::shuffle`.
    template <class Space, generator G>
    void take(std::vector<index> some, const Space& space, space::encoding encoding, G& gen)
    {
        listed = std::move(some);
        tunekit::random::shuffle(listed, gen);
        features = space.feature_count(encoding);
        rows.resize(listed.size() * features);
        space.features(listed, rows, encoding);
        ask_all();
    }

    /// Adds `some` at the end and asks about these only.
    template <class Space>
    void add(std::span<const index> some, const Space& space, space::encoding encoding)
    {
        const std::size_t first = listed.size();
        listed.insert(listed.end(), some.begin(), some.end());
        rows.resize(listed.size() * features);
        space.features(some, std::span<float>(rows).subspan(first * features), encoding);
        asked.resize(some.size());
        std::iota(asked.begin(), asked.end(), static_cast<std::uint32_t>(first));
    }

    /// Asks about everything listed.
    void ask_all()
    {
        asked.resize(listed.size());
        std::iota(asked.begin(), asked.end(), std::uint32_t{0});
    }

    /// Asks about the `n` first of each of two rankings by `best_first`.
    void ask_first(std::size_t n, const std::vector<scored_position>& one, const std::vector<scored_position>& other);

    /// The predictions for what is asked about, in the order of `asked`.
    template <class Model>
    [[nodiscard]] std::vector<stats::prediction> predict(const Model& model,
                                                         const surrogate::state_of<Model>& fitted) const
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

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE void best_first(std::vector<scored_position>& all, std::size_t n)
{
    const auto better = [](const scored_position& a, const scored_position& b) {
        return a.score != b.score ? a.score > b.score : a.at < b.at;
    };
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((std::min)(n, all.size()));
    if (end != all.end()) std::nth_element(all.begin(), end, all.end(), better);
    std::sort(all.begin(), end, better);
}

TUNEKIT_INLINE std::vector<index> line_of(const std::vector<index>& which, std::vector<scored_position>& all,
                                          std::size_t n)
{
    best_first(all, n);
    std::vector<index> out((std::min)(n, all.size()));
    for (std::size_t k = 0; k < out.size(); ++k) out[out.size() - 1 - k] = which[all[k].at];
    return out;
}

TUNEKIT_INLINE std::optional<index> next_of(std::vector<index>& line, const space::unvisited& proposed)
{
    while (!line.empty()) {
        const index i = line.back();
        line.pop_back();
        if (!proposed.contains(i)) return i;
    }
    return std::nullopt;
}

TUNEKIT_INLINE void candidate_pool::ask_first(std::size_t n, const std::vector<scored_position>& one,
                                              const std::vector<scored_position>& other)
{
    asked.clear();
    for (const auto* best : {&one, &other})
        for (std::size_t k = 0; k < (std::min)(n, best->size()); ++k) asked.push_back((*best)[k].at);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
