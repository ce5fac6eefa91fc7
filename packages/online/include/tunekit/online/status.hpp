// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a context says of itself: its phase, its numbers, and what was wrong with its use.

#include <cstdint>
#include <limits>
#include <string>

#include "tunekit/space/concepts.hpp"

namespace tunekit::online {

/// The phase of a context.
enum class phase : std::uint8_t {
    opening,    ///< only the default runs, until its time is known and a first candidate can be afforded
    searching,  ///< candidates are tried; the best known one is used in between
    racing,     ///< the best few run against the default
    settled,    ///< decided; the winner is watched, and a falling share of the time goes to candidates not tried yet
    gave_up,    ///< decided for the default, because its times were invalid
    pinned,     ///< one configuration from outside; nothing is timed or tried
};

/// The name of the phase.
[[nodiscard]] inline std::string to_text(phase p)
{
    switch (p) {
        case phase::opening:
            return "opening";
        case phase::searching:
            return "searching";
        case phase::racing:
            return "racing";
        case phase::settled:
            return "settled";
        case phase::gave_up:
            return "gave up";
        case phase::pinned:
            return "pinned";
    }
    return "";
}

/// A fault in the use of a context.
enum class trouble : std::uint8_t {
    none,      ///< no fault
    no_time,   ///< seconds that are negative, zero, NaN or infinite
    unasked,   ///< a time that no call of `next` waits for, or a second one for the same call
    threw,     ///< the function given to `run` threw; such a candidate is not tried again
    not_told,  ///< `next` called again before the time of the last call was reported
    broken,    ///< three invalid times of the default or the best: the default is used from here on
};

/// The fault in one line; empty for none.
[[nodiscard]] inline std::string to_text(trouble t)
{
    switch (t) {
        case trouble::none:
            return "";
        case trouble::no_time:
            return "online: a reported time is negative, zero, NaN or infinite; that call does not count";
        case trouble::unasked:
            return "online: a time was reported that next() does not wait for; it does not count, report once per "
                   "next()";
        case trouble::threw:
            return "online: a call threw; a candidate that throws is not tried again";
        case trouble::not_told:
            return "online: next() was called before the last time was reported; that call does not count";
        case trouble::broken:
            return "online: three invalid times of the default or best configuration; using the default from now on";
    }
    return "";
}

/// The state of a context, for people and tables. Seconds are per call unless said otherwise.
struct status {
    online::phase phase = online::phase::opening;            ///< the phase it is in
    std::uint64_t calls = 0;                                 ///< calls since it was made or opened again
    std::uint64_t trials = 0;                                ///< candidates of its search; 0 once that is over
    index best = 0;                                          ///< the configuration in use
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< the cost of that configuration; NaN before it ran
    double default_cost = std::numeric_limits<double>::quiet_NaN();  ///< the cost of the default; NaN before it ran
    double lost = 0;           ///< seconds spent on candidates and on our own work; 0 once its search is over
    double saved = 0;          ///< seconds saved against the default during its search; 0 once that is over
    bool searching = true;     ///< whether candidates are left to try; true of many settled contexts, too
    std::uint32_t alarms = 0;  ///< how often the times of the winner rose; of most, everything had become slower
    /// How often it was opened again, by `reopen` or because another configuration became faster.
    std::uint32_t reopened = 0;
};

}  // namespace tunekit::online
