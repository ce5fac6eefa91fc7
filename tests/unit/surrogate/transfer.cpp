// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/transfer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;
namespace surrogate = tk::surrogate;
using philox = tk::random::philox;
using surrogate::boosted_trees;
using surrogate::random_forest;

namespace {

template <class M>
constexpr bool is_model = surrogate::model<surrogate::transfer<M>, surrogate::features, tk::archetype::generator>;
static_assert(is_model<boosted_trees> && is_model<random_forest>);
static_assert(surrogate::knows<surrogate::transfer<random_forest>> && !surrogate::knows<random_forest>);

struct table {
    std::vector<float> x;
    std::vector<double> y;

    [[nodiscard]] surrogate::features rows() const { return {x, 3}; }
};

/// Points of 8 x 8 x 8 and a score in (0, 1] whose optimum lies at (a, 4, 4).
table sample(std::uint64_t seed, std::size_t n, double a)
{
    philox gen(seed);
    table t;
    for (std::size_t i = 0; i < n; ++i) {
        double square = 0;
        for (int j = 0; j < 3; ++j) {
            const auto v = static_cast<double>(tk::random::uniform_index(8, gen));
            t.x.push_back(static_cast<float>(v));
            square += (v - (j == 0 ? a : 4)) * (v - (j == 0 ? a : 4));
        }
        t.y.push_back(std::exp(-0.05 * square));
    }
    return t;
}

template <class M>
surrogate::state_of<M> fitted(const M& model, const table& t, std::uint64_t seed = 1)
{
    philox gen(seed);
    auto s = model.start(3);
    model.fit(s, t.rows(), t.y, gen);
    return s;
}

template <class M>
std::vector<tk::stats::prediction> ask(const M& model, const surrogate::state_of<M>& s, const table& t)
{
    std::vector<tk::stats::prediction> out(t.y.size());
    model.predict(s, t.rows(), out);
    return out;
}

double square_error(const std::vector<tk::stats::prediction>& p, const table& t)
{
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += (p[i].mean - t.y[i]) * (p[i].mean - t.y[i]);
    return sum / static_cast<double>(p.size());
}

template <class M>
void begins_and_ends_right(const M& model)
{
    const table before = sample(1, 400, 3), own = sample(2, 24, 4), more = sample(3, 277, 4), fresh = sample(4, 300, 4);
    const auto past = fitted(model, before);
    const surrogate::transfer informed{model, past};

    auto s = informed.start(3);
    CHECK(informed.knows(s));
    CHECK(ask(informed, s, fresh) == ask(model, past, fresh));  // before any row of its own

    CHECK(square_error(ask(informed, fitted(informed, own), fresh), fresh) <
          square_error(ask(model, fitted(model, own), fresh), fresh));
    CHECK(fitted(informed, own).weight == std::exp2(-24.0 / 64));

    const auto late = fitted(informed, more);  // 2^(-277 / 64) < 0.05: the past is dropped
    CHECK(late.weight == 0);
    CHECK(late.own == fitted(model, more));
    CHECK(ask(informed, late, fresh) == ask(model, late.own, fresh));
}

}  // namespace

TEST_CASE("a model with a past predicts it at first, is better with few rows of its own, and forgets it with many")
{
    begins_and_ends_right(boosted_trees{.rounds = 40, .stop_after = 0});
    begins_and_ends_right(random_forest{.trees = 20});
}

TEST_CASE("boosted trees take the past as base margins, in the order of the rows")
{
    const boosted_trees model{.rounds = 15, .stop_after = 0};
    const table before = sample(5, 200, 3), own = sample(6, 32, 4);
    const auto past = fitted(model, before);
    std::vector<double> base(own.y.size());
    model.margins(past, own.rows(), base);
    for (double& b : base) b *= std::exp2(-32.0 / 64);
    auto by_hand = model.start(3);
    philox gen(1);
    model.fit(by_hand, own.rows(), own.y, base, gen);
    const surrogate::transfer informed{model, past};
    const auto s = fitted(informed, own);
    CHECK(s.own == by_hand);
    std::vector<tk::stats::prediction> want(own.y.size());
    model.predict(by_hand, own.rows(), base, want);
    CHECK(ask(informed, s, own) == want);

    // The rows in reverse: the same model, because margins are predicted for the rows as they stand.
    table reverse;
    for (std::size_t i = own.y.size(); i-- > 0;) {
        reverse.x.insert(reverse.x.end(), own.x.begin() + static_cast<std::ptrdiff_t>(3 * i),
                         own.x.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
        reverse.y.push_back(own.y[i]);
    }
    CHECK(fitted(informed, reverse).own == s.own);
}

TEST_CASE("other models learn what the past leaves over; the two uncertainties add up")
{
    const random_forest model{.trees = 12};
    const table before = sample(7, 200, 3), own = sample(8, 40, 4), fresh = sample(9, 50, 4);
    const auto past = fitted(model, before);
    const surrogate::transfer informed{model, past, 40.0};
    table rest = own;
    const auto h = ask(model, past, own);
    for (std::size_t i = 0; i < rest.y.size(); ++i) rest.y[i] -= 0.5 * h[i].mean;
    const auto by_hand = ask(model, fitted(model, rest), fresh), there = ask(model, past, fresh);
    const auto got = ask(informed, fitted(informed, own), fresh);
    for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(got[i].mean == by_hand[i].mean + 0.5 * there[i].mean);
        CHECK(got[i].sd == std::hypot(by_hand[i].sd, 0.5 * there[i].sd));
    }
}

TEST_CASE("a half life that is none is refused")
{
    const random_forest model{.trees = 2};
    const auto past = fitted(model, sample(1, 10, 3));
    for (const double half_life : {0.0, -1.0, std::nan("")})
        CHECK_THROWS_AS((void)(surrogate::transfer{model, past, half_life}.start(3)), std::invalid_argument);
}
