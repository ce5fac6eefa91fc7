// SPDX-License-Identifier: MIT
#include "tunekit/formats/listed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;
using configs = std::vector<std::vector<std::int64_t>>;

static_assert(sp::search_space<sp::listed, tk::random::philox>);
static_assert(sp::typed<sp::listed>);

namespace {

const sp::listed sparse({"threads", "tile", "flag"},
                        {{1, 8, 0}, {4, 8, 0}, {2, 32, 1}, {4, 128, 1}, {1, 128, 0}, {16, -3, 1}});

}  // namespace

TEST_CASE("a list is a space: positions, values that occur, ordinals, texts, features")
{
    CHECK(sparse.size() == 6);
    CHECK(sparse.dimensions() == 3);
    CHECK(std::vector<std::uint16_t>(sparse.cardinalities().begin(), sparse.cardinalities().end()) ==
          std::vector<std::uint16_t>{4, 4, 2});
    CHECK(sparse.at(3) == std::vector<std::int64_t>{4, 128, 1});
    CHECK(sparse.texts(5) == std::vector<std::string>{"16", "-3", "1"});
    std::vector<std::uint16_t> row(3);
    const tk::index last = 5;
    sparse.ordinals({&last, 1}, row);
    CHECK(row == std::vector<std::uint16_t>{3, 0, 1});
    CHECK(sparse.index_of_ordinals(row) == last);
    row[0] = 0;
    CHECK_FALSE(sparse.index_of_ordinals(row).has_value());
    for (tk::index i = 0; i < sparse.size(); ++i) CHECK(sparse.index_of(sparse.at(i)) == i);
    CHECK_FALSE(sparse.index_of({1, 8, 1}).has_value());
    CHECK_FALSE(sparse.index_of({3, 8, 0}).has_value());
    CHECK_FALSE(sparse.index_of({1, 8}).has_value());

    const auto numbers = [&](sp::encoding e) {
        std::vector<float> out(sparse.feature_count(e));
        sparse.features({&last, 1}, out, e);
        return out;
    };
    CHECK(numbers(sp::encoding::values) == std::vector<float>{16, -3, 1});
    CHECK(numbers(sp::encoding::ordinals) == std::vector<float>{3, 0, 1});
    CHECK(numbers(sp::encoding::one_hot) == std::vector<float>{0, 0, 0, 1, 1, 0, 0, 0, 0, 1});
    CHECK(numbers(sp::encoding::log2)[1] == -2);
}

TEST_CASE("neighbours are the nearest in the list")
{
    using sp::neighbourhood;
    CHECK(sparse.neighbours_of(0, neighbourhood::any_value) == std::vector<tk::index>{1, 4});
    CHECK(sparse.neighbours_of(0, neighbourhood::hamming_2) == std::vector<tk::index>{2, 3, 5});  // three away: no two
    CHECK(sparse.neighbours_of(0, neighbourhood::adjacent) == std::vector<tk::index>{1, 4});
    CHECK(sparse.neighbours_of(5, neighbourhood::any_value) == std::vector<tk::index>{2, 3});
    CHECK(sparse.neighbours_of(5, neighbourhood::adjacent) == std::vector<tk::index>{1});  // one step, and one, and one
    CHECK(sparse.neighbours_of(0, neighbourhood::swap).empty());
    const sp::listed one({"x"}, {{7}});
    CHECK(one.neighbours_of(0, neighbourhood::any_value).empty());
    CHECK(one.neighbours_of(0, neighbourhood::hamming_2).empty());
    auto gen = tk::random::philox(3);
    const tk::index from = 0;
    tk::index to = 5;
    one.neighbours({&from, 1}, {&to, 1}, neighbourhood::any_value, gen);
    CHECK(to == 0);
}

TEST_CASE("a list of a whole product is that product")
{
    const sp::value_product whole({{"x", {1, 2, 3, 5}}, {"y", {-4, 0, 4}}, {"z", {0, 1}}}, {});
    configs rows;
    for (tk::index i = 0; i < whole.size(); ++i)
        for (auto& row = rows.emplace_back(); const sp::value& v : whole.at(i))
            row.push_back(std::get<std::int64_t>(v));
    const sp::listed list({"x", "y", "z"}, rows);
    REQUIRE(list.size() == whole.size());
    std::vector<tk::index> all(rows.size());
    std::iota(all.begin(), all.end(), tk::index{0});
    for (const auto e : {sp::encoding::values, sp::encoding::ordinals, sp::encoding::one_hot, sp::encoding::log2}) {
        REQUIRE(list.feature_count(e) == whole.feature_count(e));
        std::vector<float> a(all.size() * list.feature_count(e)), b(a.size());
        list.features(all, a, e);
        whole.features(all, b, e);
        CHECK(a == b);
    }
    for (tk::index i = 0; i < whole.size(); ++i)
        for (const auto kind :
             {sp::neighbourhood::any_value, sp::neighbourhood::adjacent, sp::neighbourhood::hamming_2})
            CHECK(list.neighbours_of(i, kind) == whole.neighbours_of(i, kind));
    CHECK(sp::any_space(list).fingerprint() == list.fingerprint());
    std::swap(rows[0], rows[1]);
    CHECK(sp::listed({"x", "y", "z"}, rows).fingerprint() != list.fingerprint());
}

TEST_CASE("random neighbours are neighbours, each equally likely")
{
    auto gen = tk::random::philox(11);
    std::vector<tk::index> from(4000, 0), to(from.size());
    sparse.neighbours(from, to, sp::neighbourhood::hamming_2, gen);
    // Null hypothesis: uniform on {2, 3, 5}; each count is binomial(4000, 1/3), sd 29.8: 5 sd is a false alarm in 10^6.
    for (const tk::index i : {2U, 3U, 5U})
        CHECK(std::abs(static_cast<double>(std::count(to.begin(), to.end(), i)) - 4000.0 / 3) < 149);
}

TEST_CASE("lists that are no space are refused by name")
{
    const auto refused = [](std::vector<std::string> names, const configs& rows, const char* message) {
        CHECK_THROWS_WITH_AS((void)sp::listed(std::move(names), rows), message, std::invalid_argument);
    };
    refused({}, {{}}, "tunekit: space::listed: has no parameters, want at least one");
    refused({"x"}, {}, "tunekit: space::listed: has no configurations, want at least one");
    refused({"x", "x"}, {{1, 2}}, "tunekit: space: parameter 'x': is there twice, want distinct names");
    refused({"x", "y"}, {{1, 2}, {3}}, "tunekit: space::listed: configuration 1 has 1 values, want 2");
    refused({"x"}, {{1}, {2}, {1}}, "tunekit: space::listed: configuration 2 is configuration 0 again, want each once");
    configs many;
    for (std::int64_t i = 0; i < 65'536; ++i) many.push_back({i});
    refused({"x"}, many, "tunekit: space: parameter 'x': has 65536 values, want at most 65535");
}
