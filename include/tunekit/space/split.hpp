// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parameters for tilings: a loop of n iterations cut into k nested loops.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/parameter.hpp"

namespace tunekit::space {

/// The sizes that a split may take. The outermost size follows from the others: ceil(n / their product).
enum class split_policy : std::uint8_t {
    factors,  ///< divisors of n
    power2,   ///< powers of two up to n; the product of the inner sizes is at most n
    verbose,  ///< both; the product of the inner sizes is at most n
};

/// Options of a split.
struct split_options {
    split_policy policy = split_policy::factors;  ///< the allowed sizes
    int max_factor = 0;                           ///< the largest inner size; 0: no limit
};

namespace detail {

/// The sizes that a part of the split may take, ascending.
[[nodiscard]] std::vector<int> split_sizes(int n, const split_options& options);

/// Adds the splits of n whose sizes from `part` + 1 on are those of `parts`, with the product `inner`.
void add_splits(std::string_view name, int n, const split_options& options, const std::vector<int>& sizes,
                std::vector<int>& parts, std::size_t part, std::int64_t inner, std::vector<std::vector<int>>& out);

void check_length(std::string_view name, int n);

/// The given ways with a leading -1 replaced by the size that it stands for.
[[nodiscard]] std::vector<std::vector<int>> given_splits(std::string_view name, int n,
                                                         std::vector<std::vector<int>> candidates);

}  // namespace detail

/// All ways to cut a loop of `n` iterations into `parts` nested ones, in the order of the parameter `split`. Errors
/// call the parameter `name`.
///
///     splits("tile", 4, 2)      // {4, 1}, {2, 2}, {1, 4}
///
/// Throws: std::invalid_argument if n < 1, parts < 1 or there are more than 65535 ways.
[[nodiscard]] std::vector<std::vector<int>> splits(std::string_view name, int n, int parts,
                                                   const split_options& options = {});

/// A parameter with all ways to cut a loop of `n` iterations into `parts` nested ones, outermost size first. A value is
/// a std::vector<int>.
///
///     split<"tile_n">(n, 3)
///     split<"tile_ow">(ow, 2, {.policy = split_policy::verbose, .max_factor = 64})
///
/// Order:   AutoTVM's: the innermost size varies slowest, the second part fastest, each ascending.
/// Throws:  std::invalid_argument if n < 1, parts < 1 or there are more than 65535 ways.
/// Source:  TVM 0.6-0.14, autotvm.task.space.SplitSpace.
/// Departures: the outermost size is its true value, not -1; `verbose` takes its sizes in ascending order, not in that
/// of a hash set.
template <detail::fixed_string Name>
[[nodiscard]] auto split(int n, int parts, split_options options = {})
{
    return detail::make_named<Name>(splits(Name.view(), n, parts, options));
}

/// A parameter with the given ways to cut a loop of `n` iterations. A leading -1 becomes ceil(n / product of the
/// others). Throws also if a size is less than 1.
template <detail::fixed_string Name>
[[nodiscard]] auto split(int n, std::vector<std::vector<int>> candidates)
{
    return detail::make_named<Name>(detail::given_splits(Name.view(), n, std::move(candidates)));
}

}  // namespace tunekit::space

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE std::vector<int> split_sizes(int n, const split_options& options)
{
    std::vector<int> out;
    const int limit = options.max_factor > 0 && options.max_factor < n ? options.max_factor : n;
    std::vector<int> divisors;
    if (options.policy != split_policy::power2) divisors = divisor_list("", n, limit);
    std::size_t next = 0;  // of the divisors: those that are powers of two come once
    if (options.policy != split_policy::factors)
        for (std::int64_t power = 1; power <= limit; power *= 2) {
            for (; next < divisors.size() && divisors[next] <= power; ++next)
                if (divisors[next] < power) out.push_back(divisors[next]);
            out.push_back(static_cast<int>(power));
        }
    for (; next < divisors.size(); ++next) out.push_back(divisors[next]);
    return out;
}

TUNEKIT_INLINE void add_splits(std::string_view name, int n, const split_options& options,
                               const std::vector<int>& sizes, std::vector<int>& parts, std::size_t part,
                               std::int64_t inner, std::vector<std::vector<int>>& out)
{
    if (part == 0) {
        parts[0] = static_cast<int>((n + inner - 1) / inner);
        out.push_back(parts);
        check_value_count(name, out.size());
        return;
    }
    for (const int s : sizes) {
        const std::int64_t product = inner * s;
        if (product > n) break;  // sizes ascend
        if (options.policy == split_policy::factors && n % product != 0) continue;
        parts[part] = s;
        add_splits(name, n, options, sizes, parts, part - 1, product, out);
    }
}

TUNEKIT_INLINE void check_length(std::string_view name, int n)
{
    if (n < 1) invalid({"space: parameter '", name, "': split of ", std::to_string(n), ", want a length >= 1"});
}

TUNEKIT_INLINE std::vector<std::vector<int>> given_splits(std::string_view name, int n,
                                                          std::vector<std::vector<int>> candidates)
{
    check_length(name, n);
    for (auto& parts : candidates) {
        if (parts.empty()) invalid_parameter(name, "a candidate without sizes, want at least one");
        std::int64_t product = 1;
        for (std::size_t i = parts.size(); i-- > 0;) {
            if (i == 0 && parts[0] == -1) parts[0] = static_cast<int>((n + product - 1) / product);
            if (parts[i] < 1)
                invalid({"space: parameter '", name, "': size ", std::to_string(parts[i]), " in a split, want >= 1"});
            product *= parts[i];
            if (product > n) product = n;  // beyond n the outermost size is 1 anyway
        }
    }
    return candidates;
}

}  // namespace tunekit::space::detail
namespace tunekit::space {

TUNEKIT_INLINE std::vector<std::vector<int>> splits(std::string_view name, int n, int parts,
                                                    const split_options& options)
{
    detail::check_length(name, n);
    if (parts < 1)
        invalid({"space: parameter '", name, "': split into ", std::to_string(parts), " parts, want at least 1"});
    if (options.max_factor < 0)
        invalid({"space: parameter '", name, "': max_factor is ", std::to_string(options.max_factor),
                 ", want >= 0 (0 is no limit)"});
    std::vector<std::vector<int>> out;
    std::vector<int> sizes(static_cast<std::size_t>(parts), 1);
    detail::add_splits(name, n, options, detail::split_sizes(n, options), sizes, sizes.size() - 1, 1, out);
    return out;
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
