// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Executors: a function that can split its work takes one, so that the caller controls the parallelism.

#include <cstddef>

#include "tunekit/core/config.hpp"

namespace tunekit::core {

/// An executor runs `f(0) ... f(n - 1)`, each once, in any order and on any threads, and returns when all are done. Its
/// call operator is const, like that of a lambda that is not `mutable`. Capture a pool that changes when it runs by
/// reference: `[&](std::size_t n, auto&& f) { pool.run(n, f); }`. The `f` that tunekit passes writes to a place of its
/// own for each i and draws from a random stream of its own. So results do not depend on the order.
template <class Run>
concept executor = requires(const Run& run, std::size_t n, void (&f)(std::size_t)) { run(n, f); };

namespace detail {

/// The default executor: it runs one call after another on the calling thread.
struct serial_executor {
    /// Calls `f(0) ... f(n - 1)`, one after another.
    template <class F>
    constexpr void operator()(std::size_t n, F&& f) const
    {
        for (std::size_t i = 0; i < n; ++i) f(i);
    }
};

}  // namespace detail

/// The default executor, as a value.
inline constexpr detail::serial_executor serial{};

}  // namespace tunekit::core
