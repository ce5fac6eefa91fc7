// SPDX-License-Identifier: MIT
// Random products with random constraints against brute force over the raw product.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/detail/grid.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

namespace {

/// Holds for a share of 1 / 2 (or 3 / 4) of its parameters' value combinations, by a hash.
struct rule {
    std::vector<std::size_t> scope;
    std::uint64_t seed;
    std::uint64_t keep;  // of 4

    static bool holds(const void* self, const std::uint16_t* row)
    {
        const auto& r = *static_cast<const rule*>(self);
        std::uint64_t h = r.seed;
        for (const std::size_t j : r.scope) h = (h ^ row[j]) * 0x9E3779B97F4A7C15U ^ h >> 31;
        return (h >> 40) % 4 < r.keep;
    }
};

struct drawn_space {
    std::vector<std::uint16_t> sizes;
    std::vector<rule> rules;
    bool swaps = false;  // the first parameter is a permutation of three

    [[nodiscard]] std::vector<sp::detail::axis> axes() const
    {
        std::vector<sp::detail::axis> out;
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            sp::detail::axis& a = out.emplace_back();
            a.name = "p" + std::to_string(j);
            for (std::uint16_t v = 0; v < sizes[j]; ++v) {
                a.texts.push_back(std::to_string(v));
                a.numbers.push_back(v);
            }
        }
        if (swaps) {  // ordinals of the orders of three, lexicographic, after trading entries (0,1), (0,2), (1,2)
            out[0].pairs = 3;
            out[0].swapped = {2, 5, 1, 4, 3, 0, 0, 4, 3, 5, 1, 2, 1, 2, 5, 3, 0, 4};
        }
        return out;
    }

    [[nodiscard]] bool valid(const std::vector<std::uint16_t>& row) const
    {
        return std::all_of(rules.begin(), rules.end(), [&](const rule& r) { return rule::holds(&r, row.data()); });
    }

    /// All valid rows.
    [[nodiscard]] std::vector<std::vector<std::uint16_t>> brute_force() const
    {
        std::vector<std::vector<std::uint16_t>> out;
        std::vector<std::uint16_t> row(sizes.size(), 0);
        for (;;) {
            if (valid(row)) out.push_back(row);
            std::size_t j = 0;
            while (j < row.size() && ++row[j] == sizes[j]) row[j++] = 0;
            if (j == row.size()) return out;
        }
    }
};

/// rc::check with a fixed seed: the same 300 products in every run.
template <class Property>
void check(const Property& property)
{
    rc::detail::TestParams params;
    params.seed = 20;
    params.maxSuccess = 300;
    const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
    std::ostringstream message;
    rc::detail::printResultMessage(result, message);
    INFO(message.str());
    CHECK(result.template is<rc::detail::SuccessResult>());
}

drawn_space draw()
{
    drawn_space out;
    const int d = *rc::gen::inRange(1, 7);
    for (int j = 0; j < d; ++j) out.sizes.push_back(static_cast<std::uint16_t>(*rc::gen::inRange(1, 6)));
    out.swaps = *rc::gen::arbitrary<bool>();
    if (out.swaps) out.sizes[0] = 6;
    const int n = *rc::gen::inRange(0, 6);
    for (int c = 0; c < n; ++c) {
        rule r{{}, *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::element<std::uint64_t>(2, 3)};
        for (std::size_t j = 0; j < out.sizes.size(); ++j)
            if (*rc::gen::inRange(0, 3) == 0) r.scope.push_back(j);
        if (!r.scope.empty()) out.rules.push_back(r);
    }
    return out;
}

std::optional<sp::detail::grid> build(const drawn_space& d)
{
    std::vector<sp::detail::axis> axes = d.axes();
    std::vector<sp::detail::axis*> taken;
    for (auto& a : axes) taken.push_back(&a);
    std::vector<sp::detail::condition> conditions;
    for (const rule& r : d.rules)
        conditions.push_back({[](const void*) { return std::string("rule"); }, r.scope, &r, &rule::holds});
    try {
        return sp::detail::grid(taken, conditions);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

std::vector<std::uint16_t> row_of(const sp::detail::grid& space, tk::index i)
{
    std::vector<std::uint16_t> row(space.dimensions());
    space.ordinals({&i, 1}, row);
    return row;
}

bool are_neighbours(const drawn_space& d, const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b,
                    sp::neighbourhood kind)
{
    std::vector<std::size_t> moved;
    for (std::size_t j = 0; j < a.size(); ++j)
        if (a[j] != b[j]) moved.push_back(j);
    switch (kind) {
        case sp::neighbourhood::any_value:
            return moved.size() == 1;
        case sp::neighbourhood::adjacent:
            return moved.size() == 1 && (a[moved[0]] + 1 == b[moved[0]] || b[moved[0]] + 1 == a[moved[0]]);
        case sp::neighbourhood::hamming_2:
            return moved.size() == 2;
        case sp::neighbourhood::swap:
            break;
    }
    if (!d.swaps || moved != std::vector<std::size_t>{0}) return false;
    const auto swapped = d.axes()[0].swapped;
    return std::find(swapped.begin() + 3 * a[0], swapped.begin() + 3 * a[0] + 3, b[0]) !=
           swapped.begin() + 3 * a[0] + 3;
}

}  // namespace

TEST_CASE("random products agree with brute force: size, members, round trip")
{
    check([] {
        const drawn_space d = draw();
        const auto expected = d.brute_force();
        const auto space = build(d);
        RC_ASSERT(space.has_value() == !expected.empty());
        if (!space) return;
        RC_ASSERT(space->size() == expected.size());
        std::vector<std::vector<std::uint16_t>> rows;
        for (tk::index i = 0; i < space->size(); ++i) {
            rows.push_back(row_of(*space, i));
            RC_ASSERT(space->index_of_ordinals(rows.back()) == i);
        }
        std::sort(rows.begin(), rows.end());
        auto sorted = expected;
        std::sort(sorted.begin(), sorted.end());
        RC_ASSERT(rows == sorted);
    });
}

TEST_CASE("random products refuse every row that brute force refuses")
{
    check([] {
        const drawn_space d = draw();
        const auto space = build(d);
        if (!space) return;
        std::vector<std::uint16_t> row;
        for (const std::uint16_t n : d.sizes)
            row.push_back(*rc::gen::inRange<std::uint16_t>(0, static_cast<std::uint16_t>(n + 1)));
        bool inside = true;
        for (std::size_t j = 0; j < row.size(); ++j) inside = inside && row[j] < d.sizes[j];
        RC_ASSERT(space->index_of_ordinals(row).has_value() == (inside && d.valid(row)));
    });
}

TEST_CASE("rows of spaces of up to 2^63 configurations are those of long division, around every digit's turn")
{
    using tunekit::index;
    const std::vector<std::vector<std::uint16_t>> spaces{{32768, 32768, 32768, 32768, 8},
                                                         {65521, 65519, 65497, 32771},
                                                         {1, 3, 1, 65535, 65535, 65535, 10922, 1},
                                                         {7, 11, 13},
                                                         {1}};
    for (const auto& cardinalities : spaces) {
        const sp::detail::numbering rows(cardinalities, {});
        std::vector<std::uint16_t> row(cardinalities.size());
        std::size_t wrong = 0;
        const auto check = [&](index i) {
            if (i >= rows.size()) return;
            rows.row(i, row.data());
            index rest = i;
            for (std::size_t k = 0; k < row.size(); rest /= cardinalities[k++])
                if (row[k] != rest % cardinalities[k]) ++wrong;
        };
        index stride = 1;
        for (const std::uint16_t n : cardinalities) {
            stride *= n;
            const index turns = rows.size() / stride;
            for (const index turn : {index{1}, turns / 3, turns / 2, turns - 1, turns})
                for (const index off : {index{0}, index{1}}) check(turn * stride - off);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("neighbours of random products: valid, complete, symmetric, without the member itself")
{
    check([] {
        const drawn_space d = draw();
        const auto space = build(d);
        if (!space) return;
        tk::random::philox gen(*rc::gen::arbitrary<std::uint64_t>());
        const tk::index i = space->sample(1, gen)[0];
        for (const auto kind : {sp::neighbourhood::any_value, sp::neighbourhood::adjacent, sp::neighbourhood::hamming_2,
                                sp::neighbourhood::swap}) {
            const auto here = row_of(*space, i);
            std::vector<tk::index> expected;
            for (tk::index k = 0; k < space->size(); ++k)
                if (are_neighbours(d, here, row_of(*space, k), kind)) expected.push_back(k);
            RC_ASSERT(space->neighbours_of(i, kind) == expected);
            tk::index one = i;
            space->neighbours({&i, 1}, {&one, 1}, kind, gen);
            RC_ASSERT((expected.empty() ? one == i : std::binary_search(expected.begin(), expected.end(), one)));
            for (const tk::index k : expected) {
                const auto back = space->neighbours_of(k, kind);
                RC_ASSERT(std::binary_search(back.begin(), back.end(), i));
            }
        }
    });
}
