// SPDX-License-Identifier: MIT
// What a belief and a family of curves are, and what just fails to be one.
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/curve/family.hpp"

namespace static_curve {

namespace curve = tunekit::curve;
using generator = tunekit::archetype::generator;
using tunekit::core::detail::pack;

struct belief {
    curve::forecast predict(std::span<const double>, double, double, generator&) const;
};
static_assert(curve::belief_model<belief, generator>);

struct says_a_number {
    double predict(std::span<const double>, double, double, generator&) const;
};
struct knows_no_peak {
    curve::forecast predict(std::span<const double>, double, generator&) const;
};
struct remembers {
    curve::forecast predict(std::span<const double>, double, double, generator&);
};
struct stays : belief {
    std::unique_ptr<int> owned;
};
static_assert(!curve::detail::predicts_curve<says_a_number, generator>);
static_assert(!curve::detail::predicts_curve<knows_no_peak, generator>);
static_assert(!curve::belief_model<remembers, generator>);
static_assert(curve::detail::predicts_curve<stays, generator> && !curve::belief_model<stays, generator>);

struct line {
    static constexpr std::size_t dimensions = 2;
    static constexpr std::size_t level = 1;
    struct at {
        explicit at(const std::array<double, 2>&);
        double operator()(double, double) const;
        pack operator()(pack, pack) const;
    };
    static pack gradient(const std::array<double, 2>&, pack, pack, std::array<pack, 2>&);
    static curve::box_of<line> box(double);
    static std::array<double, 2> defaults();
    static std::array<double, 2> guess(const curve::observations&);
};
static_assert(curve::family<line>);

struct no_level : line {
private:
    using line::level;
};
static_assert(!curve::detail::has_dimensions<no_level> && !curve::family<no_level>);

struct numbers_only : line {
    struct at {
        explicit at(const std::array<double, 2>&);
        double operator()(double, double) const;
    };
};
static_assert(!curve::detail::evaluates<numbers_only> && !curve::family<numbers_only>);

struct no_derivatives : line {
    static void gradient(const std::array<double, 2>&, pack, pack, std::array<pack, 2>&);
};
static_assert(!curve::detail::differentiates<no_derivatives> && !curve::family<no_derivatives>);

struct anywhere : line {
    static int box(double);
};
static_assert(!curve::detail::knows_its_range<anywhere> && !curve::family<anywhere>);

}  // namespace static_curve
