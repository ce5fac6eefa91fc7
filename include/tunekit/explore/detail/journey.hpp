// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a policy's episodes were like, for the policy to learn from.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/space/concepts.hpp"

namespace tunekit::explore::detail {

/// Some steps as a network's loss wants them: `actions` and `chosen` (the probability that the choice had when it was
/// made) by columns, one per parameter.
template <class Real>
struct lesson {
    std::vector<std::int32_t> actions;
    std::vector<Real> chosen, advantage;
    std::vector<Real> target;  ///< of the value
};

/// What a parameter does in a step, drawn by its probabilities: 0 goes one value down, 1 stays, 2 goes one up.
[[nodiscard]] inline std::uint8_t drawn_move(std::uint64_t bits, float down, float stay)
{
    const float u = static_cast<float>(bits >> 40) * 0x1p-24F;
    return static_cast<std::uint8_t>((u >= down ? 1 : 0) + (u >= down + stay ? 1 : 0));
}

/// Whether a parameter stays where it is: it chose to, or was pushed against an end of its list.
[[nodiscard]] constexpr bool stays(std::uint8_t move, std::uint16_t ordinal, std::uint16_t last)
{
    return move == 1 || (move == 0 && ordinal == 0) || (move == 2 && ordinal == last);
}

/// Where the episodes are, and every step of them: record r has moving.size() ordinals, actions and probabilities.
struct journey {
    std::vector<std::size_t> moving;  ///< parameters of more than one value
    std::vector<float> scale;         ///< what an ordinal of each of them is multiplied by, for a network to see
    std::vector<index> at;            ///< per episode
    std::vector<double> scores;
    std::vector<std::uint16_t> rows;                  ///< ordinals of `at`, row-major
    std::vector<std::vector<std::uint32_t>> records;  ///< of each episode, in order
    std::vector<std::uint16_t> ordinals;
    std::vector<std::uint8_t> actions;
    std::vector<float> chosen, values, rewards;
    std::vector<float> advantage, target;  ///< known once played

    /// The records `which`, in their order; see(i, k, x) is told what the network saw of parameter k in the i-th.
    template <class Real, class See>
    void read(std::span<const std::uint32_t> which, lesson<Real>& out, See&& see) const
    {
        const std::size_t count = which.size(), m = moving.size();
        out.actions.resize(count * m);
        out.chosen.resize(count * m);
        out.advantage.resize(count);
        out.target.resize(count);
        for (std::size_t block = 0; block < count; block += ahead) {  // a line of each column at a time
            const std::size_t end = (std::min)(block + ahead, count);
            for (std::size_t i = end; i < (std::min)(end + ahead, count); ++i) fetch(which[i]);
            std::size_t first[ahead];  // of the records' parameters
            for (std::size_t i = block; i < end; ++i) first[i - block] = which[i] * m;
            for (std::size_t k = 0; k < m; ++k) {
                std::int32_t* const to_actions = out.actions.data() + k * count;
                Real* const to_chosen = out.chosen.data() + k * count;
                for (std::size_t i = block; i < end; ++i) {
                    const std::size_t from = first[i - block] + k;
                    see(i, k, static_cast<float>(static_cast<std::int32_t>(ordinals[from])) * scale[k]);
                    to_actions[i] = actions[from];
                    to_chosen[i] = chosen[from];
                }
            }
            for (std::size_t i = block; i < end; ++i) {
                out.advantage[i] = advantage[which[i]];
                out.target[i] = target[which[i]];
            }
        }
    }

private:
    static constexpr std::size_t ahead = 16;  // records that are fetched before they are read

    /// Asks for record r before it is needed: an update reads records in no order.
    void fetch(std::size_t r) const
    {
        const std::size_t m = moving.size();
        __builtin_prefetch(ordinals.data() + r * m);
        __builtin_prefetch(ordinals.data() + (r + 1) * m - 1);
        __builtin_prefetch(actions.data() + r * m);
        __builtin_prefetch(chosen.data() + r * m);
        __builtin_prefetch(chosen.data() + (r + 1) * m - 1);
        __builtin_prefetch(advantage.data() + r);
        __builtin_prefetch(target.data() + r);
    }
};

}  // namespace tunekit::explore::detail
