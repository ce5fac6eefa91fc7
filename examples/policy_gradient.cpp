// SPDX-License-Identifier: MIT

// Searches a space with a learned policy where scores are free, without a tuner.
//
// Any score will do; here it has eight parameters with eight values each. Prints the mean score of the best 64 of each search and
// the step after which they no longer changed, beside the same walk without learning.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

// A score, at most 1: highest where every parameter has a value of its own.
template <class Space>
struct model {
    const Space& space;

    double best() const { return 1; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        const std::size_t d = space.dimensions();
        std::vector<std::uint16_t> rows(d * in.size());
        space.ordinals(in, rows);
        for (std::size_t i = 0; i < in.size(); ++i) {
            out[i] = 1;
            for (std::size_t j = 0; j < d; ++j) {
                const double miss = (rows[i * d + j] - (3.0 * static_cast<double>(j) + 1) / 3.5) / 8;
                out[i] -= 0.2 * miss * miss;
            }
        }
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        std::vector<double> scores(in.size());
        score(in, scores);
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {scores[i], 0};
    }
};

int main()
{
    using tk::space::integers;
    const tk::space::product space{integers<"a">(0, 7), integers<"b">(0, 7), integers<"c">(0, 7), integers<"d">(0, 7),
                                   integers<"e">(0, 7), integers<"f">(0, 7), integers<"g">(0, 7), integers<"h">(0, 7)};
    const model<decltype(space)> judge{space};

    const tk::explore::policy_gradient policy{.steps = 100};
    tk::explore::policy_gradient walk = policy;
    walk.learning_rate = 0;
    tk::random::philox gen{1}, same{1};
    auto learnt = policy.start(space);
    auto never = walk.start(space);
    const auto mean_of_best = [&](const auto& explorer, auto& state, auto& draws) {
        double sum = 0;
        for (const auto& c : explorer.explore(state, space, judge, {}, 64, draws)) sum += c.score;
        return sum / 64;
    };
    std::printf("          learning           not learning\nsearch    best 64   steps    best 64   steps\n");
    for (int search = 1; search <= 6; ++search) {
        const double mine = mean_of_best(policy, learnt, gen), other = mean_of_best(walk, never, same);
        std::printf("%6d    %.5f   %5zu    %.5f   %5zu\n", search, mine, learnt.last_improvement, other,
                    never.last_improvement);
    }
}
