// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Families of curves that DynaTune and Domhan et al. compare with log power, for tests of what takes any family: pow2,
/// pow3, pow4, log linear, log-log linear, Janoschek, Weibull, Morgan-Mercer-Flodin, Hill.

#include <array>
#include <cmath>
#include <cstddef>

#include "tunekit/curve/families/log_power.hpp"
#include "tunekit/curve/family.hpp"
#include "tunekit/linalg/elementary.hpp"

namespace support {

namespace curve = tunekit::curve;
namespace linalg = tunekit::linalg;

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

    [[nodiscard]] static curve::box_of<pow2> box(double top) { return {{{0, top}, {-2, 0}}}; }
    [[nodiscard]] static std::array<double, 2> defaults() { return {0.1, -0.3}; }
    [[nodiscard]] static std::array<double, 2> guess(const curve::observations& data)
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

    [[nodiscard]] static curve::box_of<pow3> box(double top) { return {{{0, top}, {0, 10}, {1e-3, 5}}}; }
    [[nodiscard]] static std::array<double, 3> defaults() { return {0.84, 0.52, 0.01}; }
    [[nodiscard]] static std::array<double, 3> guess(const curve::observations& data)
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

    [[nodiscard]] static curve::box_of<pow4> box(double top) { return {{{0, top}, {0, 1e3}, {1e-6, 1e3}, {1e-3, 5}}}; }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.8, 200, 1e-6, 0.1}; }
    [[nodiscard]] static std::array<double, 4> guess(const curve::observations& data)
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

    [[nodiscard]] static curve::box_of<log_linear> box(double top) { return {{{0, top}, {0, top}}}; }
    [[nodiscard]] static std::array<double, 2> defaults() { return {0.378, 0.0465}; }
    [[nodiscard]] static std::array<double, 2> guess(const curve::observations& data)
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

    [[nodiscard]] static curve::box_of<log_log_linear> box(double top) { return {{{0, 10}, {1, std::exp(top)}}}; }
    [[nodiscard]] static std::array<double, 2> defaults() { return {1, 1}; }
    [[nodiscard]] static std::array<double, 2> guess(const curve::observations& data)
    {
        const double low = std::exp(data.y().front());
        return {(std::exp(data.y().back()) - low) / std::log(1 + data.x().back()), low};
    }
};

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

    [[nodiscard]] static curve::box_of<janoschek> box(double top)
    {
        return {{{0, top}, {0, top}, {1e-6, 10}, {0.05, 3}}};
    }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.73, 0.07, 0.355, 0.46}; }
    [[nodiscard]] static std::array<double, 4> guess(const curve::observations& data)
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

    [[nodiscard]] static curve::box_of<weibull> box(double top)
    {
        return {{{0, top}, {0, top}, {1e-6, 10}, {0.05, 3}}};
    }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.7, 0.1, 0.01, 1}; }
    [[nodiscard]] static std::array<double, 4> guess(const curve::observations& data)
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

    [[nodiscard]] static curve::box_of<mmf> box(double top) { return {{{0, top}, {0, top}, {1e-6, 10}, {0.05, 6}}}; }
    [[nodiscard]] static std::array<double, 4> defaults() { return {0.7, 0.1, 0.01, 5}; }
    [[nodiscard]] static std::array<double, 4> guess(const curve::observations& data)
    {
        return {1.1 * data.y().back(), data.y().front(), 4 / data.x().back(), 1};
    }
};

/// The Hill curve f(x) = theta x^eta / (kappa^eta + x^eta): log power with a = theta, b = ln kappa, c = -eta, under
/// another prior.
/// Source: Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct hill3 {
    static constexpr std::size_t dimensions = 3;  ///< theta, eta, kappa
    static constexpr std::size_t level = 0;

    class at : public curve::log_power::at {
    public:
        explicit at(const std::array<double, 3>& p) : curve::log_power::at(as_log_power(p)) {}
    };

    template <class T>
    static T gradient(const std::array<double, 3>& p, const T& x, const T& log_x, std::array<T, 3>& g)
    {
        const T f = curve::log_power::gradient(as_log_power(p), x, log_x, g);
        const T by_b = g[1];
        g[1] = -g[2];
        g[2] = by_b / p[2];
        return f;
    }

    [[nodiscard]] static curve::box_of<hill3> box(double top) { return {{{0, top}, {1e-3, 10}, {1e-4, 3e6}}}; }
    [[nodiscard]] static std::array<double, 3> defaults() { return {0.772, 0.586, 2.461}; }
    [[nodiscard]] static std::array<double, 3> guess(const curve::observations& data)
    {
        const auto p = curve::log_power::guess(data);
        return {p[0], -p[2], std::exp(p[1])};
    }

private:
    [[nodiscard]] static std::array<double, 3> as_log_power(const std::array<double, 3>& p)
    {
        return {p[0], std::log(p[2]), -p[1]};
    }
};

}  // namespace support
