// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The curves that scores are made of: what random search reaches, and what runs have reached over time.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tunekit::scoring::detail {

/// E ln(best of k of `all`), drawn at random without replacement, k = 1 ... `most`.
[[nodiscard]] inline std::vector<double> logs_at_random(std::vector<double> all, std::size_t most)
{
    std::sort(all.begin(), all.end());
    const auto n = static_cast<double>(all.size());
    std::vector<double> none_better(all.size() + 1, 1), out;  // the probability that the k draws avoid the i best
    none_better.back() = 0;
    for (std::size_t k = 0; k < most; ++k) {
        double mean = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            none_better[i] *=
                (std::max)(0.0, n - static_cast<double>(i + k)) / (std::max)(1.0, n - static_cast<double>(k));
        for (std::size_t i = 0; i < all.size(); ++i) mean += (none_better[i] - none_better[i + 1]) * std::log(all[i]);
        out.push_back(mean);
    }
    return out;
}

/// The monotone piecewise cubic through (x, y), x ascending, at least two of them, at `at` within them: slopes of
/// Fritsch and Butland (1984), at the ends of three points.
[[nodiscard]] inline std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                                        std::span<const double> at)
{
    const std::size_t n = x.size();
    std::vector<double> h(n - 1), secant(n - 1), slope(n);
    for (std::size_t i = 0; i + 1 < n; ++i) h[i] = x[i + 1] - x[i], secant[i] = (y[i + 1] - y[i]) / h[i];
    for (std::size_t i = 1; i + 1 < n; ++i) {
        if (!(secant[i - 1] * secant[i] > 0)) continue;
        const double a = 2 * h[i] + h[i - 1], b = h[i] + 2 * h[i - 1];
        slope[i] = (a + b) / (a / secant[i - 1] + b / secant[i]);
    }
    const auto end = [](double h0, double h1, double d0, double d1) {
        const double s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
        if (!(s * d0 > 0)) return 0.0;
        return d0 * d1 < 0 && std::abs(s) > 3 * std::abs(d0) ? 3 * d0 : s;
    };
    slope.front() = n > 2 ? end(h[0], h[1], secant[0], secant[1]) : secant[0];
    slope.back() = n > 2 ? end(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]) : secant[0];
    std::vector<double> out;
    for (const double q : at) {
        const auto i =
            (std::min)(static_cast<std::size_t>(std::upper_bound(x.begin() + 1, x.end(), q) - x.begin()) - 1, n - 2);
        const double t = (q - x[i]) / h[i], u = 1 - t;
        out.push_back(u * u * (1 + 2 * t) * y[i] + t * t * (1 + 2 * u) * y[i + 1] +
                      h[i] * t * u * (u * slope[i] - t * slope[i + 1]));
    }
    return out;
}

/// The falling function that is nearest to points of ascending x in the sum of squares, at `at`; linear between points.
/// Neighbours that rise are pooled to their mean until none do.
[[nodiscard]] inline std::vector<double> falling_regression(const std::vector<std::pair<double, double>>& points,
                                                            std::span<const double> at)
{
    struct block {
        double mean = 0, weight = 0;
    };
    std::vector<block> blocks;
    for (const auto& [x, y] : points) {
        blocks.push_back({y, 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean <= blocks.back().mean) {
            const block last = blocks.back();
            blocks.pop_back();
            block& into = blocks.back();
            into.mean = (into.mean * into.weight + last.mean * last.weight) / (into.weight + last.weight);
            into.weight += last.weight;
        }
    }
    std::vector<double> fitted;
    for (const block& b : blocks) fitted.insert(fitted.end(), static_cast<std::size_t>(b.weight), b.mean);
    std::vector<double> out;
    for (const double x : at) {
        const auto k = static_cast<std::size_t>(
            std::lower_bound(points.begin(), points.end(), x, [](const auto& p, double q) { return p.first < q; }) -
            points.begin());
        if (k == 0 || k == points.size()) {
            out.push_back(fitted[k == 0 ? 0 : k - 1]);
            continue;
        }
        const double t = (x - points[k - 1].first) / (points[k].first - points[k - 1].first);
        out.push_back((1 - t) * fitted[k - 1] + t * fitted[k]);
    }
    return out;
}

}  // namespace tunekit::scoring::detail
