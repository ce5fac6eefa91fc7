// SPDX-License-Identifier: MIT
#include "tunekit/bandit/ucb.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace bandit = tunekit::bandit;
namespace tkr = tunekit::random;
using bandit::arm;
using bandit::ucb;

static_assert(bandit::bandit<ucb, tkr::philox>);
static_assert(std::is_aggregate_v<ucb> && std::regular<ucb>);

namespace {

std::size_t select(const ucb& rule, const std::vector<arm>& arms, std::uint64_t t)
{
    tkr::philox gen, before = gen;
    const std::size_t k = rule.select(arms, t, gen);
    CHECK((gen == before));  // draws nothing
    return k;
}

}  // namespace

TEST_CASE("the bonus: worked numbers of t = 10")
{
    CHECK(ucb{}.bonus(4, 10) == doctest::Approx(1.0729830131).epsilon(1e-10));
    CHECK(ucb{}.bonus(6, 10) == doctest::Approx(0.8760869616).epsilon(1e-10));
    CHECK(ucb{.exploration = 0.2}.bonus(4, 10) == doctest::Approx(0.3393070212).epsilon(1e-10));
    CHECK(ucb{}.bonus(1, 1) == 0);
    CHECK(ucb{}.bonus(1, 0) == 0);
}

TEST_CASE("the paper's constant is 2, and 0.2 below 1 ms of initial latency; its unit is a millisecond")
{
    CHECK(ucb::paper(1e-3) == ucb{.exploration = 2, .unit = 1e-3});
    CHECK(ucb::paper(0.99e-3) == ucb{.exploration = 0.2, .unit = 1e-3});
    CHECK(ucb::initial_latency(0.5) == ucb{.exploration = 2, .unit = 0.5});
    CHECK(ucb::scale_free() == ucb{});
}

TEST_CASE("in the paper's unit a gain of 231.211008 MFLOP from 500 to 600 GFLOP/s is worth less than two pulls")
{
    const double gain = 231.211008e6 / 500e9 - 231.211008e6 / 600e9;
    CHECK(1e3 * gain == doctest::Approx(0.0770703).epsilon(1e-7));
    const std::vector<arm> arms{{.estimate = gain, .pulls = 6}, {.estimate = 0, .pulls = 4}};
    CHECK(select(ucb::paper(1), arms, 10) == 1);      // 0.077 + 0.876 < 1.073
    CHECK(select(ucb::scale_free(), arms, 10) == 0);  // 1 + 0.876 > 1.073
    CHECK(select(ucb::initial_latency(gain), arms, 10) == 0);
}

TEST_CASE("hand-made estimates: the index decides, not the estimate and not the count alone")
{
    const std::vector<arm> arms{{1e-3, 4}, {0.9e-3, 4}, {0.85e-3, 2}};
    // t = 10, C = 2, ms: 1 + 1.0730, 0.9 + 1.0730, 0.85 + 1.5174
    CHECK(select(ucb::paper(1), arms, 10) == 2);
    CHECK(select({.exploration = 0, .unit = 1e-3}, arms, 10) == 0);
}

TEST_CASE("an arm never pulled goes first, in declaration order, whatever the estimates")
{
    const std::vector<arm> arms{{1e9, 1}, {-1e9, 0}, {1e9, 0}};
    CHECK(select({}, arms, 1) == 1);
    CHECK(select({}, {{1, 3}, {1, 0, false}, {2, 0}}, 3) == 2);
}

TEST_CASE("an inactive arm is never chosen and does not set the scale, but its pulls count in t")
{
    // Of the active arms the largest estimate is 1: 1 + 0.876 against 0 + 1.073. Scaled by 100 exploration would win.
    const std::vector<arm> arms{{100, 5, false}, {1, 6}, {0, 4}};
    CHECK(select({}, arms, 10) == 1);
    CHECK(select({.unit = 100}, arms, 10) == 2);
}

TEST_CASE("ties go to the lowest position, negative indices included")
{
    CHECK(select({}, {{1, 2, false}, {1, 2}, {1, 2}}, 6) == 1);
    CHECK(select({.exploration = 0}, {{-3, 2}, {-2, 2}, {-2, 2}}, 6) == 1);
    CHECK(select({}, {{0, 3}, {0, 3}, {0, 3}}, 9) == 0);
    CHECK(select({}, {{0, 3}, {0, 2}, {0, 3}}, 8) == 1);  // nothing expected of any: the least pulled
}

TEST_CASE("a common factor of the estimates changes no decision in scale-free mode, and some in the paper's unit")
{
    tkr::philox gen(1);
    int changed = 0;
    for (int run = 0; run < 1000; ++run) {
        std::vector<arm> arms(2 + tkr::uniform_index(10, gen));
        std::uint64_t t = 0;
        for (auto& a : arms) {
            a = {.estimate = 1e-3 * tkr::uniform_01(gen), .pulls = 1 + tkr::uniform_index(9, gen)};
            t += a.pulls;
        }
        auto times_1000 = arms;
        for (auto& a : times_1000) a.estimate *= 1000;
        CHECK(select(ucb::scale_free(), arms, t) == select(ucb::scale_free(), times_1000, t));
        changed += select(ucb::paper(1), arms, t) != select(ucb::paper(1), times_1000, t);
    }
    CHECK(changed > 100);
}
