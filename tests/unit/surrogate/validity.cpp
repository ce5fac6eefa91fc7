// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/validity.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;
namespace surrogate = tk::surrogate;

namespace {

/// A model whose mean is the first feature, whatever it is fitted to.
struct first_feature {
    using state = char;
    [[nodiscard]] static char start(std::size_t) { return 0; }
    template <class Rows, class G>
    void fit(char&, const Rows&, std::span<const double>, G&) const
    {
    }
    template <class Rows>
    void predict(const char&, const Rows& rows, std::span<tk::stats::prediction> out) const
    {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = {.mean = static_cast<double>(rows[i][0]), .sd = 0};
    }
};

}  // namespace

TEST_CASE("validity: the logarithm of the floor and of the model's mean, held between 0 and 1")
{
    const surrogate::validity<first_feature> valid{{}, 0.2};
    const auto s = valid.start(1);
    const std::vector<float> means{-3, 0, 0.5F, 1, 7};
    const auto logs = valid.log_chances(s, surrogate::features(means, 1));
    REQUIRE(logs.size() == 5);
    for (const std::size_t k : {0U, 1U}) CHECK(logs[k] == std::log(0.2));
    CHECK(logs[2] == doctest::Approx(std::log(0.6)).epsilon(1e-14));
    for (const std::size_t k : {3U, 4U}) CHECK(logs[k] == 0);
    for (const double floor : {0.0, -1.0, 1.5, std::nan("")})
        CHECK_THROWS_AS((void)(surrogate::validity<first_feature>{{}, floor}.start(1)), std::invalid_argument);
}

TEST_CASE("validity: a forest learns where configurations fail")
{
    // Configurations fail where a + b > 1: of 300 fresh ones whose sum is 0.2 off that border at least, a chance above
    // one half and the truth are to agree in 95 %. A model that knows nothing is right in about half of them.
    tk::random::philox gen(3);
    const auto points = [&](std::size_t n) {
        std::vector<float> out;
        while (out.size() < 2 * n) {
            const double a = tk::random::uniform_01(gen), b = tk::random::uniform_01(gen);
            if (std::abs(a + b - 1) < 0.2) continue;
            out.push_back(static_cast<float>(a));
            out.push_back(static_cast<float>(b));
        }
        return out;
    };
    const auto ran = [](const std::vector<float>& p) {
        std::vector<double> out;
        for (std::size_t i = 0; i < p.size(); i += 2) out.push_back(p[i] + p[i + 1] > 1 ? 0 : 1);
        return out;
    };
    const surrogate::validity valid{surrogate::random_forest{.trees = 32, .bootstrap = false}};
    auto s = valid.start(2);
    const auto known = points(100), fresh = points(300);
    valid.fit(s, surrogate::features(known, 2), ran(known), gen);
    const auto logs = valid.log_chances(s, surrogate::features(fresh, 2));
    const auto truth = ran(fresh);
    std::size_t right = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        CHECK(logs[i] >= std::log(0.1));
        CHECK(logs[i] <= 0);
        right += (logs[i] > std::log(0.55)) == (truth[i] == 1);  // m above one half
    }
    CHECK(right >= 285);
}
