// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A space as a strategy sees it, so that a strategy is compiled once and not for each type of space.

#include <type_traits>
#include <utility>

#include "tunekit/space/concepts.hpp"

namespace tunekit::detail {

/// Whether a strategy asks spaces about indices alone, never about typed configurations. Every product is then one type
/// to it. `TUNEKIT_RUNS_ONCE` says so of the library's strategies. One of yours gets the space as you have it.
template <class Strategy>
inline constexpr bool by_index = false;

/// `space` as `Strategy` sees it: what a product is without its types, any other space as it is.
template <class Strategy, class Space>
[[nodiscard]] const auto& seen(const Space& space) noexcept
{
    if constexpr (by_index<Strategy> && requires { typename Space::untyped; })
        return static_cast<const typename Space::untyped&>(space);
    else return space;
}

/// The type of `seen`.
template <class Strategy, class Space>
using seen_by = std::remove_cvref_t<decltype(seen<Strategy>(std::declval<const Space&>()))>;

/// A space that its caller keeps: what a tuner holds during one call.
template <class Space>
struct lent {
    using untyped = Space;

    const Space* of;

    [[nodiscard]] index size() const { return of->size(); }
    operator const Space&() const noexcept { return *of; }  // implicit: as `product` is its grid
};

}  // namespace tunekit::detail
