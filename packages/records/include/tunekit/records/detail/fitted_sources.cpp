// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/fitted_sources.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "tunekit/core/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

namespace tunekit::search::detail {

namespace {

/// The place of each value in ascending order: by number where all are numbers, else by text.
std::vector<std::uint16_t> places_of(const std::vector<std::string>& values)
{
    std::vector<std::optional<double>> numbers;
    for (const std::string& v : values) numbers.push_back(core::number<double>(v));
    const bool all = std::all_of(numbers.begin(), numbers.end(), [](const auto& x) { return x && std::isfinite(*x); });
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return all && *numbers[a] != *numbers[b] ? *numbers[a] < *numbers[b] : values[a] < values[b];
    });
    std::vector<std::uint16_t> out(values.size());
    for (std::size_t k = 0; k < order.size(); ++k) out[order[k]] = static_cast<std::uint16_t>(k);
    return out;
}

/// The mean of a Gaussian process that is fitted to -ln(cost / lowest cost) of a source.
surrogate::gaussian_process::means_by_place fitted_to(const experience_source& s,
                                                      const std::vector<std::vector<std::uint16_t>>& places)
{
    const std::size_t d = s.parameters.size();
    std::vector<float> rows;
    for (std::size_t k = 0; k < s.rows.size(); ++k) rows.push_back(static_cast<float>(places[k % d][s.rows[k]]));
    const double best = std::log(s.results[s.best()].cost);
    std::vector<double> y;
    double worst = 0;
    for (const auto& r : s.results) {
        y.push_back(r.failed() ? 1 : best - std::log(r.cost));
        if (r.ok()) worst = (std::min)(worst, y.back());
    }
    for (std::size_t k = 0; k < y.size(); ++k)
        if (s.results[k].failed()) y[k] = worst;
    tunekit::random::philox gen(0);
    const surrogate::gaussian_process process{
        .distance = surrogate::column_distance::both, .evaluations = 16, .max_rows = fitted_sources::most_rows};
    auto state = process.start(d);
    process.fit(state, surrogate::features(rows, d), y, gen);
    std::vector<std::size_t> values;
    for (const auto& p : places) values.push_back(p.size());
    return {state, values};
}

}  // namespace

struct fitted_sources::model {
    std::vector<std::vector<std::uint16_t>> places;  // by parameter and value
    std::mutex fitting{};
    std::shared_ptr<const void> fitted{};  // a Gaussian process's means by places
};

fitted_sources::fitted_sources(std::vector<experience_source> past) : past_(std::move(past))
{
    for (const experience_source& s : past_) {
        models_.push_back(std::make_shared<model>());
        for (const auto& p : s.parameters) models_.back()->places.push_back(places_of(p.values));
    }
}

std::uint16_t fitted_sources::place(std::size_t s, std::size_t p, std::size_t v) const
{
    return models_[s]->places[p][v];
}

void fitted_sources::predict(std::size_t s, std::span<const std::uint16_t> rows, std::span<double> out) const
{
    using means = surrogate::gaussian_process::means_by_place;
    model& m = *models_[s];
    const std::shared_ptr<const void> fitted = [&] {
        const std::lock_guard lock(m.fitting);
        if (!m.fitted) m.fitted = std::make_shared<const means>(fitted_to(past_[s], m.places));
        return m.fitted;
    }();
    const std::size_t d = past_[s].parameters.size();
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = static_cast<const means*>(fitted.get())->mean(rows.subspan(k * d, d));
}

}  // namespace tunekit::search::detail
