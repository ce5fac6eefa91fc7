// SPDX-License-Identifier: MIT
#include "tunekit/processes/tune_kernel.hpp"

#if TUNEKIT_FORKS
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/tune/last_comparison.hpp"

namespace tunekit::detail {

budget kernel_end::search_of(budget of_run) const
{
    if (race) of_run.seconds *= 1 - final_race::kept;
    return of_run;
}

verdict kernel_end::verdict_on(tuning& record, std::optional<index> baseline,
                               measure::detail::isolated_measurer& measurer) const
{
    constexpr std::uint32_t runs = 4;  // the first finds a fresh worker's memory cold
    measure::race_result result;
    std::string why;
    if (race && record.stopped() != stop_reason::asked) {
        const final_race on(record, baseline, record.stopped() == stop_reason::seconds ? seconds : forever, runs);
        record.seconds_to_separate = on.seconds_to_separate;
        const auto fresh = [&]() -> auto& {
            measurer.renew();
            return measurer;
        };
        try {
            result = race_of(record, on, fresh, {.run_seconds = run_seconds}, measure::wall_clock{});
        } catch (const std::exception& e) {  // what was found is not lost
            why = std::string("the race ended: ") + e.what();
        }
    }
    verdict out = concluded(record, std::move(result), baseline, may_be_worse);
    out.why = why;
    return out;
}

}  // namespace tunekit::detail
#endif
