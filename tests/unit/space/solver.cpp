// SPDX-License-Identifier: MIT
// The example that solver.hpp draws, step by step.
#include "tunekit/space/detail/solver.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sp = tunekit::space::detail;
namespace core = tunekit::core;

namespace {

// a, b, c are 1, 2 or 3, with a * b <= 3 and c <= b.
constexpr std::array<std::uint16_t, 3> sizes{3, 3, 3};
constexpr std::array<std::size_t, 2> a_and_b{0, 1}, b_and_c{1, 2};
const std::vector<sp::condition> conditions{
    {.text = [](const void*) { return std::string("product"); },
     .scope = a_and_b,
     .holds = [](const void*, const std::uint16_t* row) { return (row[0] + 1) * (row[1] + 1) <= 3; }},
    {.text = [](const void*) { return std::string("order"); },
     .scope = b_and_c,
     .holds = [](const void*, const std::uint16_t* row) { return row[2] <= row[1]; }}};

std::vector<sp::open_condition> open()
{
    core::plain_vector<std::size_t> leader;
    return sp::linked(sizes, conditions, leader);
}

}  // namespace

TEST_CASE("conditions link the parameters that they share, and those that cannot vary link nothing")
{
    core::plain_vector<std::size_t> leader;
    CHECK(sp::linked(sizes, conditions, leader).size() == 2);
    CHECK(leader == core::plain_vector<std::size_t>{0, 0, 0});
    leader.clear();
    const std::array<std::uint16_t, 3> fixed{3, 1, 3};
    CHECK(sp::linked(fixed, conditions, leader)[1].scope == core::plain_vector<std::size_t>{2});
    CHECK(leader == core::plain_vector<std::size_t>{0, 1, 2});
}

TEST_CASE("the order of levels is the given one unless another promises fewer branches")
{
    CHECK(sp::best_order({0, 1, 2}, open(), sizes) == core::plain_vector<std::size_t>{0, 1, 2});
    CHECK(sp::best_order({0, 2, 1}, open(), sizes) == core::plain_vector<std::size_t>{0, 1, 2});
    const std::array<std::uint16_t, 3> wide{9, 2, 9};  // b first: neither a nor c is then asked for
    CHECK(sp::best_order({0, 1, 2}, open(), wide) == core::plain_vector<std::size_t>{1, 0, 2});
}

TEST_CASE("the levels hold the states that later levels must know, and what they cost is counted")
{
    const std::array<std::size_t, 3> order{0, 1, 2};
    std::uint64_t spent = 0;
    const auto levels = sp::enumerate(order, open(), sizes, spent);
    REQUIRE(levels.size() == 3);
    CHECK(levels[0].first == core::plain_vector<std::uint32_t>{0, 3});
    CHECK(levels[0].target == core::plain_vector<std::uint32_t>{0, 1, 2});
    CHECK(levels[1].first == core::plain_vector<std::uint32_t>{0, 3, 4, 5});
    CHECK(levels[1].value == core::plain_vector<std::uint16_t>{0, 1, 2, 0, 0});
    CHECK(levels[1].target == core::plain_vector<std::uint32_t>{0, 1, 2, 0, 0});
    CHECK(levels[2].first == core::plain_vector<std::uint32_t>{0, 1, 3, 6});
    CHECK(spent == (3 + 9 + 9) + 8 * (3 + 5 + 6));
    spent = sp::most_combinations;
    CHECK_THROWS_AS((void)sp::enumerate(order, open(), sizes, spent), sp::too_costly);
}

TEST_CASE("the tree has equal nodes once, and knows the rows below each branch")
{
    std::uint64_t spent = 0;
    const sp::tree t = sp::tree_of({0, 1, 2}, open(), sizes, spent);
    CHECK(t.size == 8);
    CHECK(t.variables == core::plain_vector<std::size_t>{0, 1, 2});
    CHECK(t.first.size() == 1 + 2 + 3 + 1);  // the root, two nodes of b, three of c, and the end
    CHECK(t.first[1] == 3);
    CHECK(t.child[1] == t.child[2]);  // a = 2 and a = 3 go on alike
    CHECK(t.child[0] != t.child[1]);
    CHECK(t.before[1] == 6);
    CHECK(t.before[2] == 7);
}
