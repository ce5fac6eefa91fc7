// SPDX-License-Identifier: MIT
// Schedules over the operators of a network: records a network's spaces once, and replays them as often as one likes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/studies/support/fair_report.hpp"
#include "bench/studies/support/fair_systems.hpp"
#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/record_network.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double quality = 1.01;               ///< of the baseline's final latency
constexpr std::size_t orders_by_lot = 10;      ///< of `sequential`
constexpr std::size_t most_foreseen = 50'000;  ///< configurations in all: of more, no oracle plays them to their end

struct options {
    programs::record_settings record;
    programs::replay_settings replay;
    programs::fair_settings fairly;
    bool fair = false;
    std::vector<std::string> strategies{"autotvm"}, schedules{"all"};
    std::string recorded, out;
    std::size_t synthetic = 0;
    bool json = false;
};

/// What a strategy under a schedule did in all repeats.
struct row {
    std::string strategy{}, schedule{};
    std::vector<double> seconds{};   ///< to the quality, per repeat; +inf where it was not reached
    std::vector<double> of_tasks{};  ///< sequential: of all tasks, each to the quality it has in the baseline
    std::vector<double> final_latency{};
    std::vector<double> area{};    ///< over that of the area-optimal oracle
    std::vector<double> course{};  ///< median latency at each of the picture's times
    std::vector<double> regret{};  ///< R(T), seconds of latency
    double own_seconds = 0;        ///< of strategy, schedule and replay together, per repeat
};

/// The speed-up of `b` over `a`, over repeats.
programs::middle speedup(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> each(a.size());
    for (std::size_t r = 0; r < a.size(); ++r) each[r] = b[r] < infinite ? a[r] / b[r] : 0;  // never there: no speed
    return programs::middle_of(each);
}

constexpr std::size_t picture_points = 200;

/// The times of the picture: from the end of the warm-up on, closer together at the beginning.
std::vector<double> times_of(double from, double to)
{
    std::vector<double> out;
    for (std::size_t i = 0; i < picture_points; ++i)
        out.push_back(from * std::pow(to / from, static_cast<double>(i) / (picture_points - 1)));
    return out;
}

double latency_at(const programs::latency_course& course, double seconds)
{
    double latency = course.empty() ? infinite : course.front().latency;
    for (const auto& step : course)
        if (step.seconds <= seconds) latency = step.latency;
    return latency;
}

struct study {
    std::vector<row> rows;      ///< the first is the baseline: the first strategy, sequential
    std::vector<double> times;  ///< of the courses
};

std::size_t configurations(const std::vector<programs::replayed_layer>& layers)
{
    std::size_t sum = 0;
    for (const auto& layer : layers) sum += layer.rows.size();
    return sum;
}

/// Everything that is compared, against the first strategy in declaration order.
class comparison {
public:
    comparison(const std::vector<programs::replayed_layer>& layers, const options& o)
        : layers_(layers), o_(o), foreseeable_(configurations(layers) <= most_foreseen)
    {
        tk::require(foreseeable_ || o.schedules.front() == "all" || !wanted("oracle"),
                    "--schedule oracle: the spaces are too large to be played to their end, want networks");
        for (std::size_t i = 0; i < o.strategies.size(); ++i) {
            const programs::replayed_network on(layers, o.strategies[i], o.replay);
            const auto known = programs::schedules();
            if (i == 0) begin(on, programs::find(known, "schedule", "sequential"));
            else if (wanted("sequential")) add(on, "sequential", programs::find(known, "schedule", "sequential"));
            for (const auto& [name, schedule] : known)
                if (name != "sequential" && wanted(name)) add(on, name, schedule);
            for (const auto& name : o.schedules)
                if (name.starts_with("dynatune-paper-at-")) add(on, name, programs::schedule_of("schedule", name));
            if (i == 0 && foreseeable_ && wanted("oracle")) orders_and_oracles(on);
        }
    }

    [[nodiscard]] study take() { return std::move(out_); }

private:
    [[nodiscard]] bool wanted(const std::string& schedule) const
    {
        const auto& s = o_.schedules;
        return s.front() == "all" || std::find(s.begin(), s.end(), schedule) != s.end();
    }

    template <class Schedule>
    void begin(const programs::replayed_network& on, const Schedule& sequential)
    {
        double begins = 0;
        for (std::size_t r = 0; r < o_.replay.repeats; ++r) {
            baseline_.push_back(on.run(sequential, r));
            if (baseline_.back().model.empty())
                throw tk::error("--seconds " + std::to_string(o_.replay.seconds) + " ends in the warm-up, want more");
            begins = (std::max)(begins, baseline_.back().model.front().seconds);
            if (!foreseeable_) continue;
            const auto& curves = curves_.emplace_back(on.slot_curves(r));
            oracle_.push_back(on.run(programs::scripted{programs::area_optimal_order(curves)}, r));
            myopic_.push_back(on.run(programs::scripted{programs::myopic_order(curves)}, r));
        }
        out_.times = times_of(begins, o_.replay.seconds);
        append(on.strategy(), "sequential", baseline_);
    }

    template <class Schedule>
    void add(const programs::replayed_network& on, const std::string& name, const Schedule& schedule)
    {
        tk::measure::wall_clock wall;
        const double begun = wall();
        std::vector<programs::replayed_run> runs;
        for (std::size_t r = 0; r < o_.replay.repeats; ++r) runs.push_back(on.run(schedule, r));
        append(on.strategy(), name, runs).own_seconds = (wall() - begun) / static_cast<double>(o_.replay.repeats);
        std::fprintf(stderr, "%s, %s\n", on.strategy().c_str(), name.c_str());
    }

    /// What is known only afterwards, and `sequential` in other orders: the declared one is an accident.
    void orders_and_oracles(const programs::replayed_network& on)
    {
        append(on.strategy(), "oracle", oracle_);
        append(on.strategy(), "myopic-oracle", myopic_);
        row& orders = out_.rows.emplace_back(row{.strategy = on.strategy(), .schedule = "any order"});
        for (std::size_t r = 0; r < o_.replay.repeats; ++r) {
            row each;
            auto gen = tk::random::stream(o_.replay.seed, 0x6f726472U, r);
            for (std::size_t k = 0; k < orders_by_lot; ++k) {
                std::vector<std::size_t> order(layers_.size());
                std::iota(order.begin(), order.end(), std::size_t{0});
                for (std::size_t i = order.size(); i > 1; --i)
                    std::swap(order[i - 1], order[static_cast<std::size_t>(tk::random::uniform_index(i, gen))]);
                judge(each,
                      on.run(programs::detail::in_order{order, {o_.replay.seconds / static_cast<double>(order.size())}},
                             r),
                      r);
            }
            orders.seconds.push_back(tk::stats::median(each.seconds));
            orders.final_latency.push_back(tk::stats::median(each.final_latency));
            orders.area.push_back(tk::stats::median(each.area));
        }
    }

    /// Adds what repeat `r` came to.
    void judge(row& to, const programs::replayed_run& run, std::size_t r) const
    {
        const double from = baseline_[r].model.front().seconds, until = o_.replay.seconds;
        to.seconds.push_back(programs::seconds_to(run.model, quality * baseline_[r].model.back().latency));
        to.final_latency.push_back(run.model.empty() ? infinite : run.model.back().latency);
        to.area.push_back(foreseeable_ ? programs::area_under(run.model, from, until) /
                                             programs::area_under(oracle_[r].model, from, until)
                                       : infinite);
        if (to.schedule == "sequential")
            to.of_tasks.push_back(programs::seconds_of_tasks(run.tasks, baseline_[r].tasks, quality,
                                                             until / static_cast<double>(layers_.size())));
    }

    row& append(const std::string& strategy, const std::string& schedule,
                const std::vector<programs::replayed_run>& runs)
    {
        row& x = out_.rows.emplace_back(row{.strategy = strategy, .schedule = schedule});
        for (std::size_t r = 0; r < runs.size(); ++r) judge(x, runs[r], r);
        if (strategy == o_.strategies.front() && foreseeable_)
            for (std::size_t r = 0; r < runs.size(); ++r)
                x.regret.push_back(programs::cumulative_regret(curves_[r], runs[r].slots));
        for (const double t : out_.times) {
            std::vector<double> at;
            for (const auto& run : runs) at.push_back(latency_at(run.model, t));
            x.course.push_back(tk::stats::median(std::move(at)));
        }
        return x;
    }

    const std::vector<programs::replayed_layer>& layers_;
    const options& o_;
    bool foreseeable_;  ///< what oracles know can be found out
    std::vector<programs::replayed_run> baseline_, oracle_, myopic_;
    std::vector<std::vector<programs::slot_curve>> curves_;  ///< of the first strategy, per repeat
    study out_;
};

/// The best of the first strategy's rows so named by its median time; nothing where none is there.
const row* best_of(const study& s, std::initializer_list<const char*> names)
{
    const row* best = nullptr;
    for (const char* const name : names)
        for (const auto& r : s.rows)
            if (r.strategy == s.rows.front().strategy && r.schedule == name &&
                (best == nullptr || tk::stats::median(r.seconds) < tk::stats::median(best->seconds)))
                best = &r;
    return best;
}

void print(const options& o, std::span<const programs::replayed_layer> layers, const study& s)
{
    std::printf(
        "%zu tasks, %zu repeats of %.0f s, optimum %.3f ms; baseline: %s, sequential, an even share each, no early "
        "stopping\n",
        layers.size(), o.replay.repeats, o.replay.seconds, 1e3 * programs::optimal_latency(layers),
        s.rows.front().strategy.c_str());
    std::printf("%-16s %-17s %10s %9s %17s %12s %10s %8s %10s %9s %17s\n", "strategy", "schedule", "s to 1.01x",
                "speed-up", "95 % interval", "area/oracle", "final ms", "own s", "s of tasks", "speed-up",
                "95 % interval");
    for (const auto& r : s.rows) {
        const auto x = speedup(s.rows.front().seconds, r.seconds);
        char seconds[24] = "never";
        if (tk::stats::median(r.seconds) < infinite)
            std::snprintf(seconds, sizeof seconds, "%.1f", tk::stats::median(r.seconds));
        char area[24] = "-";
        if (tk::stats::median(r.area) < infinite) std::snprintf(area, sizeof area, "%.3f", tk::stats::median(r.area));
        std::printf("%-16s %-17s %10s %9.2f %8.2f %8.2f %12s %10.3f %8.2f", r.strategy.c_str(), r.schedule.c_str(),
                    seconds, x.median, x.low, x.high, area, 1e3 * tk::stats::median(r.final_latency), r.own_seconds);
        if (!r.of_tasks.empty()) {
            const auto y = speedup(s.rows.front().of_tasks, r.of_tasks);
            std::printf(" %10.1f %9.2f %8.2f %8.2f", tk::stats::median(r.of_tasks), y.median, y.low, y.high);
        }
        std::printf("\n");
    }
    for (const auto& r : s.rows)
        if (!r.regret.empty())
            std::printf("R(T), cumulative regret, of %s, %s: %.3f ms\n", r.strategy.c_str(), r.schedule.c_str(),
                        1e3 * tk::stats::median(r.regret));
    const row* const dynatune = best_of(s, {"dynatune"});
    const auto against = [&](const char* what, const row* other) {
        if (dynatune == nullptr || other == nullptr) return;
        const auto x = speedup(other->seconds, dynatune->seconds);
        std::printf("dynatune against %s, %s: %.2f [%.2f, %.2f]\n", what, other->schedule.c_str(), x.median, x.low,
                    x.high);
    };
    against("sequential at random", best_of(s, {"any order"}));
    against("the best static", best_of(s, {"sequential", "random", "round-robin", "linear"}));
    against("the best dynamic", best_of(s, {"da-random", "da-round-robin", "ansor"}));
    const row* const unknown = best_of(s, {"dynatune-paper"});
    for (const auto& r : s.rows)
        if (unknown != nullptr && r.strategy == unknown->strategy && r.schedule.starts_with("dynatune-paper-at-")) {
            const auto x = speedup(unknown->seconds, r.seconds);
            std::printf("%s against dynatune-paper: %.2f [%.2f, %.2f]\n", r.schedule.c_str(), x.median, x.low, x.high);
        }
}

std::string study_name(const options& o) { return o.synthetic > 0 ? "synthetic" : o.record.network; }

void print_json(const options& o, std::span<const programs::replayed_layer> layers, const study& s)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto finite = [](double x) {
        return x < infinite ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
    };
    for (const auto& r : s.rows) {
        const auto x = speedup(s.rows.front().seconds, r.seconds);
        rows.push_back({{"strategy", r.strategy},
                        {"schedule", r.schedule},
                        {"seconds_to_quality", finite(tk::stats::median(r.seconds))},
                        {"speedup", x.median},
                        {"speedup_low", x.low},
                        {"speedup_high", x.high},
                        {"area_over_optimal", finite(tk::stats::median(r.area))},
                        {"final_latency_ms", finite(1e3 * tk::stats::median(r.final_latency))},
                        {"own_s", r.own_seconds}});
        if (!r.regret.empty()) rows.back()["regret_ms"] = 1e3 * tk::stats::median(r.regret);
        if (r.of_tasks.empty()) continue;
        const auto y = speedup(s.rows.front().of_tasks, r.of_tasks);
        rows.back().update({{"seconds_of_tasks", tk::stats::median(r.of_tasks)},
                            {"tasks_speedup", y.median},
                            {"tasks_speedup_low", y.low},
                            {"tasks_speedup_high", y.high}});
    }
    const nlohmann::ordered_json out{{"network", study_name(o)},
                                     {"strategy", o.strategies.front()},
                                     {"repeats", o.replay.repeats},
                                     {"seconds", o.replay.seconds},
                                     {"runs", o.replay.runs},
                                     {"seed", o.replay.seed},
                                     {"optimum_ms", 1e3 * programs::optimal_latency(layers)},
                                     {"rows", rows}};
    std::printf("%s\n", out.dump(2).c_str());
}

/// The systems against one another by T_q, on recordings that are whole.
void compare_fairly(options o)
{
    tk::require(o.fairly.builders > 0, "--builders is 0, want at least 1");
    tk::require(o.fairly.threads > 0, "--threads is 0, want at least 1");
    const std::string own = tk::scoring::recordings_folder(TUNEKIT_RECORDINGS);
    o.fairly.seed = o.replay.seed;
    const std::string& name = o.record.network;
    if (o.recorded.empty()) {
        o.recorded = own + '/' + name;
        tk::require(name == "spaces" || std::filesystem::is_directory(o.recorded),
                    "--fair: network " + name +
                        " has no recording, want one of alexnet, resnet18 and squeezenet, or its folder as " +
                        "--recorded, which --record makes");
    }
    const auto on = programs::fair_network_of(name, o.recorded);
    std::vector<programs::fair_network> others;
    for (const char* other : {"squeezenet", "alexnet", "resnet18"})
        if (other != name) others.push_back(programs::fair_network_of(other, own + '/' + other));
    const auto table = programs::fair_comparison(on, others, o.fairly, [](const programs::fair_row& r) {
        std::fprintf(stderr, "%s, %s\n", r.system.name.c_str(), r.overlap ? "builds overlap" : "no overlap");
    });
    if (o.json) programs::print_json(on, o.fairly, table);
    else programs::print(on, o.fairly, table);
}

void draw(const options& o, const study& s)
{
    const bool one = o.strategies.size() == 1;
    const std::string name = study_name(o) + "-" + (one ? o.strategies.front() : "systems");
    tk::report::line_chart c{
        .x_name = "seconds of tuning; ms of the model, median of " + std::to_string(o.replay.repeats),
        .alternative = name + ": latency of the model over the seconds of tuning",
        .low = infinite,
        .log_x = true};
    std::string csv = "seconds";
    for (const auto& r : s.rows) {
        if (r.course.empty()) continue;
        auto& line = c.curves.emplace_back(
            tk::report::line_chart::curve{.name = one ? r.schedule : r.strategy + ", " + r.schedule, .at = s.times});
        csv += ',' + r.strategy + ' ' + r.schedule;
        for (const double seconds : r.course) line.values.push_back(1e3 * seconds);
        for (const double ms : line.values) c.low = (std::min)(c.low, ms);
    }
    if (!(c.low < infinite)) c.low = 0;
    csv += '\n';
    for (std::size_t i = 0; i < s.times.size(); ++i) {
        csv += tk::core::text_of(s.times[i]);
        for (const auto& line : c.curves) csv += ',' + tk::core::text_of(line.values[i]);
        csv += '\n';
    }
    // The picture's first curve is the emphasised one: the row that ends lowest, of those that could have been run.
    const auto ends_at = [](const tk::report::line_chart::curve& curve) {
        return curve.name.find("oracle") == std::string::npos ? curve.values.back() : infinite;
    };
    if (!c.curves.empty()) {
        const auto best = std::min_element(c.curves.begin(), c.curves.end(),
                                           [&](const auto& a, const auto& b) { return ends_at(a) < ends_at(b); });
        std::rotate(c.curves.begin(), best, best + 1);
    }
    programs::make_folder("--out", o.out);
    tk::io::write_text(o.out + '/' + name + ".svg",
                       tk::report::to_standalone_svg(c.svg({.width = 900, .height = 420})));
    tk::io::write_text(o.out + '/' + name + ".csv", csv);
}

void print(const std::vector<programs::layer_record>& layers)
{
    std::printf("%-6s %6s %7s %7s %6s %10s %10s %10s %6s %8s %8s\n", "layer", "size", "failed", "passes", "rho",
                "optimum ms", "median ms", "slowest ms", "tied", "build s", "run s");
    std::size_t tied = 0;
    for (const auto& l : layers) {
        std::printf("%-6s %6zu %7zu %7zu %6.3f %10.4f %10.4f %10.3f %6s %8.1f %8.1f\n", l.name.c_str(),
                    l.configurations, l.failed, l.passes, l.correlation, 1e3 * l.optimum, 1e3 * l.median,
                    1e3 * l.slowest, l.tied ? "yes" : "no", l.build_seconds, l.run_seconds);
        tied += l.tied ? 1 : 0;
    }
    std::printf("winner tied in %zu of %zu layers\n", tied, layers.size());
}

void print_json(const std::string& network, const std::vector<programs::layer_record>& layers)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& l : layers)
        rows.push_back({{"layer", l.name},
                        {"configurations", l.configurations},
                        {"failed", l.failed},
                        {"passes", l.passes},
                        {"correlation", l.correlation},
                        {"optimum_ms", 1e3 * l.optimum},
                        {"median_ms", 1e3 * l.median},
                        {"slowest_ms", 1e3 * l.slowest},
                        {"tied", l.tied},
                        {"build_s", l.build_seconds},
                        {"run_s", l.run_seconds}});
    std::printf("%s\n", nlohmann::ordered_json{{"network", network}, {"rows", rows}}.dump(2).c_str());
}

void record(options o)
{
    o.record.seed = o.replay.seed;
    o.record.runs = o.replay.runs;
    const auto layers = programs::record_network(o.record, [](const std::string& layer, std::size_t pass) {
        std::fprintf(stderr, "%s, pass %zu\n", layer.c_str(), pass + 1);
    });
    if (o.json) print_json(o.record.network, layers);
    else print(layers);
}

void run(options o)
{
    tk::require(o.replay.repeats > 0, "--repeats is 0, want at least 1");
    if (o.fair) return compare_fairly(std::move(o));
    const int sources = (o.record.folder.empty() ? 0 : 1) + (o.recorded.empty() ? 0 : 1) + (o.synthetic > 0 ? 1 : 0);
    tk::require(sources == 1, "--record, --recorded and --synthetic: want one of them");
    if (!o.record.folder.empty()) return record(std::move(o));
    tk::require(o.replay.seconds > 0 && o.replay.seconds < infinite,
                "--seconds is not positive, want seconds of recorded time");
    tk::require(o.replay.slot_seconds >= 0,
                "--slot-seconds is negative, want > 0, or 0 for a twentieth of each task's share");
    for (const auto& name : o.schedules)
        if (name != "all" && name != "oracle") static_cast<void>(programs::schedule_of("schedule", name));
    for (const auto& name : o.strategies) static_cast<void>(programs::find(programs::strategies(), "strategy", name));
    if (o.synthetic > 0) o.strategies = {"grid"};  // the rows are in the order of their trials
    const auto layers = o.synthetic > 0 ? programs::made_up_network(o.synthetic, o.replay.seed)
                                        : programs::load_network(o.record.network, o.recorded);
    const auto found = comparison(layers, o).take();
    if (!o.out.empty()) draw(o, found);
    if (o.json) print_json(o, layers, found);
    else print(o, layers, found);
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app("Records the AutoTVM-equal CPU spaces of a network's convolutions, or replays schedules over them.",
                 "bench_schedule");
    app.add_option(
           "--network", o.record.network,
           "alexnet, resnet18, squeezenet or vgg16; or spaces: all of the folder, as tasks of weight 1 [resnet18]")
        ->default_val("resnet18");
    app.add_option("--recorded", o.recorded,
                   "replay the spaces in this folder; with --fair by default the project's own of the network");
    app.add_option("--repeats", o.replay.repeats, "runs with different seeds [5; with --fair 15]");
    app.add_option("--seed", o.replay.seed, "of orders and runs [1]")->check(programs::whole_number());
    app.add_flag("--json", o.json, "print JSON instead of a table");

    auto* const fair = app.add_flag("--fair", o.fair,
                                    "whole systems by T_q: seconds until the model stays within 1, 2 and 5 % of the "
                                    "recorded optimum, each system with overlap of builds and without, in 600 s");
    app.add_option(
           "--systems", o.fairly.systems,
           "with --fair: names with commas, of its table, or RECIPE or RECIPE/SCHEDULE, and -1-in-N behind it where "
           "one of N proposals is to be carried [all]; the baseline is always there")
        ->delimiter(',')
        ->needs(fair);
    app.add_option("--builders", o.fairly.builders, "with --fair: how many build side by side [8]")
        ->check(programs::whole_number())
        ->needs(fair);
    app.add_option("--threads", o.fairly.threads,
                   "with --fair: how many replay repeats side by side [all of this machine]")
        ->check(programs::whole_number())
        ->needs(fair);

    const auto alone = [&](CLI::Option* option) { return option->excludes(fair); };
    auto* const recording = alone(app.add_option(
        "--record", o.record.folder, "measure the spaces into this folder; what was broken off there is taken up"));
    app.add_option("--layer", o.record.layer, "recording: this layer alone")->needs(recording);
    app.add_option("--sample", o.record.sample, "recording: so many configurations of a layer, at random [all]")
        ->check(programs::whole_number())
        ->needs(recording);
    app.add_option("--block", o.record.block,
                   "recording with --runs: runs of a block, with which a replay may begin [50]")
        ->check(programs::whole_number())
        ->needs(recording);
    alone(app.add_option("--device", o.record.device, "recording: what the .params files say of this machine"));
    alone(app.add_option("--core", o.record.core,
                         "recording: the core that kernels are timed on; compilers take the others [0]"));
    alone(app.add_option("--synthetic", o.synthetic, "replay so many made-up tasks instead"));
    alone(app.add_option("--schedule", o.schedules,
                         "names with commas, or all: oracle, " + programs::list(programs::schedules()) +
                             "; and dynatune-paper-at-N, with the device's peak of N GFLOP/s")
              ->delimiter(','));
    alone(app.add_option("--strategy", o.strategies,
                         "names with commas; the first, sequential, is the baseline [autotvm]: " +
                             programs::list(programs::strategies()))
              ->delimiter(','));
    alone(app.add_option("--seconds", o.replay.seconds, "of recorded time per run [300]"));
    alone(app.add_option("--slot-seconds", o.replay.slot_seconds,
                         "length of a slot; 0: seconds / (20 x tasks), within [0.1, 100]"));
    alone(app.add_option(
        "--runs", o.replay.runs,
        "timed runs of each configuration, but for adatune, adatune-paper and combined, which keep their "
        "evaluators; 0: as each recipe has it [0]. Recording: runs of each pass, timed one by one and kept in their "
        "order; "
        "0: ten batches"));
    alone(app.add_option("--out", o.out, "folder for the picture and its numbers, <network>-<strategy>.svg and .csv"));
    return programs::run_program(app, argc, argv, [&] {
        if (app.count("--repeats") > 0) o.fairly.repeats = o.replay.repeats;
        run(o);
    });
}
