// SPDX-License-Identifier: MIT
#include "tunekit/search/idle_parameters.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using tk::search::idle_parameters;

namespace {

doctest::Approx rel(double x, double tolerance) { return doctest::Approx(x).epsilon(tolerance); }

const tk::space::product space{tk::space::integers<"a">(0, 3), tk::space::integers<"b">(0, 3),
                               tk::space::integers<"c">(0, 3), tk::space::integers<"d">(0, 1)};

std::vector<std::uint16_t> row(tk::index i)
{
    std::vector<std::uint16_t> out(space.dimensions());
    space.ordinals(std::span(&i, 1), out);
    return out;
}

tk::index at(std::uint16_t a, std::uint16_t b, std::uint16_t c, std::uint16_t d)
{
    return space.index_of_ordinals(std::vector<std::uint16_t>{a, b, c, d}).value();
}

/// As the formulas are written.
struct naive {
    std::vector<double> chance;
    std::vector<tk::index> known;

    naive(std::vector<tk::index> which, const std::vector<double>& costs) : known(std::move(which))
    {
        std::vector<double> pairs(space.dimensions(), 0), same(space.dimensions(), 0);
        for (std::size_t a = 0; a < known.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) {
                std::vector<std::size_t> differ;
                for (std::size_t j = 0; j < space.dimensions(); ++j)
                    if (row(known[a])[j] != row(known[b])[j]) differ.push_back(j);
                if (differ.size() != 1) continue;
                pairs[differ[0]] += 1;
                same[differ[0]] += costs[a] == costs[b];
            }
        double all = 1, alike = 0.1;
        for (const double x : pairs) all += x;
        for (const double x : same) alike += x;
        for (std::size_t j = 0; j < pairs.size(); ++j) chance.push_back((same[j] + alike / all) / (pairs[j] + 1));
    }

    [[nodiscard]] double log_new(tk::index i) const
    {
        double most = 0;
        for (const tk::index v : known) {
            double p = 1;
            for (std::size_t j = 0; j < chance.size(); ++j)
                if (row(v)[j] != row(i)[j]) p *= chance[j];
            most = std::max(most, p);
        }
        return std::log(std::max(1 - most, 0.05));
    }
};

}  // namespace

TEST_CASE("idle_parameters: known answers: one pair that cost the same, one that did not")
{
    const std::vector<tk::index> known{at(0, 0, 0, 0), at(0, 0, 0, 1), at(0, 0, 1, 0)};
    const std::vector<double> costs{5, 5, 7};
    const idle_parameters idle(space, known, costs);
    const double g = 1.1 / 3;  // of two pairs one cost the same
    CHECK(idle.chance(0) == rel(g, 1e-15));
    CHECK(idle.chance(2) == rel(g / 2, 1e-15));
    CHECK(idle.chance(3) == rel((1 + g) / 2, 1e-15));
    const std::vector<tk::index> beside_the_third{at(0, 0, 1, 1)};
    CHECK(idle.log_new(space, beside_the_third)[0] == rel(std::log(1 - (1 + g) / 2), 1e-15));
}

TEST_CASE("idle_parameters: with nothing known every parameter has the same chance, and everything is new")
{
    const idle_parameters idle(space, std::vector<tk::index>{}, std::vector<double>{});
    for (std::size_t j = 0; j < space.dimensions(); ++j) CHECK(idle.chance(j) == rel(0.1, 1e-15));
    CHECK(idle.log_new(space, std::vector<tk::index>{7})[0] == 0);
    CHECK_THROWS_AS(idle_parameters(space, std::vector<tk::index>{1}, std::vector<double>{}), std::invalid_argument);
}

TEST_CASE("idle_parameters: chances and logarithms are those of brute force, but that small chances of a copy are none")
{
    tk::random::philox gen(1);
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        std::vector<tk::index> known;
        std::vector<double> costs;
        for (tk::index i = 0; i < space.size(); ++i)
            if (tk::random::uniform_index(3, gen) == 0) {
                known.push_back(i);  // d is idle while b is 0, c always
                const auto r = row(i);
                costs.push_back(1.0 + r[0] + 10.0 * r[1] + (r[1] == 0 ? 0.0 : 0.1 * r[3]));
            }
        const idle_parameters idle(space, known, costs);
        const naive want(known, costs);
        for (std::size_t j = 0; j < space.dimensions(); ++j) CHECK(idle.chance(j) == rel(want.chance[j], 1e-12));
        CHECK(idle.chance(2) > idle.chance(0));
        std::vector<tk::index> all(space.size());
        for (tk::index i = 0; i < space.size(); ++i) all[i] = i;
        const auto logs = idle.log_new(space, all);
        for (const tk::index i : all) {
            const double exact = want.log_new(i);
            if (exact > std::log(0.95) + 1e-9) CHECK(logs[i] == 0);
            else CHECK(logs[i] == rel(exact, 1e-12));
        }
    }
}
