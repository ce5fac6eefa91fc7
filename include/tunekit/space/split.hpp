// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tilings: a loop of n iterations cut into k nested ones.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/space/parameter.hpp"

namespace tunekit::space {

/// Where the sizes of a split come from. The outermost size follows from the others: ceil(n / their product).
enum class split_policy : std::uint8_t {
    factors,  ///< divisors of n, so that nothing is left over
    power2,   ///< powers of two up to n; the product of the inner sizes is at most n
    verbose,  ///< both; the product of the inner sizes is at most n
};

/// How a split is made.
struct split_options {
    split_policy policy = split_policy::factors;
    int max_factor = 0;  ///< the largest inner size; 0 is no limit
};

namespace detail {

/// The sizes that a part of the split may take, ascending.
[[nodiscard]] inline std::vector<int> split_sizes(int n, const split_options& options)
{
    std::vector<int> out;
    const int limit = options.max_factor > 0 ? (std::min)(options.max_factor, n) : n;
    if (options.policy != split_policy::power2)
        for (int f = 1; f <= n / f; ++f)
            if (n % f == 0)
                for (const int d : {f, n / f})
                    if (d <= limit) out.push_back(d);
    if (options.policy != split_policy::factors)
        for (std::int64_t p = 1; p <= limit; p *= 2) out.push_back(static_cast<int>(p));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// All k-part splits of n: the innermost size varies slowest, the second part fastest, each ascending.
[[nodiscard]] inline std::vector<std::vector<int>> splits(const std::string& name, int n, int k, const split_options& options)
{
    require(n >= 1, "space: parameter '" + name + "': split of " + std::to_string(n) + ", want a length >= 1");
    require(k >= 1, "space: parameter '" + name + "': split into " + std::to_string(k) + " parts, want at least 1");
    require(options.max_factor >= 0, "space: parameter '" + name + "': max_factor is " + std::to_string(options.max_factor) +
                                         ", want >= 0 (0 is no limit)");
    const std::vector<int> sizes = split_sizes(n, options);
    std::vector<std::vector<int>> out;
    std::vector<int> parts(static_cast<std::size_t>(k), 1);
    const auto fill = [&](const auto& self, std::size_t part, std::int64_t product) -> void {
        if (part == 0) {
            parts[0] = static_cast<int>((n + product - 1) / product);
            out.push_back(parts);
            check_value_count(name, out.size());
            return;
        }
        for (const int s : sizes) {
            const std::int64_t inner = product * s;
            if (inner > n) break;  // sizes ascend
            if (options.policy == split_policy::factors && n % inner != 0) continue;
            parts[part] = s;
            self(self, part - 1, inner);
        }
    };
    fill(fill, parts.size() - 1, 1);
    return out;
}

}  // namespace detail

/// All ways to cut a loop of `n` iterations into `parts` nested ones, outermost size first; a value is a std::vector<int>.
///
///     split<"tile_n">(n, 3)
///     split<"tile_ow">(ow, 2, {.policy = split_policy::verbose, .max_factor = 64})
///
/// Order:   AutoTVM's: the innermost size varies slowest, the second part fastest, each ascending.
/// Throws:  std::invalid_argument where n < 1, parts < 1 or there are more than 65535 ways.
/// Source:  TVM 0.6-0.14, autotvm.task.space.SplitSpace.
/// Departures: the outermost size is its true value, not -1; `verbose` takes its sizes in ascending order, not a hash set's.
template <fixed_string Name>
[[nodiscard]] auto split(int n, int parts, split_options options = {})
{
    return detail::make_named<Name>(detail::splits(std::string(Name.view()), n, parts, options));
}

/// The given ways to cut a loop of `n` iterations. A leading -1 becomes ceil(n / product of the others).
/// Throws also where a size is less than 1.
template <fixed_string Name>
[[nodiscard]] auto split(int n, std::vector<std::vector<int>> candidates)
{
    const std::string name(Name.view());
    require(n >= 1, "space: parameter '" + name + "': split of " + std::to_string(n) + ", want a length >= 1");
    for (auto& parts : candidates) {
        require(!parts.empty(), "space: parameter '" + name + "': a candidate without sizes, want at least one");
        std::int64_t product = 1;
        for (std::size_t i = parts.size(); i-- > 0;) {
            if (i == 0 && parts[0] == -1) parts[0] = static_cast<int>((n + product - 1) / product);
            require(parts[i] >= 1,
                    "space: parameter '" + name + "': size " + std::to_string(parts[i]) + " in a split, want >= 1");
            product = (std::min<std::int64_t>)(product * parts[i], n);  // beyond n the outermost size is 1 anyway
        }
    }
    return detail::make_named<Name>(std::move(candidates));
}

/// The split that a library would take untuned: from the innermost part out, the largest divisor of what is left that is at most
/// the part's limit; -1 is no limit. The outermost takes the rest.
///
///     fallback_split(128, {-1, 8, 4})      // 4 8 4
///
/// Source: TVM, autotvm.task.space.FallbackConfigEntity.fallback_split.
[[nodiscard]] inline std::vector<int> fallback_split(int n, const std::vector<int>& limits)
{
    require(n >= 1, "space: fallback_split: n is " + std::to_string(n) + ", want >= 1");
    require(!limits.empty(), "space: fallback_split: no limits, want one per part");
    std::vector<int> out(limits.size());
    for (std::size_t i = limits.size(); i-- > 1;) {
        int d = limits[i] < 0 ? n : std::clamp(limits[i], 1, n);
        while (n % d != 0) --d;
        out[i] = d;
        n /= d;
    }
    out[0] = n;
    return out;
}

}  // namespace tunekit::space
