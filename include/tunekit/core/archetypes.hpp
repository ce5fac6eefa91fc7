// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Minimal types for the concepts of floors without dependencies, for compile-time checks.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/config.hpp"

/// Each type has the members that its concept asks for and no others. They are only declared. Composites check their
/// parts against them. Tests instantiate algorithms with them: that proves that the algorithms use nothing else. The
/// archetypes of a floor's concepts are in its archetypes.hpp.
namespace tunekit::archetype {

/// A generator of 32-bit words with no default constructor, no copies and no seed.
struct generator {
    using result_type = std::uint32_t;  ///< the type of a draw

    generator() = delete;
    generator(const generator&) = delete;
    generator& operator=(const generator&) = delete;
    ~generator() = default;

    /// the type of a draw
    static constexpr result_type(min)() { return 0; }
    /// the type of a draw
    static constexpr result_type(max)() { return ~result_type{0}; }
    /// A draw.
    result_type operator()();
};

/// An executor that runs functions of an index and has no other members.
struct executor {
    executor() = delete;
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;
    ~executor() = default;

    /// Calls `f(0) ... f(n - 1)`.
    template <class F>
    void operator()(std::size_t n, F&& f) const;
};

}  // namespace tunekit::archetype
