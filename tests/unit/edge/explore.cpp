// SPDX-License-Identifier: MIT
#include "tunekit/explore.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/unit/edge/sweep.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/random/philox.hpp"

namespace explore = tunekit::explore;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using enum edge::kind;

namespace {

/// Scores by a function of the configuration; every sd and the best score are given.
struct judge {
    std::function<double(tunekit::index)> of;
    double sd = 0, top = 1;

    [[nodiscard]] double best() const { return top; }
    void score(std::span<const tunekit::index> in, std::span<double> out) const
    {
        std::transform(in.begin(), in.end(), out.begin(), of);
    }
    void predict(std::span<const tunekit::index> in, std::span<tunekit::stats::prediction> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {of(in[i]), sd};
    }
};

/// The best candidate of a search in 36 configurations, whose score is `scale` times one that has its top at 14.
template <class Explorer>
double best_of(const Explorer& explorer, const judge& by, std::vector<std::uint16_t> sides = {6, 6}, std::size_t n = 3)
{
    const support::grid_space space(std::move(sides));
    tunekit::random::philox gen(1);
    auto state = explorer.start(space);
    double out = -1;
    for (int round = 0; round < 2; ++round) {
        const auto found = explorer.explore(state, space, by, {}, n, gen);
        for (const auto& c : found) CHECK(c.score == c.score);
        out = found.empty() ? -1 : static_cast<double>(found[0].candidate);
    }
    if constexpr (requires { state.weights; })
        for (const float w : state.weights) CHECK(std::isfinite(w));
    return out;
}

template <class Explorer>
void explores(const Explorer& explorer)
{
    sweep s(sweep::lists);
    const auto scaled = [&](double scale) {
        return best_of(explorer,
                       {[=](tunekit::index i) { return -scale * std::abs(static_cast<double>(i) - 14) / 36; }});
    };
    for (const auto& [k, scale] :
         {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {largest, huge}, {denormal, 100 * tiny}})
        s.is(k, scaled(scale), 14);
    s.is(largest, best_of(explorer, {[](tunekit::index i) { return i == 14 ? huge : -huge; }}), 14);
    for (const double other : {nan_d, -inf})
        s.is(not_a_number, best_of(explorer, {[=](tunekit::index i) { return i == 14 ? 1 : other; }}), 14);
    s.is(not_a_number, best_of(explorer, {[](tunekit::index) { return nan_d; }}), -1);
    s.is(infinite, best_of(explorer, {[](tunekit::index i) { return i == 14 ? inf : 1; }}), 14);
    s.between(infinite, best_of(explorer, {[](tunekit::index) { return -inf; }}), 0, 35);
    s.between(equal, best_of(explorer, {[](tunekit::index) { return 0.1; }}), 0, 35);
    const judge rising{[](tunekit::index i) { return static_cast<double>(i); }};
    s.is(one, best_of(explorer, rising, {1}), 0);
    s.is(two, best_of(explorer, rising, {2}), 1);
    s.is(none, best_of(explorer, rising, {6, 6}, 0), -1);
}

constexpr explore::annealing anneals{.chains = 36, .steps = 40, .patience = 40};

}  // namespace

TEST_CASE("edge: explore::annealing::explore")
{
    for (const auto unit : {explore::heat::absolute, explore::heat::spread})
        explores(explore::annealing{.chains = 36, .steps = 40, .patience = 40, .unit = unit});
}

TEST_CASE("edge: explore::contextual::explore") { explores(explore::contextual{anneals}); }

TEST_CASE("edge: explore::policy_gradient::explore")
{
    for (const auto reward : {explore::reward_of::score, explore::reward_of::rise})
        for (const auto update_on : {explore::updates::per_episode, explore::updates::pooled})
            explores(explore::policy_gradient{
                .episodes = 36, .steps = 6, .reward = reward, .hidden = 4, .update_on = update_on});
}

TEST_CASE("edge: explore::contextual::epsilon")
{
    sweep s(sweep::lists);
    const auto share = [](double sd, double best, std::vector<std::uint16_t> sides = {6, 6}) {
        const support::grid_space space(std::move(sides));
        tunekit::random::philox gen(1);
        return explore::contextual{anneals}.epsilon(space, judge{[](tunekit::index) { return 0.0; }, sd, best}, {},
                                                    gen);
    };
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {equal, 1.0}}) {
        s.is(k, share(0.25 * x, x), 0.25);
        s.is(k, share(3 * x, x), 1);
        s.is(k, share(x, -x), 1);
    }
    s.is(not_a_number, share(nan_d, 1), 1);
    s.is(not_a_number, share(1, nan_d), 1);
    s.is(infinite, share(inf, 1), 1);
    s.is(infinite, share(1, inf), 0);
    s.is(infinite, share(inf, inf), 1);
    s.between(largest, share(huge / 2, huge), 0, 1);
    s.is(denormal, share(4 * tiny, 8 * tiny), 0.5);
    s.is(one, share(0.25, 1, {1}), 0.25);
    s.is(two, share(0.25, 1, {2}), 0.25);
    s.is(none, share(0, 0, {1}), 1);
}
