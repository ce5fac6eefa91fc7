// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is sound in the tests of kernels, checks and policies that are not: a space, and a repetition policy to spoil.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tunekit/measure/timed.hpp"

namespace tk = tunekit;

struct digits {
    using config = int;
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

struct sound_policy {
    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const { return batches.empty() ? 1 : 0; }
    [[nodiscard]] tk::measure::estimate estimate_of(std::span<const double> batches) const { return {batches[0], 0}; }
    void validate() const {}
};
