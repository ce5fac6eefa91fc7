// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The views of walkers that densities and moves get: points, a set and its helpers, the place for proposals. No view
/// owns memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tunekit/core/config.hpp"

namespace tunekit::mcmc {

/// A view of n points of D dimensions. It holds coordinate 0 of all points, then coordinate 1, and so on, so that loops
/// can be vectorised.
class points {
public:
    /// Makes a view in which coordinate c of point i lies at data[c * stride + i].
    constexpr points(const double* data, std::size_t n, std::size_t dimensions, std::size_t stride)
        : data_(data), n_(n), dimensions_(dimensions), stride_(stride)
    {
    }

    /// The number of points.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return n_; }
    [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return dimensions_; }
    /// The values of coordinate `c` of every point. Precondition: c < dimensions().
    [[nodiscard]] constexpr std::span<const double> operator[](std::size_t c) const noexcept
    {
        return {data_ + c * stride_, n_};
    }

private:
    const double* data_;
    std::size_t n_, dimensions_, stride_;
};

/// The place where a move writes its proposals: n points of D dimensions.
class proposals {
public:
    /// Makes a view in which coordinate c of point i lies at data[i * point_stride + c * coordinate_stride].
    constexpr proposals(double* data, std::size_t point_stride, std::size_t coordinate_stride)
        : data_(data), point_stride_(point_stride), coordinate_stride_(coordinate_stride)
    {
    }

    /// Coordinate `c` of the proposal for walker `i` of the set.
    [[nodiscard]] constexpr double& operator()(std::size_t i, std::size_t c) const noexcept
    {
        return data_[i * point_stride_ + c * coordinate_stride_];
    }

    /// The distance from one coordinate of a point to the next: 1 where points lie one after another.
    [[nodiscard]] constexpr std::size_t coordinate_stride() const noexcept { return coordinate_stride_; }

private:
    double* data_;
    std::size_t point_stride_, coordinate_stride_;
};

/// The walkers that a move sees while it proposes for one set: the set itself and the others. Walkers are in the order
/// of the step's division, one set after another.
class view {
public:
    /// Makes the view of set `current`.
    constexpr view(std::span<const double> positions, std::size_t dimensions, std::span<const std::uint32_t> order,
                   std::size_t sets, std::size_t current, std::uint64_t step)
        : positions_(positions), order_(order), dimensions_(dimensions), sets_(sets), step_(step)
    {
        first_ = begin(current);
        size_ = begin(current + 1) - first_;
    }

    [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return dimensions_; }
    [[nodiscard]] constexpr std::uint64_t step() const noexcept { return step_; }  ///< steps done before this one
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }    ///< walkers to move
    [[nodiscard]] constexpr std::size_t helpers() const noexcept
    {
        return order_.size() - size_;
    }  ///< walkers of all other sets
    /// The number of sets.
    [[nodiscard]] constexpr std::size_t sets() const noexcept { return sets_; }

    /// Walker i of the set that moves. Precondition: i < size().
    [[nodiscard]] constexpr std::span<const double> walker(std::size_t i) const noexcept { return at(first_ + i); }
    /// Walker j of all others. Precondition: j < helpers().
    [[nodiscard]] constexpr std::span<const double> helper(std::size_t j) const noexcept
    {
        return at(j < first_ ? j : j + size_);
    }

    /// The helpers that form other set number `s` (of sets() - 1): the range [other_begin(s), other_begin(s + 1)) of
    /// `helper`.
    [[nodiscard]] constexpr std::size_t other_begin(std::size_t s) const noexcept
    {
        const std::size_t b = begin(s);
        return b <= first_ ? b : begin(s + 1) - size_;
    }

private:
    /// Set s holds the walkers i with i mod sets = s, counted before any shuffle.
    [[nodiscard]] constexpr std::size_t begin(std::size_t s) const noexcept
    {
        const std::size_t each = order_.size() / sets_, more = order_.size() % sets_;
        return s * each + (s < more ? s : more);
    }
    [[nodiscard]] constexpr std::span<const double> at(std::size_t place) const noexcept
    {
        return positions_.subspan(order_[place] * dimensions_, dimensions_);
    }

    std::span<const double> positions_;
    std::span<const std::uint32_t> order_;
    std::size_t dimensions_, sets_, first_ = 0, size_ = 0;
    std::uint64_t step_;
};

namespace detail {

/// Calls `f` with `dimensions`: as a compile-time constant up to 6, where loops of unknown length would cost more than
/// their work, and as a number beyond.
template <class F>
void for_dimensions(std::size_t dimensions, F&& f)
{
    switch (dimensions) {
        case 1:
            return f(std::integral_constant<std::size_t, 1>{});
        case 2:
            return f(std::integral_constant<std::size_t, 2>{});
        case 3:
            return f(std::integral_constant<std::size_t, 3>{});
        case 4:
            return f(std::integral_constant<std::size_t, 4>{});
        case 5:
            return f(std::integral_constant<std::size_t, 5>{});
        case 6:
            return f(std::integral_constant<std::size_t, 6>{});
        default:
            return f(dimensions);
    }
}

}  // namespace detail

}  // namespace tunekit::mcmc
