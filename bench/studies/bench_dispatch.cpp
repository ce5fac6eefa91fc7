// SPDX-License-Identifier: MIT
// What a few kernels and a rule lose against tuning each shape alone, at shapes that the rule has not seen: from recorded
// results. With --costs, what a pick takes, beside a switch and a map's look-up.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/studies/support/pick_costs.hpp"
#include "tools/support/program.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/formats/gzip.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/bootstrap.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

struct settings {
    std::string results, judged, header, choice;
    std::vector<std::size_t> kernels{1, 2, 4, 8, 16};
    std::size_t costs = 0;
    dispatch::fit_options fit;
    bool json = false;
};

/// A rung with so many kernels.
struct row {
    std::size_t max_kernels = 0, kept = 0;
    dispatch::choice::score score;
    tk::stats::interval share;  ///< 95 %, shapes resampled
    double alone = 0;           ///< geometric mean of the shape's own search / chosen
    double set = 0;     ///< geometric mean of best / the best that the rule may answer; share is this times choice
    double choice = 0;  ///< geometric mean of that / chosen
    std::size_t unmeasured = 0;
};

double mean_share(std::span<const dispatch::choice::held_out> of, std::span<const std::uint32_t> which)
{
    double sum = 0;
    for (const std::uint32_t k : which) sum += std::log(of[k].best / of[k].seconds);
    return std::exp(sum / static_cast<double>(which.size()));
}

row scored(const std::vector<dispatch::choice::held_out>& seen, dispatch::rung by, bool or_untuned)
{
    std::vector<dispatch::choice::held_out> own;
    std::copy_if(seen.begin(), seen.end(), std::back_inserter(own), [&](const auto& h) { return h.by == by; });
    row out;
    out.score = dispatch::choice::score::of(own, by);
    tk::random::philox gen(1);
    out.share = tk::stats::bootstrap_interval(
        own.size(), [&](std::span<const std::uint32_t> some) { return mean_share(own, some); }, {}, gen);
    double sum = 0, in_choice = 0;
    for (const auto& h : own) {
        sum += std::log(h.alone / h.seconds);
        const double reach = or_untuned && h.untuned > 0 ? (std::min)(h.of_kept, h.untuned) : h.of_kept;
        in_choice += std::log(reach / h.seconds);
        out.unmeasured += h.measured ? 0U : 1U;
    }
    out.alone = std::exp(sum / static_cast<double>(own.size()));
    out.choice = std::exp(in_choice / static_cast<double>(own.size()));
    out.set = out.score.share / out.choice;
    return out;
}

/// Nanoseconds of one choice at run time, over all measured shapes and as many beside them.
double choose_ns(const dispatch::choice& c)
{
    std::vector<dispatch::shape_sizes> at;
    for (const auto& s : c.devices.front().shapes) {
        at.push_back(s.at);
        at.push_back(s.at);
        for (auto& x : at.back()) x += 1 + x / 3;
    }
    const tk::measure::wall_clock now;
    double best = 1;
    for (int round = 0; round < 5; ++round) {
        const double start = now();
        std::uint64_t sum = 0;
        for (int k = 0; k < 100; ++k)
            for (const auto& x : at) sum += dispatch::choice::choose(c.devices.front(), x).config;
        tk::measure::keep(sum);
        best = (std::min)(best, (now() - start) / (100 * static_cast<double>(at.size())));
    }
    return 1e9 * best;
}

/// What picks take with so many shapes.
void print_costs(const settings& s)
{
    const auto rows = studies::pick_costs(s.costs);
    nlohmann::ordered_json out{{"bench", "dispatch"}, {"shapes", s.costs}};
    for (const auto& r : rows)
        out["costs"].push_back({{"way", r.way}, {"measured_ns", r.measured_ns}, {"other_ns", r.other_ns}});
    if (s.json) {
        std::printf("%s\n", out.dump(2).c_str());
        return;
    }
    std::printf("%-34s %18s %14s\n", "nanoseconds of a pick", "measured shapes", "other shapes");
    for (const auto& r : rows) {
        std::printf("%-34s %18.1f ", r.way.c_str(), r.measured_ns);
        if (r.other_ns < 0) std::printf("%14s\n", "-");
        else std::printf("%14.1f\n", r.other_ns);
    }
}

/// The results of a file, plain or as it is kept here, packed.
dispatch::results read(const std::string& path) { return dispatch::parse_results(tk::io::read_gzip(path), path); }

void run(settings& s)
{
    if (s.costs > 0) return print_costs(s);
    if (s.results.empty()) throw tk::error("--results is required, or --costs");
    const auto all = read(s.results);
    const auto judged = s.judged.empty() ? dispatch::results{} : read(s.judged);
    std::vector<row> rows;
    std::vector<dispatch::choice::held_out> last;
    const tk::measure::wall_clock now;
    double fit_seconds = 0;
    for (const std::size_t k : s.kernels) {
        s.fit.max_kernels = k;
        const double start = now();
        const auto c = dispatch::fit(all, s.fit);
        fit_seconds = now() - start;
        last = s.judged.empty() ? dispatch::cross_validate(all, s.fit) : dispatch::costs_at(c, judged);
        for (const auto by :
             {dispatch::rung::exact, dispatch::rung::nearest, dispatch::rung::tree, dispatch::rung::one}) {
            if (std::none_of(last.begin(), last.end(), [&](const auto& h) { return h.by == by; })) continue;
            rows.push_back(scored(last, by, s.fit.or_untuned));
            rows.back().max_kernels = k;
            rows.back().kept = c.configs.size();
        }
        if (k != s.kernels.back()) continue;
        if (!s.header.empty()) dispatch::write_header(s.header, c);
        if (!s.choice.empty()) dispatch::write_choice(s.choice, c);
    }
    const double ns = choose_ns(dispatch::fit(all, s.fit));
    if (s.json) {
        nlohmann::ordered_json out{{"bench", "dispatch"},
                                   {"results", s.results},
                                   {"judged", s.judged},
                                   {"kernel", all.kernel},
                                   {"measurements", all.rows.size()},
                                   {"fit_s", fit_seconds},
                                   {"choose_ns", ns}};
        for (const auto& d : all.devices) out["devices"].push_back({{"device", d.device}, {"date", d.date}});
        for (const row& r : rows)
            out["rows"].push_back({{"max_kernels", r.max_kernels},
                                   {"kept", r.kept},
                                   {"rung", to_text(r.score.by)},
                                   {"shapes", r.score.shapes},
                                   {"share", r.score.share},
                                   {"share_low", r.share.low},
                                   {"share_high", r.share.high},
                                   {"share_in_set", r.set},
                                   {"share_in_choice", r.choice},
                                   {"share_of_own_search", r.alone},
                                   {"worst", r.score.worst},
                                   {"gain_over_untuned", r.score.gain},
                                   {"least_gain", r.score.least_gain},
                                   {"below_untuned", r.score.below},
                                   {"assumed", r.unmeasured}});
        std::printf("%s\n", out.dump(2).c_str());
        return;
    }
    std::printf("%s: %zu measurements\n", all.kernel.c_str(), all.rows.size());
    std::printf("%-8s %4s %5s %7s  %-22s %5s %6s %9s %6s %8s %6s %6s\n", "rung", "max", "kept", "shapes",
                "best/chosen [95 %]", "set", "choice", "own search", "worst", "untuned/", "least", "below");
    for (const row& r : rows)
        std::printf("%-8s %4zu %5zu %7u  %.3f [%.3f, %.3f]   %5.3f %6.3f %9.3f %6.3f %8.3f %6.3f %6u\n",
                    to_text(r.score.by).c_str(), r.max_kernels, r.kept, r.score.shapes, r.score.share, r.share.low,
                    r.share.high, r.set, r.choice, r.alone, r.score.worst, r.score.gain, r.score.least_gain,
                    r.score.below);
    std::printf("a fit with its cross-validation %.3f s, a choice at run time %.0f ns\n", fit_seconds, ns);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Scores a choice for every shape on recorded results, shapes held out.", "bench_dispatch");
    app.add_option("--results", s.results, "results file, as record_shapes writes it, plain or packed by gzip");
    app.add_option("--costs", s.costs, "instead: what a pick takes with so many shapes, beside a switch and a map")
        ->check(CLI::PositiveNumber);
    app.add_option("--judged", s.judged, "results of other shapes: judge with them; else each shape is held out");
    app.add_option("--kernels", s.kernels, "how many kernels are kept, one number or several")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    app.add_flag("--or-untuned", s.fit.or_untuned, "the rule may prefer the untuned default");
    app.add_option("--folds", s.fit.folds, "of the cross-validation; 0: each shape for itself")
        ->check(programs::whole_number());
    app.add_option("--header", s.header, "also write the choice of the last of --kernels as a C++ header");
    app.add_option("--choice", s.choice, "and as a file that dispatch::load reads");
    app.add_flag("--json", s.json);
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
