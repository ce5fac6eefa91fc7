// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of a family of curves, and the points to which its curves are fitted.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tunekit/core/detail/pack.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/stats/interval.hpp"

namespace tunekit::curve {

/// Points to fit: positions, their logarithms and values, padded to whole blocks with points of weight 0.
class observations {
public:
    observations() = default;

    /// Makes points (x[i], y[i]). Errors: std::invalid_argument for sizes that differ, x < 1, or values
    /// that are not finite.
    observations(std::span<const double> x, std::span<const double> y) : size_(x.size())
    {
        require(x.size() == y.size(), "observations: x and y differ in size");
        const std::size_t padded = core::detail::whole_blocks(size_);
        x_.assign(padded, 1);
        log_x_.assign(padded, 0);
        y_.assign(padded, 0);
        weight_.assign(padded, 0);
        for (std::size_t i = 0; i < size_; ++i) {
            require(x[i] >= 1 && std::isfinite(x[i]) && std::isfinite(y[i]),
                    "observations: a point is not finite or left of 1");
            x_[i] = x[i];
            log_x_[i] = std::log(x[i]);
            y_[i] = y[i];
            weight_[i] = 1;
        }
    }

    /// The number of points, without padding.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The positions, without padding.
    [[nodiscard]] std::span<const double> x() const { return {x_.data(), size_}; }
    /// The values, without padding.
    [[nodiscard]] std::span<const double> y() const { return {y_.data(), size_}; }

    /// Calls f(part, x, log_x, y, weight) on packs of points, weight 1 for a point and 0 for padding; `part` is their
    /// place in a block, as `core::detail::lane_sum` wants it.
    template <class F>
    void each_pack(F&& f) const
    {
        constexpr std::size_t step = core::detail::pack_size;
        for (std::size_t i = 0; i < y_.size(); i += core::detail::block_size)
            for (std::size_t part = 0; part < core::detail::block_size / step; ++part) {
                const std::size_t at = i + part * step;
                f(part, core::detail::load(x_.data() + at), core::detail::load(log_x_.data() + at),
                  core::detail::load(y_.data() + at), core::detail::load(weight_.data() + at));
            }
    }

    /// The sum of (y - curve(x, log_x))^2 over all points. Curves first, some at a time, then what they leave: two
    /// short loops overlap better than one with the latency of both.
    template <class Curve>
    [[nodiscard]] double squared_errors(const Curve& curve) const
    {
        constexpr std::size_t step = core::detail::pack_size, together = 32 * core::detail::block_size;
        double value[together];
        core::detail::lane_sum sum;
        for (std::size_t begin = 0; begin < y_.size(); begin += together) {
            const std::size_t n = (std::min)(together, y_.size() - begin);
            const double *x = x_.data() + begin, *log_x = log_x_.data() + begin;
            const double *y = y_.data() + begin, *weight = weight_.data() + begin;
            for (std::size_t i = 0; i < n; i += step)
                core::detail::store(curve(core::detail::load(x + i), core::detail::load(log_x + i)), value + i);
            for (std::size_t i = 0; i < n; i += core::detail::block_size)
                for (std::size_t part = 0; part < core::detail::block_size / step; ++part) {
                    const std::size_t at = i + part * step;
                    const core::detail::pack r = core::detail::load(y + at) - core::detail::load(value + at);
                    sum.add(part, core::detail::load(weight + at) * (r * r));
                }
        }
        return sum.total();
    }

private:
    std::vector<double> x_, log_x_, y_, weight_;
    std::size_t size_ = 0;
};

/// The parameters of one curve of a family.
template <class F>
using parameters_of = std::array<double, F::dimensions>;

/// An interval for each parameter of a family.
template <class F>
using box_of = std::array<stats::interval, F::dimensions>;

namespace detail {

/// A family that gives the number of its parameters, and which of them is its level.
template <class F>
concept has_dimensions = requires {
    { F::dimensions } -> std::convertible_to<std::size_t>;
    { F::level } -> std::convertible_to<std::size_t>;  // the parameter that lifts the whole curve
};

/// A family whose curve `F::at(p)` is a function of x and ln x on one number or a pack of them.
template <class F>
concept evaluates = requires(const parameters_of<F>& p, double x, core::detail::pack v) {
    { typename F::at(p)(x, x) } -> std::same_as<double>;
    { typename F::at(p)(v, v) } -> std::same_as<core::detail::pack>;
};

/// A family that writes the derivatives by each parameter and returns the value.
template <class F>
concept differentiates =
    requires(const parameters_of<F>& p, core::detail::pack v, std::array<core::detail::pack, F::dimensions>& g) {
        { F::gradient(p, v, v, g) } -> std::same_as<core::detail::pack>;
    };

/// A family that gives the range of its parameters for values that reach `top`, and two starts for a fit: a general
/// one, and one from the data.
template <class F>
concept knows_its_range = requires(double top, const observations& data) {
    { F::box(top) } -> std::same_as<box_of<F>>;
    { F::defaults() } -> std::same_as<parameters_of<F>>;
    { F::guess(data) } -> std::same_as<parameters_of<F>>;
};

}  // namespace detail

/// A family of curves that rise with x. Normalised: values are shares of the device's peak.
template <class F>
concept family =
    detail::has_dimensions<F> && detail::evaluates<F> && detail::differentiates<F> && detail::knows_its_range<F>;

namespace detail {

inline void check_position(double x)
{
    require(x >= 1 && x < 0x1p64, "curve: a position is NaN, below 1 or beyond 2^64, want trials");
}

}  // namespace detail

/// The curve of `p` at x. Throws std::invalid_argument unless 1 <= x < 2^64.
template <family F>
[[nodiscard]] double value(const parameters_of<F>& p, double x)
{
    detail::check_position(x);
    return typename F::at(p)(x, std::log(x));
}

/// The derivatives by the parameters at x. Throws std::invalid_argument unless 1 <= x < 2^64.
template <family F>
[[nodiscard]] parameters_of<F> gradient(const parameters_of<F>& p, double x)
{
    detail::check_position(x);
    parameters_of<F> g{};
    (void)F::gradient(p, x, std::log(x), g);
    return g;
}

}  // namespace tunekit::curve
