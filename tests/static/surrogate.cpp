// SPDX-License-Identifier: MIT
// surrogate::model and its pieces: each type below lacks one thing, and the piece that asks for it says no.
#include "tunekit/surrogate/concepts.hpp"

#include <cstddef>
#include <span>

#include "tunekit/core/archetypes.hpp"

namespace tk = tunekit;
namespace surrogate = tunekit::surrogate;
using gen = tunekit::archetype::generator;
using rows = surrogate::features;

namespace {

struct state {};

struct whole {
    state start(std::size_t) const;
    void fit(state&, const rows&, std::span<const double>, gen&) const;
    void predict(const state&, const rows&, std::span<tk::stats::prediction>) const;
};
static_assert(surrogate::model<whole, rows, gen>);
static_assert(!surrogate::model<whole, surrogate::ordinals, gen>);

// starts_on
struct no_start {
    void fit(state&, const rows&, std::span<const double>, gen&) const;
    void predict(const state&, const rows&, std::span<tk::stats::prediction>) const;
};
static_assert(!tunekit::core::detail::starts_on<no_start, std::size_t> && !surrogate::model<no_start, rows, gen>);

// fits
struct fits_without_a_generator : whole {
    void fit(state&, const rows&, std::span<const double>) const;
};
struct fits_if_mutable : whole {
    void fit(state&, const rows&, std::span<const double>, gen&);
};
struct fits_and_answers : whole {
    double fit(state&, const rows&, std::span<const double>, gen&) const;
};
static_assert(surrogate::fits<whole, rows, gen>);
static_assert(!surrogate::fits<fits_without_a_generator, rows, gen>);
static_assert(!surrogate::fits<fits_if_mutable, rows, gen>);
static_assert(!surrogate::fits<fits_and_answers, rows, gen> && !surrogate::model<fits_and_answers, rows, gen>);

// predicts
struct predicts_means : whole {
    void predict(const state&, const rows&, std::span<double>) const;
};
struct predicts_from_a_mutable_state : whole {
    void predict(state&, const rows&, std::span<tk::stats::prediction>) const;
};
static_assert(surrogate::predicts<whole, rows>);
static_assert(!surrogate::predicts<predicts_means, rows> && !surrogate::model<predicts_means, rows, gen>);
static_assert(!surrogate::predicts<predicts_from_a_mutable_state, rows>);

// copyable, both of them
struct moves_only : whole {
    moves_only() = default;
    moves_only(moves_only&&) = default;
    moves_only& operator=(moves_only&&) = default;
};
struct fixed_state {
    fixed_state() = default;
    fixed_state(const fixed_state&) = delete;
    fixed_state& operator=(const fixed_state&) = delete;
};
struct starts_fixed {
    fixed_state start(std::size_t) const;
    void fit(fixed_state&, const rows&, std::span<const double>, gen&) const;
    void predict(const fixed_state&, const rows&, std::span<tk::stats::prediction>) const;
};
static_assert(surrogate::fits<moves_only, rows, gen> && !surrogate::model<moves_only, rows, gen>);
static_assert(surrogate::fits<starts_fixed, rows, gen> && !surrogate::model<starts_fixed, rows, gen>);

}  // namespace
