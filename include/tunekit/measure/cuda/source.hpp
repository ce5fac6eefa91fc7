// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The CUDA source of one configuration of a template, and its launches.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tunekit::measure {

/// One launch of one function, as a driver takes it.
struct cuda_launch {
    std::string entry = "kernel";
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};  ///< x, y, z
    std::int64_t shared_bytes = 0;                              ///< dynamic; what the text declares is added

    [[nodiscard]] std::int64_t threads() const noexcept { return block[0] * block[1] * block[2]; }

    friend bool operator==(const cuda_launch&, const cuda_launch&) = default;
};

/// CUDA C++ without includes, and the launches that compute the result, one after another. All have the same arguments:
/// the operands, the result and, where `scratch_floats` is not 0, that many floats to work in.
struct cuda_source {
    std::string prologue{};               ///< small device functions that `text` calls; compiled in front of it
    std::string text{};                   ///< defines each entry, `extern "C" __global__`
    std::vector<cuda_launch> prepare{};   ///< run once for fixed weights: no part of the time
    std::vector<cuda_launch> launches{};  ///< the launches that are timed
    std::int64_t scratch_floats = 0;
    std::int64_t statements = 0;  ///< written or unrolled in `text`: a measure of its compile time

    [[nodiscard]] std::string whole() const { return prologue + text; }

    friend bool operator==(const cuda_source&, const cuda_source&) = default;
};

}  // namespace tunekit::measure
