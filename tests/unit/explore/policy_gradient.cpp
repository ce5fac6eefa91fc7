// SPDX-License-Identifier: MIT
#include "tunekit/explore/policy_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace explore = tk::explore;
using support::grid_space;
using philox = tk::random::philox;

namespace {

/// The score of a configuration is `value` of its ordinals; keeps what it was asked last.
template <class Value>
struct scores_by {
    const grid_space* space;
    Value value;
    mutable std::vector<tk::index> last{};
    mutable std::size_t asked = 0;

    [[nodiscard]] double best() const { return 1; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        asked += in.size();
        last.assign(in.begin(), in.end());
        const std::size_t d = space->dimensions();
        std::vector<std::uint16_t> rows(in.size() * d);
        space->ordinals(in, rows);
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = value(std::span(rows).subspan(i * d, d));
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        std::vector<double> scores(in.size());
        const auto kept = last;
        score(in, scores);
        last = kept;
        asked -= in.size();
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {scores[i], 0};
    }
};
template <class Value>
scores_by(const grid_space*, Value) -> scores_by<Value>;

double first_ordinal(std::span<const std::uint16_t> x) { return x[0]; }
static_assert(explore::explorer<explore::policy_gradient, grid_space,
                                scores_by<double (*)(std::span<const std::uint16_t>)>, philox>);

using net = explore::detail::actor_critic<double>;

/// Three examples for a network over two heads, and the loss of `proximal_loss` written down as its documentation says
/// it.
struct small_case {
    std::vector<double> inputs{0.1, 0.9, 0.5, 0.3, 0.7, 0.0};  // by columns
    std::vector<std::int32_t> actions{0, 2, 1, 1, 2, 0};       // by columns, as is `chosen`
    std::vector<double> chosen, advantage{0.8, -1.3, 0.5}, target{0.4, -0.2, 1.5};

    void run(const net& n, std::span<const double> w, net::passes& p) const
    {
        for (int i = 0; i < 6; ++i) p.input()(i % 3, i / 3) = inputs[static_cast<std::size_t>(i)];
        n.forward(w, p, 3);
    }

    [[nodiscard]] double loss(const net& n, std::span<const double> w,
                              const explore::detail::proximal_loss& settings) const
    {
        net::passes p(n, 3);
        run(n, w, p);
        double sum = 0;
        for (int t = 0; t < 3; ++t) {
            const auto ut = static_cast<std::size_t>(t);
            double joint = 1;
            for (int h = 0; h < 2; ++h) {
                double z = 0, entropy = 0;
                for (int k = 0; k < 3; ++k) z += std::exp(p.logits()(t, 3 * h + k));
                for (int k = 0; k < 3; ++k) {
                    const double q = std::exp(p.logits()(t, 3 * h + k)) / z;
                    entropy -= q * std::log(q);
                }
                const auto at = static_cast<std::size_t>(3 * h + t);
                const double ratio = std::exp(p.logits()(t, 3 * h + actions[at])) / z / chosen[at];
                joint *= ratio;
                if (!settings.joint_ratio) sum -= surrogate(ratio, advantage[ut], settings.clip) / 3;
                sum -= settings.entropy_weight * entropy / 3;
            }
            if (settings.joint_ratio) sum -= surrogate(joint, advantage[ut], settings.clip) / 3;
            const double miss = target[ut] - p.values()(t, 0);
            sum += settings.value_weight * miss * miss / 3;
        }
        return sum;
    }

    static double surrogate(double ratio, double a, double clip)
    {
        return (std::min)(ratio * a, (std::min)((std::max)(ratio, 1 - clip), 1 + clip) * a);
    }

    [[nodiscard]] std::vector<double> gradient(const net& n, std::span<const double> w,
                                               const explore::detail::proximal_loss& settings) const
    {
        net::passes p(n, 3);
        run(n, w, p);
        explore::detail::softmax<double>(p, 3);
        settings.slopes<double>(p, {actions, chosen, advantage, target}, 3);
        std::vector<double> g(n.size());
        n.backward(w, p, 3, g);
        return g;
    }
};

}  // namespace

TEST_CASE("advantages of the documentation's example: R = (1,2,3), v = (.5,.4,.3), discount .9, lambda .99")
{
    const std::vector<double> rewards{1, 2, 3}, values{0.5, 0.4, 0.3};
    std::vector<double> a(3);
    explore::detail::advantages<double>(rewards, values, 0.9, 0.99, a);
    CHECK(a[0] == doctest::Approx(0.86 + 0.891 * 4.2757).epsilon(1e-12));
    CHECK(a[0] == doctest::Approx(4.6696487).epsilon(1e-9));
    CHECK(a[1] == doctest::Approx(4.2757).epsilon(1e-12));
    CHECK(a[2] == doctest::Approx(2.7).epsilon(1e-12));
}

TEST_CASE("standardise gives mean 0 and deviation 1, and refuses one value and equal values")
{
    std::vector<double> x{1, 2, 3, 6};
    REQUIRE(explore::detail::standardise(x));
    CHECK(x[0] + x[1] + x[2] + x[3] == doctest::Approx(0).epsilon(1e-12));
    CHECK(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] == doctest::Approx(4).epsilon(1e-6));
    std::vector<double> one{5}, equal{0.1, 0.1, 0.1}, none;
    CHECK_FALSE(explore::detail::standardise(one));
    CHECK_FALSE(explore::detail::standardise(equal));
    CHECK_FALSE(explore::detail::standardise(none));
    CHECK(equal == std::vector<double>{0.1, 0.1, 0.1});
}

TEST_CASE("tanh and exp of floats are within 4e-7 and 5e-7 of the true values, relatively, over their range")
{
    std::vector<float> x;
    for (float v = -12; v < 12; v += 0.00037F) x.push_back(v);
    for (float v = 1e-30F; v < 1; v *= 1.1F) x.push_back(v);
    auto t = x, e = x;
    explore::detail::tanh(std::span(t));
    explore::detail::exp(std::span(e));
    double worst_tanh = 0, worst_exp = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        worst_tanh =
            (std::max)(worst_tanh, std::fabs(static_cast<double>(t[i]) / std::tanh(static_cast<double>(x[i])) - 1));
        worst_exp =
            (std::max)(worst_exp, std::fabs(static_cast<double>(e[i]) / std::exp(static_cast<double>(x[i])) - 1));
    }
    CHECK(worst_tanh < 4e-7);
    CHECK(worst_exp < 5e-7);
    std::vector<float> ends{0, -0.0F, 50, -50, 1e30F};
    explore::detail::tanh(std::span(ends));
    CHECK(ends == std::vector<float>{0, -0.0F, 1, -1, 1});
}

TEST_CASE(
    "the gradient of every weight agrees with differences, in all three layouts, with ratios apart and joint, clipped "
    "and not")
{
    for (const auto layout : {explore::towers::shared_first, explore::towers::separate, explore::towers::reference}) {
        for (const bool joint : {false, true}) {
            const net n(2, 5, layout);
            philox gen(3);
            std::vector<double> w = n.initial(gen);
            for (double& v : w) v += 0.3 * (tk::random::uniform_01(gen) - 0.5) * (v != 0);
            const explore::detail::proximal_loss settings{
                .clip = 0.3, .entropy_weight = 0.1, .value_weight = 0.7, .joint_ratio = joint};
            small_case c;
            c.chosen = {0.30, 0.90, 0.40, 0.20, 0.25, 0.50};  // ratios on both sides of the clip
            const auto g = c.gradient(n, w, settings);
            double largest = 0;
            for (const double v : g) largest = (std::max)(largest, std::fabs(v));
            REQUIRE(largest > 0.01);
            for (std::size_t i = 0; i < w.size(); ++i) {
                const double kept = w[i], h = 1e-5;
                if (layout == explore::towers::reference && g[i] == 0) continue;  // not connected
                w[i] = kept + h;
                const double up = c.loss(n, w, settings);
                w[i] = kept - h;
                const double down = c.loss(n, w, settings);
                w[i] = kept;
                CHECK(std::fabs((up - down) / (2 * h) - g[i]) < 1e-6 * largest);
            }
        }
    }
}

TEST_CASE("the reference layout keeps its heads apart: weights between them stay 0")
{
    const net n(3, 4, explore::towers::reference);
    philox gen(5);
    const auto w = n.initial(gen);
    // policy d -> h -> h -> 3 d -> 3 d -> 3 d, the last two in groups of three; value d -> h -> h -> h -> 1
    const std::size_t dense = (3 + 1) * 4 + (4 + 1) * 4 + (4 + 1) * 9 + (3 + 1) * 4 + 2 * (4 + 1) * 4 + 5;
    CHECK(n.size() == dense + 2 * (9 + 1) * 9);
    std::size_t zeros = 0;
    for (const double v : w) zeros += v == 0;
    const std::size_t biases = 4 + 4 + 9 + 9 + 9 + 4 + 4 + 4 + 1;
    CHECK(zeros == biases + 2 * (81 - 27));
}

TEST_CASE("at ratio 1 nothing is clipped: the first gradient is that of the unclipped loss")
{
    const net n(2, 5, explore::towers::shared_first);
    philox gen(4);
    const auto w = n.initial(gen);
    small_case c;
    net::passes p(n, 3);
    c.run(n, w, p);
    explore::detail::softmax<double>(p, 3);
    for (int h = 0; h < 2; ++h)
        for (int t = 0; t < 3; ++t)
            c.chosen.push_back(p.logits()(t, 3 * h + c.actions[static_cast<std::size_t>(3 * h + t)]));
    const auto narrow = c.gradient(n, w, {.clip = 0.01}), wide = c.gradient(n, w, {.clip = 1e9});
    CHECK(narrow == wide);
}

TEST_CASE("adam's first step has the length of its rate along every weight that has a slope")
{
    const explore::detail::adam a{.rate = 0.5, .floor = 0};
    explore::detail::adam::state<double> s;
    std::vector<double> w{1, 1, 1};
    const std::vector<double> g{3, -1e-3, 40};
    a.step<double>(s, g, w);
    CHECK(w[0] == doctest::Approx(0.5));
    CHECK(w[1] == doctest::Approx(1.5));
    CHECK(w[2] == doctest::Approx(0.5));
}

TEST_CASE("a policy on one parameter of 50 values learns to go up: mean position above 40 within 50 episodes")
{
    const grid_space space({50});
    const scores_by judge{&space, [](std::span<const std::uint16_t> x) { return x[0] / 49.0; }};
    const explore::policy_gradient policy{.episodes = 10};
    auto state = policy.start(space);
    philox gen(1);
    double mean = 0;
    for (int search = 0; search < 5; ++search) {
        (void)policy.explore(state, space, judge, {}, 1, gen);
        mean = 0;
        for (const auto i : judge.last) mean += static_cast<double>(i) / 10;
    }
    CHECK(mean > 40);
}

// Each score is a separable cone over 8 parameters; annealing gets the same number of scores.
TEST_CASE("on separable surfaces over 8 parameters it finds what annealing finds in at least half of 10 seeds")
{
    const grid_space space({4, 4, 4, 4, 4, 4, 4, 4});
    int not_below = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        philox gen(seed);
        std::vector<double> top(8), weight(8);
        for (double& t : top) t = 3 * tk::random::uniform_01(gen);
        for (double& w : weight) w = tk::random::uniform_01(gen);
        const scores_by judge{&space, [&](std::span<const std::uint16_t> x) {
                                  double s = 1;
                                  for (std::size_t j = 0; j < 8; ++j) s -= 0.1 * weight[j] * std::fabs(x[j] - top[j]);
                                  return s;
                              }};
        const explore::policy_gradient policy{.episodes = 32, .steps = 100};
        auto state = policy.start(space);
        const auto mine = policy.explore(state, space, judge, {}, 1, gen);
        const std::size_t asked = judge.asked;
        CHECK(asked == 32 * 101);
        const explore::annealing other{.chains = 32, .steps = 100, .patience = 100};
        auto chains = other.start(space);
        const auto theirs = other.explore(chains, space, judge, {}, 1, gen);
        CHECK(judge.asked <= 2 * asked);
        not_below += mine[0].score >= theirs[0].score;
    }
    CHECK(not_below >= 5);
}

TEST_CASE("candidates are distinct, unvisited and members, best first; moves out of a constrained space stay")
{
    const grid_space space({7, 7, 1, 7},
                           [](std::span<const std::uint16_t> x) { return (x[0] + x[1] + x[3]) % 3 != 1; });
    const scores_by judge{&space, [](std::span<const std::uint16_t> x) { return x[0] * 0.1 + x[3] * 0.03; }};
    tk::space::index_set visited;
    for (tk::index i = 0; i < space.size(); i += 2) visited.insert(i);
    for (const auto& policy :
         {explore::policy_gradient{.steps = 60},
          explore::policy_gradient{.steps = 60, .update_on = explore::updates::pooled},
          explore::policy_gradient{.steps = 60, .end_share = 0.75, .reward = explore::reward_of::rise},
          explore::policy_gradient::reference()}) {
        philox gen(2);
        auto state = policy.start(space);
        const auto found = policy.explore(state, space, judge, visited, 30, gen);
        CHECK(found.size() == 30);
        tk::space::index_set seen;
        for (std::size_t i = 0; i < found.size(); ++i) {
            CHECK(found[i].candidate < space.size());
            CHECK(seen.insert(found[i].candidate));
            CHECK_FALSE(visited.contains(found[i].candidate));
            if (i > 0) CHECK(found[i].score <= found[i - 1].score);
        }
        CHECK(state.last_improvement <= policy.steps);
    }
}

TEST_CASE("weights go on from search to search; equal generators give equal searches; rate 0 learns nothing")
{
    const grid_space space({9, 9});
    const scores_by judge{&space, [](std::span<const std::uint16_t> x) { return first_ordinal(x) / 8; }};
    const explore::policy_gradient policy{.episodes = 8, .steps = 20};
    auto a = policy.start(space), b = policy.start(space);
    philox one(7), two(7);
    CHECK(policy.explore(a, space, judge, {}, 5, one) == policy.explore(b, space, judge, {}, 5, two));
    CHECK(a == b);
    const auto before = a.weights;
    (void)policy.explore(a, space, judge, {}, 5, one);
    CHECK(a.weights != before);
    const explore::policy_gradient walk{.episodes = 8, .steps = 20, .learning_rate = 0};
    auto c = walk.start(space);
    (void)walk.explore(c, space, judge, {}, 5, one);
    const auto still = c.weights;
    (void)walk.explore(c, space, judge, {}, 5, one);
    CHECK(c.weights == still);
}

TEST_CASE("equal rewards leave finite weights; one point, nothing left and n = 0 are no trouble")
{
    const grid_space space({3, 3});
    const scores_by flat{&space, [](std::span<const std::uint16_t>) { return 0.0; }};
    const explore::policy_gradient policy{.episodes = 9, .steps = 5};
    auto state = policy.start(space);
    philox gen(1);
    CHECK(policy.explore(state, space, flat, {}, 64, gen).size() == 9);
    for (const float w : state.weights) CHECK(std::isfinite(w));
    CHECK(policy.explore(state, space, flat, {}, 0, gen).empty());
    tk::space::index_set all;
    for (tk::index i = 0; i < 9; ++i) all.insert(i);
    CHECK(policy.explore(state, space, flat, all, 5, gen).empty());
    const grid_space one({1, 1});
    const scores_by same{&one, [](std::span<const std::uint16_t>) { return 0.5; }};
    auto alone = policy.start(one);
    CHECK(policy.explore(alone, one, same, {}, 5, gen).size() == 1);
}

TEST_CASE("an episode ends early where three quarters of the parameters are end_share")
{
    const grid_space space({2});  // a step down or up always ends at an end, a stay is a stay
    const scores_by judge{&space, [](std::span<const std::uint16_t> x) { return first_ordinal(x); }};
    philox gen(1);
    const explore::policy_gradient early{.episodes = 2, .steps = 50, .end_share = 0.75},
        never{.episodes = 2, .steps = 50};
    auto s = early.start(space), t = never.start(space);
    (void)early.explore(s, space, judge, {}, 1, gen);
    CHECK(judge.asked == 2 + 2);
    judge.asked = 0;
    (void)never.explore(t, space, judge, {}, 1, gen);
    CHECK(judge.asked == 2 + 100);
}

TEST_CASE("policy_gradient.start refuses settings out of range")
{
    const grid_space space({2});
    CHECK_THROWS_AS((void)explore::policy_gradient{.episodes = 0}.start(space), std::invalid_argument);
    CHECK_THROWS_AS((void)explore::policy_gradient{.discount = 1.1}.start(space), std::invalid_argument);
    CHECK_THROWS_AS((void)explore::policy_gradient{.learning_rate = std::nan("")}.start(space), std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)explore::policy_gradient{.clip = 0}.start(space),
                         "tunekit: explore::policy_gradient: clip is 0, negative or NaN, want > 0",
                         std::invalid_argument);
}
