// SPDX-License-Identifier: MIT
// The policy's learning beside an independent form, on 20 rollouts: advantages as the sum over later steps, the loss as the
// papers write it, its slopes by complex steps, and three steps of Adam; all three layouts, ratios apart and joint.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tests/support/congruential.hpp"
#include "tests/unit/explore/ppo.hpp"
#include "tunekit/explore/policy_gradient.hpp"

namespace explore = tunekit::explore;
using network = explore::detail::actor_critic<double>;

namespace {

/// Weights in the order in which they lie. In the layout `reference` two layers of 3 d outputs, behind three others,
/// keep heads apart: weights between heads are 0.
std::vector<double> drawn_weights(const network& shape, std::size_t hidden, bool apart, support::congruential& u)
{
    std::vector<double> w(shape.size());
    for (double& x : w) x = 2 * u() - 1;
    const std::size_t d = shape.heads(), first = (d + 1) * hidden + (hidden + 1) * (hidden + 3 * d);
    for (std::size_t o = 0; o < (apart ? 6 * d : 0); ++o)
        for (std::size_t i = 0; i < 3 * d; ++i)
            if (i / 3 != o % (3 * d) / 3) w[first + o * (3 * d + 1) + i] = 0;
    return w;
}

/// Steps of a policy. What the network saw is by steps, all else that is of a step and a head by heads.
struct rollout {
    std::vector<double> seen, rewards, values;
    explore::detail::lesson<double> taught;

    rollout(std::size_t steps, std::size_t d, support::congruential& u)
    {
        const auto by_heads = [&](auto& out, const auto& draw) {
            out.resize(steps * d);
            for (std::size_t i = 0; i < steps * d; ++i) out[i % d * steps + i / d] = draw();
        };
        for (std::size_t i = 0; i < steps * d; ++i) seen.push_back(u());
        by_heads(taught.actions, [&] { return static_cast<std::int32_t>(3 * u()); });
        by_heads(taught.chosen, [&] { return 0.1 + 0.8 * u(); });
        for (std::size_t t = 0; t < steps; ++t) rewards.push_back(u());
        for (std::size_t t = 0; t < steps; ++t) values.push_back(u());
    }
};

}  // namespace

TEST_CASE("advantages, slopes of the clipped loss and Adam's steps equal an independent form's on 20 rollouts")
{
    REQUIRE(std::size(ppo::rows) == 20);
    for (std::size_t p = 0; p < 20; ++p) {
        CAPTURE(p);
        const ppo::row& want = ppo::rows[p];
        support::congruential u{p + 1};
        const std::size_t d = 1 + p % 4, hidden = 3 + p % 3, steps = 4 + p;
        const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-10); };
        constexpr explore::towers layouts[] = {explore::towers::shared_first, explore::towers::separate,
                                               explore::towers::reference};
        const network shape(d, hidden, layouts[p % 3]);
        std::vector<double> weights = drawn_weights(shape, hidden, p % 3 == 2, u);
        rollout of(steps, d, u);

        std::vector<double>& advantage = of.taught.advantage;
        advantage.resize(steps);
        explore::detail::advantages<double>(of.rewards, of.values, 0.9, 0.95, advantage);
        CHECK(advantage[0] == near(want.first_advantage));
        CHECK(advantage[steps / 2] == near(want.middle_advantage));
        REQUIRE(explore::detail::standardise(advantage));
        CHECK(advantage[0] == near(want.scaled));
        for (std::size_t t = 0; t < steps; ++t)
            of.taught.target.push_back(of.rewards[t] + (t + 1 < steps ? 0.9 * of.values[t + 1] : 0));

        const auto number = static_cast<double>(p);
        const explore::detail::proximal_loss loss{.clip = 0.1 + 0.02 * number,
                                                  .entropy_weight = 0.05 * static_cast<double>(p % 4),
                                                  .value_weight = 0.5 + 0.1 * number,
                                                  .joint_ratio = p % 2 == 1};
        const explore::detail::adam rule{.rate = 0.01};
        explore::detail::adam::state<double> moments;
        network::passes passes(shape, steps);
        for (int step = 0; step < 3; ++step) {
            for (std::size_t i = 0; i < steps * d; ++i)
                passes.input()(static_cast<Eigen::Index>(i / d), static_cast<Eigen::Index>(i % d)) = of.seen[i];
            shape.forward(weights, passes, steps);
            explore::detail::softmax<double>(passes, steps);
            loss.slopes<double>(passes, of.taught, steps);
            std::vector<double> slope(shape.size());
            shape.backward(weights, passes, steps, slope);
            double squares = 0;
            for (const double x : slope) squares += x * x;
            if (step == 0) CHECK(std::sqrt(squares) == near(want.slope));
            rule.step<double>(moments, slope, weights);
        }
        CHECK(weights.front() == near(want.first));
        CHECK(weights[weights.size() / 2] == near(want.middle));
        CHECK(weights.back() == near(want.last));
        double mark = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) mark += weights[i] * std::cos(static_cast<double>(i));
        CHECK(mark == near(want.mark));
    }
}
