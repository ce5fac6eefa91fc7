// SPDX-License-Identifier: MIT
#include "tunekit/online/detail/drift.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>

#include "tunekit/online/context.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace online = tk::online;

namespace {

/// exp of a normal number with standard deviation `s`.
double log_normal(double s, tk::random::philox& gen)
{
    const double u = 1 - tk::random::uniform_01(gen), v = tk::random::uniform_01(gen);
    return std::exp(s * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

/// 90 configurations: blocks, unrolling, and a flag for vectors.
const tk::space::product kernels{tk::space::powers_of_two<"block">(4, 64), tk::space::integers<"unroll">(1, 9),
                                 tk::space::integers<"vectors">(0, 1)};
using kernels_space = std::remove_const_t<decltype(kernels)>;

/// A kernel whose times have a log-normal noise, and that changes.
struct changing_kernel {
    double noise, slow_default;
    tk::random::philox gen;
    tk::index untuned = *kernels.index_of(kernels.at(0));
    double all = 1;      ///< factor of all configurations
    double vectors = 1;  ///< factor of those with vectors
    double one = 1;      ///< factor of `which`
    tk::index which = 0;

    double cost(tk::index i) const
    {
        const auto c = kernels.at(i);
        const double off = std::abs(std::log2(tk::get<"block">(c)) - 5) + 0.5 * std::abs(tk::get<"unroll">(c) - 4);
        double seconds = 1e-5 * (1 + 0.15 * off) * (tk::get<"vectors">(c) == 1 ? vectors : 1.3);
        if (i == untuned) seconds = 1e-5 * slow_default;
        return seconds * all * (i == which ? one : 1);
    }
    double oracle() const
    {
        double best = cost(0);
        for (tk::index i = 1; i < kernels.size(); ++i) best = (std::min)(best, cost(i));
        return best;
    }
};

using context = online::context<kernels_space>;

context begun(const changing_kernel& k, std::uint64_t seed)
{
    using setup = online::setup<kernels_space>;
    return context(std::make_shared<const setup>(
        setup{.space = kernels, .untuned = k.untuned, .options = {.seed = seed}, .parts = {}}));
}

struct passed {
    double over_oracle = 0;         ///< time over the oracle's
    std::uint64_t until_alarm = 0;  ///< timed calls of the winner until its times were seen to have risen
    double not_by_winner = 0;       ///< what calls took more than the winner's, over the time of all
};

passed calls(context& t, changing_kernel& k, std::uint64_t n)
{
    double costs[90];
    for (tk::index i = 0; i < 90; ++i) costs[i] = k.cost(i);
    passed out;
    const auto before = t.status();
    const double best = k.oracle();
    double sum = 0, more = 0;
    bool noticed = false;
    for (std::uint64_t j = 0; j < n; ++j) {
        const tk::index i = *kernels.index_of(t.next());
        sum += costs[i];
        more += (std::max)(0.0, costs[i] - costs[before.best]);
        if (!t.wants_time()) continue;
        t.report(costs[i] * log_normal(k.noise, k.gen));
        if (noticed) continue;
        noticed = t.status().alarms > before.alarms || t.status().reopened > before.reopened;
        out.until_alarm += i == before.best;
    }
    out.over_oracle = sum / (static_cast<double>(n) * best);
    out.not_by_winner = more / sum;
    return out;
}

/// Settled, and 100,000 calls on.
context settled(changing_kernel& k, std::uint64_t seed)
{
    context t = begun(k, seed);
    calls(t, k, 100000);
    REQUIRE(t.settled());
    return t;
}

/// Calls f for kernels with little and much noise and a good and a bad default, `seeds` times each, and wants the mean of
/// what it returns to be at most `most`.
template <class F>
void mean_at_most(double most, const F& f)
{
    constexpr std::uint64_t seeds = 5;
    for (const double noise : {0.05, 0.2})
        for (const double slow : {10.0, 1.8}) {
            CAPTURE(noise);
            CAPTURE(slow);
            double sum = 0;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                sum += f(changing_kernel{.noise = noise, .slow_default = slow, .gen = tk::random::philox(seed)}, seed);
            }
            CHECK(sum / seeds <= most);
        }
}

}  // namespace

TEST_CASE("drift: a winner that alone becomes 2.5 times slower is noticed within 20 timed calls, 1.2 times within 400")
{
    for (const double factor : {2.5, 1.2}) {
        CAPTURE(factor);
        mean_at_most(1.05, [&](changing_kernel k, std::uint64_t seed) {
            context t = settled(k, seed);
            k.which = t.result()->winner;
            k.one = factor;
            const passed after = calls(t, k, 100000);
            CHECK(after.until_alarm <= (factor > 2 ? 20 : 400));
            CHECK(t.status().reopened >= 1);
            return after.over_oracle;
        });
    }
}

TEST_CASE("drift: so is a whole family of configurations, the runner-up among them")
{
    mean_at_most(1.05, [](changing_kernel k, std::uint64_t seed) {
        context t = settled(k, seed);
        k.vectors = 2.5;
        const passed after = calls(t, k, 100000);
        CHECK(after.until_alarm <= 20);
        CHECK(t.status().reopened >= 1);
        return after.over_oracle;
    });
}

TEST_CASE(
    "drift: where everything becomes twice as slow nothing is tuned again, and finding out takes 0.1 % of the time")
{
    // Besides the regular checks, which take options::recheck of the time.
    mean_at_most(1e-3 + online::options{}.recheck, [](changing_kernel k, std::uint64_t seed) {
        context t = settled(k, seed);
        calls(t, k, 1000000);  // until its search is over
        CHECK_FALSE(t.status().searching);
        const auto reopened = t.status().reopened;
        k.all = 2;
        const passed after = calls(t, k, 100000);
        CHECK(after.until_alarm <= 20);
        CHECK(t.status().reopened == reopened);
        CHECK(t.result()->cost == doctest::Approx(k.cost(t.result()->winner)).epsilon(0.25));
        return after.not_by_winner;
    });
}

TEST_CASE("drift: below one alarm in 10^6 calls where nothing changes")
{
    // 31,250 of 10^6 calls are timed. Null hypothesis: log-normal times. At most one alarm in 32 x 10^6 calls of each noise.
    for (const double noise : {0.05, 0.2}) {
        int alarms = 0;
        for (std::uint64_t seed = 1; seed <= 32; ++seed) {
            tk::random::philox gen(seed);
            online::detail::drift d(log_normal(0.1, gen));
            for (int n = 0; n < 31250; ++n) {
                d.add(log_normal(noise, gen));
                alarms += d.alarm();
                if (d.alarm()) d.calm();
            }
        }
        CAPTURE(noise);
        CHECK(alarms <= 1);
    }
}

TEST_CASE("drift: one disturbed call says nothing, however long it took")
{
    online::detail::drift d(1e-5);
    for (int n = 0; n < 100; ++n) d.add(1e-5);
    d.add(1e3);
    CHECK_FALSE(d.alarm());
    for (int n = 0; n < 100; ++n) d.add(n % 10 == 0 ? 1e-3 : 1e-5);
    CHECK_FALSE(d.alarm());
}
