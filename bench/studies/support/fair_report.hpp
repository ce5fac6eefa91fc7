// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The table of T_q, as text and as JSON.

#include <cstddef>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/fair_systems.hpp"
#include "bench/studies/support/to_optimum.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

/// What is printed of a row.
struct fair_numbers {
    arrivals t{};                             ///< T_1, T_2, T_5 in seconds
    estimated tq{}, ahead{};                  ///< ahead: T_q of the baseline, divided by the row's
    double charged = 0;                       ///< T_q with the seconds of its own search until then
    double over_oracle = 0;                   ///< T_q divided by that of the exact oracle
    std::optional<double> share_of_oracle{};  ///< (T_q of the baseline - T_q) / (T_q of the baseline - the oracle's)
    double excess = 0;                        ///< s, median
};

inline fair_numbers numbers_of(const fair_row& row, const fair_row& baseline)
{
    const double oracle = geometric_mean(medians(row.oracle)), base = geometric_mean(medians(baseline.own));
    fair_numbers out{.t = medians(row.own),
                     .tq = tq_of(row.own),
                     .ahead = tq_ratio(baseline.own, row.own),
                     .charged = geometric_mean(medians(row.charged)),
                     .excess = tunekit::stats::median(row.excess)};
    out.over_oracle = out.tq.value / oracle;
    if (base > oracle) out.share_of_oracle = (base - out.tq.value) / (base - oracle);
    return out;
}

/// How a ratio of T_q to one is to be read: "" exact, ">=" or "<=" where the numerator or the denominator is a bound, "?" where both
/// are.
inline const char* sign_of(const fair_row& numerator, const fair_row& denominator)
{
    const bool above = is_bound(numerator.own), below = is_bound(denominator.own);
    return above && below ? "?" : above ? ">=" : below ? "<=" : "";
}

/// The steps from AutoTVM with ten runs, without overlap, to `combined` with it: what each multiplies the lead by. Search is the last.
struct lead_parts {
    double schedule = 1, carrying = 1, overlap = 1, limits = 1, search = 1;

    [[nodiscard]] double clock() const { return limits * overlap; }
    [[nodiscard]] double all() const { return schedule * carrying * clock() * search; }
};

/// Nothing where a row is missing: AutoTVM under DynaTune's schedule; then it carries; then builds overlap; then it has the runs and
/// limits of `combined`; then its search gives way to that of `combined`.
inline std::optional<lead_parts> parts_of_lead(const fair_table& t)
{
    const auto tq = [&](const char* system, bool overlap) {
        const auto* const row = row_of(t, system, overlap);
        return row == nullptr ? 0 : geometric_mean(medians(row->own));
    };
    const double base = tq("autotvm-paper", false), scheduled = tq("autotvm-dynatune", false),
                 carried = tq("autotvm-carried-dynatune", false), overlapped = tq("autotvm-carried-dynatune", true),
                 limited = tq("autotvm-all-but-search", true), searched = tq("combined", true);
    if (!(base > 0 && scheduled > 0 && carried > 0 && limited > 0 && searched > 0)) return std::nullopt;
    return lead_parts{base / scheduled, scheduled / carried, carried / overlapped, overlapped / limited,
                      limited / searched};
}

/// The lead of one system, with overlap, over another, in the better of its rows, with overlap or without.
struct fair_lead {
    const fair_row *of = nullptr, *over = nullptr;
    estimated ahead{};
};

/// Of `combined` over what carries alike and over itself alone; of the two searches, both with ten runs; of DynaTune over AutoTVM and
/// Chameleon; of other ways to carry over the recipe's.
inline std::vector<fair_lead> leads_of(const fair_table& t)
{
    std::vector<std::pair<std::string, std::string>> pairs{{"combined", "autotvm-paper"},
                                                           {"combined", "autotvm-carried"},
                                                           {"combined", "autotvm-carried-dynatune"},
                                                           {"combined", "autotvm-all-but-search"},
                                                           {"combined", "combined-alone"},
                                                           {"combined-carried-ten-runs", "autotvm-carried-dynatune"},
                                                           {"dynatune-paper", "autotvm-paper"},
                                                           {"dynatune-paper", "chameleon-paper"},
                                                           {"dynatune-paper-chameleon", "chameleon-paper"}};
    for (const auto& row : t.rows)
        if (row.system.one_in > 0 && row.overlap)
            pairs.emplace_back(row.system.name, row.system.name.substr(0, row.system.name.rfind(carrying_mark)));
    std::vector<fair_lead> out;
    for (const auto& [of, over] : pairs) {
        const fair_lead lead{row_of(t, of, true), better_row_of(t, over)};
        if (lead.of != nullptr && lead.over != nullptr)
            out.push_back({lead.of, lead.over, tq_ratio(lead.over->own, lead.of->own)});
    }
    return out;
}

inline std::string text_of(const baseline_form& form)
{
    return (form.stop == tunekit::unlimited ? std::string("never stops early")
                                            : "stops after " + std::to_string(form.stop)) +
           (form.by_work ? ", tasks by work" : ", tasks as declared") +
           (form.first > 0 ? ", " + std::to_string(form.first) + " at random of each before" : std::string()) +
           (form.overlap ? ", builds overlap" : ", no overlap") +
           (form.spares ? ", runs and limits of combined" : ", ten runs");
}

inline void print(const fair_network& on, const fair_settings& f, const fair_table& t)
{
    std::printf("%s: %zu tasks, optimum %.3f ms, untuned %.3f ms; %zu repeats of %.0f s, %zu builder%s\n",
                on.name.c_str(), on.layers.size(), 1e3 * on.optimum, 1e3 * on.untuned, f.repeats, fair_horizon,
                f.builders, f.builders == 1 ? "" : "s");
    std::printf("autotvm-best-form, the best of %zu on the other networks: %s\n", baseline_forms().size(),
                text_of(t.best).c_str());
    std::printf("others one after another, the best there with ten runs: %s; or %s\n", text_of(t.form[0]).c_str(),
                text_of(t.form[1]).c_str());
    std::printf("%-26s %-7s %7s %7s %7s %9s %17s %9s %8s %9s %17s %9s %7s %8s\n", "system", "overlap", "T_1 s", "T_2 s",
                "T_5 s", "T_q s", "95 % interval", "charged s", "arrived", "ahead", "95 % interval", "x oracle",
                "share", "excess s");
    const auto& baseline = t.rows.front();
    for (const auto& row : t.rows) {
        const auto n = numbers_of(row, baseline);
        char share[16] = "-", tq[24], ahead[24];
        if (n.share_of_oracle) std::snprintf(share, sizeof share, "%.2f", *n.share_of_oracle);
        std::snprintf(tq, sizeof tq, "%s%.1f", is_bound(row.own) ? ">=" : "", n.tq.value);
        std::snprintf(ahead, sizeof ahead, "%s%.2f", sign_of(baseline, row), n.ahead.value);
        std::printf("%-26s %-7s %7.1f %7.1f %7.1f %9s %8.1f %8.1f %9.1f %4zu/%-3zu %9s %8.2f %8.2f %9.2f %7s %8.1f\n",
                    row.system.name.c_str(), row.overlap ? "yes" : "no", n.t[0], n.t[1], n.t[2], tq, n.tq.low,
                    n.tq.high, n.charged, arrived(row.own), f.repeats, ahead, n.ahead.low, n.ahead.high, n.over_oracle,
                    share, n.excess);
    }
    for (const auto& lead : leads_of(t))
        std::printf("%s ahead of %s, %s: %s%.2f [%.2f, %.2f]\n", lead.of->system.name.c_str(),
                    lead.over->system.name.c_str(), lead.over->overlap ? "with overlap" : "without",
                    sign_of(*lead.over, *lead.of), lead.ahead.value, lead.ahead.low, lead.ahead.high);
    if (const auto p = parts_of_lead(t))
        std::printf(
            "combined with overlap against autotvm-paper without: schedule %.2f x carrying %.2f x clock %.2f (overlap "
            "%.2f x limits %.2f) x search %.2f = %.2f\n",
            p->schedule, p->carrying, p->clock(), p->overlap, p->limits, p->search, p->all());
}

inline void print_json(const fair_network& on, const fair_settings& f, const fair_table& t)
{
    using json = nlohmann::ordered_json;
    json rows = json::array();
    const auto& baseline = t.rows.front();
    for (const auto& row : t.rows) {
        const auto n = numbers_of(row, baseline);
        rows.push_back({{"system", row.system.name},
                        {"overlap", row.overlap},
                        {"t1_s", n.t[0]},
                        {"t2_s", n.t[1]},
                        {"t5_s", n.t[2]},
                        {"tq_s", n.tq.value},
                        {"low", n.tq.low},
                        {"high", n.tq.high},
                        {"charged_s", n.charged},
                        {"arrived", arrived(row.own)},
                        {"bound", is_bound(row.own)},
                        {"over_oracle", n.over_oracle},
                        {"share_of_oracle", n.share_of_oracle ? json(*n.share_of_oracle) : json(nullptr)},
                        {"excess_s", n.excess},
                        {"ahead", n.ahead.value},
                        {"ahead_low", n.ahead.low},
                        {"ahead_high", n.ahead.high},
                        {"ahead_is", sign_of(baseline, row)}});
    }
    const auto form = [](const baseline_form& b) {
        return json{{"stop", b.stop == tunekit::unlimited ? json(nullptr) : json(b.stop)},
                    {"by_work", b.by_work},
                    {"first", b.first},
                    {"overlap", b.overlap},
                    {"spares", b.spares}};
    };
    json out{{"network", on.name},
             {"builders", f.builders},
             {"repeats", f.repeats},
             {"seed", f.seed},
             {"horizon_s", fair_horizon},
             {"optimum_ms", 1e3 * on.optimum},
             {"untuned_ms", 1e3 * on.untuned},
             {"baseline", {{"best", form(t.best)}, {"alone", form(t.form[0])}, {"overlapping", form(t.form[1])}}},
             {"rows", rows}};
    out["leads"] = json::array();
    for (const auto& lead : leads_of(t))
        out["leads"].push_back({{"system", lead.of->system.name},
                                {"over", lead.over->system.name},
                                {"over_overlaps", lead.over->overlap},
                                {"ahead", lead.ahead.value},
                                {"ahead_low", lead.ahead.low},
                                {"ahead_high", lead.ahead.high},
                                {"ahead_is", sign_of(*lead.over, *lead.of)}});
    if (const auto p = parts_of_lead(t))
        out["parts"] = {{"schedule", p->schedule}, {"carrying", p->carrying}, {"clock", p->clock()},
                        {"overlap", p->overlap},   {"limits", p->limits},     {"search", p->search}};
    std::printf("%s\n", out.dump(2).c_str());
}

}  // namespace programs
