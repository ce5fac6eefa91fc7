// SPDX-License-Identifier: MIT

// Which few of 64 promising configurations stand for all of them? Adaptive sampling by k-means, without a tuner.
//
// Prints the loss of k-means for each number of clusters tried, then the chosen configurations in the order to measure.

#include <cstddef>
#include <cstdio>
#include <vector>

#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace screen = tk::screen;

int main()
{
    const tk::space::product space{tk::space::powers_of_two<"tile_m">(1, 128),
                                   tk::space::powers_of_two<"tile_n">(1, 128), tk::space::integers<"unroll">(1, 8),
                                   tk::space::boolean<"pack">()};
    tk::random::philox gen{3};
    std::vector<tk::explore::scored_candidate> candidates;  // best first, as an explorer returns them
    for (const tk::index i : tk::random::sample_without_replacement(space.size(), 64, gen))
        candidates.push_back({.candidate = i, .score = 1 - 0.01 * static_cast<double>(candidates.size())});

    const screen::adaptive_sampling few;
    const screen::point_rows points = screen::scaled_rows(space, candidates);
    const auto starts = few.groups.starts(points, few.size.last, gen);
    (void)few.size.search([&](std::size_t k) {
        const double loss = few.groups.cluster(points, k, starts).loss;
        std::printf("%3zu clusters: loss %.3f\n", k, loss);
        return loss;
    });

    tk::space::index_set measured;
    measured.insert(candidates[0].candidate);  // known already: something like it is made up instead
    for (const tk::index i : few.select(space, candidates, measured, 64, gen))
        std::printf("%s\n", space.text(i).c_str());
}
