// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The data of the surrogate benches: a tuning space of 12 parameters and a smooth surface over it, from SplitMix64 counters.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace surrogate_data {

inline std::uint64_t bits(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

inline double u01(std::uint64_t seed, std::uint64_t i) { return static_cast<double>(bits(seed, i) >> 11) * 0x1p-53; }

inline double normal(std::uint64_t seed, std::uint64_t i)
{
    return std::sqrt(-2 * std::log1p(-u01(seed, 2 * i))) * std::cos(2 * 3.14159265358979323846 * u01(seed, 2 * i + 1));
}

inline constexpr std::array<int, 12> sizes{8, 6, 6, 6, 5, 5, 5, 5, 4, 4, 3, 2};
inline constexpr std::size_t d = sizes.size();

/// The noise-free value at 12 positions, which need not be whole.
inline double surface(const double* k)
{
    std::array<double, d> h{};
    double s = 0;
    for (std::size_t j = 0; j < d; ++j) {
        const double t = k[j] / (sizes[j] - 1.0);
        const double w = 0.3 + 1.2 * static_cast<double>((7 * j) % 12) / 12.0;
        const double o = static_cast<double>((5 * j + 3) % 12) / 12.0;
        s += w * (t - o) * (t - o);
        h[j] = t - 0.5;
    }
    const double inter = 0.8 * h[0] * h[1] + 0.6 * h[2] * h[4] - 0.5 * h[3] * h[5];
    return 1000.0 * std::exp(-s + inter) * (k[2] + k[3] >= 8 ? 0.45 : 1.0);
}

/// Rows of features, their ordinals where the features are whole, and the surface.
struct table {
    std::vector<float> x;
    std::vector<std::uint16_t> ordinals;
    std::vector<double> y;
};

/// n points of the 12 parameters, with multiplicative noise of `noise` drawn from seed + 1.
inline table knobs(std::uint64_t seed, std::size_t n, double noise = 0)
{
    table t;
    for (std::size_t i = 0; i < n; ++i) {
        std::array<double, d> k{};
        for (std::size_t j = 0; j < d; ++j) {
            k[j] = std::floor(u01(seed, i * d + j) * sizes[j]);
            t.x.push_back(static_cast<float>(k[j]));
            t.ordinals.push_back(static_cast<std::uint16_t>(k[j]));
        }
        t.y.push_back(surface(k.data()) * (noise > 0 ? 1 + noise * normal(seed + 1, i) : 1));
    }
    return t;
}

/// n points of 100 floats in [0, 1), of which the first 12 matter.
inline table wide(std::uint64_t seed, std::size_t n, double noise = 0)
{
    constexpr std::size_t columns = 100;
    table t;
    for (std::size_t i = 0; i < n; ++i) {
        std::array<double, d> k{};
        for (std::size_t j = 0; j < columns; ++j) {
            const double u = u01(seed, i * columns + j);
            t.x.push_back(static_cast<float>(u));
            if (j < d) k[j] = u * (sizes[j] - 1.0);
        }
        t.y.push_back(surface(k.data()) * (noise > 0 ? 1 + noise * normal(seed + 1, i) : 1));
    }
    return t;
}

inline double r2(std::span<const double> y, std::span<const double> p)
{
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
    double e = 0;
    double v = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        e += (y[i] - p[i]) * (y[i] - p[i]);
        v += (y[i] - mean) * (y[i] - mean);
    }
    return 1 - e / v;
}

inline std::vector<double> ranks(std::span<const double> v)
{
    std::vector<std::size_t> order(v.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = static_cast<double>(i);
    return out;
}

inline double correlation(std::span<const double> a, std::span<const double> b)
{
    const auto n = static_cast<double>(a.size());
    const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / std::sqrt(aa * bb);
}

inline double rank_correlation(std::span<const double> a, std::span<const double> b)
{
    const auto ra = ranks(a);
    const auto rb = ranks(b);
    return correlation(ra, rb);
}

}  // namespace surrogate_data
