// SPDX-License-Identifier: MIT
#include "outcome.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/fastest_quarter.hpp"

namespace tk = tunekit;

namespace python {

std::string bad_cost(double cost)
{
    if (std::isfinite(cost) && cost > 0) return {};
    const std::string is = std::isnan(cost) ? "NaN" : std::isinf(cost) ? "infinite" : cost == 0 ? "0" : "negative";
    return "the cost is " + is + ", want a positive finite number";
}

std::optional<tk::measure::failure_kind> kind_of(std::string_view who, std::string_view kind)
{
    if (kind.empty()) return std::nullopt;
    const auto known = tk::measure::failure_kind_of(kind);
    if (known) return known;
    std::string all;
    for (std::uint8_t k = 0; const auto each = tk::measure::failure_kind_of(k); ++k)
        all += (all.empty() ? "" : ", ") + to_text(*each);
    tk::invalid({who, "\"", kind, "\" is not a kind of failure, want one of: ", all});
}

judging::judging(std::vector<std::string> names, const std::string& text) : numbers(std::move(names))
{
    tk::require(numbers.size() <= tk::measure::measured_values::most, "numbers: more than 8 names, want at most 8");
    for (const std::string& name : numbers) {
        tk::require(std::count(numbers.begin(), numbers.end(), name) == 1,
                    "numbers: \"" + name + "\" is named twice, want each once");
        tk::require(name != "cost", "numbers: \"cost\" is the name of the cost, want another");
    }
    if (text.empty()) return;
    objective.emplace(text, numbers);
    if (objective->is_cost()) objective.reset();
    else static_cast<void>(tk::measure::judged_names(numbers));
}

std::vector<std::string> judging::value_names() const
{
    return objective ? tk::measure::judged_names(numbers) : numbers;
}

tk::measure::measurement judging::operator()(tk::measure::measurement m, const std::vector<double>& values) const
{
    m.values = tk::measure::measured_values(std::span<const double>(values));
    return objective ? tk::measure::judged(std::move(m), *objective, numbers) : m;
}

tk::measure::measurement measurement_of(std::string_view who, double cost, const std::string& kind,
                                        const std::string& message, double seconds, std::vector<double> runs)
{
    tk::require(std::isfinite(seconds) && seconds >= 0,
                std::string(who) + ": seconds is negative or not a number, want the trial's seconds");
    tk::measure::measurement m{.run_seconds = seconds, .batches = std::move(runs)};
    const auto failed = kind_of(std::string(who) + ": ", kind);
    if (!failed) {
        if (const std::string bad = bad_cost(cost); !bad.empty()) tk::invalid({who, ": ", bad, ", or Failed(\"why\")"});
        m.cost = cost;
        m.runs = static_cast<std::uint32_t>((std::max)(m.batches.size(), std::size_t{1}));
        if (m.batches.size() > 1) m.spread = tk::measure::fastest_quarter<>{}.estimate_of(m.batches).spread;
        return m;
    }
    m.failed = tk::measure::failure{.kind = *failed, .message = message};
    return m;
}

double cost_of_times(const std::vector<double>& runs)
{
    tk::require(!runs.empty(), "cost: there are no runs, want one at least");
    return tk::measure::fastest_quarter<>{}.estimate_of(runs).cost;
}

}  // namespace python
