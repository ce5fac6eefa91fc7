// SPDX-License-Identifier: MIT

// Which configurations are worth measuring next? A random forest with expected improvement answers, without a tuner.
//
// 48 configurations of a loop nest have been timed. The times are made up, with 2 % noise; any numbers will do. Prints the ten
// best by expected improvement, and their true cost.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;

// Milliseconds of a loop tiled by (tm, tn) = 2^0 ... 2^7 and unrolled u = 1 ... 8 times; no model sees this.
double time_of(double tm, double tn, double unroll)
{
    const double m = tm - 4.2, n = tn - 5.1, u = unroll - 4;
    return 1 + 0.15 * m * m + 0.1 * n * n + 0.05 * u * u + 0.04 * m * n + (tm + tn > 11 ? 2 : 0);
}

int main()
{
    std::vector<float> space;   // 8 x 8 x 8 rows of three features
    std::vector<double> truth;  // of each
    for (int i = 0; i < 512; ++i) {
        for (const int x : {i / 64, i / 8 % 8, 1 + i % 8}) space.push_back(static_cast<float>(x));
        truth.push_back(time_of(i / 64, i / 8 % 8, 1 + i % 8));
    }

    tk::random::philox gen{42};
    std::vector<float> tried;
    std::vector<double> scores;  // more is better
    std::vector<bool> known(512, false);
    while (scores.size() < 48) {
        const auto i = tk::random::uniform_index(512, gen);
        if (known[i]) continue;
        known[i] = true;
        const float* x = &space[3 * i];
        tried.insert(tried.end(), x, x + 3);
        scores.push_back(-truth[i] * (1 + 0.02 * tk::random::normal(gen)));
    }

    const tk::surrogate::random_forest model{.trees = 50};
    auto state = model.start(3);
    model.fit(state, tk::surrogate::features(tried, 3), scores, gen);
    std::vector<tk::stats::prediction> predicted(512);
    model.predict(state, tk::surrogate::features(space, 3), predicted);

    const tk::acquisition::expected_improvement improvement;
    const double best = *std::max_element(scores.begin(), scores.end());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < 512; ++i)
        if (!known[i]) order.push_back(i);
    const auto worth = [&](std::size_t i) { return improvement.value(predicted[i], best); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });

    std::printf("best of 48: %.2f ms\n tile      unroll  predicted ms   improvement   true ms\n", -best);
    for (std::size_t k = 0; k < 10; ++k) {
        const std::size_t i = order[k];
        std::printf("%4d x %-4d %4zu   %6.2f +- %.2f %11.3f %11.2f\n", 1 << i / 64, 1 << i / 8 % 8, 1 + i % 8,
                    -predicted[i].mean, predicted[i].sd, worth(i), truth[i]);
    }
}
