// SPDX-License-Identifier: MIT
// What AdaTune's evaluator spends against 500 runs, and how far its mean is from the truth, on layers of which every run was recorded in
// its order. Replays draw blocks, so that drift and autocorrelation reach a rule; and single runs, for comparison.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/recorded_runs.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using programs::recorded_runs;

namespace {

struct settings {
    std::string recorded;
    std::size_t repeats = 20;
    std::uint64_t seed = 1;
    bool json = false;
};

struct evaluator {
    std::string name;
    measure::any_repetition rule;
};

/// The first is what the others are compared with. AdaTune's thresholds below its own show when the rule would act, fixed numbers what
/// as many runs of every configuration alike would do.
std::vector<evaluator> evaluators()
{
    std::vector<evaluator> out;
    const auto add = [&](const std::string& name, auto rule) { out.push_back({name, measure::any_repetition(rule)}); };
    for (const std::uint32_t n : {500U, 250U, 150U, 50U, 10U})
        add("fixed-" + std::to_string(n), measure::fixed{n, n < 50 ? 1U : 50U});
    add("adatune", measure::until_stable::paper());
    add("adatune-code", measure::until_stable::reference());
    for (const auto& [name, threshold] :
         {std::pair{"adatune-cv-3%", 0.03}, {"adatune-cv-1%", 0.01}, {"adatune-cv-0.3%", 0.003}})
        add(name, measure::until_stable{.threshold = threshold});
    return out;
}

/// What a rule did with one configuration, over all repeats.
struct outcome {
    double seconds = 0;  ///< of its runs
    std::vector<double> runs{}, errors{};
};

/// A rule under one way of drawing runs.
struct row {
    std::string draws, name;
    std::vector<outcome> of{};  ///< by configuration

    [[nodiscard]] std::vector<double> all(std::vector<double> outcome::* what) const
    {
        std::vector<double> out;
        for (const outcome& o : of) out.insert(out.end(), (o.*what).begin(), (o.*what).end());
        return out;
    }
};

/// A quotient of seconds, with its interval over configurations.
struct quotient {
    double value = 0;
    tk::stats::interval within{};
};

quotient seconds_over(const row& whole, const row& part, std::uint64_t seed)
{
    const auto of = [&](std::span<const std::uint32_t> which) {
        double a = 0, b = 0;
        for (const std::uint32_t k : which) {
            a += whole.of[k].seconds;
            b += part.of[k].seconds;
        }
        return a / b;
    };
    std::vector<std::uint32_t> each(whole.of.size());
    for (std::size_t k = 0; k < each.size(); ++k) each[k] = static_cast<std::uint32_t>(k);
    auto gen = tk::random::stream(seed, 0x71756f74U, 0);
    return {of(each), tk::stats::bootstrap_interval(each.size(), of, {}, gen)};
}

std::string text_of(const quotient& q)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.2f [%.2f, %.2f]", q.value, q.within.low, q.within.high);
    return text;
}

row played(const recorded_runs& on, const std::vector<measure::recorded_row>& table, const std::string& draws,
           const evaluator& how, const settings& s)
{
    row out{.draws = draws, .name = how.name, .of = std::vector<outcome>(table.size())};
    for (std::size_t r = 0; r < s.repeats; ++r) {
        const measure::resampled_rows<measure::any_repetition> replay(table, how.rule, s.seed + r);
        for (std::size_t k = 0; k < table.size(); ++k) {
            const auto got = replay.row(k, {});
            const double truth = tk::stats::mean(on.rows[k].result.batches);
            out.of[k].seconds += got.result.run_seconds - got.check_seconds;
            out.of[k].runs.push_back(got.result.runs);
            out.of[k].errors.push_back(100 * std::fabs(got.result.cost / truth - 1));
        }
    }
    return out;
}

/// What the machine does to runs of one configuration: medians over configurations, in percent but for the correlation.
struct noise {
    double run_cv = 0, block_cv = 0;  ///< of single runs, and of means of blocks, inside a pass
    double independent_cv = 0;        ///< what means of blocks would have were their runs independent
    double correlation = 0;           ///< of a run with the next, inside a pass
    double passes = 0;                ///< difference of the means of the first two passes
};

noise noise_of(const recorded_runs& on)
{
    std::vector<double> run, block, independent, correlation, passes;
    for (const auto& r : on.rows) {
        const std::span<const double> all(r.result.batches);
        std::vector<double> means;
        for (std::size_t at = 0; at < all.size(); at += r.pass_runs) {
            const auto pass = all.subspan(at, r.pass_runs);
            std::vector<double> blocks;
            for (std::size_t b = 0; b < pass.size(); b += r.block_runs)
                blocks.push_back(tk::stats::mean(pass.subspan(b, r.block_runs)));
            run.push_back(100 * tk::stats::coefficient_of_variation(pass));
            independent.push_back(run.back() / std::sqrt(static_cast<double>(r.block_runs)));
            block.push_back(100 * tk::stats::coefficient_of_variation(blocks));
            correlation.push_back(tk::stats::pearson(pass.first(pass.size() - 1), pass.subspan(1)));
            means.push_back(tk::stats::mean(pass));
        }
        if (means.size() > 1) passes.push_back(100 * std::fabs(means[1] / means[0] - 1));
    }
    const auto middle = [](std::vector<double>& x) { return x.empty() ? 0 : tk::stats::median(std::move(x)); };
    return {middle(run), middle(block), middle(independent), middle(correlation), middle(passes)};
}

/// What is printed of a row.
struct numbers {
    double runs = 0, least = 0, most = 0;
    double more = 0;  ///< share of measurements with more runs than the least of any, in percent
    quotient cheaper{};
    double error = 0, error_90 = 0;
};

numbers numbers_of(const row& whole, const row& r, std::uint64_t seed)
{
    const auto runs = r.all(&outcome::runs), errors = r.all(&outcome::errors);
    numbers out{.runs = tk::stats::mean(runs),
                .least = *std::min_element(runs.begin(), runs.end()),
                .most = *std::max_element(runs.begin(), runs.end()),
                .cheaper = seconds_over(whole, r, seed),
                .error = tk::stats::median(errors),
                .error_90 = tk::stats::quantile(errors, 0.9)};
    for (const double n : runs) out.more += n > out.least ? 100.0 / static_cast<double>(runs.size()) : 0;
    return out;
}

void study(const settings& s, const recorded_runs& on, nlohmann::ordered_json& out)
{
    auto single = on.rows;
    for (auto& r : single) r.pass_runs = 0;
    const noise n = noise_of(on);
    const std::size_t passes = on.rows.front().result.batches.size() / on.rows.front().pass_runs;
    nlohmann::ordered_json scores = nlohmann::ordered_json::array();
    if (!s.json) {
        std::printf(
            "%s: %zu configurations, %zu passes of %u runs, blocks of %u; %zu repeats; medians over configurations: cv "
            "of runs %.2f %%, of "
            "means of a block %.2f %% (independent runs: %.2f %%), correlation of a run with the next %.2f, passes "
            "differ by %.2f %%\n",
            on.name.c_str(), on.rows.size(), passes, on.rows.front().pass_runs, on.rows.front().block_runs, s.repeats,
            n.run_cv, n.block_cv, n.independent_cv, n.correlation, n.passes);
        std::printf("%-7s %-16s %7s %6s %6s %6s  %-20s %8s %8s\n", "draws", "evaluator", "runs", "least", "most",
                    "more %", "500 runs take, times", "error %", "90 % of");
    }
    for (const auto* const draws : {"blocks", "single"}) {
        const auto& table = draws == std::string("blocks") ? on.rows : single;
        row whole;
        for (const evaluator& how : evaluators()) {
            auto r = played(on, table, draws, how, s);
            if (whole.of.empty()) whole = r;
            const numbers x = numbers_of(whole, r, s.seed);
            if (s.json)
                scores.push_back({{"draws", draws},
                                  {"evaluator", how.name},
                                  {"runs", x.runs},
                                  {"min_runs", x.least},
                                  {"max_runs", x.most},
                                  {"more_than_min_percent", x.more},
                                  {"cheaper", x.cheaper.value},
                                  {"cheaper_low", x.cheaper.within.low},
                                  {"cheaper_high", x.cheaper.within.high},
                                  {"error_percent", x.error},
                                  {"error_percent_90", x.error_90}});
            else
                std::printf("%-7s %-16s %7.1f %6.0f %6.0f %6.1f  %-20s %8.3f %8.3f\n", draws, how.name.c_str(), x.runs,
                            x.least, x.most, x.more, text_of(x.cheaper).c_str(), x.error, x.error_90);
        }
    }
    if (s.json)
        out.push_back({{"layer", on.name},
                       {"configurations", on.rows.size()},
                       {"run_cv_percent", n.run_cv},
                       {"block_cv_percent", n.block_cv},
                       {"independent_cv_percent", n.independent_cv},
                       {"correlation", n.correlation},
                       {"passes_differ_percent", n.passes},
                       {"scores", scores}});
}

void run(settings s)
{
    tk::require(s.repeats > 0, "--repeats is 0, want at least 1");
    if (s.recorded.empty()) s.recorded = tk::scoring::recordings_folder(TUNEKIT_RECORDINGS) + "/runs";
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (const auto& layer : programs::load_runs(s.recorded)) study(s, layer, layers);
    if (s.json)
        std::printf(
            "%s\n",
            nlohmann::ordered_json{{"seed", s.seed}, {"repeats", s.repeats}, {"layers", layers}}.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app(
        "What rules of repetition spend and how far off they are, on recordings of every run in its order.",
        "bench_evaluators");
    app.add_option("--recorded", s.recorded,
                   "folder of recordings with the order of their runs; by default the project's own");
    app.repeats(s.repeats, "draws of each configuration");
    app.seed(s.seed, "of the first repeat's draws");
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
