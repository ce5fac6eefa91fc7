// SPDX-License-Identifier: MIT
// The bins and the best split of boosted trees against the same written plainly.
#include "tunekit/surrogate/detail/binned.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/detail/boosted/newton_search.hpp"

namespace tk = tunekit;
namespace sur = tk::surrogate;
namespace detail = sur::detail;

namespace {

/// The distinct values of a column, ascending, and the place of each row's value among them, by search.
struct plain_ranks {
    tk::core::plain_vector<float> distinct;
    tk::core::plain_vector<std::uint32_t> place;

    explicit plain_ranks(const std::vector<float>& column) : distinct(column)
    {
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (const float x : column)
            place.push_back(
                static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), x) - distinct.begin()));
    }
};

/// Columns of whole numbers, of fractions, of huge and tiny ones of both signs, with repetitions and both zeros.
std::vector<float> column(std::size_t kind, std::size_t n, tk::random::philox& gen)
{
    std::vector<float> out;
    for (std::size_t i = 0; i < n; ++i) {
        const auto u = static_cast<float>(tk::random::uniform_01(gen));
        const float sign = tk::random::uniform_index(2, gen) == 0 ? -1.0F : 1.0F;
        switch (kind) {
            case 0:
                out.push_back(std::floor(u * 20));
                break;
            case 1:
                out.push_back(u);
                break;
            case 2:
                out.push_back(sign * std::ldexp(u, static_cast<int>(tk::random::uniform_index(250, gen)) - 125));
                break;
            case 3:
                out.push_back(sign * std::floor(u * 3));
                break;
            default:
                out.push_back(sign * std::numeric_limits<float>::denorm_min() * std::floor(u * 5));
                break;
        }
    }
    return out;
}

/// Gains slot by slot, the first of the largest.
detail::newton_split plain_search(const detail::binned& data, const detail::boosted_growth_options& limits,
                                  double unit_g, double unit_h, const std::vector<detail::newton_sums>& sums,
                                  const detail::newton_sums& total)
{
    detail::newton_split best;
    const double all_g = static_cast<double>(total.g) * unit_g,
                 weight = static_cast<double>(total.h) * unit_h + limits.lambda;
    for (std::size_t f = 0; f < data.dimensions; ++f) {
        detail::newton_sums left;
        for (std::uint32_t s = data.first[f]; s + 1 < data.first[f + 1]; ++s) {
            left += sums[s];
            const double lg = static_cast<double>(left.g) * unit_g, lh = static_cast<double>(left.h) * unit_h;
            const double rg = static_cast<double>(total.g - left.g) * unit_g,
                         rh = static_cast<double>(total.h - left.h) * unit_h;
            const double lw = lh + limits.lambda, rw = rh + limits.lambda;
            if (!(std::min(lh, rh) >= limits.min_child_weight) || !(lw * rw > 0)) continue;
            const double gain = (lg * lg * rw + rg * rg * lw) / (lw * rw) - (weight > 0 ? all_g * all_g / weight : 0);
            if (gain > best.gain) best = {.gain = gain, .feature = f, .low = s, .left = left, .found = true};
        }
    }
    return best;
}

}  // namespace

TEST_CASE("bins: every distinct value has its own, in order, where there may be so many")
{
    tk::random::philox gen(1);
    for (const std::size_t n : {1U, 2U, 17U, 255U, 256U, 3000U})
        for (std::size_t kind = 0; kind < 5; ++kind) {
            const auto x = column(kind, n, gen);
            const plain_ranks want(x);
            tk::core::plain_vector<float> low, high;
            tk::core::plain_vector<std::uint32_t> codes(n);
            CHECK(detail::column_binner(0)(x, codes, low, high) == want.distinct.size());
            CHECK(low == want.distinct);
            CHECK(high == want.distinct);
            CHECK(codes == want.place);
        }
}

TEST_CASE("bins of quantiles: equal values share one, they ascend, and none is much above its share")
{
    tk::random::philox gen(2);
    for (std::size_t kind = 0; kind < 5; ++kind) {
        const std::size_t n = 3000, most = 16;
        const auto x = column(kind, n, gen);
        const plain_ranks ranks(x);
        tk::core::plain_vector<float> low, high;
        tk::core::plain_vector<std::uint32_t> codes(n);
        const std::uint32_t bins = detail::column_binner(most)(x, codes, low, high);
        CHECK(bins <= most);
        CHECK(low.size() == bins);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(low[codes[i]] <= x[i]);
            CHECK(x[i] <= high[codes[i]]);
            if (codes[i] > 0) CHECK(high[codes[i] - 1] < x[i]);
        }
        if (kind != 1) continue;
        std::vector<std::size_t> rows(bins);
        for (const auto c : codes) ++rows[c];
        CHECK(*std::max_element(rows.begin(), rows.end()) <= n / most + 1);
    }
}

TEST_CASE("rows of many columns are binned column by column")
{
    tk::random::philox gen(3);
    for (const std::size_t d : {1U, 15U, 16U, 33U}) {
        const std::size_t n = 40;
        std::vector<float> rows(n * d);
        for (auto& x : rows) x = std::floor(static_cast<float>(tk::random::uniform_01(gen)) * 9) - 4;
        const auto out = detail::bin_rows(sur::features(rows, d), 0, "test");
        for (std::size_t f = 0; f < d; ++f) {
            std::vector<float> x;
            for (std::size_t i = 0; i < n; ++i) x.push_back(rows[i * d + f]);
            const plain_ranks want(x);
            CHECK(out.first[f + 1] - out.first[f] == want.distinct.size());
            for (std::size_t i = 0; i < n; ++i) CHECK(out.narrow[i * d + f] == out.first[f] + want.place[i]);
        }
    }
}

TEST_CASE("the best split is that of a plain search, the first of those that tie")
{
    tk::random::philox gen(4);
    std::size_t found = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t d = 1 + tk::random::uniform_index(9, gen), n = 50;
        std::vector<float> rows(n * d);
        for (auto& x : rows) x = static_cast<float>(tk::random::uniform_index(12, gen));
        const auto data = detail::bin_rows(sur::features(rows, d), 0, "test");
        const detail::boosted_growth_options limits{.lambda = trial % 3 == 0 ? 0.0 : 1.0,
                                                    .min_child_weight = trial % 2 == 0 ? 0.0 : 5.0};
        const double unit_g = 0x1p-30, unit_h = trial % 5 == 0 ? 0x1p-4 : 0x1p-30;
        std::vector<detail::newton_sums> sums(data.slots());
        detail::newton_sums total;
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t g = trial % 4 == 0 ? (std::int64_t{1} << 30)  // all alike: every split is as good
                                                  : static_cast<std::int64_t>(gen() >> 33) - (std::int64_t{1} << 30);
            const detail::newton_sums one{.g = g, .h = std::int64_t{1} << (trial % 5 == 0 ? 4 : 30)};
            total += one;
            for (std::size_t f = 0; f < d; ++f) sums[data.narrow[i * d + f]] += one;
        }
        detail::newton_search search(data, limits);
        search.units(unit_g, unit_h);
        const auto got = search(sums.data(), total);
        const auto want = plain_search(data, limits, unit_g, unit_h, sums, total);
        REQUIRE(got.found == want.found);
        if (!want.found) continue;
        ++found;
        CHECK(got.gain == want.gain);
        CHECK(got.feature == want.feature);
        CHECK(got.low == want.low);
        CHECK(got.left.g == want.left.g);
        CHECK(got.left.h == want.left.h);
    }
    CHECK(found > 150);
}
