// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

static_assert(measure::repetition<measure::fixed>);
static_assert(measure::repetition<measure::until_stable>);
static_assert(measure::repetition<measure::until_confident>);
static_assert(!measure::repetition<int>);

namespace {

struct outcome {
    std::vector<double> batches;
    std::uint32_t runs = 0;
    measure::estimate estimate;
};

/// Runs a policy over a timer that answers with the seconds per run of each batch.
template <class Policy, class Timer>
outcome run(const Policy& policy, Timer timer)
{
    policy.validate();
    outcome out;
    while (const std::uint32_t n = policy.next(out.batches)) {
        out.runs += n;
        out.batches.push_back(timer(n));
    }
    out.estimate = policy.estimate_of(out.batches);
    return out;
}

auto alternating()
{
    return [odd = false](std::uint32_t) mutable { return (odd = !odd) ? 1e-3 : 3e-3; };
}

auto lognormal(double cv, std::uint64_t seed)
{
    return [cv, gen = tk::random::philox(seed)](std::uint32_t) mutable {
        return 1e-3 * std::exp(cv * tk::random::normal(gen) - cv * cv / 2);
    };
}

}  // namespace

TEST_CASE("fastest_quarter runs as the policy that it holds, and takes the mean of the fastest batches, one at least")
{
    const outcome mean = run(measure::fixed{.runs = 6, .batch = 1}, alternating());
    const outcome fastest = run(measure::fastest_quarter{measure::fixed{.runs = 6, .batch = 1}}, alternating());
    CHECK(fastest.batches == mean.batches);
    CHECK(fastest.estimate.cost == 1e-3);
    CHECK(fastest.estimate.spread == mean.estimate.spread);
    CHECK_THROWS_AS(measure::fastest_quarter{measure::fixed{.runs = 0}}.validate(), std::invalid_argument);
    // Against sorting all, in any order of the batches.
    tk::random::philox gen(1);
    for (std::size_t n = 1; n <= 25; ++n) {
        std::vector<double> x(n);
        for (double& v : x) v = 1 + tk::random::uniform_01(gen);
        std::vector<double> sorted = x;
        std::sort(sorted.begin(), sorted.end());
        double sum = 0;
        std::size_t k = 0;
        for (; 4 * k < n; ++k) sum += sorted[k];
        CHECK(measure::fastest_quarter<>{}.estimate_of(x).cost == doctest::Approx(sum / static_cast<double>(k)));
    }
}

TEST_CASE("fixed makes exactly its runs, the rest in the last batch")
{
    const outcome whole = run(measure::fixed{.runs = 100, .batch = 10}, [](std::uint32_t) { return 2.0; });
    CHECK(whole.batches.size() == 10);
    CHECK(whole.runs == 100);
    CHECK(whole.estimate == measure::estimate{2, 0});

    // Batches of 4, 4, 2 runs at 1, 1, 4 seconds: (4 + 4 + 8) / 10.
    const outcome rest =
        run(measure::fixed{.runs = 10, .batch = 4}, [](std::uint32_t n) { return n == 2 ? 4.0 : 1.0; });
    CHECK(rest.runs == 10);
    CHECK(rest.batches == std::vector<double>{1, 1, 4});
    CHECK(rest.estimate.cost == doctest::Approx(1.6));
    CHECK(rest.estimate.spread == doctest::Approx(1.0));  // sd of {1, 1, 4} is sqrt 3
}

TEST_CASE("until_stable stops a constant timer at exactly min_batches")
{
    for (const auto& policy : {measure::until_stable::paper(), measure::until_stable::reference()}) {
        const outcome out = run(policy, [](std::uint32_t) { return 1e-3; });
        CHECK(out.batches.size() == 3);
        CHECK(out.runs == 150);
        CHECK(out.estimate.cost == doctest::Approx(1e-3));
        CHECK(out.estimate.spread == doctest::Approx(0));
    }
    CHECK(run(measure::until_stable{.min_batches = 5}, [](std::uint32_t) { return 1.0; }).runs == 250);
}

TEST_CASE("until_stable makes all runs where the time alternates between t and 3t")
{
    for (const auto& policy : {measure::until_stable::paper(), measure::until_stable::reference()}) {
        const outcome out = run(policy, alternating());
        CHECK(out.runs == 500);
        CHECK(out.batches.size() == 10);
        CHECK(out.estimate.cost == doctest::Approx(2e-3));  // trimming takes one of each
    }
}

TEST_CASE("until_stable: the variation of worked examples")
{
    const std::vector<double> t{1, 3, 1, 3};
    // Per batch: 1, 1/3, 1, 1/3, mean 2/3, sd 1/3. Cumulative: 1, 1/2, 3/5, 1/2, mean 0.65, sd sqrt(0.0425).
    CHECK(measure::until_stable::reference().variation(t) == doctest::Approx(0.5));
    CHECK(measure::until_stable::paper().variation(t) == doctest::Approx(std::sqrt(0.0425) / 0.65));

    // Five values: the reference form drops the least and the greatest performance, 1/9 and 1.
    const std::vector<double> five{1, 2, 2, 2, 9};
    CHECK(measure::until_stable::reference().variation(five) == doctest::Approx(0));
    CHECK(measure::until_stable::reference().estimate_of(five).cost == doctest::Approx(2));
    CHECK(measure::until_stable::paper().estimate_of(five).cost == doctest::Approx(3.2));
}

TEST_CASE("until_stable runs all where there are fewer runs than min_batches batches, or below the bypass")
{
    const auto constant = [](std::uint32_t) { return 1.0; };
    CHECK(run(measure::until_stable{.max_runs = 20, .batch = 50}, constant).runs == 20);
    CHECK(run(measure::until_stable{.max_runs = 20, .batch = 50}, constant).batches.size() == 1);
    CHECK(run(measure::until_stable{.max_runs = 130, .batch = 50}, constant).runs == 130);
    auto reference = measure::until_stable::reference();
    reference.max_runs = 250;
    CHECK(run(reference, constant).runs == 250);
    auto paper = measure::until_stable::paper();
    paper.max_runs = 250;
    CHECK(run(paper, constant).runs == 150);
}

TEST_CASE("until_stable on lognormal batches of CV 5 %: nearly always 3 batches, error about 5 % / sqrt 3")
{
    // H0: a batch mean is lognormal of CV 0.05, so the mean of three has a relative error of sd 0.0289. The root mean
    // square of 2000 independent errors lies within 12 % of it but for p < 1e-6 (its relative sd is 1 / sqrt 4000; six
    // of them are 9.5 %, plus what the rare fourth batch changes). The CV of three such batches passes 0.1 with p <
    // 1e-3 per measurement.
    for (const auto& policy : {measure::until_stable{}, measure::until_stable{.cumulative = false}}) {
        double squares = 0;
        int at_three = 0;
        for (std::uint64_t seed = 0; seed < 2000; ++seed) {
            const outcome out = run(policy, lognormal(0.05, seed));
            at_three += out.batches.size() == 3;
            squares += std::pow(out.estimate.cost / 1e-3 - 1, 2);
        }
        CHECK(at_three >= 1970);
        CHECK(std::sqrt(squares / 2000) == doctest::Approx(0.05 / std::sqrt(3.0)).epsilon(0.12));
    }
}

TEST_CASE("until_confident stops a quiet timer after three groups and ignores two disturbed runs in five")
{
    const outcome quiet = run(measure::until_confident{}, [](std::uint32_t) { return 1e-3; });
    CHECK(quiet.runs == 15);
    CHECK(quiet.estimate.cost == doctest::Approx(1e-3));

    const outcome disturbed = run(measure::until_confident{}, [k = 0](std::uint32_t) mutable {
        ++k;
        return k % 5 < 2 ? 5.0 : 1e-3;
    });
    CHECK(disturbed.runs == 15);
    CHECK(disturbed.estimate.cost == doctest::Approx(1e-3));
}

TEST_CASE("until_confident: the estimate of a worked example")
{
    const measure::until_confident policy{.group = 3, .min_groups = 2};
    // Medians 2, 5, 4: median 4, mean 11/3, sd sqrt(7/3), standard error sqrt(7)/3. The unfinished group does not
    // count.
    const measure::estimate e = policy.estimate_of(std::vector<double>{1, 2, 9, 5, 5, 6, 4, 0, 7, 100});
    CHECK(e.cost == doctest::Approx(4));
    CHECK(e.spread == doctest::Approx(std::sqrt(7.0) / 3));
    CHECK(policy.estimate_of(std::vector<double>{3, 1}).cost == doctest::Approx(2));
}

TEST_CASE("until_confident stops at its standard error, and at its runs where it cannot get there")
{
    const measure::until_confident policy{.standard_error = 0.02, .max_runs = 400};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const outcome out = run(policy, lognormal(0.1, seed));
        CHECK(out.batches.size() % 5 == 0);
        if (out.runs < 400) CHECK(out.estimate.spread <= 0.02 * 1.1 * out.estimate.cost);
    }
    const outcome hopeless = run(policy, [k = 0](std::uint32_t) mutable { return ++k % 10 < 5 ? 1.0 : 100.0; });
    CHECK(hopeless.runs == 400);
}

TEST_CASE("surely_above wants three batches, all above")
{
    CHECK_FALSE(measure::detail::surely_above(std::vector<double>{9, 9}, 1));
    CHECK(measure::detail::surely_above(std::vector<double>{9, 9, 2}, 1));
    CHECK_FALSE(measure::detail::surely_above(std::vector<double>{9, 9, 1}, 1));
    CHECK_FALSE(measure::detail::surely_above(std::vector<double>{9, 9, 9}, std::numeric_limits<double>::infinity()));
}

TEST_CASE("policies refuse settings that mean nothing")
{
    CHECK_THROWS_WITH_AS(measure::fixed{.runs = 0}.validate(), "tunekit: fixed: runs is 0, want >= 1",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(measure::until_stable{.threshold = std::nan("")}.validate(),
                         "tunekit: until_stable: threshold is not positive, want > 0", std::invalid_argument);
    CHECK_THROWS_WITH_AS(measure::until_confident{.min_groups = 1}.validate(),
                         "tunekit: until_confident: min_groups is below 2, want >= 2", std::invalid_argument);
}
