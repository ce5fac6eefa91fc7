// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The leaves of a tree as boxes over a grid, and the variances of their means.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tunekit::surrogate::detail {

/// One tree over a grid: the leaves as boxes, each feature's values joined between the tree's own thresholds. Values
/// beyond `at_least` or `at_most` count as equal to the bound.
class tree_boxes {
public:
    tree_boxes(const random_forest::state& s, std::size_t tree, std::span<const std::vector<float>> values,
               double at_least, double at_most)
        : d_(values.size()), cuts_(d_)
    {
        for (std::size_t j = 0; j < d_; ++j) cuts_[j] = {0, values[j].size()};
        for (std::size_t i = 0; i < s.nodes(tree); ++i)
            if (const auto n = s.node(tree, i); !n.leaf)
                cuts_[n.feature].push_back(position(values[n.feature], n.threshold));
        for (auto& c : cuts_) {
            std::sort(c.begin(), c.end());
            c.erase(std::unique(c.begin(), c.end()), c.end());
        }
        struct at {
            std::size_t node;
            std::vector<std::size_t> from, to;  // segments
        };
        std::vector<at> stack(1);
        stack[0].from.assign(d_, 0);
        for (const auto& c : cuts_) stack[0].to.push_back(c.size() - 1);
        while (!stack.empty()) {
            at here = std::move(stack.back());
            stack.pop_back();
            const auto n = s.node(tree, here.node);
            if (n.leaf) {
                from_.insert(from_.end(), here.from.begin(), here.from.end());
                to_.insert(to_.end(), here.to.begin(), here.to.end());
                value_.push_back(std::clamp(n.value, at_least, at_most));
                continue;
            }
            const auto& c = cuts_[n.feature];
            const std::size_t at_value = position(values[n.feature], n.threshold);
            const auto cut = static_cast<std::size_t>(std::lower_bound(c.begin(), c.end(), at_value) - c.begin());
            if (cut < here.to[n.feature]) {  // a side without a value of the grid has no volume
                at right = here;
                right.node = n.right;
                right.from[n.feature] = (std::max)(cut, here.from[n.feature]);
                stack.push_back(std::move(right));
            }
            if (cut > here.from[n.feature]) {
                here.node = n.left;
                here.to[n.feature] = (std::min)(cut, here.to[n.feature]);
                stack.push_back(std::move(here));
            }
        }
        weigh();
    }

    [[nodiscard]] double variance() const noexcept { return variance_; }
    [[nodiscard]] double mean() const noexcept { return mean_; }

    /// Per segment of feature j: the mean over all other features, less the mean.
    [[nodiscard]] std::vector<double> marginal(std::size_t j) const
    {
        std::vector<double> out(segments(j) + 1, 0.0);
        for (std::size_t l = 0; l < value_.size(); ++l) {
            const double rest = value_[l] * volume_[l] / part(l, j);
            out[from_[l * d_ + j]] += rest;
            out[to_[l * d_ + j]] -= rest;
        }
        std::partial_sum(out.begin(), out.end(), out.begin());
        out.pop_back();
        return out;
    }

    /// The variance of the mean over all features but j.
    [[nodiscard]] double variance_of(std::size_t j) const
    {
        const auto m = marginal(j);
        double sum = 0;
        for (std::size_t v = 0; v < m.size(); ++v) sum += width(j, v) * m[v] * m[v];
        return sum;
    }

    /// The variance of the mean over all features but a and b.
    [[nodiscard]] double variance_of(std::size_t a, std::size_t b) const
    {
        const std::size_t na = segments(a), nb = segments(b);
        std::vector<double> out((na + 1) * (nb + 1), 0.0);
        for (std::size_t l = 0; l < value_.size(); ++l) {
            const double rest = value_[l] * volume_[l] / (part(l, a) * part(l, b));
            const std::size_t a0 = from_[l * d_ + a] * (nb + 1), a1 = to_[l * d_ + a] * (nb + 1);
            const std::size_t b0 = from_[l * d_ + b], b1 = to_[l * d_ + b];
            out[a0 + b0] += rest;
            out[a0 + b1] -= rest;
            out[a1 + b0] -= rest;
            out[a1 + b1] += rest;
        }
        double sum = 0;
        for (std::size_t u = 0; u < na; ++u) {
            double row = 0;
            for (std::size_t v = 0; v < nb; ++v) {
                row += out[u * (nb + 1) + v];
                const double above = u == 0 ? 0 : out[(u - 1) * (nb + 1) + v];
                const double m = out[u * (nb + 1) + v] = row + above;
                sum += width(a, u) * width(b, v) * m * m;
            }
        }
        return sum;
    }

    /// The segment of each value of feature j, in order.
    [[nodiscard]] std::vector<std::size_t> segment_of_values(std::size_t j) const
    {
        std::vector<std::size_t> out;
        for (std::size_t v = 0; v < segments(j); ++v) out.insert(out.end(), cuts_[j][v + 1] - cuts_[j][v], v);
        return out;
    }

private:
    /// How many values go left.
    [[nodiscard]] static std::size_t position(const std::vector<float>& values, float threshold)
    {
        return static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), threshold) - values.begin());
    }

    [[nodiscard]] std::size_t segments(std::size_t j) const noexcept { return cuts_[j].size() - 1; }
    [[nodiscard]] double width(std::size_t j, std::size_t from, std::size_t to) const
    {
        return static_cast<double>(cuts_[j][to] - cuts_[j][from]) / static_cast<double>(cuts_[j].back());
    }
    [[nodiscard]] double width(std::size_t j, std::size_t v) const { return width(j, v, v + 1); }
    [[nodiscard]] double part(std::size_t l, std::size_t j) const
    {
        return width(j, from_[l * d_ + j], to_[l * d_ + j]);
    }

    /// Volumes, and values less their mean: what is small beside a large mean keeps its digits.
    void weigh()
    {
        const double origin = value_.front();
        double mean = 0;
        for (std::size_t l = 0; l < value_.size(); ++l) {
            double volume = 1;
            for (std::size_t j = 0; j < d_; ++j) volume *= part(l, j);
            volume_.push_back(volume);
            mean += volume * (value_[l] - origin);
        }
        mean_ = origin + mean;
        for (std::size_t l = 0; l < value_.size(); ++l) {
            value_[l] = (value_[l] - origin) - mean;
            variance_ += volume_[l] * value_[l] * value_[l];
        }
    }

    std::size_t d_;
    std::vector<std::vector<std::size_t>> cuts_;  // positions at which segments begin, and the end
    std::vector<std::size_t> from_, to_;          // leaves x d
    std::vector<double> value_, volume_;
    double mean_ = 0, variance_ = 0;
};

/// Mean and population sd of terms that are added one by one.
struct spread_of {
    double first = 0, second = 0, n = 0;

    void add(double x)
    {
        n += 1;
        const double step = x - first;
        first += step / n;
        second += step * (x - first);
    }
    [[nodiscard]] stats::prediction result() const { return {first, n == 0 ? 0 : std::sqrt(second / n)}; }
};

}  // namespace tunekit::surrogate::detail
