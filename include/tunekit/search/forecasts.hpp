// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What was measured before, as a strategy takes it.

#include <memory>

#include "tunekit/core/compiled.hpp"

namespace tunekit {
struct experience;
}
namespace tunekit::search {

namespace detail {
class guidance;
}

/// An experience with a Gaussian process fitted to each of its sources. Fitted once, when it is first asked, it serves
/// any number of runs and spaces: copies share it. Made of an experience wherever one is given, such as in
/// `recipes::combined(past)`, or by hand, to be fitted once for several strategies:
///
///     const tk::search::forecasts known(past);
///     auto how = tk::recipes::combined(known);
///
/// The forecast of source s for a configuration x is g_s(x), the mean of that Gaussian process: about -ln(cost / lowest
/// cost of the source). So 0 is as good as its best, -0.7 twice as slow. A failure counts as the slowest valid cost, a
/// cost that was cut short as its bound. A source with fewer than 8 whole costs forecasts nothing.
///
/// Randomness: none but its own; equal experiences forecast equally.
/// Cost:       a fit takes below 20 ms for 200 results; more than 500 leave the better half and the latest quarter.
///             A forecast takes O(rows parameters).
/// Threads:    const calls are safe.
class forecasts {
public:
    // What a strategy asks of the past, behind interfaces: search/outlook.hpp has them.
    class asked_space;
    class outlook;
    class memory;

    forecasts() = default;  ///< of nothing
    forecasts(
        const experience& past);  ///< Copies it; nothing is fitted yet. An empty one is nothing. Implicit: it is one.

    [[nodiscard]] bool empty() const noexcept { return by_ == nullptr; }  ///< whether nothing is known

private:
    friend class detail::guidance;

    std::shared_ptr<const memory> by_{};
};

}  // namespace tunekit::search
