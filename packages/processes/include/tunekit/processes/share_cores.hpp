// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The processors that each worker has for itself.

#include "tunekit/processes/detail/needs_forks.hpp"  // first: it says what is wanted where a system forks nothing

#include <cstddef>
#include <vector>

namespace tunekit::measure {

namespace detail {

/// The processors that each worker has for itself, and those that no worker has.
struct core_shares {
    std::vector<std::vector<int>> workers{};  ///< one list of processor numbers per worker
    std::vector<int> spared{};                ///< processors that no worker has
};

/// The first of the processors that share a core with `cpu`; `cpu` itself where the system does not say.
int first_of_core(int cpu);

/// Divides `allowed` among `n` workers in equal shares, of whole cores where there are enough. The last `spared` cores
/// are left over. Throws std::invalid_argument where there are too few.
core_shares share_cores(std::size_t n, std::size_t spared, const std::vector<int>& allowed,
                        int (*core_of)(int) = first_of_core);

/// Throws std::invalid_argument unless every worker has processors of its own that this process may use.
void check_cores(const std::vector<std::vector<int>>& cores, std::size_t n, const std::vector<int>& allowed);

}  // namespace detail

/// Divides the processors that this process may use among `n` workers, in equal shares of whole cores. The last
/// `spared` cores are left for compilers and for the tuner's own process.
///
///     const auto cores = tk::measure::share_cores(3, 1);
///     tk::measure::builder compilers({.processes = 1, .cores = cores.spared});
///     tk::measure::isolated_workers pool(3, make, {.cores = cores.workers});
///
/// Throws std::invalid_argument for 0 workers, and where there are too few processors.
[[nodiscard]] detail::core_shares share_cores(std::size_t n, std::size_t spared = 0);

}  // namespace tunekit::measure
