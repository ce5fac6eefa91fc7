// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace surrogate_test {

struct table {
    std::size_t d = 0;
    std::vector<float> x;
    std::vector<double> y;

    [[nodiscard]] std::size_t size() const { return y.size(); }
    [[nodiscard]] tunekit::surrogate::features rows() const { return {x, d}; }
    [[nodiscard]] const float* row(std::size_t i) const { return x.data() + i * d; }
};

/// n rows of d features with `values` values each (0: any float in [0, 1)) and uniform targets of `levels` levels (0: any).
inline table noise(std::uint64_t seed, std::size_t n, std::size_t d, std::uint64_t values, std::uint64_t levels = 0)
{
    tunekit::random::philox gen(seed);
    table t{.d = d, .x = {}, .y = {}};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j)
            t.x.push_back(values == 0 ? static_cast<float>(tunekit::random::uniform_01(gen))
                                      : static_cast<float>(tunekit::random::uniform_index(values, gen)));
        t.y.push_back(levels == 0 ? tunekit::random::uniform_01(gen)
                                  : static_cast<double>(tunekit::random::uniform_index(levels, gen)));
    }
    return t;
}

/// n rows of 8 parameters of 6 values and y = -sum_j w_j (x_j / 5 - o_j)^2: separable, w and o spread.
inline table separable(std::uint64_t seed, std::size_t n)
{
    table t = noise(seed, n, 8, 6);
    for (std::size_t i = 0; i < n; ++i) {
        t.y[i] = 0;
        for (std::size_t j = 0; j < 8; ++j) {
            const double z = static_cast<double>(t.row(i)[j]) / 5 - static_cast<double>(3 * j % 8) / 8;
            t.y[i] -= (0.5 + static_cast<double>(5 * j % 8) / 8) * z * z;
        }
    }
    return t;
}

inline std::vector<std::uint16_t> as_ordinals(const table& t) { return {t.x.begin(), t.x.end()}; }

inline std::vector<double> ranks(std::span<const double> v)
{
    std::vector<std::size_t> order(v.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = static_cast<double>(i);
    return out;
}

/// Spearman's rank correlation of values without ties.
inline double spearman(std::span<const double> a, std::span<const double> b)
{
    const auto ra = ranks(a);
    const auto rb = ranks(b);
    double sum = 0;
    for (std::size_t i = 0; i < ra.size(); ++i) sum += (ra[i] - rb[i]) * (ra[i] - rb[i]);
    const auto n = static_cast<double>(ra.size());
    return 1 - 6 * sum / (n * (n * n - 1));
}

template <class Model>
std::vector<tunekit::stats::prediction> predict(const Model& model, const typename Model::state& s, const table& t)
{
    std::vector<tunekit::stats::prediction> out(t.size());
    model.predict(s, t.rows(), out);
    return out;
}

inline std::vector<double> means(std::span<const tunekit::stats::prediction> p)
{
    std::vector<double> out;
    for (const auto& q : p) out.push_back(q.mean);
    return out;
}

/// The leaf of a forest's tree in which x falls.
inline std::size_t leaf_of(const tunekit::surrogate::random_forest::state& s, std::size_t tree, const float* x)
{
    std::size_t i = 0;
    for (auto node = s.node(tree, 0); !node.leaf; node = s.node(tree, i))
        i = x[node.feature] > node.threshold ? node.right : node.left;
    return i;
}

/// How often tree b drew each row: the stream that fit documents.
inline std::vector<std::uint32_t> multiplicity(tunekit::random::philox gen, std::size_t tree, std::size_t n)
{
    auto stream = tunekit::random::stream(tunekit::random::bits(gen), 0x666f7265, tree);
    std::vector<std::uint32_t> out(n, 0);
    for (std::size_t i = 0; i < n; ++i) ++out[tunekit::random::uniform_index(n, stream)];
    return out;
}

}  // namespace surrogate_test
