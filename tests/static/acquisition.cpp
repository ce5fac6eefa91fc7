// SPDX-License-Identifier: MIT
// acquisition::criterion: each type below lacks one thing, and the concept says no.
#include "tunekit/acquisition/concepts.hpp"

#include <concepts>

#include "tunekit/acquisition/criteria.hpp"

namespace tk = tunekit;
namespace acquisition = tunekit::acquisition;

namespace {

struct whole {
    double value(const tk::stats::prediction&, double) const;
};
static_assert(acquisition::criterion<whole>);

struct values_floats {
    float value(const tk::stats::prediction&, double) const;
};
struct values_if_mutable {
    double value(const tk::stats::prediction&, double);
};
struct values_without_the_best {
    double value(const tk::stats::prediction&) const;
};
struct moves_only : whole {
    moves_only() = default;
    moves_only(moves_only&&) = default;
    moves_only& operator=(moves_only&&) = default;
};
static_assert(!acquisition::criterion<values_floats> && !acquisition::criterion<values_if_mutable>);
static_assert(!acquisition::criterion<values_without_the_best> && !acquisition::criterion<moves_only>);

static_assert(acquisition::criterion<acquisition::mean> && std::regular<acquisition::mean>);
static_assert(acquisition::criterion<acquisition::upper_confidence_bound>);
static_assert(acquisition::criterion<acquisition::probability_of_improvement>);
static_assert(acquisition::criterion<acquisition::expected_improvement>);

}  // namespace
