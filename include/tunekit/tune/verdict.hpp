// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a run may say of its winner, and of the machine that it ran on.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// What a run may say of its winner. Its trials were measured at different moments, and the best of many was lucky,
/// too. So only a race, in which the finalists run side by side, separates the winner from others.
struct verdict {
    /// What is known of the winner, from the least to the most.
    enum class kind : std::uint8_t {
        not_raced,  ///< there was no round side by side
        unclear,    ///< there were too few rounds to tell any two apart
        tied,       ///< at least one other finalist was not shown to be slower
        separated,  ///< every other finalist was shown to be slower
    };

    kind says = kind::not_raced;                                    ///< what is known
    std::optional<index> best{};                                    ///< what the run ends with; empty: nothing ran
    double cost = std::numeric_limits<double>::infinity();          ///< seconds of the best; else +inf
    double untuned_cost = std::numeric_limits<double>::infinity();  ///< seconds of the baseline; +inf if it failed
    bool kept = false;                     ///< whether the best is the baseline because nothing was shown to be faster
    std::vector<index> tied{};             ///< the others that the race cannot tell from the best, ascending
    double slower_at_least = 0;            ///< of the nearest other finalist, as a share of the best's time
    double confidence = 0.95;              ///< that the race's claims hold together
    std::size_t finalists = 0;             ///< that ran in the race, the best included
    std::uint32_t rounds = 0;              ///< of the race
    std::uint32_t rounds_to_separate = 0;  ///< with fewer it separates none
    double seconds_to_separate = 0;        ///< of a run whose race separates two, about; 0: not known
    std::string why{};                     ///< what ended the race before its time; else empty
};

/// "not raced", "unclear", "tied", "separated".
[[nodiscard]] inline std::string to_text(verdict::kind says)
{
    constexpr const char* names[] = {"not raced", "unclear", "tied", "separated"};
    return names[static_cast<std::size_t>(says)];
}

/// The verdict in one line: "separated from 3 others, at least 2.1 % slower (12 rounds side by side, 95 %)". If it
/// is unclear, the line says what would make it clear.
[[nodiscard]] std::string to_text(const verdict& v);

/// What a run of so many seconds has seen of its machine: "disturbed 3 times, 2.1 s of 60 s; 4 configurations were
/// measured again", or "not watched".
[[nodiscard]] std::string to_text(const machine_checks& seen, double seconds);

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

namespace detail {

/// Three digits at most.
[[nodiscard]] inline std::string brief(double x)
{
    const bool whole = x >= 999.5;  // no exponent
    return core::text_of(x, whole ? std::chars_format::fixed : std::chars_format::general, whole ? 0 : 3);
}

}  // namespace detail

TUNEKIT_INLINE std::string to_text(const verdict& v)
{
    using core::detail::counted, detail::brief;
    std::string out = to_text(v.says);
    const std::string rounds = counted(v.rounds, "round") + " side by side";
    const std::string others = counted(v.finalists - 1, "other");
    const std::string by = std::string(" (").append(rounds) + ", " + brief(100 * v.confidence) + " %)";
    if (v.says == verdict::kind::unclear) {
        out.append(": ").append(rounds) += ", with fewer than " + std::to_string(v.rounds_to_separate);
        out += " none can be distinguished";
        if (v.seconds_to_separate > 0) out.append("; want ").append(brief(v.seconds_to_separate)) += " s or more";
    } else if (v.says == verdict::kind::tied) {
        out.append(" with ").append(std::to_string(v.tied.size())).append(" of ").append(others) += by;
    } else if (v.says == verdict::kind::separated) {
        out.append(" from ") += others;
        if (v.slower_at_least > 0) out.append(", at least ").append(brief(100 * v.slower_at_least)) += " % slower";
        out += by;
    }
    if (!v.why.empty()) out.append("; ") += v.why;
    return out;
}

TUNEKIT_INLINE std::string to_text(const machine_checks& seen, double seconds)
{
    using core::detail::counted, detail::brief;
    if (!seen.on) return "not watched";
    const std::string spent = brief(seen.seconds) + " s of " + brief(seconds) + " s";
    std::string out = seen.disturbed == 0 ? "watched, and not disturbed in " : "disturbed ";
    out += seen.disturbed == 0 ? counted(seen.made, "check") : counted(seen.disturbed, "time");
    out.append(", ") += spent;
    if (seen.disturbed == 0) return out;
    out.append("; ") += counted(seen.measured_again, "configuration");
    out += seen.measured_again == 1 ? " was measured again" : " were measured again";
    if (seen.unsettled > 0) out.append(", and ").append(counted(seen.unsettled, "time")) += " it did not become quiet";
    return out;
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
