// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What `tune` returns: the record of a run with its space.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// The record of a run over one space, with the space.
///
///     const auto found = tk::tune(space, kernel, {.trials = 40});
///     std::puts(tk::to_text(found).c_str());   // best of 40: rows 512, columns 8, 0.41 ms (first try 7.5 ms)
///     use(found.best());
template <class Space>
class tuned : public tuning {
public:
    /// A record, the space whose configurations it speaks of, and the baseline, where there was one.
    tuned(Space space, tuning record, std::optional<index> baseline = std::nullopt)
        : tuning(std::move(record)), space_(std::move(space)), baseline_(baseline)
    {
    }

    [[nodiscard]] const Space& space() const noexcept { return space_; }  ///< the space that was searched

    /// The configuration that was in use before (`tune_options::baseline`); empty where none was given.
    [[nodiscard]] std::optional<index> baseline() const noexcept { return baseline_; }

    /// The configuration of the incumbent. Throws as `incumbent`.
    [[nodiscard]] auto best() const
        requires space::typed<Space>
    {
        return space_.at(incumbent().candidate);
    }

private:
    Space space_;
    std::optional<index> baseline_;
};

namespace detail {

/// "best of 40: rows 512, columns 8, 0.41 ms (first try 7.5 ms)".
[[nodiscard]] std::string to_text(const tuning& found, std::span<const std::string> names,
                                  std::span<const std::string> texts, std::optional<index> baseline);

}  // namespace detail

/// The result of a run in one line: how many trials there were, the best configuration, its cost, and what was gained
/// over the baseline; without one, the cost of the first trial that ran. Costs are taken as seconds. Where nothing was
/// found, the line says so and why most trials failed; where nothing keeps an objective's limit, it has
/// `tuning::beyond_limit` and the nearest configuration.
template <space::described Space>
[[nodiscard]] std::string to_text(const tuned<Space>& found)
{
    if (!found.found()) return detail::to_text(found, {}, {}, {});
    return detail::to_text(found, found.space().names(), found.space().texts(found.incumbent().candidate),
                           found.baseline());
}

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit::detail {

/// "the baseline takes 7.5 ms, 18.2 times as long". Where that was cut short, it takes at least so long.
template <class Time>
[[nodiscard]] std::string over_baseline(const tuning& found, index baseline, const Time& time)
{
    const auto of_it = [&](const measure::trial& t) { return t.candidate == baseline; };
    const auto trial = std::find_if(found.trials().begin(), found.trials().end(), of_it);
    if (found.incumbent().candidate == baseline) return "the baseline: nothing faster was found";
    if (trial == found.trials().end()) return "the baseline was not measured";
    const measure::measurement& m = trial->measured;
    if (m.failed) return "the baseline failed: " + std::string(measure::to_text(m.failed->kind));
    if (m.over_limit()) return "the baseline is beyond the limit";
    const double times = m.cost / found.best_cost();
    return std::string("the baseline takes ") + (m.at_least ? "at least " : "") + time(m.cost) + ", " +
           core::text_of(times, std::chars_format::general, 3) + " times as long";
}

TUNEKIT_INLINE std::string to_text(const tuning& found, std::span<const std::string> names,
                                   std::span<const std::string> texts, std::optional<index> baseline)
{
    const auto time = [](double seconds) {
        constexpr const char* units[] = {" s", " ms", " us", " ns"};
        std::size_t k = 0;
        for (; seconds < 0.1 && k < 3; ++k) seconds *= 1000;
        const bool whole = seconds >= 999.5;  // no exponent
        return core::text_of(seconds, whole ? std::chars_format::fixed : std::chars_format::general, whole ? 0 : 3) +
               units[k];
    };
    std::string of = std::to_string(found.trials().size());
    if (!found.known().empty()) of += " and " + std::to_string(found.known().size()) + " known";
    if (!found.found())
        return "none of " + of +
               (found.failed() > 0 ? " ran: " + found.most_often() + "; correct it, and delete the log if there is one"
                                   : " was measured");
    const std::string broken = found.beyond_limit();
    std::string out = broken.empty() ? "best of " + of + ": " : "of " + of + ' ' + broken + ": ";
    for (std::size_t j = 0; j < texts.size(); ++j) (out += j == 0 ? "" : ", ") += names[j] + ' ' + texts[j];
    if (!broken.empty()) return out;
    out += (texts.empty() ? "" : ", ") + time(found.best_cost());
    if (baseline) return out + " (" + over_baseline(found, *baseline, time) + ')';
    const auto first = std::find_if(found.trials().begin(), found.trials().end(),
                                    [](const measure::trial& t) { return t.measured.ok(); });
    if (first == found.trials().end()) return out;
    const measure::measurement& m = first->measured;
    return out + " (first try " + (m.over_limit() ? "beyond the limit" : time(m.cost)) + ')';
}

}  // namespace tunekit::detail
#endif  // TUNEKIT_BODIES
