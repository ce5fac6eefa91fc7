// SPDX-License-Identifier: MIT
#include "tools/kokkos_tuner/ranges.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/environment_variable.hpp"
#include "tools/tests/support/kokkos_variables.hpp"

using namespace kokkos_tuner;
using support::fraction, support::one_of, support::told;

namespace {

std::vector<std::string> texts_of(const variable& v)
{
    std::vector<std::string> out;
    for (const cell& c : v.cells) out.push_back(text_of(c, v.type));
    return out;
}

kt_variable integers(std::int64_t low, std::int64_t high, std::int64_t step, bool open_low = false,
                     bool open_high = false)
{
    kt_variable v{};
    v.type = kt_int64;
    v.quantity = kt_range;
    v.candidates.range = {.lower = {.int_value = low},
                          .upper = {.int_value = high},
                          .step = {.int_value = step},
                          .open_lower = open_low,
                          .open_upper = open_high};
    return v;
}

cell text_cell(const char* text)
{
    cell c{};
    std::strncpy(c.string_value, text, sizeof c.string_value - 1);
    return c;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a set's candidates are copied, each once; one alone, or too many, are none")
{
    std::vector<std::int64_t> teams{1, 2, 4, 2};
    const variable v = variable_of("team", one_of(teams));
    teams.assign(4, -1);
    CHECK(texts_of(v) == texts{"1", "2", "4"});
    CHECK(variable_of("team", one_of(teams)).cells.empty());
    CHECK(variable_of("team", told(kt_int64)).cells.empty());
    std::vector<std::int64_t> many;
    for (std::int64_t k = 0; k <= static_cast<std::int64_t>(max_cells); ++k) many.push_back(k);
    CHECK(variable_of("team", one_of(many)).cells.empty());
    many.pop_back();
    CHECK(variable_of("team", one_of(many)).cells.size() == max_cells);

    char words[2][64] = {"row", "column"};
    kt_variable layout{};
    layout.type = kt_string;
    layout.quantity = kt_set;
    layout.candidates.set.size = 2;
    layout.candidates.set.values.string_value = words;
    CHECK(texts_of(variable_of("layout", layout)) == texts{"row", "column"});
    layout.candidates.set.values.string_value = nullptr;
    CHECK(variable_of("layout", layout).cells.empty());
}

TEST_CASE("a fingerprint is of the name and the candidates")
{
    std::vector<std::int64_t> some{1, 2}, others{1, 3};
    const auto of = [](const char* name, std::vector<std::int64_t>& set) {
        return variable_of(name, one_of(set)).fingerprint;
    };
    CHECK(of("team", some) == of("team", some));
    CHECK(of("team", some) != of("team", others));
    CHECK(of("team", some) != of("tile", some));
}

TEST_CASE("a range has its steps; an open end is none of them")
{
    CHECK(texts_of(variable_of("n", integers(1, 8, 3))) == texts{"1", "4", "7"});
    CHECK(texts_of(variable_of("n", integers(1, 7, 3))) == texts{"1", "4", "7"});
    CHECK(texts_of(variable_of("n", integers(1, 7, 3, true))) == texts{"4", "7"});
    CHECK(texts_of(variable_of("n", integers(1, 7, 3, false, true))) == texts{"1", "4"});
    for (const kt_variable& none : {integers(1, 7, 0), integers(1, 7, -1), integers(7, 1, 1), integers(1, 1, 1),
                                    integers(0, static_cast<std::int64_t>(max_cells), 1)})
        CHECK(variable_of("n", none).cells.empty());

    const variable v = variable_of("n", fraction(20));
    CHECK(v.cells.size() == 20);
    for (const cell& c : v.cells) CHECK((c.double_value > 0 && c.double_value < 0.999));
    for (const double bad : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
        kt_variable none = fraction();
        none.candidates.range.step.double_value = bad;
        CHECK(variable_of("n", none).cells.empty());
    }
    kt_variable words = fraction();
    words.type = kt_string;
    CHECK(variable_of("n", words).cells.empty());
}

TEST_CASE("values of tunekit are cells of Kokkos, both ways")
{
    for (const auto& [c, type] : {std::pair{cell{.int_value = -3}, kt_int64},
                                  {cell{.double_value = 0.5}, kt_double},
                                  {text_cell("row"), kt_string}})
        CHECK(text_of(cell_of(value_of(c, type)), type) == text_of(c, type));
    CHECK(text_of(cell_of(std::string(100, 'x')), kt_string) == std::string(63, 'x'));
}

TEST_CASE("untuned is what is preset; where that says nothing, what Kokkos' rules give on that device")
{
    const support::environment_variable threads("OMP_NUM_THREADS", "128");
    const variable teams = variable_of("rows_team_size", fraction()),
                   tiles = variable_of("copy_tile_size_0", fraction());
    const variable lengths = variable_of("rows_vector_length", fraction());
    const auto team_on = [&](device_type on) {
        const variable v = tuned_on(teams, on);
        return support::team_of(v.cells[untuned(v, {}, 0, 1, on)].double_value);
    };
    CHECK(tuned_on(teams, device_type::openmp).cells.size() == 8);
    CHECK(team_on(device_type::openmp) == 1);
    CHECK(team_on(device_type::cuda) == 128);
    CHECK(tuned_on(lengths, device_type::openmp).cells.size() == 1);
    CHECK(tuned_on(lengths, device_type::cuda).cells.size() == 20);
    CHECK(untuned(lengths, {.double_value = 0.5}, 0, 1, device_type::cuda) == 10);
    std::vector<std::int64_t> own{1, 2, 4, 8};
    CHECK(tuned_on(variable_of("rows_team_size", one_of(own)), device_type::openmp).cells.size() == 4);

    const auto tile_on = [&](device_type on, double cells) {
        const variable v = variable_of("swap_tile_size_0", fraction(cells));
        std::vector<kt_variable_value> out(3);
        for (std::size_t k = 0; k < 3; ++k) out[k].value = v.cells[untuned(v, {}, k, 3, on)];
        return support::tile_of(out);
    };
    CHECK(tile_on(device_type::openmp, 15) == std::vector{2, 2, 128});
    CHECK(tile_on(device_type::cuda, 15) == std::vector{16, 2, 2});
    CHECK(tile_on(device_type::hip, 15) == std::vector{16, 4, 4});
    CHECK(tiles.cells[untuned(tiles, {}, 0, 2, device_type::none)].double_value > 0.2);  // not a tile of one element

    variable words{.name = "layout", .type = kt_string, .cells = {text_cell("row"), text_cell("column")}};
    CHECK(untuned(words, text_cell("column"), 0, 1, device_type::none) == 1);
    CHECK(untuned(words, text_cell("block"), 0, 1, device_type::none) == 0);
}

TEST_CASE("a request has a key of its inputs and of what it asks for, and a space of their candidates")
{
    std::vector<std::int64_t> set{1, 2, 4, 8};
    kt_variable team = one_of(set), name = told(kt_string), rate = told(kt_double);
    declared_variables declared{{1, variable_of("kernel", name)},
                                {2, variable_of("team", team)},
                                {3, variable_of("unroll", team)},
                                {7, variable_of("rate", rate)}};
    const kt_variable_value in[] = {{1, text_cell("dot"), &name}, {7, {.double_value = 2}, &rate}, {99, {}, &name}};
    const kt_variable_value out[] = {{2, {.int_value = 3}, &team}, {3, {.int_value = 100}, &team}, {98, {}, &team}};
    const auto asked = [&](std::size_t outputs, const std::optional<kt_goal>& goal = {}) {
        return request_of(declared, 3, in, outputs, out, goal, device_type::none);
    };
    CHECK(!asked(3));
    REQUIRE(asked(2));
    const request r = *asked(2);
    CHECK(r.key == "kernel=dot rate=2 team unroll");
    CHECK(r.by_time);
    CHECK(space_of(r).size() == 16);
    CHECK(space_of(r).names()[1] == "unroll");
    CHECK(space_of(r).text(space_of(r).index_of(untuned_of(r)).value()) == "team = 2, unroll = 8");
    CHECK(asked(1, kt_goal{7, kt_maximize})->key == "most rate kernel=dot team");
    CHECK(asked(1, kt_goal{7, kt_minimize})->key == "least rate kernel=dot team");
    CHECK(!asked(1, kt_goal{7, kt_minimize})->by_time);
    declared.at(2) = variable_of("team", name);
    CHECK(!asked(1));
}
