// SPDX-License-Identifier: MIT
#include "tunekit/records/experience_source.hpp"

#include <algorithm>

#include "tunekit/core/error.hpp"

namespace tunekit {

bool experience_source::add(std::span<const std::string> texts, result r)
{
    constexpr std::size_t most = 65535;
    require(texts.size() == parameters.size(), "experience: the values are not one per parameter, want as many");
    std::vector<std::uint16_t> row;
    for (std::size_t j = 0; j < texts.size(); ++j) {
        const auto& values = parameters[j].values;
        const auto at = static_cast<std::size_t>(std::find(values.begin(), values.end(), texts[j]) - values.begin());
        if (at >= most) return false;
        row.push_back(static_cast<std::uint16_t>(at));
    }
    for (std::size_t j = 0; j < texts.size(); ++j)
        if (row[j] == parameters[j].values.size()) parameters[j].values.push_back(texts[j]);
    if (r.failed()) r = {};
    rows.insert(rows.end(), row.begin(), row.end());
    results.push_back(r);
    return true;
}

std::vector<std::string> experience_source::names() const
{
    std::vector<std::string> out;
    for (const parameter& p : parameters) out.push_back(p.name);
    return out;
}

std::vector<std::string> experience_source::texts(std::size_t k) const
{
    std::vector<std::string> out;
    for (std::size_t j = 0; j < parameters.size(); ++j)
        out.push_back(parameters[j].values[rows[k * parameters.size() + j]]);
    return out;
}

std::size_t experience_source::best() const noexcept
{
    std::size_t out = results.size();
    for (std::size_t k = 0; k < results.size(); ++k)
        if (results[k].ok() && (out == results.size() || results[k].cost < results[out].cost)) out = k;
    return out;
}

std::size_t experience_source::valid() const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const result& r) { return r.ok(); }));
}

}  // namespace tunekit
