// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The log power curve: saturating, logistic in ln x.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "tunekit/curve/family.hpp"
#include "tunekit/linalg/elementary.hpp"

namespace tunekit::curve {

/// The log power curve f(x) = a / (1 + (x / e^b)^c), c < 0: a logistic in ln x with asymptote a, half height at e^b and
/// steepness -c.
///
/// It is DynaTune's family. It is evaluated as a / (1 + exp(c (ln x - b))), where ln x is computed beforehand. That
/// takes one exponential and one division, fused, for a whole register of points.
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 4.3; Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
struct log_power {
    static constexpr std::size_t dimensions = 3;  ///< a, b, c
    static constexpr std::size_t level = 0;

    class at {
    public:
        explicit at(const std::array<double, 3>& p)
            : a_(p[0]), slope_(p[2] * std::numbers::log2e), offset_(slope_ * p[1])
        {
            const double end = slope_ * 45 - offset_;  // ln x < 45 for every 64-bit x
            far_ = !(std::abs(offset_) < 1000 && std::abs(end) < 1000);
        }

        template <class T>
        [[nodiscard]] T operator()(const T&, const T& log_x) const
        {
            return a_ * share(log_x);
        }

        /// f / a.
        template <class T>
        [[nodiscard]] T share(const T& log_x) const
        {
            T t = slope_ * log_x - offset_;
            if (far_) {
                const T most = linalg::all<T>(1000.0), least = linalg::all<T>(-1000.0);
                t = t > most ? most : t;
                t = t < least ? least : t;
            }
            return linalg::falling_logistic_2(t);
        }

    private:
        double a_, slope_, offset_;
        bool far_;
    };

    template <class T>
    static T gradient(const std::array<double, 3>& p, const T&, const T& log_x, std::array<T, 3>& g)
    {
        const T s = at(p).share(log_x), bend = p[0] * (s * (1.0 - s));
        g[0] = s;
        g[1] = bend * p[2];
        g[2] = -bend * (log_x - p[1]);
        return p[0] * s;
    }

    [[nodiscard]] static box_of<log_power> box(double top) { return {{{0, top}, {-10, 15}, {-10, -1e-3}}}; }
    [[nodiscard]] static std::array<double, 3> defaults() { return {0.77, 2.98, -0.51}; }
    [[nodiscard]] static std::array<double, 3> guess(const observations& data)
    {
        const auto y = data.y();
        const auto half = std::find_if(y.begin(), y.end(), [&](double v) { return v >= y.back() / 2; });
        return {1.1 * y.back(), std::log(data.x()[static_cast<std::size_t>(half - y.begin())]), -1};
    }
};

}  // namespace tunekit::curve
