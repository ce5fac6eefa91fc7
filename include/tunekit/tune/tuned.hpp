// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What `tune` returns: the record of a run with its space.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/tuning.hpp"
#include "tunekit/tune/verdict.hpp"

namespace tunekit {

/// The record of a run over one space, with the space.
///
///     const auto found = tk::tune(space, kernel, {.trials = 40});
///     std::puts(tk::to_text(found).c_str());   // best of 40: rows 512, columns 8, 0.41 ms (first try 7.5 ms); tied ...
///     use(found.best());
template <class Space>
class tuned : public tuning {
public:
    /// A record, the space whose configurations it speaks of, and the baseline, if there was one.
    tuned(Space space, tuning record, std::optional<index> baseline = std::nullopt)
        : tuning(std::move(record)), space_(std::move(space)), baseline_(baseline)
    {
    }

    [[nodiscard]] const Space& space() const noexcept { return space_; }  ///< the space that was searched

    /// The configuration that was in use before (`tune_options::baseline`); empty if none was given.
    [[nodiscard]] std::optional<index> baseline() const noexcept { return baseline_; }

    /// What may be said of the best: of a kernel, by the race at the end of the run; else it was not raced.
    [[nodiscard]] const tunekit::verdict& verdict() const noexcept { return verdict_; }
    /// Replaces it.
    void conclude(tunekit::verdict says) { verdict_ = std::move(says); }

    /// The index of the best configuration: the verdict's, else the incumbent's. Throws as `incumbent`.
    [[nodiscard]] index best_index() const { return verdict_.best ? *verdict_.best : incumbent().candidate; }
    /// Its seconds; +inf before there is one.
    [[nodiscard]] double best_cost() const noexcept { return verdict_.best ? verdict_.cost : tuning::best_cost(); }
    /// The best configuration. Throws as `incumbent`.
    [[nodiscard]] auto best() const
        requires space::typed<Space>
    {
        return space_.at(best_index());
    }

private:
    Space space_;
    std::optional<index> baseline_;
    tunekit::verdict verdict_{};
};

namespace detail {

/// "best of 40: rows 512, columns 8, 0.41 ms (first try 7.5 ms); not raced". `texts` are of the best and of those that
/// are tied with it.
[[nodiscard]] std::string to_text(const tuning& found, const verdict& says, std::span<const std::string> names,
                                  const std::vector<std::vector<std::string>>& texts, std::optional<index> baseline);

}  // namespace detail

/// The result of a run in one line: how many trials there were, the best configuration, its cost, what was gained over
/// the baseline or else the cost of the first trial that ran, and the verdict. Costs are taken as seconds. Where
/// nothing was found, the line says so and why most trials failed; if nothing keeps an objective's limit, it has
/// `tuning::beyond_limit` and the nearest configuration.
template <space::described Space>
[[nodiscard]] std::string to_text(const tuned<Space>& found)
{
    if (!found.found()) return detail::to_text(found, {}, {}, {}, {});
    std::vector<std::vector<std::string>> texts{found.space().texts(found.best_index())};
    if (found.verdict().says == verdict::kind::tied)
        for (const index i : found.verdict().tied) texts.push_back(found.space().texts(i));
    return detail::to_text(found, found.verdict(), found.space().names(), texts, found.baseline());
}

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit::detail {

/// "the baseline takes 7.5 ms, 18.2 times as long". If that was cut short, it takes at least so long.
template <class Time>
[[nodiscard]] std::string over_baseline(const tuning& found, const verdict& says, index baseline, const Time& time)
{
    const auto of_it = [&](const measure::trial& t) { return t.candidate == baseline; };
    const auto trial = std::find_if(found.trials().begin(), found.trials().end(), of_it);
    if (says.kept) return "the baseline: nothing was shown to be faster";
    if (says.best.value_or(found.incumbent().candidate) == baseline) return "the baseline: nothing faster was found";
    if (trial == found.trials().end()) return "the baseline was not measured";
    const measure::measurement& m = trial->measured;
    if (m.failed) return "the baseline failed: " + measure::to_text(m.failed->kind);
    if (m.over_limit()) return "the baseline is beyond the limit";
    const bool raced = says.rounds > 0 && says.untuned_cost < std::numeric_limits<double>::infinity();
    const double cost = raced ? says.untuned_cost : m.cost, best = says.best ? says.cost : found.best_cost();
    return std::string("the baseline takes ") + (m.at_least && !raced ? "at least " : "") + time(cost) + ", " +
           brief(cost / best) + " times as long";
}

TUNEKIT_INLINE std::string to_text(const tuning& found, const verdict& says, std::span<const std::string> names,
                                   const std::vector<std::vector<std::string>>& texts, std::optional<index> baseline)
{
    const auto time = [](double seconds) {
        constexpr const char* units[] = {" s", " ms", " us", " ns"};
        std::size_t k = 0;
        for (; seconds < 0.1 && k < 3; ++k) seconds *= 1000;
        return brief(seconds) + units[k];
    };
    std::string of = std::to_string(found.trials().size());
    if (!found.known().empty()) of += " and " + std::to_string(found.known().size()) + " known";
    if (!found.found())
        return "none of " + of +
               (found.failed() > 0 ? " ran: " + found.most_often() + "; correct it, and delete the log if there is one"
                                   : " was measured");
    const auto configuration = [&](std::size_t k) {
        std::string out;
        for (std::size_t j = 0; j < texts[k].size(); ++j) (out += j == 0 ? "" : ", ") += names[j] + ' ' + texts[k][j];
        return out;
    };
    const std::string broken = found.beyond_limit();
    std::string out = broken.empty() ? "best of " + of + ": " : "of " + of + ' ' + broken + ": ";
    out += configuration(0);
    if (!broken.empty()) return out;
    out += (texts[0].empty() ? "" : ", ") + time(says.best ? says.cost : found.best_cost());
    const auto first = std::find_if(found.trials().begin(), found.trials().end(),
                                    [](const measure::trial& t) { return t.measured.ok(); });
    if (baseline) {
        out += " (" + over_baseline(found, says, *baseline, time) + ')';
    } else if (first != found.trials().end()) {
        const measure::measurement& m = first->measured;
        out += " (first try " + (m.over_limit() ? "beyond the limit" : time(m.cost)) + ')';
    }
    out += "; " + to_text(says);
    for (std::size_t k = 1; k < texts.size(); ++k) out += (k == 1 ? ": " : "; ") + configuration(k);
    return out;
}

}  // namespace tunekit::detail
#endif  // TUNEKIT_BODIES
