// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Curves that grow like a logarithm: log linear and log-log linear.

#include <array>
#include <cmath>
#include <cstddef>

#include "tunekit/curve/family.hpp"
#include "tunekit/linalg/elementary.hpp"

namespace tunekit::curve {

/// The log linear curve f(x) = a ln x + b. It never saturates: use it for short horizons.
/// Source: Zhang et al. (2021), DynaTune, ICLR, appendix.
struct log_linear {
    static constexpr std::size_t dimensions = 2;  ///< a, b
    static constexpr std::size_t level = 1;

    struct at {
        explicit at(const std::array<double, 2>& from) : p(from) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return p[0] * log_x + p[1];
        }
        std::array<double, 2> p;  ///< its parameters
    };

    template <class T>
    static T gradient(const std::array<double, 2>& p, const T&, const T& log_x, std::array<T, 2>& g)
    {
        g[0] = log_x;
        g[1] = linalg::all<T>(1.0);
        return p[0] * log_x + p[1];
    }

    [[nodiscard]] static box_of<log_linear> box(double top) { return {{{0, top}, {0, top}}}; }
    [[nodiscard]] static std::array<double, 2> defaults() { return {0.378, 0.0465}; }
    [[nodiscard]] static std::array<double, 2> guess(const observations& data)
    {
        return {(data.y().back() - data.y().front()) / std::log(1 + data.x().back()), data.y().front()};
    }
};

/// The log-log linear curve f(x) = ln(a ln x + b), a >= 0, b >= 1.
/// Source: Zhang et al. (2021), DynaTune, ICLR, appendix; Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct log_log_linear {
    static constexpr std::size_t dimensions = 2;  ///< a, b
    static constexpr std::size_t level = 1;

    struct at {
        explicit at(const std::array<double, 2>& from) : p(from) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return linalg::log(p[0] * log_x + p[1]);
        }
        std::array<double, 2> p;  ///< its parameters
    };

    template <class T>
    static T gradient(const std::array<double, 2>& p, const T&, const T& log_x, std::array<T, 2>& g)
    {
        const T inner = p[0] * log_x + p[1];
        g[0] = log_x / inner;
        g[1] = 1.0 / inner;
        return linalg::log(inner);
    }

    [[nodiscard]] static box_of<log_log_linear> box(double top) { return {{{0, 10}, {1, std::exp(top)}}}; }
    [[nodiscard]] static std::array<double, 2> defaults() { return {1, 1}; }
    [[nodiscard]] static std::array<double, 2> guess(const observations& data)
    {
        const double low = std::exp(data.y().front());
        return {(std::exp(data.y().back()) - low) / std::log(1 + data.x().back()), low};
    }
};

}  // namespace tunekit::curve
