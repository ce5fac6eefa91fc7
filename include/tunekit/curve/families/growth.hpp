// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Growth curves from a floor to a ceiling: Janoschek, Weibull, Morgan-Mercer-Flodin.

#include <array>
#include <cmath>
#include <cstddef>

#include "tunekit/curve/family.hpp"
#include "tunekit/linalg/elementary.hpp"

namespace tunekit::curve {

/// The Janoschek curve f(x) = alpha - (alpha - beta) exp(-kappa x^delta): from beta to alpha.
/// Source: Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct janoschek {
    static constexpr std::size_t dimensions = 4;  ///< alpha, beta, kappa, delta
    static constexpr std::size_t level = 0;

    struct at {
        explicit at(const std::array<double, 4>& from) : p(from) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return p[0] - (p[0] - p[1]) * linalg::exp(-p[2] * linalg::exp(p[3] * log_x));
        }
        std::array<double, 4> p;  ///< its parameters
    };

    template <class T>
    static T gradient(const std::array<double, 4>& p, const T&, const T& log_x, std::array<T, 4>& g)
    {
        const T power = linalg::exp(p[3] * log_x), e = linalg::exp(-p[2] * power);
        g[0] = 1.0 - e;
        g[1] = e;
        g[2] = (p[0] - p[1]) * (e * power);
        g[3] = p[2] * (g[2] * log_x);
        return p[0] - (p[0] - p[1]) * e;
    }

    [[nodiscard]] static box_of<janoschek> box(double top) { return {{{0, top}, {0, top}, {1e-6, 10}, {0.05, 3}}}; }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.73, 0.07, 0.355, 0.46}; }
    [[nodiscard]] static std::array<double, 4> guess(const observations& data)
    {
        return {1.1 * data.y().back(), data.y().front(), 2 / std::sqrt(data.x().back()), 0.5};
    }
};

/// The Weibull curve f(x) = alpha - (alpha - beta) exp(-(kappa x)^delta): from beta to alpha.
/// Source: Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct weibull {
    static constexpr std::size_t dimensions = 4;  ///< alpha, beta, kappa, delta
    static constexpr std::size_t level = 0;

    struct at {
        explicit at(const std::array<double, 4>& from) : p(from), log_kappa(std::log(from[2])) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return p[0] - (p[0] - p[1]) * linalg::exp(-linalg::exp(p[3] * (log_x + log_kappa)));
        }
        std::array<double, 4> p;  ///< its parameters
        double log_kappa;         ///< ln kappa
    };

    template <class T>
    static T gradient(const std::array<double, 4>& p, const T&, const T& log_x, std::array<T, 4>& g)
    {
        const T log_v = log_x + std::log(p[2]), v = linalg::exp(p[3] * log_v), e = linalg::exp(-v);
        const T rise = (p[0] - p[1]) * (e * v);
        g[0] = 1.0 - e;
        g[1] = e;
        g[2] = rise * (p[3] / p[2]);
        g[3] = rise * log_v;
        return p[0] - (p[0] - p[1]) * e;
    }

    [[nodiscard]] static box_of<weibull> box(double top) { return {{{0, top}, {0, top}, {1e-6, 10}, {0.05, 3}}}; }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.7, 0.1, 0.01, 1}; }
    [[nodiscard]] static std::array<double, 4> guess(const observations& data)
    {
        return {1.1 * data.y().back(), data.y().front(), 4 / data.x().back(), 0.7};
    }
};

/// The Morgan-Mercer-Flodin curve f(x) = alpha - (alpha - beta) / (1 + (kappa x)^delta): from beta to alpha.
/// Source: Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct mmf {
    static constexpr std::size_t dimensions = 4;  ///< alpha, beta, kappa, delta
    static constexpr std::size_t level = 0;

    struct at {
        explicit at(const std::array<double, 4>& from) : p(from), log_kappa(std::log(from[2])) {}
        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return p[0] - (p[0] - p[1]) / (1.0 + linalg::exp(p[3] * (log_x + log_kappa)));
        }
        std::array<double, 4> p;  ///< its parameters
        double log_kappa;         ///< ln kappa
    };

    template <class T>
    static T gradient(const std::array<double, 4>& p, const T&, const T& log_x, std::array<T, 4>& g)
    {
        const T log_v = log_x + std::log(p[2]), v = linalg::exp(p[3] * log_v), s = 1.0 / (1.0 + v);
        const T rise = (p[0] - p[1]) * (s * s * v);
        g[0] = 1.0 - s;
        g[1] = s;
        g[2] = rise * (p[3] / p[2]);
        g[3] = rise * log_v;
        return p[0] - (p[0] - p[1]) * s;
    }

    [[nodiscard]] static box_of<mmf> box(double top) { return {{{0, top}, {0, top}, {1e-6, 10}, {0.05, 6}}}; }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.7, 0.1, 0.01, 5}; }
    [[nodiscard]] static std::array<double, 4> guess(const observations& data)
    {
        return {1.1 * data.y().back(), data.y().front(), 4 / data.x().back(), 1};
    }
};

}  // namespace tunekit::curve
