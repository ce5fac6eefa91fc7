// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/weigh_sources.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tunekit::search::detail {

std::vector<double> ridge_weights(std::span<const double> g, std::span<const double> t,
                                  std::span<const std::size_t> open, std::size_t sources)
{
    std::vector<char> used(t.size(), 1);
    for (const std::size_t k : open) used[k] = 0;
    const auto count = static_cast<double>(std::count(used.begin(), used.end(), 1));
    std::vector<double> centre(sources + 1, 0.0);  // of the forecasts, then of t
    const auto at = [&](std::size_t k, std::size_t s) { return s < sources ? g[k * sources + s] : t[k]; };
    for (std::size_t k = 0; k < t.size(); ++k)
        for (std::size_t s = 0; used[k] && s <= sources; ++s) centre[s] += at(k, s) / count;
    // the normal equations, the right side in the last column
    const std::size_t width = sources + 1;
    std::vector<double> normal(sources * width, 0.0);
    for (std::size_t k = 0; k < t.size(); ++k)
        for (std::size_t a = 0; used[k] && a < sources; ++a)
            for (std::size_t b = 0; b <= sources; ++b)
                normal[a * width + b] += (at(k, a) - centre[a]) * (at(k, b) - centre[b]);
    for (std::size_t a = 0; a < sources; ++a) {
        normal[a * width + a] += 0.25;
        normal[a * width + sources] += 0.25 / static_cast<double>(sources);
    }
    std::vector<char> kept(sources, 1);
    for (;;) {
        std::vector<double> m = normal, w(sources, 0.0);  // positive definite: elimination needs no pivot
        for (std::size_t a = 0; a < sources; ++a)
            for (std::size_t b = a + 1; kept[a] && b < sources; ++b) {
                if (!kept[b]) continue;
                const double f = m[b * width + a] / m[a * width + a];
                for (std::size_t c = a; c <= sources; ++c) m[b * width + c] -= f * m[a * width + c];
            }
        bool negative = false;
        for (std::size_t a = sources; a-- > 0;) {
            if (!kept[a]) continue;
            double sum = m[a * width + sources];
            for (std::size_t b = a + 1; b < sources; ++b) sum -= m[a * width + b] * w[b];
            w[a] = sum / m[a * width + a];
            negative = negative || w[a] < 0;
        }
        for (std::size_t a = 0; a < sources; ++a)
            if (w[a] < 0) kept[a] = 0;
        for (double& x : w) x = (std::min)(x, 1.5);
        if (!negative) return w;
    }
}

std::vector<std::size_t> cover_of(std::span<const double> g, std::span<const std::uint16_t> ordinals, std::size_t count,
                                  std::size_t most)
{
    std::vector<std::size_t> out;
    if (count == 0) return out;
    const std::size_t n = g.size() / count, d = ordinals.size() / count;
    const std::size_t apart = (std::min)(d, std::size_t{2});
    std::vector<double> best(n, -std::numeric_limits<double>::infinity());
    while (out.size() < most) {
        std::size_t next = count;
        double value = 0, own = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const bool alike = std::any_of(out.begin(), out.end(), [&](std::size_t o) {
                std::size_t differ = 0;
                for (std::size_t j = 0; j < d; ++j) differ += ordinals[k * d + j] != ordinals[o * d + j];
                return differ < apart;
            });
            if (alike) continue;
            double v = 0, u = 0;
            for (std::size_t s = 0; s < n; ++s) {
                const double capped = (std::min)(0.0, g[k * n + s]);
                v += (std::max)(best[s], capped);
                u += capped;
            }
            if (next == count || v > value || (v == value && u > own)) {
                next = k;
                value = v;
                own = u;
            }
        }
        if (next == count) break;
        for (std::size_t s = 0; s < n; ++s) best[s] = (std::max)(best[s], (std::min)(0.0, g[next * n + s]));
        out.push_back(next);
    }
    return out;
}

std::vector<std::size_t> best_by_each(std::span<const double> g, std::size_t count, std::size_t sources)
{
    constexpr std::size_t most = 200;
    std::vector<char> taken(count, 0);
    for (std::size_t s = 0; s <= sources; ++s) {
        const auto value = [&](std::size_t k) {
            if (s < sources) return g[k * sources + s];
            return std::accumulate(&g[k * sources], &g[k * sources] + sources, 0.0);
        };
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto end = order.begin() + static_cast<std::ptrdiff_t>((std::min)(count, most));
        std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
            const double x = value(a), y = value(b);
            return x != y ? x > y : a < b;
        });
        for (auto k = order.begin(); k != end; ++k) taken[*k] = 1;
    }
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < count; ++k)
        if (taken[k]) out.push_back(k);
    return out;
}

}  // namespace tunekit::search::detail
