// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/source_views.hpp"

#include <algorithm>
#include <utility>

#include "tunekit/records/detail/fitted_sources.hpp"
#include "tunekit/records/experience.hpp"

namespace tunekit::search::detail {

source_views::source_views(std::shared_ptr<const fitted_sources> past, std::span<const std::string> names,
                           const space::matched_parameters& there)
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

const experience_source& source_views::operator[](std::size_t k) const { return past_->past()[views_[k].source]; }

bool source_views::operator==(const source_views& other) const
{
    return dimensions_ == other.dimensions_ && views_ == other.views_ &&
           (past_ == other.past_ || (past_ && other.past_ && past_->past() == other.past_->past()));
}

std::vector<std::size_t> source_views::lowest(std::size_t k, std::size_t count) const
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

void source_views::predict(std::span<const std::uint16_t> ordinals, std::span<double> out) const
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
