// SPDX-License-Identifier: MIT

// Tunes the operators of a network on this machine: the main job.

#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/cuda_tasks.hpp"
#include "programs/names.hpp"
#include "programs/operator_task.hpp"
#include "programs/pools.hpp"
#include "programs/processors.hpp"
#include "programs/program.hpp"
#include "programs/run_report.hpp"
#include "programs/shell_words.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/io/logged.hpp"
#include "tunekit/io/machine.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/recipes/any_recipe.hpp"
#include "tunekit/schedule/outlook.hpp"
#include "tunekit/tune/print_progress.hpp"
#include "tunekit/tune/stop_on_signal.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/version.hpp"

namespace tk = tunekit;

namespace {

struct options {
    std::string network, strategy = "combined", schedule = "dynatune", device = "cpu", templates = "own", log;
    double seconds = 60, slot_seconds = 0;
    std::uint64_t seed = 1;
    std::size_t workers = 1;
    std::string command_line;  // as it was given
    programs::report_options report;
    bool json = false, spaces = false, resume = false, sync = false, winograd = false, from_scratch = false;

    /// The recipe of that name, under that schedule.
    [[nodiscard]] tk::recipes::any_recipe how() const
    {
        auto out = programs::find(programs::recipes(), "strategy", strategy);
        out.schedule = programs::find(programs::schedules(), "schedule", schedule);
        if (device != "cpu" || templates != "own") out.ahead = (std::max)(out.ahead, built_together);
        return out;
    }

    static constexpr std::size_t built_together = 8;
};

/// One operator of the network.
struct job {
    std::string name, kind;
    int times = 1;
    double flops = 0;
    tk::space::any_space space;
    tk::index untuned = 0;  // the configuration of a library that was never tuned
};

/// The operators of a network, and what runs them: one of the last three.
struct jobs_on {
    std::deque<job> all;
    std::vector<programs::operator_task> own;
    std::vector<programs::built_task> built;
    std::shared_ptr<programs::cuda_tasks> cuda;
};

/// What is printed of it.
struct outcome {
    std::optional<tk::index> best;
    double default_cost = std::numeric_limits<double>::infinity();
    double cost = std::numeric_limits<double>::infinity();
    std::size_t tied = 0;
};

constexpr double race_run_seconds = 5;
// The last comparison of the best with the default: what it has of the seconds, and rounds for which there should be time.
constexpr double race_share = 0.1, max_race_share = 0.3, race_rounds = 2;

/// The recipe's repetition; none where only the space is told.
programs::maybe_repetition repetition_of(const options& o)
{
    if (o.spaces) return {};
    return o.how().repetition;
}

template <class Layer, class Task>
void add_job(jobs_on& to, const Layer& layer, const char* kind, const Task& what)
{
    to.all.push_back({.name = std::string(layer.name),
                      .kind = kind,
                      .times = layer.times,
                      .flops = layer.shape.flops(),
                      .space = what.space,
                      .untuned = what.untuned});
}

jobs_on jobs_of(const tk::kernels::network& net, const options& o)
{
    jobs_on out;
    const auto repetition = repetition_of(o);
    if (o.device == "cuda") {
        if (!o.spaces) out.cuda = std::make_shared<programs::cuda_tasks>();
        const auto add = [&](const auto& layer, const char* kind) {
            add_job(out, layer, kind, programs::on_cuda(out.cuda.get(), layer.shape, o.winograd, repetition));
        };
        for (const auto& layer : net.convolutions) add(layer, "conv2d");
        for (const auto& layer : net.products) add(layer, "gemm");
        if (out.cuda) out.cuda->begin();
    } else if (o.templates == "autotvm") {
        for (const auto& layer : net.convolutions)
            add_job(out, layer, "conv2d", out.built.emplace_back(programs::x86_task(layer.shape, repetition)));
    } else {
        for (const auto& layer : net.convolutions)
            add_job(out, layer, "conv2d", out.own.emplace_back(programs::any_conv2d_task(layer.shape, repetition)));
        for (const auto& layer : net.products)
            add_job(out, layer, "gemm", out.own.emplace_back(programs::gemm_task(layer.shape, repetition)));
    }
    return out;
}

/// Carries a run's jobs to a pool. The last comparison is on its first worker, alone.
template <class Pool>
struct on_pool {
    Pool pool;

    [[nodiscard]] std::size_t out() const { return (std::max)(pool.workers(), pool.room()); }
    [[nodiscard]] tk::task task(const job& j, std::size_t) const
    {
        return {j.name, j.space, j.flops, static_cast<double>(j.times)};
    }
    template <class Run, class Watch>
    void drive(Run& run, std::span<tk::task>, Watch&& watch)
    {
        tk::tune_tasks(run, pool, watch);
    }
    [[nodiscard]] auto alone(std::size_t k) { return pool.alone(0, k); }
};

template <class Pool>
on_pool(Pool) -> on_pool<Pool>;

/// The same for a CUDA device, whose one worker process has as many configurations at a time as are built together.
struct on_device {
    std::shared_ptr<programs::cuda_tasks> device;

    struct measurer {
        std::shared_ptr<programs::cuda_tasks> device;
        std::size_t k;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
        {
            return device->measure(k, batch, l);
        }
    };

    [[nodiscard]] static std::size_t out() { return 1; }
    [[nodiscard]] tk::task task(const job& j, std::size_t k) const
    {
        return {j.name, j.space, alone(k), j.flops, static_cast<double>(j.times)};
    }
    template <class Run, class Watch>
    void drive(Run& run, std::span<tk::task> tasks, Watch&& watch)
    {
        tk::tune_tasks(run, tasks, tk::measure::wall_clock{}, watch);
    }
    [[nodiscard]] measurer alone(std::size_t k) const { return {device, k}; }
};

double raw_size(const tk::space::any_space& space)
{
    double n = 1;
    for (const auto c : space.cardinalities()) n *= c;
    return n;
}

std::string version()
{
    return std::to_string(TUNEKIT_VERSION_MAJOR) + '.' + std::to_string(TUNEKIT_VERSION_MINOR) + '.' +
           std::to_string(TUNEKIT_VERSION_PATCH);
}

/// What another minute would take off the latency, with what has been found so far.
tk::schedule::outlook next_minute(const std::deque<job>& jobs, const tk::plan& p)
{
    std::vector<tk::schedule::task_view> views;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        const auto& record = p.tasks[k].record;
        views.push_back({.flops = jobs[k].flops,
                         .weight = static_cast<double>(jobs[k].times),
                         .curve = record.curve(),
                         .slots = p.tasks[k].slots,
                         .seconds = record.seconds(),
                         .active = record.stopped == tk::stop_reason::running});
    }
    tk::random::philox gen(0);  // one of its own: what is forecast must not change what is tried
    return tk::schedule::expected_gain(views, 60, tk::curve::improvement_process{}, gen);
}

/// The machine that a log belongs to, the device included.
std::string machine(const jobs_on& on) { return tk::io::machine_key() + (on.cuda ? " " + on.cuda->device().name : ""); }

/// The page of a run over a network.
class network_report {
public:
    network_report(const options& o, const jobs_on& on) : page_(o.report), o_(o)
    {
        facts_ = {"strategy " + o.strategy, "schedule " + o.schedule, "seed " + std::to_string(o.seed),
                  "machine " + machine(on), "tunekit " + version()};
    }

    /// After each answer: keeps its time, and writes a page where it is time for one.
    void note(const tk::plan& p, std::span<const tk::task> tasks)
    {
        if (!page_.wanted()) return;
        stamps_.note(p);
        if (page_.due()) page_.write(seen(p, tasks), true);
    }

    /// The last one, with what the last comparison came to.
    void finish(const tk::plan& p, std::span<const tk::task> tasks, const std::deque<job>& jobs,
                const std::vector<outcome>& ends)
    {
        if (!page_.wanted()) return;
        auto run = seen(p, tasks);
        double before = 0, after = 0;
        for (std::size_t k = 0; k < jobs.size(); ++k) {
            before += jobs[k].times * ends[k].default_cost;
            after += jobs[k].times * ends[k].cost;
            if (ends[k].best) run.use.push_back(jobs[k].name + ": " + jobs[k].space.text(*ends[k].best));
        }
        if (after < tk::forever && before < tk::forever) {
            char text[120];
            std::snprintf(text, sizeof text, "last comparison, side by side: %.4g ms by default, %.4g ms tuned",
                          1e3 * before, 1e3 * after);
            run.facts.emplace_back(text);
        }
        page_.write(run, false);
    }

private:
    [[nodiscard]] tk::report::seen_run seen(const tk::plan& p, std::span<const tk::task> tasks) const
    {
        auto run = tk::report::seen_run_of(o_.network, tasks, p);
        run.facts = facts_;
        run.workers = o_.workers;
        run.repeat = {o_.command_line};
        stamps_.put(run);
        return run;
    }

    programs::run_report page_;
    programs::answer_stamps stamps_;
    const options& o_;
    std::vector<std::string> facts_;
};

/// Whom the last comparison is between: the best two trials and the default.
std::vector<tk::index> finalists_of(const job& j, const tk::tuning& record)
{
    std::vector<tk::index> out = record.finalists(2);
    if (std::find(out.begin(), out.end(), j.untuned) == out.end()) out.push_back(j.untuned);
    return out;
}

/// Seconds of one round of it, as far as its finalists have been measured whole.
double round_seconds(const job& j, const tk::tuning& record)
{
    double sum = 0, most = 1e-3;
    const auto finalists = finalists_of(j, record);
    std::size_t unknown = finalists.size();
    for (const auto& t : record.trials()) {
        if (!t.measured.ok() || std::find(finalists.begin(), finalists.end(), t.candidate) == finalists.end()) continue;
        sum += t.measured.run_seconds;
        most = (std::max)(most, t.measured.run_seconds);
        --unknown;
    }
    return sum + static_cast<double>(unknown) * most;
}

/// Runs until what is left of the seconds is wanted for the last comparison, or a signal came. `problem` tells of a log that
/// could not be written to the end.
template <class Carrier>
tk::plan tune_all(const options& o, const jobs_on& on, Carrier& carrier, const tk::stop_on_signal& stop,
                  std::span<tk::task> tasks, network_report& page, std::string& problem)
{
    const tk::recipes::any_recipe how = o.how();
    const std::deque<job>& jobs = on.all;
    const tk::tasks_budget budget{.seconds = (1 - race_share) * o.seconds, .slot_seconds = o.slot_seconds};
    tk::random::philox gen(o.seed);
    tk::tasks_tuner t(tasks, how, budget, carrier.out(), gen);
    tk::print_progress line(tk::tasks_budget{.seconds = o.seconds}, tasks);
    std::vector<double> rounds(jobs.size(), -1);  // seconds of one of each task
    const auto watch = [&](const tk::plan& p, std::size_t k) {
        if (!o.json) line(p, k);
        page.note(p, tasks);
        if (stop(p)) return true;
        if (p.tasks[k].record.found()) rounds[k] = round_seconds(jobs[k], p.tasks[k].record);
        double comparison = 0;
        for (const double r : rounds) {
            if (r < 0) return false;  // not before every task has something to compare
            comparison += race_rounds * r;
        }
        return p.seconds + (std::min)(comparison, max_race_share * o.seconds) >= o.seconds;
    };
    if (o.log.empty()) {
        carrier.drive(t, tasks, watch);
        return std::move(t).record();
    }
    tk::io::logged run(o.log, std::move(t),
                       {.strategy = o.strategy,
                        .schedule = o.schedule,
                        .machine = machine(on),
                        .seed = o.seed,
                        .resume = o.resume,
                        .sync = o.sync ? tk::io::log_file::sync::every_line : tk::io::log_file::sync::every_second});
    if (!run.note().empty()) std::fprintf(stderr, "tune_network: %s\n", run.note().c_str());
    carrier.drive(run, tasks, watch);
    problem = run.problem();
    return run.record();
}

/// The finalists, measured afresh in interleaved rounds for about `seconds`. Of those that the race cannot tell apart the one
/// with the lowest fresh median is taken.
template <class Measurer>
outcome finish(const job& j, Measurer measurer, const tk::tuning& record, double seconds)
{
    const auto finalists = finalists_of(j, record);
    const auto result = tk::measure::race(measurer, finalists, {.run_seconds = race_run_seconds},
                                          {.max_rounds = 60, .max_seconds = (std::max)(seconds, 1e-3)});
    outcome out{.best = {}, .tied = result.tied.size()};
    // Costs of rounds that were not run side by side do not compare: all are told by what they were slower in common rounds.
    for (const auto& s : result.standings) {
        const double cost = result.cost * (1 + s.against_winner.median);
        if (s.candidate == j.untuned && !s.failed) out.default_cost = cost;
        if (s.tied && cost < out.cost) {
            out.cost = cost;
            out.best = s.candidate;
        }
    }
    return out;
}

void print_spaces(const std::deque<job>& jobs, bool json)
{
    auto rows = nlohmann::ordered_json::array();
    if (!json) std::printf("%-6s %-8s %20s %16s\n", "task", "kind", "raw configurations", "valid");
    for (const auto& j : jobs) {
        if (json)
            rows.push_back(
                {{"name", j.name}, {"kind", j.kind}, {"raw_size", raw_size(j.space)}, {"size", j.space.size()}});
        else
            std::printf("%-6s %-8s %20.0f %16llu\n", j.name.c_str(), j.kind.c_str(), raw_size(j.space),
                        static_cast<unsigned long long>(j.space.size()));
    }
    if (json) std::printf("%s\n", nlohmann::ordered_json{{"tasks", rows}}.dump(2).c_str());
}

/// The algorithm of a configuration, with the tile of one that has tiles; empty where the space has no such choice.
std::string algorithm_of(const tk::space::any_space& space, tk::index i)
{
    const auto names = space.names();
    const auto texts = space.texts(i);
    const auto text = [&](const char* name) -> std::string {
        const auto at = std::find(names.begin(), names.end(), name);
        return at == names.end() ? "" : texts[static_cast<std::size_t>(at - names.begin())];
    };
    const std::string algorithm = text("algorithm");
    return algorithm == "winograd" ? algorithm + " " + text("tile_h") + " x " + text("tile_w") : algorithm;
}

/// Seconds of the parts of a run.
struct times {
    double prepare = 0, race = 0;
};

/// How many trials each worker had: "31+29".
std::string by_worker(const tk::tuning& record, std::size_t workers)
{
    std::vector<std::size_t> n(workers);
    for (const auto& t : record.trials()) {
        if (t.worker >= n.size()) n.resize(t.worker + 1);  // a log of a run with more
        ++n[t.worker];
    }
    std::string out;
    for (const std::size_t x : n) out += (out.empty() ? "" : "+") + std::to_string(x);
    return out;
}

/// Prints the table, or the same as JSON; true where every task has a verified kernel.
bool report(const options& o, const jobs_on& on, const tk::plan& plan, const std::vector<outcome>& ends,
            const times& took)
{
    const std::deque<job>& jobs = on.all;
    const auto number = [](double x) {
        return x < std::numeric_limits<double>::infinity() ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
    };
    auto rows = nlohmann::ordered_json::array();
    double before = 0, after = 0, measuring = took.race;
    std::uint64_t trials = 0, failed = 0;
    bool all = true;
    if (!o.json)
        std::printf("%-6s %-7s %9s %5s %12s %7s %9s %7s %11s %10s %9s %8s  %s\n", "task", "kind", "MFLOP", "times",
                    "space", "trials", "by worker", "failed", "default ms", "tuned ms", "GFLOP/s", "seconds",
                    "algorithm");
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        const job& j = jobs[k];
        const auto& record = plan.tasks[k].record;
        const outcome& e = ends[k];
        before += j.times * e.default_cost;
        after += j.times * e.cost;
        trials += record.trials().size();
        failed += record.failed();
        for (const auto& t : record.trials())  // lanes build meanwhile
            measuring += t.measured.run_seconds + (on.built.empty() ? t.measured.build_seconds : 0);
        all = all && e.best.has_value();
        const double gflops = j.flops / e.cost * 1e-9;
        if (!o.json) {
            std::printf("%-6s %-7s %9.3f %5d %12llu %7zu %9s %7llu %11.4f %10.4f %9.1f %8.2f  %s\n", j.name.c_str(),
                        j.kind.c_str(), j.flops * 1e-6, j.times, static_cast<unsigned long long>(j.space.size()),
                        record.trials().size(), by_worker(record, o.workers).c_str(),
                        static_cast<unsigned long long>(record.failed()), 1e3 * e.default_cost, 1e3 * e.cost, gflops,
                        record.seconds(), e.best ? algorithm_of(j.space, *e.best).c_str() : "NO VERIFIED KERNEL");
            continue;
        }
        auto config = nlohmann::ordered_json::object();
        if (e.best) {
            const auto texts = j.space.texts(*e.best);
            const auto names = j.space.names();
            for (std::size_t p = 0; p < texts.size(); ++p) config[names[p]] = texts[p];
        }
        auto workers = nlohmann::ordered_json::array();
        for (const auto& t : record.trials()) workers.push_back(t.worker);
        rows.push_back({{"name", j.name},
                        {"kind", j.kind},
                        {"mflop", j.flops * 1e-6},
                        {"times", j.times},
                        {"space_size", j.space.size()},
                        {"trials", record.trials().size()},
                        {"worker_of_trial", workers},
                        {"failed", record.failed()},
                        {"default_ms", number(1e3 * e.default_cost)},
                        {"tuned_ms", number(1e3 * e.cost)},
                        {"gflops", gflops},
                        {"seconds", record.seconds()},
                        {"verified", e.best.has_value()},
                        {"tied", e.tied},
                        {"index", e.best ? nlohmann::ordered_json(*e.best) : nlohmann::ordered_json()},
                        {"config", config}});
    }
    const double seconds = plan.seconds + took.race;
    const double of_workers = static_cast<double>(o.workers) * plan.seconds + took.race;
    const double share = of_workers > 0 ? measuring / of_workers : 0;
    const auto next = next_minute(jobs, plan);
    if (o.json) {
        nlohmann::ordered_json all_of{{"network", o.network},
                                      {"device", o.device},
                                      {"strategy", o.strategy},
                                      {"schedule", o.schedule},
                                      {"seed", o.seed},
                                      {"workers", o.workers},
                                      {"prepare_seconds", took.prepare},
                                      {"seconds", seconds},
                                      {"race_seconds", took.race},
                                      {"trials", trials},
                                      {"failed", failed},
                                      {"measuring_share", share},
                                      {"default_latency_ms", number(1e3 * before)},
                                      {"tuned_latency_ms", number(1e3 * after)},
                                      {"forecast",
                                       {{"seconds", next.seconds},
                                        {"gain_ms", 1e3 * next.gain},
                                        {"low_ms", 1e3 * next.low},
                                        {"high_ms", 1e3 * next.high}}},
                                      {"tasks", rows}};
        if (on.cuda) {
            const auto seen = on.cuda->conditions();
            all_of["device_name"] = on.cuda->device().name;
            all_of["clock_mhz"] = {seen.min_mhz, seen.max_mhz};
            all_of["throttled"] = seen.throttled();
        }
        std::printf("%s\n", all_of.dump(2).c_str());
    } else {
        std::printf(
            "model latency %.3f ms -> %.3f ms (%.2fx), %llu trials, %llu failed, %.0f%% of %.1f s spent measuring, "
            "after "
            "%.1f s of preparation\n",
            1e3 * before, 1e3 * after, before / after, static_cast<unsigned long long>(trials),
            static_cast<unsigned long long>(failed), 100 * share, seconds, took.prepare);
        std::printf("another minute is expected to gain %.3f ms, with 90 %% between %.3f and %.3f ms\n",
                    1e3 * next.gain, 1e3 * next.low, 1e3 * next.high);
        if (on.cuda) std::printf("%s, %s\n", on.cuda->device().name.c_str(), on.cuda->conditions().text().c_str());
    }
    return all;
}

/// The whole of a run that began to be prepared at `start`; the program's exit status.
template <class Carrier>
int tune_on(const options& o, const jobs_on& on, Carrier carrier, double start)
{
    const tk::measure::wall_clock now;
    const double begun = now();
    std::string problem;
    const tk::stop_on_signal stop;
    std::vector<tk::task> tasks;
    for (std::size_t k = 0; k < on.all.size(); ++k) {
        tasks.push_back(carrier.task(on.all[k], k));
        if (!o.from_scratch) tasks.back().begin_with({on.all[k].untuned});
    }
    network_report page(o, on);
    const tk::plan plan = tune_all(o, on, carrier, stop, tasks, page, problem);
    const double tuned = now();
    std::vector<double> rounds;  // seconds of one of each task
    double left = 0;
    for (std::size_t k = 0; k < on.all.size(); ++k)
        left += rounds.emplace_back(round_seconds(on.all[k], plan.tasks[k].record));
    std::vector<outcome> ends;
    for (std::size_t k = 0; k < on.all.size(); ++k) {  // each its share of what is left of the seconds
        const double seconds = stop.heard() != 0 ? 0 : (o.seconds - (now() - tuned) - plan.seconds) * rounds[k] / left;
        ends.push_back(finish(on.all[k], carrier.alone(k), plan.tasks[k].record, seconds));
        left -= rounds[k];
    }
    const bool all = report(o, on, plan, ends, {.prepare = begun - start, .race = now() - tuned});
    page.finish(plan, tasks, on.all, ends);
    if (!problem.empty()) std::fprintf(stderr, "tunekit: %s\n", problem.c_str());
    if (stop.heard() != 0) return stop.status();
    return all && problem.empty() ? 0 : 1;
}

int run(const options& o)
{
    const auto* const net = tk::kernels::find_network(o.network);
    if (net == nullptr) {
        std::string known;
        for (const auto& n : tk::kernels::networks) known += (known.empty() ? "" : ", ") + std::string(n.name);
        tk::invalid("network \"" + o.network + "\" is unknown, want one of: " + known);
    }
    (void)o.how();  // before anything is built, whether the names are known
    tk::require(o.device == "cpu" || o.device == "cuda",
                "device \"" + o.device + "\" is unknown, want one of: cpu, cuda");
    tk::require(o.templates == "own" || o.templates == "autotvm",
                "templates \"" + o.templates + "\" are unknown, want one of: own, autotvm");
    tk::require(o.device != "cpu" || o.templates == "own" || net->products.empty(),
                "--templates autotvm has convolutions alone, want a network without other products");
    tk::require(!o.winograd || o.device == "cuda", "--winograd needs --device cuda");
    programs::check_workers(o.workers);
    tk::require(o.workers == 1 || o.device == "cpu",
                "--workers is above 1 with --device cuda, want 1: one candidate runs on a device at a time");
    tk::require(o.seconds > 0, "--seconds is not positive, want > 0");
    tk::require(o.slot_seconds >= 0, "--slot-seconds is negative, want > 0, or 0 for a twentieth of each task's share");
    tk::require(!o.resume || !o.log.empty(), "--resume needs the log to resume, want --log FILE");
    o.report.check();
    ::signal(SIGXFSZ, SIG_IGN);  // a log that meets a file size limit is told by its write

    const tk::measure::wall_clock now;
    const double start = now();
    auto on = jobs_of(*net, o);
    if (o.spaces) return print_spaces(on.all, o.json), 0;
    if (on.cuda) return tune_on(o, on, on_device{on.cuda}, start);
    if (!on.built.empty()) return tune_on(o, on, on_pool{programs::pool_of(on.built, o.workers)}, start);
    return tune_on(o, on, on_pool{programs::pool_of(on.own, o.workers)}, start);
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app("Tunes the operators of a network on this machine and prints what that gained.", "tune_network");
    app.set_version_flag("--version", "tune_network (tunekit) " + version());
    app.add_option("--network", o.network, "resnet18, vgg16, alexnet, squeezenet, transformer or bert")->required();
    app.add_option("--strategy", o.strategy, "what is tried next: " + programs::list(programs::strategies()))
        ->capture_default_str();
    app.add_option("--schedule", o.schedule, "whose turn it is: " + programs::list(programs::schedules()))
        ->capture_default_str();
    app.add_option(
           "--seconds", o.seconds,
           "wall time of tuning and the last comparison, of all tasks together; data and references are made before")
        ->capture_default_str();
    app.add_option("--workers", o.workers, "candidates that run at a time, each on processors of its own; on cpu")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    app.add_option("--slot-seconds", o.slot_seconds, "length of a slot; 0: seconds / (20 x tasks), within [0.1, 100]")
        ->capture_default_str();
    app.add_option("--seed", o.seed, "same seed, same proposals for the same measurements")
        ->check(programs::whole_number())
        ->capture_default_str();
    app.add_option("--log", o.log, "file that takes a line for each configuration that goes out, and for each answer");
    app.add_flag("--resume", o.resume, "take up the run in the log");
    o.report.describe(app);
    o.command_line = programs::shell_line(std::vector<std::string>(argv, argv + argc));
    app.add_flag("--sync", o.sync, "write every line through to the disk");
    app.add_option("--device", o.device, "cpu or cuda, the first device; ends with status 3 where there is none")
        ->capture_default_str();
    app.add_option("--templates", o.templates,
                   "on cpu: own kernels, or autotvm's as code that is compiled; on cuda always autotvm's")
        ->capture_default_str();
    app.add_flag("--from-scratch", o.from_scratch,
                 "do not try the default configuration first; the last comparison still has it");
    app.add_flag("--winograd", o.winograd, "on cuda: Winograd's template for the convolutions that have one");
    app.add_flag("--json", o.json, "print JSON");
    app.add_flag("--spaces", o.spaces, "print the sizes of the search spaces and stop");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        std::fprintf(stderr, "tune_network: %s (--help lists the options)\n", e.what());
        return 2;
    }
    try {
        const int status = run(o);
        programs::check_output();
        return status;
    } catch (const tk::measure::no_cuda& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
