// SPDX-License-Identifier: MIT What the history of other layers, or of other machines, is worth: evaluations to 1.05 x
// optimum of a recorded space with and without the trials of up to three others that have the same parameters.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/program.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/search/history.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

struct settings {
    std::string spaces, only, strategy = "all";
    std::size_t repeats = 25, others = 3, trials = 128, evaluations = 250;
    std::uint64_t seed = 1;
    bool json = false;
};

using trials = std::vector<tk::measure::trial>;

template <class Strategy>
trials run(const Strategy& strategy, const tk::scoring::recording& on, std::size_t most, tk::random::philox& gen)
{
    double now = 0;
    tk::measure::replay measurer(on.rows, tk::measure::virtual_clock(now));
    return tk::tune(on.space, measurer, tk::recipe{strategy, tk::measure::fixed{}, {}, 1}, {.trials = most}, gen)
        .trials();
}

/// Evaluations to 1.05 x optimum; `most` + 1 where they did not suffice.
double needed(const trials& all, const tk::scoring::recording& on, std::size_t most)
{
    for (std::size_t i = 0; i < all.size() && i < most; ++i)
        if (all[i].measured.ok() && all[i].measured.cost <= 1.05 * on.optimum) return static_cast<double>(i + 1);
    return static_cast<double>(most + 1);
}

std::vector<std::size_t> others_of(const std::vector<tk::scoring::recording>& all, std::size_t k, std::size_t most)
{
    std::vector<std::size_t> out;
    for (std::size_t step = 1; step < all.size() && out.size() < most; ++step) {
        const std::size_t j = (k + step) % all.size();
        const auto mine = all[k].space.names(), theirs = all[j].space.names();
        if (std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end())) out.push_back(j);
    }
    return out;
}

/// A row of the table.
struct comparison {
    std::string strategy, space;
    std::size_t others = 0;
    double without = 0, with = 0;  ///< medians
    programs::middle ratio;
};

comparison compare(const char* name, const tk::scoring::recording& on, std::size_t others,
                   const std::vector<double>& without, const std::vector<double>& with)
{
    std::vector<double> ratio(with.size());
    for (std::size_t r = 0; r < ratio.size(); ++r) ratio[r] = without[r] / with[r];
    return {name, on.name, others, tk::stats::median(without), tk::stats::median(with), programs::middle_of(ratio)};
}

void print(const comparison& c, std::size_t most)
{
    const auto text = [&](double median) {
        return median > static_cast<double>(most) ? "> " + std::to_string(most) : tk::core::text_of(median);
    };
    std::printf("%-12s %-26s %6zu %10s %10s %9.2f   %.2f .. %.2f\n", c.strategy.c_str(), c.space.c_str(), c.others,
                text(c.without).c_str(), text(c.with).c_str(), c.ratio.median, c.ratio.low, c.ratio.high);
    std::fflush(stdout);
}

nlohmann::ordered_json to_json(const comparison& c, std::size_t most)
{
    const auto reached = [&](double median) {
        return median > static_cast<double>(most) ? nlohmann::ordered_json() : nlohmann::ordered_json(median);
    };
    nlohmann::ordered_json out{{"strategy", c.strategy},
                               {"space", c.space},
                               {"others", c.others},
                               {"evaluations_without", reached(c.without)},
                               {"evaluations_with", reached(c.with)}};
    programs::add(out, "ratio", c.ratio);
    return out;
}

/// Calls `tell` with each comparison as soon as there is one.
template <class Strategy, class Tell>
void study(const char* name, const Strategy& strategy, const std::vector<tk::scoring::recording>& all,
           const settings& s, const Tell& tell)
{
    if (s.strategy != "all" && s.strategy != name) return;
    std::vector<std::vector<trials>> alone(all.size());  // of each space, one run per seed
    for (std::size_t k = 0; k < all.size(); ++k)
        for (std::size_t r = 0; r < s.repeats; ++r) {
            auto gen = tk::random::stream(s.seed, 0x616c6f6eU, r * all.size() + k);
            alone[k].push_back(run(strategy, all[k], (std::max)(s.trials, s.evaluations), gen));
        }
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto others = others_of(all, k, s.others);
        if (others.empty()) continue;
        std::vector<double> without, with;
        for (std::size_t r = 0; r < s.repeats; ++r) {
            auto gen = tk::random::stream(s.seed, 0x77697468U, r * all.size() + k);
            tk::search::history past(strategy.options);
            for (const std::size_t j : others)
                past.add(
                    all[j].space,
                    std::span<const tk::measure::trial>(alone[j][r]).first((std::min)(s.trials, alone[j][r].size())));
            without.push_back(needed(alone[k][r], all[k], s.evaluations));
            with.push_back(needed(run(tk::search::with_history(strategy, past, gen), all[k], s.evaluations, gen),
                                  all[k], s.evaluations));
        }
        tell(compare(name, all[k], others.size(), without, with));
    }
}

void run_all(const settings& s)
{
    if (s.repeats == 0 || s.trials == 0 || s.evaluations == 0)
        tk::invalid("--repeats, --trials and --evaluations are counts, want >= 1");
    const std::vector<std::string> known{"all", "autotvm", "autotvm-rank", "adatune"};
    if (std::find(known.begin(), known.end(), s.strategy) == known.end())
        tk::invalid("--strategy \"" + s.strategy +
                    "\" has no form with a history, want all, autotvm, autotvm-rank or adatune");
    const auto all = programs::load_spaces("bench_transfer", s.spaces, s.only);
    auto rows = nlohmann::ordered_json::array();
    const auto tell = [&](const comparison& c) {
        if (s.json) rows.push_back(to_json(c, s.evaluations));
        else print(c, s.evaluations);
    };
    if (!s.json)
        std::printf("%-12s %-26s %6s %10s %10s %9s   %s\n", "strategy", "space", "others", "without", "with", "ratio",
                    "95 %");
    study("autotvm", tk::recipes::autotvm_reg().strategy, all, s, tell);
    study("autotvm-rank", tk::recipes::autotvm_rank().strategy, all, s, tell);
    study("adatune", tk::recipes::adatune().strategy, all, s, tell);
    if (!s.json) return;
    const nlohmann::ordered_json out{
        {"seed", s.seed}, {"repeats", s.repeats}, {"trials", s.trials}, {"evaluations", s.evaluations}, {"rows", rows}};
    std::printf("%s\n", out.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app(
        "Median evaluations to 1.05 x optimum of recorded spaces, without and with the history of others of the same "
        "parameters; the median of "
        "the ratio over seeds and its interval.",
        "bench_transfer");
    app.spaces(s.spaces, s.only);
    app.add_option("--strategy", s.strategy, "all, autotvm, autotvm-rank or adatune");
    app.add_option("--others", s.others, "at most so many spaces in the history");
    app.add_option("--trials", s.trials, "of the history, from each of them, by the same strategy and seed");
    app.add_option("--evaluations", s.evaluations, "a run ends after so many");
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.json(s.json);
    return app.run(argc, argv, [&] { run_all(s); });
}
