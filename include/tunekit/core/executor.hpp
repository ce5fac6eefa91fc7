// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parallelism is the caller's: a function that can split its work takes an executor.

#include <cstddef>

#include "tunekit/core/config.hpp"

namespace tunekit::core {

/// Runs `f(0) ... f(n - 1)`, each once, in any order and on any threads, and returns when all are done.
/// Called as const, as a lambda that is not `mutable` is: a pool that changes when it runs goes in by reference,
/// `[&](std::size_t n, auto&& f) { pool.run(n, f); }`.
/// What tunekit passes as `f` writes by its argument and draws from a stream of its own, so results do not depend on the order.
template <class Run>
concept executor = requires(const Run& run, std::size_t n, void (&f)(std::size_t)) { run(n, f); };

/// The default executor: one after another, on the calling thread.
struct serial_executor {
    template <class F>
    constexpr void operator()(std::size_t n, F&& f) const
    {
        for (std::size_t i = 0; i < n; ++i) f(i);
    }
};

/// The executor that is meant where none is given.
inline constexpr serial_executor serial{};

}  // namespace tunekit::core
