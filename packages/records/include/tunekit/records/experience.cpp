// SPDX-License-Identifier: MIT
#include "tunekit/records/experience.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/records/detail/fitted_sources.hpp"
#include "tunekit/records/detail/seen_sources.hpp"

namespace tunekit {

namespace {

/// Whether the results of one are those of the other up to its end: a log that was copied, whatever it is called now,
/// and while its run went on.
bool same_run(const experience_source& a, const experience_source& b)
{
    const auto begins = [](const auto& x, const auto& y) {
        const auto n = static_cast<std::ptrdiff_t>((std::min)(x.size(), y.size()));
        return std::equal(x.begin(), x.begin() + n, y.begin());
    };
    if (a.machine != b.machine || a.names() != b.names()) return false;
    for (std::size_t j = 0; j < a.parameters.size(); ++j)
        if (!begins(a.parameters[j].values, b.parameters[j].values)) return false;
    return begins(a.results, b.results) && begins(a.rows, b.rows);
}

}  // namespace

void experience::add(experience_source one)
{
    const std::size_t d = one.parameters.size();
    require(d > 0, "experience: a source has no parameter, want one at least");
    require(one.rows.size() == one.results.size() * d, "experience: a source wants one row per result");
    for (std::size_t k = 0; k < one.rows.size(); ++k)
        require(one.rows[k] < one.parameters[k % d].values.size(),
                "experience: a row of a source is not a position of a value, want one below the number of values");
    if (one.results.empty()) return;
    const auto at =
        std::find_if(sources.begin(), sources.end(), [&](const experience_source& s) { return same_run(s, one); });
    if (at == sources.end()) sources.push_back(std::move(one));
    else if (at->results.size() < one.results.size()) *at = std::move(one);
}

void experience::merge(experience other)
{
    for (experience_source& s : other.sources) add(std::move(s));
    for (std::string& n : other.notes) notes.push_back(std::move(n));
}

std::size_t experience::size() const noexcept
{
    std::size_t out = 0;
    for (const experience_source& s : sources) out += s.results.size();
    return out;
}

bool experience::take(experience_source& s, std::span<const std::string> texts, const measure::measurement& m)
{
    const bool failed = m.failed.has_value();
    return s.add(
        texts, {.cost = failed ? std::numeric_limits<double>::infinity() : m.cost, .at_least = !failed && m.at_least});
}

std::vector<std::size_t> search::detail::sources_for(const space::matched_parameters& there,
                                                     std::span<const experience_source> past)
{
    std::vector<std::size_t> out;
    for (std::size_t s = past.size(); s-- > 0 && out.size() < fitted_sources::most_sources;)
        if (past[s].valid() >= fitted_sources::least_valid && there.shares(past[s].names())) out.push_back(s);
    std::reverse(out.begin(), out.end());
    return out;
}

search::forecasts::forecasts(const experience& past)
    : by_(past.empty() ? nullptr : std::make_shared<const detail::remembered>(past.sources))
{
}

}  // namespace tunekit
