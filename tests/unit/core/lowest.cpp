// SPDX-License-Identifier: MIT
#include "tunekit/core/detail/lowest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;

TEST_CASE("lowest: as a stable sort by value has it, with equals, infinities and NaN, for every n")
{
    tk::random::philox gen(7);
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<double> values(size);
        for (double& x : values) {
            const auto kind = tk::random::uniform_index(10, gen);
            x = kind == 0   ? std::numeric_limits<double>::quiet_NaN()
                : kind == 1 ? std::numeric_limits<double>::infinity()
                : kind == 2 ? -std::numeric_limits<double>::infinity()
                            : static_cast<double>(kind);
        }
        std::vector<std::uint32_t> all(size);
        std::iota(all.begin(), all.end(), std::uint32_t{0});
        std::stable_sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
            return values[a] < values[b] || (std::isnan(values[b]) && !std::isnan(values[a]));
        });
        for (std::size_t n = 0; n <= size + 1; ++n) {
            const auto got = tk::core::detail::lowest(values, n);
            CHECK(std::vector<std::uint32_t>(got.begin(), got.end()) ==
                  std::vector<std::uint32_t>(all.begin(),
                                             all.begin() + static_cast<std::ptrdiff_t>((std::min)(n, size))));
        }
    }
}
