// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A portfolio of two models: what the mixture of their predictions expects to improve most is measured next.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/search/detail/asked_rows.hpp"
#include "tunekit/search/detail/calendar.hpp"
#include "tunekit/search/detail/guidance.hpp"
#include "tunekit/search/detail/in_turn.hpp"
#include "tunekit/search/detail/least_crowded.hpp"
#include "tunekit/search/detail/past.hpp"
#include "tunekit/search/detail/standings.hpp"
#include "tunekit/search/detail/two_views.hpp"
#include "tunekit/search/idle_parameters.hpp"
#include "tunekit/search/scores.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/validity.hpp"

namespace tunekit::search {

/// Settings of `portfolio` that belong to neither of its models.
struct portfolio_options {
    std::size_t first = 8;           ///< >= 1; configurations before the first fit
    std::size_t first_draws = 64;    ///< >= 1; each is the most isolated of this many random draws; 1: plain random
    double cost_cap_quantile = 0.5;  ///< in (0, 1]; to the forest, failures and slower costs count as this quantile
    std::size_t sample = 2000;       ///< >= 1; random candidates in a list
    std::size_t shortlist = 128;     ///< >= 1; kept of a list by each model, until the next list
    std::size_t process_rows = 300;  ///< >= 16; the most measurements that the Gaussian process sees
    double failing_share = 0.15;     ///< > 0; failures are information from this share of the answers on; +inf: never

    /// Throws std::invalid_argument where a setting is out of range.
    void check() const
    {
        require(first >= 1, "portfolio: first is 0, want >= 1");
        require(first_draws >= 1, "portfolio: first_draws is 0, want >= 1");
        require(cost_cap_quantile > 0 && cost_cap_quantile <= 1,
                "portfolio: cost_cap_quantile is outside (0, 1] or NaN, want a share");
        require(sample >= 1, "portfolio: sample is 0, want >= 1");
        require(shortlist >= 1, "portfolio: shortlist is 0, want >= 1");
        require(process_rows >= 16, "portfolio: process_rows is below 16, want >= 16");
        require(failing_share > 0, "portfolio: failing_share is not above 0, want a share");
    }
};

/// Fits two models to -ln cost and proposes the candidate of the highest expected improvement by the half-and-half
/// mixture of their predictive distributions:
///
///     EI(x) = EI_forest(x) / 2 + EI_process(x) / 2,   each of -ln cost above the best
///
/// It helps where the two err in different ways: a forest sees steps and interactions, a Gaussian process sees trends,
/// and is unsure far from all measurements. The first configurations spread over the values of every parameter; then
/// candidates are random ones that a model likes and neighbours of the best. It never waits for what is out.
///
/// A failure counts as the worst valid cost, while few fail. Where at least `failing_share` of the answers failed, the
/// optimum often lies beside failures, and a cliff of costs there hides it. Then
///
///   * the Gaussian process believes of failed configurations what it predicts: the mean stays, the uncertainty
///     shrinks;
///   * ln P(valid) of a second forest (`surrogate::validity`) is added to the criterion of both models, and so is the
///     chance to be no copy of a known configuration (`idle_parameters`);
///   * every second proposal is a neighbour of the best measured ones;
///   * the first configurations go on until one is valid.
///
/// With a `past` that fits the space it begins with what the sources found, and their forecasts are features of both
/// models; half of the requests and more go to a second state that knows nothing of the past.
///
/// Randomness: `first_draws` samples per first configuration; per list a `sample`, or a shuffle of a space that is no
///             larger; a shuffle per round of neighbours; what the models draw.
/// Cost:       per line of proposals fits of the models to at most `forest_rows` and `process_rows` measurements, and
///             predictions for the shortlists and at most 640 neighbours; `detail::calendar` says how often. Memory
///             O(trials + shortlist process_rows).
/// Threads:    const calls on distinct states are safe.
/// Source:     ours; the expected improvement of a mixture is the mixture of the expected improvements. SMAC (Hutter,
///             Hoos, Leyton-Brown 2011) searches locally from the best measured, too.
template <class Forest, class Process>
struct portfolio {
    static_assert(surrogate::model<Forest, surrogate::features, archetype::generator>,
                  "tunekit: portfolio, part 1: not a surrogate::model over features");
    static_assert(surrogate::model<Process, surrogate::features, archetype::generator>,
                  "tunekit: portfolio, part 2: not a surrogate::model over features");

    Forest forest;    ///< fitted to capped -ln cost
    Process process;  ///< fitted to -ln cost
    portfolio_options options{};
    forecasts past{};  ///< what was measured before; empty: nothing is known

    static constexpr std::size_t centres = 4;                            ///< best measured whose neighbours are judged
    static constexpr std::size_t rounds = 4;                             ///< of neighbours of candidates
    static constexpr std::size_t round_neighbours = 128;                 ///< the most judged in a round
    static constexpr std::size_t forest_rows = 2000;                     ///< the most measurements that the forest sees
    static constexpr auto forest_encoding = space::encoding::values;     ///< what the forest sees of a configuration
    static constexpr auto process_encoding = space::encoding::ordinals;  ///< what the Gaussian process sees of it

    /// The state of a run. It is a regular value where the models' states are: copy it to replay.
    struct state {
        surrogate::state_of<Forest> forest;      ///< what the forest has learned
        surrogate::state_of<Process> process;    ///< what the Gaussian process has learned
        space::unvisited proposed;               ///< the configurations proposed or observed, and the rest
        detail::used_values used;                ///< how often each value of a parameter was proposed or observed
        detail::past past;                       ///< all that was proposed or observed
        detail::standings best;                  ///< the `centres` best measurements, best first
        std::size_t failed = 0;                  ///< answers that are failures
        bool knows_valid = false;                ///< whether `valid` was fitted with the forest
        surrogate::state_of<Forest> valid;       ///< what a second forest has learned of failures
        detail::window forest_sees;              ///< what the forest learns from
        detail::window process_sees;             ///< what the Gaussian process learns from
        std::vector<index> listed;               ///< the shortlists
        detail::asked_rows<Forest> by_forest;    ///< what the forest predicted lately
        detail::asked_rows<Process> by_process;  ///< and the Gaussian process
        std::vector<index> line;                 ///< what to propose next, the next one last
        detail::calendar due;                    ///< when the forest, the shortlists and the line are made again
        detail::guidance told;                   ///< what the past says of the space
        detail::turns turn;                      ///< with a past: whose proposal is next
        detail::other_state<state> alone;        ///< with a past: the state that knows nothing of it

        friend bool operator==(const state&, const state&) = default;
    };

    /// Takes an experience as its past; an empty one changes nothing.
    void remember(forecasts known) { past = std::move(known); }

    /// Starts a run. Errors: those of `portfolio_options::check` and of the models.
    template <class Space>
    [[nodiscard]] state start(const Space& space) const
    {
        options.check();
        state s, cold;
        cold.forest = cold.valid = forest.start(space.feature_count(forest_encoding));
        cold.process = process.start(space.feature_count(process_encoding));
        if (past.empty()) return cold;
        s.told = detail::guidance(space, past);
        if (!s.told.on()) return cold;
        s.forest = s.valid = forest.start(columns(s, space, forest_encoding, forest_told(s)));
        s.process = process.start(columns(s, space, process_encoding, true));
        s.turn.starts = s.told.starts();
        s.due = cold.due = detail::calendar(2);
        s.alone.hold(std::move(cold));
        return s;
    }

    /// At most `n` configurations; fewer where the first ones or the space end. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        if (!s.alone.there()) return own(s, space, n, gen);
        return detail::proposed_in_turn(s.turn, space, n, [&](bool plain, std::size_t some) {
            return own(plain ? *s.alone : s, space, some, gen);
        });
    }

    template <class Space, generator G>
    void observe(state& s, const Space& space, std::span<const index> batch,
                 std::span<const measure::measurement> measured, G&) const
    {
        assert(batch.size() == measured.size());
        hear(s, space, batch, measured);
        if (!s.alone.there()) return;
        hear(*s.alone, space, batch, measured);
        s.turn.hear(batch, measured);
    }

    /// What the Gaussian process expected of ln cost when it was fitted last; empty before that. With a past it is that
    /// of the state that knows nothing of it.
    template <class Space>
    [[nodiscard]] std::optional<stats::prediction> expected(const state& of_both, const Space& space, index i) const
    {
        const state& s = of_both.alone.there() ? *of_both.alone : of_both;
        if (!s.due.begun()) return std::nullopt;
        const core::plain_vector<float> row = rows_of(s, space, {i}, process_encoding, true);
        stats::prediction out;
        process.predict(s.process, surrogate::features(row, columns(s, space, process_encoding, true)),
                        std::span(&out, 1));
        return stats::prediction{.mean = -out.mean, .sd = out.sd};
    }

    /// Tells a state anew what came of everything that it has heard of: `log_cost(i)` stands for ln of the cost of
    /// configuration i; +inf is a failure. Both models are then fitted, and candidates drawn, anew. For a state without
    /// a past. Cost O(answered (out + 1)) besides.
    template <class LogCost>
    void retell(state& s, const LogCost& log_cost) const
    {
        s.best = {};
        s.failed = 0;
        for (std::size_t k = 0; k < s.past.size(); ++k) {
            if (s.past.out(k)) continue;
            const double x = log_cost(s.past.at(k));
            s.past.retell(k, x);
            if (x < detail::past::failure) s.best.add(s.past.at(k), x, centres);
            else ++s.failed;
        }
        s.due.start_over();
    }

private:
    /// What the state itself proposes: first the most isolated of some draws, then the best in line.
    template <class Space, class G>
    [[nodiscard]] std::vector<index> own(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        const std::size_t firsts = s.told.on() ? s.told.first(options.first) : options.first;
        const bool first = s.past.size() < firsts;
        if (first) n = (std::min)(n, firsts - s.past.size());
        while (batch.size() < n && s.proposed.taken() < space.size()) {
            std::optional<index> i;
            if (first || s.best.ranking.empty()) {
                if (options.first_draws > 1 && (first || s.past.out() > 0 || s.told.on() || much_fails(s)))
                    i = detail::least_crowded(space, s.used, options.first_draws, s.proposed, gen);
            } else {
                i = next(s, space, gen);
            }
            if (i) s.proposed.take(*i);
            else i = s.proposed.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
            s.used.add(space, std::span(&*i, 1));
            s.process_sees.rows.push_back(s.past.propose(*i));
        }
        return batch;
    }

    template <class Space>
    void hear(state& s, const Space& space, std::span<const index> batch,
              std::span<const measure::measurement> measured) const
    {
        for (std::size_t k = 0; k < batch.size(); ++k) {
            const bool failed = measured[k].failed || !(measured[k].cost > 0) || !std::isfinite(measured[k].cost);
            const double x = failed ? detail::past::failure : std::log(measured[k].cost);
            s.proposed.take(batch[k]);
            const std::size_t before = s.past.size(), at = s.past.answer(batch[k], x);
            const bool chosen_elsewhere = s.past.size() > before;
            if (chosen_elsewhere) s.used.add(space, batch.subspan(k, 1));
            auto& seen = s.process_sees.rows;  // what was out for long may have left it
            if (chosen_elsewhere || std::find(seen.begin(), seen.end(), at) == seen.end()) seen.push_back(at);
            s.forest_sees.rows.push_back(at);
            if (failed) ++s.failed;
            if (!failed && !measured[k].at_least) s.best.add(batch[k], x, centres);
        }
    }

    /// Whether failures are information.
    [[nodiscard]] bool much_fails(const state& s) const
    {
        return s.failed > 0 &&
               static_cast<double>(s.failed) >= options.failing_share * static_cast<double>(s.past.answered());
    }

    [[nodiscard]] static constexpr bool believes()
    {
        return requires(const Process& m, surrogate::state_of<Process>& s, const surrogate::features& rows,
                        std::span<const double> y, std::span<const std::size_t> out,
                        archetype::generator& gen) { m.fit(s, rows, y, out, gen); };
    }

    template <class Space, class G>
    [[nodiscard]] std::optional<index> next(state& s, const Space& space, G& gen) const
    {
        if (!s.due.line_ends(s.past.size(), s.best.ranking.front()))
            if (const auto i = next_in_line(s)) return i;
        rank(s, space, gen);
        return next_in_line(s);
    }

    /// Takes the last of the line that was not proposed, and drops those behind it.
    [[nodiscard]] static std::optional<index> next_in_line(state& s)
    {
        while (!s.line.empty()) {
            const index i = s.line.back();
            s.line.pop_back();
            if (!s.proposed.contains(i)) return i;
        }
        return std::nullopt;
    }

    /// Makes the line: the candidates of the highest expected improvement by the mixture.
    template <class Space, class G>
    void rank(state& s, const Space& space, G& gen) const
    {
        const std::size_t known = s.past.size();
        fit_forest(s, space, gen);
        fit_process(s, space, gen);
        const bool anew = s.due.take_list(known);
        if (anew) list(s, space, gen);
        std::erase_if(s.listed, [&](index i) { return s.proposed.contains(i); });
        const idle_parameters idle = much_fails(s) ? idle_in(s, space) : idle_parameters();
        detail::two_views seen;
        judge(s, space, s.listed, idle, seen);
        if (anew) keep_best(s, seen);
        std::vector<index> beside;  // the neighbours of the best measured ones
        for (const index centre : s.best.ranking) {
            const auto some = space.neighbours_of(centre, space::neighbourhood::any_value);
            beside.insert(beside.end(), some.begin(), some.end());
        }
        climb(s, space, idle, beside, seen, gen);
        if (anew || known < detail::calendar::each_until) {
            s.by_forest.only(s.listed);
            s.by_process.only(s.listed);
        } else if (2 * s.by_process.size() > 3 * seen.of.size()) {
            s.by_process.only(seen.of);
        }

        const std::size_t length = s.due.begin_line(known, s.best.ranking.front(), options.process_rows);
        s.line.clear();
        for (const std::uint32_t k : seen.best(length, seen.by_mixture)) s.line.push_back(seen.of[k]);
        if (much_fails(s) && known % 2 == 0)
            if (const auto i = best_of(beside, seen)) s.line.front() = *i;
        std::reverse(s.line.begin(), s.line.end());
    }

    /// What the measurements that the Gaussian process sees say of the parameters.
    template <class Space>
    [[nodiscard]] static idle_parameters idle_in(const state& s, const Space& space)
    {
        std::vector<index> which;
        std::vector<double> log_costs;
        for (const std::size_t k : s.process_sees.rows) {
            if (s.past.out(k) || s.past.log_cost(k) == detail::past::failure) continue;
            which.push_back(s.past.at(k));
            log_costs.push_back(s.past.log_cost(k));
        }
        return {space, which, log_costs};
    }

    /// Of `seen` the best by the mixture that is one of `these`.
    [[nodiscard]] static std::optional<index> best_of(const std::vector<index>& these, const detail::two_views& seen)
    {
        space::index_set wanted;
        for (const index i : these) wanted.insert(i);
        std::optional<std::size_t> best;
        for (std::size_t k = 0; k < seen.of.size(); ++k)
            if (wanted.contains(seen.of[k]) && (!best || seen.by_mixture[k] > seen.by_mixture[*best])) best = k;
        if (!best) return std::nullopt;
        return seen.of[*best];
    }

    /// Fits the forest to min(ln cost, q), where q is the quantile `cost_cap_quantile` of the valid ones: differences
    /// among bad costs would take most splits. A failure counts as q, and a measurement cut short as its bound.
    template <class Space, class G>
    void fit_forest(state& s, const Space& space, G& gen) const
    {
        if (!s.due.take_forest(s.past.answered())) return;
        s.forest_sees.trim(s.past, forest_rows);
        std::vector<index> which;
        std::vector<double> log_costs;
        for (const std::size_t k : s.forest_sees.rows) {
            which.push_back(s.past.at(k));
            log_costs.push_back(s.past.log_cost(k));
        }
        const core::plain_vector<float> rows = rows_of(s, space, which, forest_encoding, forest_told(s));
        const surrogate::features seen(rows, columns(s, space, forest_encoding, forest_told(s)));
        s.knows_valid = much_fails(s);
        if (s.knows_valid) {
            std::vector<double> ran;
            for (const double x : log_costs) ran.push_back(x < detail::past::failure ? 1 : 0);
            surrogate::validity{forest}.fit(s.valid, seen, ran, gen);
        }
        detail::draw_near(log_costs);
        forest.fit(s.forest, seen, detail::capped_log_scores(log_costs, options.cost_cap_quantile), gen);
        s.by_forest.refresh(forest, s.forest);
    }

    /// Fits the Gaussian process. A failure counts as the worst valid cost. It believes that what is out costs what it
    /// predicts: the mean stays, the uncertainty shrinks. So it does of failures where much fails. A model without such
    /// a `fit` is not told of them.
    template <class Space, class G>
    void fit_process(state& s, const Space& space, G& gen) const
    {
        s.process_sees.trim(s.past, options.process_rows);
        const bool much = much_fails(s);
        std::vector<index> which;
        std::vector<double> log_costs;
        std::vector<std::size_t> open;
        for (const std::size_t k : s.process_sees.rows) {
            const bool out = s.past.out(k) || (much && s.past.log_cost(k) == detail::past::failure);
            if (out && !believes()) continue;
            if (out) open.push_back(which.size());
            which.push_back(s.past.at(k));
            log_costs.push_back(out ? detail::past::failure : s.past.log_cost(k));
        }
        const core::plain_vector<float> rows = rows_of(s, space, which, process_encoding, true);
        const surrogate::features taken(rows, columns(s, space, process_encoding, true));
        detail::draw_near(log_costs);
        std::vector<double> scores = detail::capped_log_scores(log_costs, 1);
        s.told.weigh(space, which, scores, open);
        if constexpr (believes()) process.fit(s.process, taken, scores, open, gen);
        else process.fit(s.process, taken, scores, gen);
        s.by_process.refresh(process, s.process);
    }

    /// Makes the list of candidates: random ones, the whole space where that is no larger.
    template <class Space, class G>
    void list(state& s, const Space& space, G& gen) const
    {
        if (space.size() <= options.sample) {
            s.listed.resize(static_cast<std::size_t>(space.size()));
            std::iota(s.listed.begin(), s.listed.end(), index{0});
            tunekit::random::shuffle(s.listed, gen);
        } else {
            s.listed = space.sample(options.sample, gen);
        }
        space::index_set seen;  // a sample repeats itself
        std::erase_if(s.listed, [&](index i) { return !seen.insert(i); });
    }

    /// Keeps of the list, which was `seen`, what one of the models likes best.
    void keep_best(state& s, const detail::two_views& seen) const
    {
        core::plain_vector<char> liked(s.listed.size(), 0);
        for (const auto* by : {&seen.by_process, &seen.by_forest})
            for (const std::uint32_t k : seen.best(options.shortlist, *by)) liked[k] = 1;
        s.listed.clear();
        for (std::size_t k = 0; k < liked.size(); ++k)
            if (liked[k]) s.listed.push_back(seen.of[k]);
    }

    /// Adds the neighbours (one parameter changed) of the best measured ones to `seen`, which are `beside` them, then,
    /// in rounds, those of the best in it by the mixture and by each model.
    template <class Space, class G>
    void climb(state& s, const Space& space, const idle_parameters& idle, const std::vector<index>& beside,
               detail::two_views& seen, G& gen) const
    {
        space::index_set known, centred;
        for (const index i : seen.of) known.insert(i);
        for (const index i : s.best.ranking) centred.insert(i);
        std::vector<index> fresh;
        const auto add_new = [&](const std::vector<index>& some) {
            for (const index i : some)
                if (!s.proposed.contains(i) && known.insert(i)) fresh.push_back(i);
        };
        const auto around = [&](index centre) {
            if (centred.insert(centre)) add_new(space.neighbours_of(centre, space::neighbourhood::any_value));
        };
        add_new(beside);
        for (std::size_t round = 0;; ++round) {
            tunekit::random::shuffle(fresh, gen);
            fresh.resize((std::min)(fresh.size(), round_neighbours));
            judge(s, space, fresh, idle, seen);
            if (round == rounds) return;
            fresh.clear();
            for (const std::uint32_t k : seen.best(2, seen.by_mixture)) around(seen.of[k]);
            if (round < 2)
                for (const auto* by : {&seen.by_process, &seen.by_forest})
                    for (const std::uint32_t k : seen.best(1, *by)) around(seen.of[k]);
            if (fresh.empty()) return;
        }
    }

    /// Appends `which` to `seen`, as both models judge them.
    template <class Space>
    void judge(state& s, const Space& space, const std::vector<index>& which, const idle_parameters& idle,
               detail::two_views& seen) const
    {
        const auto for_forest = [&](const std::vector<index>& some) {
            return rows_of(s, space, some, forest_encoding, forest_told(s));
        };
        core::plain_vector<stats::prediction> predicted = s.by_process.predict(
            process, s.process, which,
            [&](const std::vector<index>& some) { return rows_of(s, space, some, process_encoding, true); });
        s.told.add_mean(space, which, predicted);
        std::vector<double> by_process, by_forest;
        for (const stats::prediction& p : predicted) by_process.push_back(value(s, p));
        for (const stats::prediction& p : s.by_forest.predict(forest, s.forest, which, for_forest))
            by_forest.push_back(value(s, p));
        const auto weigh = [&](const std::vector<double>& logs) {
            for (std::size_t k = 0; k < logs.size(); ++k) {
                by_process[k] += logs[k];
                by_forest[k] += logs[k];
            }
        };
        if (much_fails(s)) {
            const core::plain_vector<float> rows = for_forest(which);
            const surrogate::features candidates(rows, columns(s, space, forest_encoding, forest_told(s)));
            if (s.knows_valid) weigh(surrogate::validity{forest}.log_chances(s.valid, candidates));
            weigh(idle.log_new(space, which));
        }
        seen.add(which, by_process, by_forest);
    }

    /// The features of a row, with the forecasts where the model is told of them.
    template <class Space>
    [[nodiscard]] static std::size_t columns(const state& s, const Space& space, space::encoding encoding, bool told)
    {
        return space.feature_count(encoding) + (told ? s.told.sources() : 0);
    }

    template <class Space>
    [[nodiscard]] static core::plain_vector<float> rows_of(const state& s, const Space& space,
                                                           const std::vector<index>& which, space::encoding encoding,
                                                           bool told)
    {
        const std::size_t d = space.feature_count(encoding);
        core::plain_vector<float> rows(which.size() * d);
        space.features(which, rows, encoding);
        return told ? s.told.with_columns(space, which, std::move(rows), d) : rows;
    }

    /// Of one source alone the forest hears nothing.
    [[nodiscard]] static bool forest_told(const state& s) { return !s.told.careful(); }

    [[nodiscard]] static double value(const state& s, const stats::prediction& p)
    {
        const double best = s.best.log_costs.front(), broken = std::log(measure::broken_cost);
        return stats::log_expected_excess(p, best < broken ? -best : broken - best);  // as `draw_near` has it
    }
};

template <class F, class P>
portfolio(F, P, portfolio_options = {}) -> portfolio<F, P>;

}  // namespace tunekit::search
