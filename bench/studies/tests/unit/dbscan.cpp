// SPDX-License-Identifier: MIT
#include "bench/studies/support/dbscan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace screen = tk::screen;
using philox = tk::random::philox;

constexpr std::uint32_t none = programs::dbscan::noise;

TEST_CASE("two dense stretches, a point at their edge, and noise")
{
    const screen::point_rows p{{0.0F, 0.1F, 0.2F, 0.3F, 5.0F, 9.0F, 9.1F, 9.2F}, 1};
    CHECK(programs::dbscan{.radius = 0.15F, .min_points = 3}.labels(p) ==
          std::vector<std::uint32_t>{0, 0, 0, 0, none, 1, 1, 1});
    CHECK(programs::dbscan{.radius = 0.15F, .min_points = 4}.labels(p) == std::vector<std::uint32_t>(8, none));
    CHECK(programs::dbscan{.radius = 100.0F, .min_points = 8}.labels(p) == std::vector<std::uint32_t>(8, 0));
    CHECK(programs::dbscan{.radius = 0.0F, .min_points = 1}.labels(p) ==
          std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

// The definition, in matrices: core points are joined by the transitive closure of "near".
TEST_CASE("core points share a group exactly when a chain of near core points joins them, on 50 random sets")
{
    philox gen(3);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const std::size_t n = 40;
        screen::point_rows p{{}, 2};
        for (std::size_t i = 0; i < 2 * n; ++i) p.values.push_back(static_cast<float>(tk::random::uniform_01(gen)));
        const programs::dbscan rule{.radius = 0.16F, .min_points = 4};
        const auto of = rule.labels(p);
        std::vector<std::vector<bool>> near(n, std::vector<bool>(n));
        std::vector<bool> core(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t count = 0;
            for (std::size_t k = 0; k < n; ++k)
                count += near[i][k] = std::hypot(p[i][0] - p[k][0], p[i][1] - p[k][1]) <= 0.16F;
            core[i] = count >= 4;
        }
        auto joined = near;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k) joined[i][k] = near[i][k] && core[i] && core[k];
        for (std::size_t m = 0; m < n; ++m)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < n; ++k)
                    if (joined[i][m] && joined[m][k]) joined[i][k] = true;
        for (std::size_t i = 0; i < n; ++i) {
            bool reached = false;  // by a core point of its group
            for (std::size_t k = 0; k < n; ++k) {
                if (core[i] && core[k]) CHECK((of[i] == of[k]) == joined[i][k]);
                reached |= core[k] && near[i][k] && of[i] == of[k];
            }
            CHECK(reached == (of[i] != none));
            bool near_core = false;
            for (std::size_t k = 0; k < n; ++k) near_core |= core[k] && near[i][k];
            CHECK(near_core == (of[i] != none));
        }
    }
}

TEST_CASE("dbscan: a radius of its own, and refused settings")
{
    const screen::point_rows p{{0.0F, 0.1F, 0.2F, 0.3F, 0.4F, 9.0F}, 1};
    CHECK(programs::dbscan{}.labels(p) == std::vector<std::uint32_t>{0, 0, 0, 0, 0, none});
    CHECK(programs::dbscan{}.labels({{}, 1}).empty());
    CHECK_THROWS_AS((void)programs::dbscan{.min_points = 0}.labels(p), std::invalid_argument);
    CHECK_THROWS_AS((void)programs::dbscan{.radius = -1.0F}.labels(p), std::invalid_argument);
}
