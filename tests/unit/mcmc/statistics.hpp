// SPDX-License-Identifier: MIT
#pragma once

// What the statistical tests of the sampler share.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "tunekit/mcmc/state.hpp"
#include "tunekit/random/normal.hpp"

/// The largest distance between the empirical distribution of `x` and `cdf`.
template <class F>
double kolmogorov_smirnov(std::vector<double> x, const F& cdf)
{
    std::sort(x.begin(), x.end());
    const auto n = static_cast<double>(x.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double p = cdf(x[i]), below = static_cast<double>(i) / n;
        worst = (std::max)({worst, std::abs(p - below), std::abs(p - below - 1 / n)});
    }
    return worst;
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

inline double standard_normal(std::span<const double> x)
{
    double sum = 0;
    for (const double v : x) sum += v * v;
    return -0.5 * sum;
}

/// One coordinate of all samples.
inline std::vector<double> coordinate(const tunekit::mcmc::chain& all, std::size_t c)
{
    std::vector<double> out(all.samples());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = all.sample(i)[c];
    return out;
}

inline double mean(const std::vector<double>& x)
{
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
}

inline double covariance(const std::vector<double>& x, const std::vector<double>& y)
{
    const double mx = mean(x), my = mean(y);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mx) * (y[i] - my);
    return sum / static_cast<double>(x.size());
}

template <class G>
std::vector<double> normals(std::size_t n, G& gen)
{
    std::vector<double> out(n);
    for (double& x : out) x = tunekit::random::normal(gen);
    return out;
}
