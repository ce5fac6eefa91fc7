// SPDX-License-Identifier: MIT
#include "outcome.hpp"

#include <cmath>

#include "tunekit/core/error.hpp"

namespace tk = tunekit;

namespace python {

std::string bad_cost(double cost)
{
    if (std::isfinite(cost) && cost > 0) return {};
    const std::string is = std::isnan(cost) ? "NaN" : std::isinf(cost) ? "infinite" : cost == 0 ? "0" : "negative";
    return "the cost is " + is + ", want a positive finite number";
}

tk::measure::measurement measurement_of(std::string_view who, double cost, const std::string& kind,
                                        const std::string& message, double seconds)
{
    tk::require(std::isfinite(seconds) && seconds >= 0,
                std::string(who) + ": seconds is negative or no number, want the trial's seconds");
    tk::measure::measurement m{.run_seconds = seconds};
    if (kind.empty()) {
        if (const std::string bad = bad_cost(cost); !bad.empty()) tk::invalid({who, ": ", bad, ", or Failed(\"why\")"});
        m.cost = cost;
        m.runs = 1;
        return m;
    }
    const auto known = tk::measure::failure_kind_of(std::string_view(kind));
    if (!known) {
        std::string all;
        for (std::uint8_t k = 0; const auto each = tk::measure::failure_kind_of(k); ++k)
            all += (all.empty() ? "" : ", ") + std::string(to_text(*each));
        tk::invalid({who, ": \"", kind, "\" is no kind of failure, want one of: ", all});
    }
    m.failed = tk::measure::failure{.kind = *known, .message = message};
    return m;
}

}  // namespace python
