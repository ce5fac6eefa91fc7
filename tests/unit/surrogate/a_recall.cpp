// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/detail/boosted/a_recall.hpp"

#include <doctest/doctest.h>

#include "data.hpp"

using namespace surrogate_test;
using tunekit::surrogate::detail::a_recall;

namespace {

// The definition, line by line.
double naive(std::span<const double> predicted, std::span<const double> truth, std::size_t at_most)
{
    const auto order = [](std::span<const double> v) {
        std::vector<std::size_t> o(v.size());
        std::iota(o.begin(), o.end(), std::size_t{0});
        std::stable_sort(o.begin(), o.end(), [&](std::size_t a, std::size_t b) { return v[a] > v[b]; });
        return o;
    };
    const auto by_truth = order(truth);
    std::vector<std::size_t> rank(truth.size());
    for (std::size_t r = 0; r < rank.size(); ++r) rank[by_truth[r]] = r;
    const auto by_prediction = order(predicted);
    double sum = 0;
    for (std::size_t i = 0; i < std::min(at_most, truth.size()); ++i) {
        std::size_t found = 0;
        for (std::size_t j = 0; j < i; ++j) found += rank[by_prediction[j]] <= i;
        sum += static_cast<double>(found) / static_cast<double>(i + 1);
    }
    return sum / static_cast<double>(at_most);
}

}  // namespace

TEST_CASE("a perfect ranking of at least N rows scores 1/N sum_i i / (i + 1)")
{
    const auto t = noise(1, 100, 1, 0);
    for (const std::size_t n : {1U, 2U, 64U, 100U}) {
        double want = 0;
        for (std::size_t i = 0; i < n; ++i)
            want += static_cast<double>(i) / static_cast<double>(i + 1) / static_cast<double>(n);
        CHECK(a_recall(t.y, n)(std::span<const double>(t.y)) == doctest::Approx(want).epsilon(1e-14));
    }
}

TEST_CASE("a-recall agrees with its definition, ties and missing rows included")
{
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto truth = noise(seed, 1 + seed * 3, 1, 0, seed % 3 == 0 ? 5 : 0).y;
        const auto guess = noise(seed + 100, 1 + seed * 3, 1, 0, seed % 2 == 0 ? 7 : 0).y;
        for (const std::size_t n : {1U, 3U, 20U, 500U})
            CHECK(a_recall(truth, n)(std::span<const double>(guess)) ==
                  doctest::Approx(naive(guess, truth, n)).epsilon(1e-14));
    }
}

TEST_CASE("the reverse of a perfect ranking finds nothing among the first half")
{
    std::vector<double> y(50), reverse(50);
    std::iota(y.begin(), y.end(), 0.0);
    std::iota(reverse.rbegin(), reverse.rend(), 0.0);
    CHECK(a_recall(y, 25)(std::span<const double>(reverse)) == 0);
}
