// SPDX-License-Identifier: MIT
#include "bench/studies/support/average.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/unit/surrogate/data.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;
namespace surrogate = tk::surrogate;
using predictions = std::vector<tk::stats::prediction>;

TEST_CASE("average: an equal mixture of two models, each as it is alone")
{
    const surrogate_test::table t = surrogate_test::separable(22, 60), q = surrogate_test::separable(23, 40);
    const surrogate::random_forest forest{.trees = 16};
    const programs::average both{surrogate::gaussian_process{}, forest};
    static_assert(surrogate::model<std::remove_const_t<decltype(both)>, surrogate::features, tk::archetype::generator>);
    tk::random::philox gen(1), same(1);
    auto s = both.start(8);
    both.fit(s, t.rows(), t.y, gen);
    auto one = surrogate::gaussian_process{}.start(8);
    auto two = forest.start(8);
    surrogate::gaussian_process{}.fit(one, t.rows(), t.y, same);
    forest.fit(two, t.rows(), t.y, same);
    CHECK(s.first == one);
    CHECK(s.second == two);
    predictions mixed(40), a(40), b(40);
    both.predict(s, q.rows(), std::span(mixed));
    surrogate::gaussian_process{}.predict(one, q.rows(), std::span(a));
    forest.predict(two, q.rows(), std::span(b));
    for (std::size_t i = 0; i < 40; ++i) {
        const double mean = (a[i].mean + b[i].mean) / 2;
        const double square =
            (a[i].sd * a[i].sd + a[i].mean * a[i].mean + b[i].sd * b[i].sd + b[i].mean * b[i].mean) / 2;
        CHECK(mixed[i].mean == doctest::Approx(mean).epsilon(1e-12));
        CHECK(mixed[i].sd == doctest::Approx(std::sqrt(square - mean * mean)).epsilon(1e-9));
    }
    const programs::average first{surrogate::gaussian_process{}, forest, 1.0};
    first.predict(s, q.rows(), std::span(mixed));
    CHECK(mixed == a);
    const programs::average beyond{forest, forest, 1.5};
    CHECK_THROWS_AS((void)beyond.start(2), std::invalid_argument);
}
