// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The sources of an experience as seen from one space.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/records/detail/fitted_sources.hpp"
#include "tunekit/space/carried.hpp"

namespace tunekit::search::detail {

/// The sources that a space takes, and what they forecast there. A value that a source does not know counts as the
/// nearest that it knows; where none is near, and for parameters that only the source has, the value of its best
/// counts.
class source_views {
public:
    source_views() = default;
    /// `names`: of the space's parameters, in the order of its ordinals.
    source_views(std::shared_ptr<const fitted_sources> past, std::span<const std::string> names,
                 const space::matched_parameters& there);

    [[nodiscard]] std::size_t size() const noexcept { return views_.size(); }
    [[nodiscard]] const experience_source& operator[](std::size_t k) const { return past_->past()[views_[k].source]; }
    /// Of source k the results of the `count` lowest whole costs, and of those equal to the last, in their order.
    [[nodiscard]] std::vector<std::size_t> lowest(std::size_t k, std::size_t count) const;

    /// The forecasts of all sources, row-major, for configurations by their ordinals.
    void predict(std::span<const std::uint16_t> ordinals, std::span<double> out) const;

    friend bool operator==(const source_views& a, const source_views& b)
    {
        return a.dimensions_ == b.dimensions_ && a.views_ == b.views_ &&
               (a.past_ == b.past_ || (a.past_ && b.past_ && a.past_->past() == b.past_->past()));
    }

private:
    /// For each parameter of the source the parameter here and the place of each of its values; without a parameter
    /// here one place.
    struct view {
        std::size_t source = 0;
        std::vector<std::size_t> from{};
        std::vector<std::vector<std::uint16_t>> to{};

        friend bool operator==(const view&, const view&) = default;
    };

    std::shared_ptr<const fitted_sources> past_;
    std::size_t dimensions_ = 0;
    std::vector<view> views_;
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES || defined(TUNEKIT_RECORDS_BODIES)
namespace tunekit::search::detail {

TUNEKIT_INLINE source_views::source_views(std::shared_ptr<const fitted_sources> past,
                                          std::span<const std::string> names, const space::matched_parameters& there)
    : past_(std::move(past)), dimensions_(names.size())
{
    const auto& sources = past_->past();
    for (const std::size_t s : sources_for(there, sources)) {
        view v{.source = s};
        const std::size_t d = sources[s].parameters.size(), best = sources[s].best();
        for (std::size_t p = 0; p < d; ++p) {
            const auto& parameter = sources[s].parameters[p];
            const auto j =
                static_cast<std::size_t>(std::find(names.begin(), names.end(), parameter.name) - names.begin());
            const std::uint16_t otherwise = past_->place(s, p, sources[s].rows[best * d + p]);
            v.from.push_back(j);
            v.to.push_back({otherwise});
            if (j == names.size()) continue;
            const space::matched_values of(parameter.values);
            v.to.back().clear();
            for (const std::string& text : there.values(j).texts()) {
                const auto at = of.match(text);
                v.to.back().push_back(at ? past_->place(s, p, *at) : otherwise);
            }
        }
        views_.push_back(std::move(v));
    }
}

TUNEKIT_INLINE std::vector<std::size_t> source_views::lowest(std::size_t k, std::size_t count) const
{
    std::vector<double> costs;
    std::vector<std::size_t> out;
    for (const auto& r : (*this)[k].results)
        if (r.ok()) costs.push_back(r.cost);
    if (costs.empty() || count == 0) return out;
    const auto last = costs.begin() + static_cast<std::ptrdiff_t>((std::min)(count, costs.size()) - 1);
    std::nth_element(costs.begin(), last, costs.end());
    for (std::size_t i = 0; i < (*this)[k].results.size(); ++i)
        if (const auto& r = (*this)[k].results[i]; r.ok() && r.cost <= *last) out.push_back(i);
    return out;
}

TUNEKIT_INLINE void source_views::predict(std::span<const std::uint16_t> ordinals, std::span<double> out) const
{
    if (out.empty()) return;
    const std::size_t n = views_.size(), count = out.size() / n;
    for (std::size_t s = 0; s < n; ++s) {
        const view& v = views_[s];
        std::vector<std::uint16_t> rows;
        rows.reserve(count * v.from.size());
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t p = 0; p < v.from.size(); ++p)
                rows.push_back(v.from[p] < dimensions_ ? v.to[p][ordinals[k * dimensions_ + v.from[p]]]
                                                       : v.to[p].front());
        std::vector<double> g(count);
        past_->predict(v.source, rows, g);
        for (std::size_t k = 0; k < count; ++k) out[k * n + s] = g[k];
    }
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
