// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/picker.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include <doctest/doctest.h>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace dispatch = tunekit::dispatch;

namespace {

std::uint32_t below(std::uint32_t n, tunekit::random::philox& gen)
{
    return static_cast<std::uint32_t>(tunekit::random::uniform_index(n, gen));
}

std::int64_t some_size(tunekit::random::philox& gen)
{
    return (std::int64_t{1} << below(20, gen)) + below(1U << below(20, gen), gen);
}

/// So many shapes of so many sizes, of which those of `words` are one of three words; no two shapes answer alike for sure.
dispatch::choice scattered(std::size_t shapes, std::size_t rank, std::uint32_t words, dispatch::rung general,
                           tunekit::random::philox& gen)
{
    dispatch::choice out{.kernel = "k"};
    for (std::size_t j = 0; j < rank; ++j) {
        out.sizes.push_back("s" + std::to_string(j));
        if ((words >> j & 1U) != 0) out.words.push_back({out.sizes.back(), {"a", "b", "c"}});
    }
    dispatch::choice::part d{.device = "box", .general = general, .words = words};
    for (std::size_t k = 0; k < shapes; ++k) {
        dispatch::shape_sizes at;
        for (std::size_t j = 0; j < rank; ++j)
            at.push_back((words >> j & 1U) != 0 ? 1 + below(3, gen) : some_size(gen));
        const auto place = std::lower_bound(d.shapes.begin(), d.shapes.end(), at,
                                            [](const auto& s, const auto& x) { return s.at < x; });
        if (place != d.shapes.end() && place->at == at) continue;
        d.shapes.insert(place, {.at = at,
                                .config = below(9, gen),
                                .around = below(9, gen),
                                .untuned = below(2, gen) == 0,
                                .around_untuned = below(2, gen) == 0});
    }
    const std::uint32_t all = (1U << rank) - 1, last = 1U << (rank - 1);
    d.tree = {{.of = last, .at_most = 2, .yes = 1, .no = 2},
              {.config = 1, .untuned = true},
              {.of = all & ~words, .at_most = 600'000, .yes = 3, .no = 4},
              {.config = 2},
              {.of = all & ~words & ~1U, .less = ~words & 1U, .at_most = 700'000, .yes = 5, .no = 6},
              {.config = 3},
              {.config = 4, .untuned = true}};
    if (rank == 1) d.tree.resize(3);
    if (rank == 1) d.tree[2] = {.config = 5};
    out.devices = {std::move(d)};
    return out;
}

}  // namespace

TEST_CASE("a picker answers what the choice does, which looks at all shapes, whatever the number of sizes and of words")
{
    constexpr std::array<std::int64_t, 9> odd{0,
                                              -1,
                                              -7,
                                              63,
                                              64,
                                              65,
                                              std::int64_t{1} << 62,
                                              (std::numeric_limits<std::int64_t>::max)(),
                                              (std::numeric_limits<std::int64_t>::min)()};
    tunekit::random::philox gen(11);
    for (const auto& [rank, words, shapes] : {std::tuple<std::size_t, std::uint32_t, std::size_t>{1, 0, 200},
                                              {2, 0, 400},
                                              {3, 0, 1000},
                                              {3, 0b100, 300},
                                              {4, 0b0010, 300},
                                              {4, 0, 2},
                                              {5, 0, 100},
                                              {6, 0b100001, 100},
                                              {9, 0b000001010, 60},
                                              {3, 0, 1}})
        for (const dispatch::rung general : {dispatch::rung::nearest, dispatch::rung::tree}) {
            const auto c = scattered(shapes, rank, words, general, gen);
            const dispatch::picker pick_for(c, "box");
            const auto& measured = c.devices.front().shapes;
            std::size_t exact = 0;
            for (std::size_t k = 0; k < 2000; ++k) {
                dispatch::shape_sizes at = measured[below(static_cast<std::uint32_t>(measured.size()), gen)].at;
                for (std::size_t j = 0; j < rank && k % 4 != 0; ++j) {  // another shape, or one next to it
                    const bool word = (words >> j & 1U) != 0;
                    if (k % 4 == 1) at[j] = word ? 1 + below(4, gen) : some_size(gen);
                    else at[j] += below(3, gen);
                    if (k % 4 == 3 && below(4, gen) == 0) at[j] = odd[below(odd.size(), gen)];
                }
                const auto want = c.choose("box", at);
                CHECK(pick_for(at) == want);
                exact += want.by == dispatch::rung::exact;
            }
            CHECK(exact >= 500);
        }
}
