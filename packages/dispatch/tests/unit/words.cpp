// SPDX-License-Identifier: MIT
// Shapes with sizes that are words: transposed or not, the precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tunekit/dispatch/detail/lookup.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/json.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/next_shapes.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace dispatch = tunekit::dispatch;

namespace {

const std::vector<dispatch::enumeration> transposed{{"n", {"no", "yes", "both"}}};

/// Configuration c is made for m = 2^c where n is "no", and for m = 2^(4 - c) where it is "yes".
dispatch::results results(const std::vector<std::int64_t>& sizes)
{
    dispatch::results out = fixtures::empty_gemm();
    out.words = transposed;
    for (const std::int64_t m : sizes)
        for (const std::int64_t n : {1, 2})
            for (int c = 0; c < 5; ++c) {
                const double off = std::log2(static_cast<double>(m)) - (n == 1 ? c : 4 - c);
                out.add(fixtures::row(m, n, static_cast<tunekit::index>(c), 1e-3 * (1 + 0.2 * std::abs(off))));
            }
    return out;
}

}  // namespace

TEST_CASE("a shape's text and a task's name have the word, and read back as its place")
{
    CHECK(dispatch::detail::shape_text({"m", "n"}, {8, 2}, transposed) == "m=8 n=yes");
    CHECK(dispatch::detail::shape_text({"m", "n"}, {8, 4}, transposed) == "m=8 n=4");  // no such word
    const std::string name = dispatch::task_name("gemm", {"m", "n"}, {8, 3}, transposed);
    CHECK(name == "gemm m=8 n=both");
    const auto read = dispatch::detail::named_shape_of(name, transposed);
    REQUIRE(read);
    CHECK(read->at == dispatch::shape_sizes{8, 3});
    CHECK_FALSE(dispatch::detail::named_shape_of(name));
    CHECK_FALSE(dispatch::detail::named_shape_of("gemm m=8 n=neither", transposed));
}

TEST_CASE("files keep the words; rows, merges and files that do not fit them are refused")
{
    const auto all = results({1, 4, 16});
    CHECK(dispatch::detail::results_in(dispatch::to_text(all), "results x") == all);
    CHECK(dispatch::to_text(all).find("\nparameters tile pack\nwords n no yes both\n") != std::string::npos);
    auto other = all;
    CHECK_THROWS_WITH_AS(other.add(fixtures::row(1, 4, 0, 1)),
                         doctest::Contains("the shape m=1 n=4 with an unknown word for n"), std::invalid_argument);
    other.words[0].words.pop_back();
    CHECK_THROWS_AS(other.merge(all), tunekit::error);
    for (const auto& [words, why] : std::vector<std::pair<std::vector<dispatch::enumeration>, const char*>>{
             {{{"k", {"no"}}}, "names words of no size, k"},
             {{{"n", {"no", "no"}}}, "has the word no of n twice"},
             {{{"n", {"no"}}, {"n", {"no"}}}, "names words of n twice"}}) {
        other = {.kernel = "gemm", .sizes = {"m", "n"}, .words = words};
        CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::detail::results_in(dispatch::to_text(other), "results x")),
                             doctest::Contains(why), tunekit::error);
        auto c = dispatch::fit(all);
        c.words = words;
        CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::header_text(c)), doctest::Contains(why),
                             std::invalid_argument);
    }
}

TEST_CASE("another word is another world: neither the nearest nor the tree mixes them")
{
    const auto all = results({1, 4, 16});
    const auto c = dispatch::fit(all, {.min_leaf = 1, .leaf_penalty = 0});
    CHECK(dispatch::detail::choice_in(dispatch::to_text(c), "choice x") == c);
    REQUIRE(c.devices.size() == 1);
    CHECK(c.devices[0].words == 2);
    for (const auto by : {dispatch::rung::nearest, dispatch::rung::tree})
        for (const std::int64_t m : {1, 3, 5, 15, 40}) {
            const auto config = [&](std::int64_t n) {
                return c.configs[dispatch::choice::by_rung(c.devices[0], by, std::vector{m, n}).config].candidate;
            };
            const tunekit::index want = m < 2 ? 0 : m < 8 ? 2 : 4;
            CHECK(config(1) == want);
            CHECK(config(2) == 4 - want);
        }
    for (const auto& node : c.devices[0].tree)
        CHECK(((node.of | node.less) == 0 || node.of == 1 || (node.of == 2 && node.less == 0)));
    // A shape of an unmeasured word is far from all, and next to be measured.
    const auto next = dispatch::next_shapes(all, "box", std::vector<dispatch::shape_sizes>{{2, 1}, {2, 3}}, 1);
    REQUIRE(next.size() == 1);
    CHECK(next[0].at == dispatch::shape_sizes{2, 3});
}

TEST_CASE("words of a header must be identifiers, and a size's enumeration must not meet another size")
{
    auto c = dispatch::fit(results({1, 4}));
    CHECK(dispatch::header_text(c, {.name = "gemm"}).find("enum class n { no = 1, yes, both };") != std::string::npos);
    c.words[0].words[1] = "16";
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::header_text(c)), doctest::Contains("the word of n \"16\""),
                         std::invalid_argument);
    c.words[0].words[1] = "yes";
    c.sizes[0] = "n_";
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::header_text(c)), doctest::Contains("the size \"n_\""),
                         std::invalid_argument);
}

TEST_CASE("in C, where words have no scope, they must not meet each other nor what the header defines")
{
    const auto of = [](const std::string& size, const std::vector<std::string>& words) {
        auto c = dispatch::fit(results({1, 4}));
        c.sizes[1] = c.words[0].size = size;
        c.words[0].words = words;
        static_cast<void>(dispatch::header_text(c));  // in C++ they are apart
        static_cast<void>(dispatch::header_text(c, {.language = dispatch::header_options::c99}));
    };
    of("n", {"no", "yes", "both"});
    CHECK_THROWS_WITH_AS(of("hash", {"no", "yes"}), doctest::Contains("the name in C \"hash\""), std::invalid_argument);
    CHECK_THROWS_WITH_AS(of("log2", {"no", "steps"}), doctest::Contains("the name in C \"log2_steps\""),
                         std::invalid_argument);
    auto c = dispatch::fit(results({1, 4}));
    c.devices[0].words = 0;  // the library would then take words for numbers, the header would not
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::header_text(c)), doctest::Contains("choice::part::words"),
                         std::invalid_argument);
}

TEST_CASE("choices as JSON have all that a reader needs to pick")
{
    const std::vector<dispatch::choice> all{fixtures::by_hand(), dispatch::fit(results({1, 4}))};
    const auto read = nlohmann::json::parse(dispatch::detail::json_text(all));
    REQUIRE(read.size() == 2);
    CHECK(read[0]["fingerprint"] == "fedcba9876543210");
    CHECK(read[0]["configs"][1]["candidate"] == 18446744073709551615U);
    CHECK(read[0]["configs"][1]["values"] ==
          std::vector<std::string>{"false", "8", "9007199254740993", "1e-300", "x\t1"});
    CHECK(read[0]["devices"][1]["shapes"][1] ==
          nlohmann::json{
              {"at", {1024, 1024, 1}}, {"config", 1}, {"untuned", false}, {"around", 0}, {"around_untuned", true}});
    CHECK(read[0]["devices"][0]["tree"].size() == 7);
    CHECK(read[0]["devices"][0]["tree"][1]["at_most"] == 300000);
    CHECK(read[0]["one"]["config"] == 2);
    CHECK(read[1]["words"]["n"] == std::vector<std::string>{"no", "yes", "both"});
    CHECK(read[1]["devices"][0]["general"] == to_text(all[1].devices[0].general));
    auto wild = all;
    wild[0].devices[0].device = "\xff";
    CHECK(nlohmann::json::parse(dispatch::detail::json_text(wild))[0]["devices"][0]["device"] == "\xEF\xBF\xBD");
}

TEST_CASE("many words: the grid gives up their lines rather than grow, and misses no nearest shape")
{
    dispatch::choice::part d{.device = "box", .words = 0b0111};
    tunekit::random::philox gen(5);
    const auto draw = [&](std::uint64_t n) {
        return 1 + static_cast<std::int64_t>(tunekit::random::uniform_index(n, gen));
    };
    while (d.shapes.size() < 60) {
        d.shapes.push_back({.at = {draw(9), draw(60), draw(40), draw(1000)},
                            .around = static_cast<std::uint32_t>(d.shapes.size())});  // all different
        std::sort(d.shapes.begin(), d.shapes.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    }
    const dispatch::detail::nearest_grid grid(d);
    CHECK(grid.from.size() <= 4 * 60 + 1);
    for (int k = 0; k < 2000; ++k) {
        const dispatch::shape_sizes at{draw(10), draw(63), draw(41), draw(5000)};
        std::size_t cell = 0;
        for (std::size_t j = 0; j < 4; ++j)
            cell += grid.steps[j][static_cast<std::size_t>(
                j < 3 ? at[j] : dispatch::detail::log2_steps(at[j]) >> grid.line_bits)];
        const auto nearest = static_cast<std::uint32_t>(dispatch::choice::nearest(d, at));
        const auto begin = grid.nearest.begin();
        CHECK(std::find(begin + grid.from[cell], begin + grid.from[cell + 1], nearest) != begin + grid.from[cell + 1]);
        CHECK(grid(at) == nearest);
    }
}

TEST_CASE("a grid over many shapes lists the nearest of every shape, and its lists have a bound")
{
    for (const auto& [n, most] : {std::pair<std::size_t, std::size_t>{1000, 4096}, {20'000, 210}}) {
        dispatch::choice::part d{.device = "box"};
        tunekit::random::philox gen(7);
        const auto draw = [&] {
            const std::uint64_t low = std::uint64_t{1} << tunekit::random::uniform_index(20, gen);
            return static_cast<std::int64_t>(low + tunekit::random::uniform_index(low, gen));
        };
        while (d.shapes.size() < n)
            d.shapes.push_back({.at = {draw(), draw(), draw()}, .around = static_cast<std::uint32_t>(d.shapes.size())});
        const dispatch::detail::nearest_grid grid(d);
        CHECK(grid.from.size() <= most + 1);
        for (int k = 0; k < 300; ++k) {
            const dispatch::shape_sizes at{draw(), draw(), draw()};
            CHECK(grid(at) == dispatch::choice::nearest(d, at));
        }
    }
}

TEST_CASE("shapes that are none make neither a file nor a header")
{
    for (const std::int64_t wrong : {0, 4}) {
        auto c = dispatch::fit(results({1, 4}));
        c.devices[0].shapes.back().at[1] = wrong;
        CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::header_text(c)),
                             doctest::Contains(wrong < 1 ? "=0 with a size below 1" : "=4 with an unknown word for n"),
                             std::invalid_argument);
        CHECK_THROWS_AS(static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(c), "choice x")),
                        tunekit::error);
    }
}
