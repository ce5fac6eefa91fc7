// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/seen_sources.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "tunekit/random/philox.hpp"
#include "tunekit/records/detail/fitted_sources.hpp"
#include "tunekit/records/detail/weigh_sources.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::search::detail {

seen_sources::seen_sources(const forecasts::asked_space& space, std::shared_ptr<const fitted_sources> past,
                           const tunekit::space::matched_parameters& there)
    : views_(std::move(past), space.names(), there)
{
    if (sources() == 0) return;
    if (space.size() <= tabulated) {
        std::vector<index> all(static_cast<std::size_t>(space.size()));
        std::iota(all.begin(), all.end(), index{0});
        std::vector<double> g(all.size() * sources());
        views_.predict(ordinals_of(space, all), g);
        table_.assign(g.begin(), g.end());
    }
    starts_ = cover(space, there);
}

void seen_sources::forecast(const forecasts::asked_space& space, std::span<const index> which,
                            std::span<double> out) const
{
    const std::size_t n = sources();
    if (!table_.empty()) {
        for (std::size_t k = 0; k < out.size(); ++k)
            out[k] = static_cast<double>(table_[static_cast<std::size_t>(which[k / n]) * n + k % n]);
        return;
    }
    const std::lock_guard lock(recalling_);  // a copy of a run may be in another thread
    const std::vector<std::uint16_t> fresh = ordinals_of(space, not_recalled(which));
    std::vector<double> more(places_.size() * n - recalled_.size());
    views_.predict(fresh, more);
    recalled_.insert(recalled_.end(), more.begin(), more.end());
    for (std::size_t k = 0; k < which.size(); ++k)
        for (std::size_t s = 0; s < n; ++s) out[k * n + s] = recalled_[places_.at(which[k]) * n + s];
}

std::vector<index> seen_sources::not_recalled(std::span<const index> which) const
{
    if (places_.size() >= tabulated ||
        recalled_.size() != places_.size() * sources()) {  // the second: forecasts::memory was short
        places_.clear();
        recalled_.clear();
    }
    std::vector<index> out;
    for (const index i : which)
        if (places_.try_emplace(i, places_.size()).second) out.push_back(i);
    return out;
}

std::vector<std::uint16_t> seen_sources::ordinals_of(const forecasts::asked_space& space, std::span<const index> which)
{
    std::vector<std::uint16_t> out(which.size() * space.dimensions());
    space.ordinals(which, out);
    return out;
}

std::vector<double> seen_sources::forecasts_of(const forecasts::asked_space& space, std::span<const index> which) const
{
    std::vector<double> out(which.size() * sources());
    forecast(space, which, out);
    return out;
}

std::vector<index> seen_sources::cover(const forecasts::asked_space& space,
                                       const tunekit::space::matched_parameters& there) const
{
    const std::size_t n = sources(), most = n == 1 ? 4 : 6;
    std::vector<index> candidates;
    tunekit::space::index_set seen;
    for (std::size_t v = 0; v < n; ++v) {
        const experience_source& s = views_[v];
        const auto names = s.names();
        for (const std::size_t k : views_.lowest(v, most_of_a_source))
            if (const auto c = there.carry(space, names, s.texts(k), std::nullopt); c && seen.insert(*c))
                candidates.push_back(*c);
    }
    if (candidates.size() < most) {
        std::vector<index> all(static_cast<std::size_t>((std::min)(space.size(), tabulated)));
        if (space.size() <= tabulated) std::iota(all.begin(), all.end(), index{0});
        else {
            tunekit::random::philox gen(0);
            all = space.sample(draws, gen);
        }
        const tunekit::space::index_set hopeless = failed_everywhere(space, there);
        std::erase_if(all, [&](index i) { return hopeless.contains(i) || !seen.insert(i); });
        const std::vector<double> g = forecasts_of(space, all);
        for (const std::size_t k : best_by_each(g, all.size(), n)) candidates.push_back(all[k]);
    }
    std::vector<index> out;
    const std::vector<double> g = forecasts_of(space, candidates);
    for (const std::size_t k : cover_of(g, ordinals_of(space, candidates), candidates.size(), most))
        out.push_back(candidates[k]);
    return out;
}

tunekit::space::index_set seen_sources::failed_everywhere(const forecasts::asked_space& space,
                                                          const tunekit::space::matched_parameters& there) const
{
    tunekit::space::index_set ran, out;
    for (const bool failed : {false, true})
        for (std::size_t v = 0; v < sources(); ++v) {
            const experience_source& s = views_[v];
            const auto names = s.names();
            for (std::size_t k = 0; k < s.results.size(); ++k)
                if (s.results[k].failed() == failed)
                    if (const auto c = there.carry(space, names, s.texts(k), std::nullopt)) {
                        if (!failed) ran.insert(*c);
                        else if (!ran.contains(*c)) out.insert(*c);
                    }
        }
    return out;
}

std::vector<double> seen_sources::weights(std::span<const double> forecasts, std::span<const double> scores,
                                          std::span<const std::size_t> open) const
{
    return ridge_weights(forecasts, scores, open, sources());
}

bool seen_sources::equals(const forecasts::outlook& other) const
{
    const auto* o = dynamic_cast<const seen_sources*>(&other);
    return o != nullptr && views_ == o->views_ && table_ == o->table_ && starts_ == o->starts_;
}

remembered::remembered(std::vector<experience_source> past)
    : by_(std::make_shared<const fitted_sources>(std::move(past)))
{
}

std::shared_ptr<const forecasts::outlook> remembered::of(const forecasts::asked_space& space) const
{
    if (space.size() == 0) return nullptr;
    auto out = std::make_shared<const seen_sources>(space, by_, tunekit::space::matched_parameters(space));
    return out->sources() > 0 ? std::move(out) : nullptr;
}

}  // namespace tunekit::search::detail
