// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Fits a choice for every shape to results, and estimates its loss at shapes that it has not seen.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cost_table.hpp"
#include "tunekit/dispatch/detail/fitted.hpp"
#include "tunekit/dispatch/fit_options.hpp"
#include "tunekit/dispatch/results.hpp"

namespace tunekit::dispatch {

namespace detail {

[[nodiscard]] inline choice::held_out what_it_costs(const results& all, const cost_table& t, std::size_t r,
                                                    const pick& chosen, std::span<const std::uint32_t> kept)
{
    const table_row& row = t.rows[r];
    const std::uint32_t column = chosen.untuned && row.untuned != no_config ? row.untuned : kept[chosen.config];
    const results::row* const s = t.source(r, column);
    double least = t.loss(r, kept.front());
    for (const std::uint32_t c : kept) least = (std::min)(least, t.loss(r, c));
    choice::held_out out{.device = all.devices[row.device].device,
                         .at = row.at,
                         .by = chosen.by,
                         .candidate = t.candidates[column],
                         .seconds = row.best * std::exp(t.loss(r, column)),
                         .measured = s != nullptr && !s->at_least,
                         .best = row.best,
                         .of_kept = row.best * std::exp(least),
                         .alone = row.alone};
    if (row.untuned == no_config) return out;
    const results::row& untuned = *t.source(r, row.untuned);
    out.untuned = untuned.seconds;
    const double low = out.measured && std::isfinite(s->within.high) ? s->within.low : out.seconds;
    const double high = std::isfinite(untuned.within.high) ? untuned.within.high : untuned.seconds;
    out.below = column != row.untuned && low > high;
    return out;
}

/// The shapes of a table, each once, sorted.
[[nodiscard]] inline std::vector<shape_sizes> shapes_of(const cost_table& t)
{
    std::vector<shape_sizes> out;
    for (const table_row& r : t.rows) out.push_back(r.at);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// All that results say about choices: their table, the choice fitted to all of its rows, and what each rung costs at
/// shapes that its fit has not seen. Refers to the results.
struct whole_fit {
    cost_table table{};
    fitted over_all{};
    std::vector<choice::held_out> seen{};
};

/// What the kept configurations cost where the shape is known.
inline void add_exact(std::vector<choice::held_out>& to, const results& all, const cost_table& t,
                      const fitted& over_all)
{
    std::size_t r = 0;
    for (const choice::part& d : over_all.devices)
        for (const choice::shape& s : d.shapes)
            to.push_back(what_it_costs(all, t, r++, {s.config, rung::exact, s.untuned}, over_all.kept));
}

/// What the rungs cost at the rows `held`, which `f` has not seen.
inline void add_held_out(std::vector<choice::held_out>& to, const results& all, const cost_table& t, const fitted& f,
                         std::span<const std::size_t> held)
{
    for (const std::size_t r : held) {
        for (const choice::part& d : f.devices)
            if (d.device == std::to_string(t.rows[r].device))
                for (const rung by : {rung::nearest, rung::tree})
                    to.push_back(what_it_costs(all, t, r, choice::by_rung(d, by, t.rows[r].at), f.kept));
        to.push_back(what_it_costs(all, t, r, {f.one, rung::one, f.one_untuned}, f.kept));
    }
}

[[nodiscard]] inline whole_fit fit_whole(const results& all, const fit_options& options)
{
    options.validate();
    whole_fit out{.table = table_of(all)};
    const cost_table& t = out.table;
    std::vector<std::size_t> rows(t.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    out.over_all = fit_rows(t, rows, options);
    add_exact(out.seen, all, t, out.over_all);
    const auto shapes = shapes_of(t);
    if (shapes.size() < 2) return out;
    const std::size_t folds = options.folds == 0 ? shapes.size() : (std::min)(options.folds, shapes.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<std::size_t> in, held;
        for (const std::size_t r : rows) {
            const auto place = std::lower_bound(shapes.begin(), shapes.end(), t.rows[r].at) - shapes.begin();
            (static_cast<std::size_t>(place) % folds == fold ? held : in).push_back(r);
        }
        add_held_out(out.seen, all, t, fit_rows(t, in, options), held);
    }
    return out;
}

}  // namespace detail

/// The cost of each rung at shapes that its fit has not seen. Every shape is held out once, with all devices; with
/// `folds` above 0 several shapes are held out together. The configurations that only its own search found are held out
/// with it. The set of kernels is chosen anew for each fold. Rows of rung `exact` are not held out: they show the cost
/// of keeping few kernels where the shape was measured.
///
/// Errors: std::invalid_argument for options out of range; tunekit::error where no shape was measured. A single shape
///         gives rows of `exact` only.
/// Cost:   one fit for each fold.
[[nodiscard]] inline std::vector<choice::held_out> cross_validate(const results& all, const fit_options& options = {})
{
    return detail::fit_whole(all, options).seen;
}

/// What a choice costs at the shapes of `judged`, which may be other shapes than those of its fit. The `best` and
/// `alone` of the rows come from `judged`. A configuration that was not measured there counts as
/// `choice::held_out::seconds` says.
///
///     const auto chosen = dispatch::fit(learned);
///     const auto seen = dispatch::costs_at(chosen, judged);                       // shapes that the fit did not have
///     std::printf("%.3f\n", dispatch::choice::score::of(seen, dispatch::rung::tree).share);
///
/// Each shape has one row for `one`. Where the choice knows the device, it also has a row for `nearest` and one for
/// `tree`.
/// Errors: tunekit::error where `judged` is of another kernel, version or space, or has no measured shape.
[[nodiscard]] inline std::vector<choice::held_out> costs_at(const choice& chosen, const results& judged)
{
    if (judged.kernel != chosen.kernel || judged.version != chosen.version || judged.fingerprint != chosen.fingerprint)
        throw error("costs_at: results of " + judged.kernel +
                    " are of another kernel, version or space than the choice");
    std::vector<index> candidates;
    for (const choice::kept& k : chosen.configs) candidates.push_back(k.candidate);
    const detail::cost_table t = detail::table_of(judged, candidates);
    std::vector<std::uint32_t> kept;
    for (const index i : candidates)
        kept.push_back(static_cast<std::uint32_t>(std::lower_bound(t.candidates.begin(), t.candidates.end(), i) -
                                                  t.candidates.begin()));
    std::vector<choice::held_out> out;
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
        if (const choice::part* const d = chosen.of_device(judged.devices[t.rows[r].device].device))
            for (const rung by : {rung::nearest, rung::tree})
                out.push_back(detail::what_it_costs(judged, t, r, choice::by_rung(*d, by, t.rows[r].at), kept));
        out.push_back(detail::what_it_costs(judged, t, r, {chosen.one, rung::one, chosen.one_untuned}, kept));
    }
    return out;
}

inline choice::score choice::score::of(std::span<const held_out> rows, rung by, const std::string& device)
{
    score out{.by = by, .worst = 1, .least_gain = std::numeric_limits<double>::infinity()};
    double loss = 0, gain = 0;
    for (const choice::held_out& h : rows) {
        if (h.by != by || (!device.empty() && h.device != device)) continue;
        ++out.shapes;
        loss += std::log(h.seconds / h.best);
        out.worst = (std::min)(out.worst, h.best / h.seconds);
        if (!(h.untuned > 0)) continue;
        ++out.against;
        gain += std::log(h.untuned / h.seconds);
        out.least_gain = (std::min)(out.least_gain, h.untuned / h.seconds);
        out.below += h.below ? 1U : 0U;
    }
    out.share = out.shapes == 0 ? 0 : std::exp(-loss / out.shapes);
    out.worst = out.shapes == 0 ? 0 : out.worst;
    out.gain = out.against == 0 ? 0 : std::exp(gain / out.against);
    out.least_gain = out.against == 0 ? 0 : out.least_gain;
    return out;
}

namespace detail {

/// The choice that a fit of `all` came to.
[[nodiscard]] inline choice choice_of(const results& all, const whole_fit& from)
{
    const cost_table& t = from.table;
    const fitted& f = from.over_all;
    choice out{.kernel = all.kernel,
               .version = all.version,
               .fingerprint = all.fingerprint,
               .sizes = all.sizes,
               .parameters = all.parameters,
               .words = all.words,
               .one = f.one,
               .one_untuned = f.one_untuned,
               .devices = f.devices};
    for (const std::uint32_t c : f.kept) out.configs.push_back({.candidate = t.candidates[c], .values = t.values[c]});
    std::size_t first = 0;
    for (choice::part& d : out.devices) {
        const results::dated& on = all.devices[t.rows[first].device];
        first += d.shapes.size();
        d.device = on.device;
        d.date = on.date;
        for (const choice::shape& s : d.shapes) ++out.configs[s.config].shapes;
        for (const rung by : {rung::exact, rung::nearest, rung::tree, rung::one})
            if (const choice::score s = choice::score::of(from.seen, by, d.device); s.shapes > 0) d.scores.push_back(s);
        const double nearest = choice::score::of(from.seen, rung::nearest, d.device).share;
        d.general = nearest > choice::score::of(from.seen, rung::tree, d.device).share ? rung::nearest : rung::tree;
    }
    return out;
}

}  // namespace detail

/// Fits a choice for every shape to results at some shapes.
///
/// At most `max_kernels` configurations are kept. They are chosen so that the best of them at each shape loses least
/// against the shape's best, summed as logarithms over shapes and devices (greedy cover, then swaps). A configuration
/// that was not measured at a shape counts as the slowest of the shape. Then each device gets its measured shapes, for
/// the rungs `exact` and `nearest`, and a pruned decision tree over sizes, their products and quotients. In `nearest`
/// near neighbours count too, so that a lucky winner does not spread. The cross-validation decides which
/// of the two answers for unmeasured shapes. Its scores are in `choice::part::scores`.
///
/// Errors: std::invalid_argument for options out of range; tunekit::error where no shape was measured. A single shape
///         gives a choice that is the same everywhere and has no held-out scores.
/// Cost:   with leave-one-out, shapes x (max_kernels x configurations x shapes). 64 shapes and 154 configurations take
///         about 1 s.
/// Source: Cianfriglia, Vella, Nugteren, Lokhmotov, Fursin (2018), A Model-Driven Approach for a New Generation of
///         Adaptive Libraries, arXiv 1806.07060: few kernels, chosen by a tree over shapes.
/// Departures: the set is chosen for its loss, not by classes.
[[nodiscard]] inline choice fit(const results& all, const fit_options& options = {})
{
    return detail::choice_of(all, detail::fit_whole(all, options));
}

}  // namespace tunekit::dispatch
