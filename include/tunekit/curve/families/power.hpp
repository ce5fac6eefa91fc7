// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Power laws and logarithms: pow2, pow3, pow4, log linear, log-log linear.

#include <array>
#include <cmath>
#include <cstddef>

#include "tunekit/curve/family.hpp"
#include "tunekit/linalg/elementary.hpp"

namespace tunekit::curve {

/// The power law f(x) = a x^(-alpha), alpha <= 0. It never saturates: use it for short horizons.
/// Source: Zhang et al. (2021), DynaTune, ICLR, appendix.
struct pow2 {
    static constexpr std::size_t dimensions = 2;  ///< a, alpha
    static constexpr std::size_t level = 0;

    struct at {
        explicit at(const std::array<double, 2>& from) : p(from) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return p[0] * linalg::exp(-p[1] * log_x);
        }
        std::array<double, 2> p;  ///< its parameters
    };

    template <class T>
    static T gradient(const std::array<double, 2>& p, const T&, const T& log_x, std::array<T, 2>& g)
    {
        g[0] = linalg::exp(-p[1] * log_x);
        g[1] = -p[0] * (log_x * g[0]);
        return p[0] * g[0];
    }

    [[nodiscard]] static box_of<pow2> box(double top) { return {{{0, top}, {-2, 0}}}; }
    [[nodiscard]] static std::array<double, 2> defaults() { return {0.1, -0.3}; }
    [[nodiscard]] static std::array<double, 2> guess(const observations& data)
    {
        const auto y = data.y(), x = data.x();
        return {y.front(), -std::log(y.back() / y.front()) / std::log(1 + x.back())};
    }
};

/// The power law with a limit, f(x) = c - a x^(-alpha): approaches c.
/// Source: Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct pow3 {
    static constexpr std::size_t dimensions = 3;  ///< c, a, alpha
    static constexpr std::size_t level = 0;

    struct at {
        explicit at(const std::array<double, 3>& from) : p(from) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return p[0] - p[1] * linalg::exp(-p[2] * log_x);
        }
        std::array<double, 3> p;  ///< its parameters
    };

    template <class T>
    static T gradient(const std::array<double, 3>& p, const T&, const T& log_x, std::array<T, 3>& g)
    {
        const T e = linalg::exp(-p[2] * log_x);
        g[0] = linalg::all<T>(1.0);
        g[1] = -e;
        g[2] = p[1] * (log_x * e);
        return p[0] - p[1] * e;
    }

    [[nodiscard]] static box_of<pow3> box(double top) { return {{{0, top}, {0, 10}, {1e-3, 5}}}; }
    [[nodiscard]] static std::array<double, 3> defaults() { return {0.84, 0.52, 0.01}; }
    [[nodiscard]] static std::array<double, 3> guess(const observations& data)
    {
        const auto y = data.y();
        return {1.1 * y.back(), 1.1 * y.back() - y.front(), 0.5};
    }
};

/// The power law with a limit and a shift, f(x) = c - (a x + b)^(-alpha): approaches c.
/// Source: Zhang et al. (2021), DynaTune, ICLR, appendix; Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct pow4 {
    static constexpr std::size_t dimensions = 4;  ///< c, a, b, alpha
    static constexpr std::size_t level = 0;

    struct at {
        explicit at(const std::array<double, 4>& from) : p(from) {}
        template <class T>
        [[nodiscard]] T operator()(const T& x, const T&) const
        {
            return p[0] - linalg::exp(-p[3] * linalg::log(p[1] * x + p[2]));
        }
        std::array<double, 4> p;  ///< its parameters
    };

    template <class T>
    static T gradient(const std::array<double, 4>& p, const T& x, const T&, std::array<T, 4>& g)
    {
        const T s = p[1] * x + p[2], log_s = linalg::log(s), e = linalg::exp(-p[3] * log_s);
        g[0] = linalg::all<T>(1.0);
        g[2] = p[3] * (e / s);
        g[1] = x * g[2];
        g[3] = log_s * e;
        return p[0] - e;
    }

    [[nodiscard]] static box_of<pow4> box(double top) { return {{{0, top}, {0, 1e3}, {1e-6, 1e3}, {1e-3, 5}}}; }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.8, 200, 1e-6, 0.1}; }
    [[nodiscard]] static std::array<double, 4> guess(const observations& data)
    {
        return {1.1 * data.y().back(), 1, 1, 0.7};
    }
};

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
