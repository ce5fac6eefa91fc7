// SPDX-License-Identifier: MIT

// Tunes the operators of a network on this machine: the main job.

#include <signal.h>
#include <unistd.h>

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
#include <string>
#include <vector>

#include "support/any_conv2d_case.hpp"
#include "support/convolution_layer.hpp"
#include "support/cuda_tasks.hpp"
#include "support/operator_case.hpp"
#include "support/names.hpp"
#include "tunekit/curve/records.hpp"
#include "tunekit/io/machine.hpp"
#include "tunekit/io/session.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/isolated.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/schedule/outlook.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/version.hpp"

namespace tk = tunekit;

namespace {

struct options {
    std::string network, strategy = "combined", schedule = "dynatune", device = "cpu", templates = "own", log;
    double seconds = 60, slot_seconds = 0;
    std::uint64_t seed = 1;
    bool json = false, spaces = false, resume = false, sync = false, winograd = false, from_scratch = false;
};

/// One operator of the network with all that belongs to it.
struct job {
    std::string name, kind;
    int times = 1;
    double flops = 0;
    std::shared_ptr<void> owner;  // of what the measurer refers to
    std::optional<tk::space::any_space> space;
    tk::index untuned = 0;  // the configuration of a library that was never tuned
    std::function<std::vector<tk::measure::measurement>(std::span<const tk::index>, const tk::measure::limits&)> measurer;
};

/// The operators of a network, and where they run.
struct jobs_on {
    std::deque<job> all;
    std::shared_ptr<programs::cuda_tasks> cuda;  // where the device is one
};

/// What is printed of it.
struct outcome {
    std::optional<tk::index> best;
    double default_cost = std::numeric_limits<double>::infinity();
    double cost = std::numeric_limits<double>::infinity();
    std::size_t tied = 0;
};

/// Refers to a job's measurer, so that the race can have it back.
struct lent {
    job* of;
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
    {
        return of->measurer(batch, l);
    }
};

constexpr std::size_t batch = 8;
constexpr tk::candidate_limits limits{.abandon_factor = 1.5, .run_seconds = 5};
constexpr tk::measure::until_confident precise{.standard_error = 0.02, .group = 3, .runs = 24};  // the last comparison is more so
constexpr double race_share = 0.1;  // of the seconds, for the last comparison of the best with the default

/// The measurer of an operator, under the repetition that belongs to the strategy.
template <class Case>
tk::measure::isolated_measurer measurer_of(Case& on, const std::string& strategy)
{
    const auto isolate = [&](auto repetition) {
        return tk::measure::isolated(on.space(), tk::measure::timed{on.kernel(), repetition, on.check(), tk::measure::thread_clock{}},
                                     {.canaries = on.canaries()});
    };
    return strategy == "adatune" ? isolate(tk::recipes::adatune_repetition()) : isolate(precise);
}

template <class Case, class Layer>
void add_job(std::deque<job>& jobs, const Layer& layer, const char* kind, const options& o)
{
    const auto on = std::make_shared<Case>(layer.shape);
    job& j = jobs.emplace_back(job{.name = std::string(layer.name), .kind = kind, .times = layer.times, .flops = layer.shape.flops(),
                                   .owner = on, .space = on->space(), .untuned = on->default_index(), .measurer = {}});
    if (o.spaces) return;
    const auto here = std::make_shared<tk::measure::isolated_measurer>(measurer_of(*on, o.strategy));
    j.measurer = [here](std::span<const tk::index> which, const tk::measure::limits& l) { return here->measure(which, l); };
}

/// The same under AutoTVM's template, whose configurations are compiled before they run.
void add_template_job(std::deque<job>& jobs, const tk::kernels::conv2d_layer& layer, const options& o)
{
    auto on = o.strategy == "adatune" ? programs::x86_task_of(layer.shape, tk::recipes::adatune_repetition(), !o.spaces)
                                      : programs::x86_task_of(layer.shape, precise, !o.spaces);
    jobs.emplace_back(job{.name = std::string(layer.name), .kind = "conv2d", .times = layer.times, .flops = layer.shape.flops(),
                          .owner = std::move(on.owner), .space = std::move(on.space), .untuned = on.untuned,
                          .measurer = std::move(on.measure)});
}

/// The same on the CUDA device, without which only the space is told.
template <class Layer>
void add_cuda_job(jobs_on& to, const Layer& layer, const char* kind, const options& o)
{
    programs::with_cuda_template(layer.shape, o.winograd, to.cuda != nullptr, [&](const auto& what, const auto& operands, const auto& want) {
        job& j = to.all.emplace_back(job{.name = std::string(layer.name), .kind = kind, .times = layer.times, .flops = layer.shape.flops(),
                                         .owner = {}, .space = what.space, .untuned = 0, .measurer = {}});
        if (!to.cuda) return;
        j.untuned = programs::untuned_cuda(what);
        const std::size_t k = o.strategy == "adatune" ? to.cuda->add(what, operands, want, tk::recipes::adatune_repetition())
                                                      : to.cuda->add(what, operands, want, precise);
        j.measurer = [on = to.cuda, k](std::span<const tk::index> which, const tk::measure::limits& l) { return on->measure(k, which, l); };
    });
}

jobs_on jobs_of(const tk::kernels::network& net, const options& o)
{
    jobs_on out;
    if (o.templates == "autotvm" && o.device == "cpu") {
        for (const auto& layer : net.convolutions) add_template_job(out.all, layer, o);
        return out;
    }
    if (o.device == "cpu") {
        for (const auto& layer : net.convolutions) add_job<programs::any_conv2d_case>(out.all, layer, "conv2d", o);
        for (const auto& layer : net.products) add_job<programs::gemm_case>(out.all, layer, "gemm", o);
        return out;
    }
    if (!o.spaces) out.cuda = std::make_shared<programs::cuda_tasks>();
    for (const auto& layer : net.convolutions) add_cuda_job(out, layer, "conv2d", o);
    for (const auto& layer : net.products) add_cuda_job(out, layer, "gemm", o);
    if (out.cuda) out.cuda->begin();
    return out;
}

double raw_size(const tk::space::any_space& space)
{
    double n = 1;
    for (const auto c : space.cardinalities()) n *= c;
    return n;
}

std::vector<tk::io::log_header::task_entry> entries(const std::deque<job>& jobs)
{
    std::vector<tk::io::log_header::task_entry> out;
    for (const auto& j : jobs) out.push_back({j.name, j.space->size(), j.space->fingerprint()});
    return out;
}

std::string version() { return std::to_string(TUNEKIT_VERSION_MAJOR) + '.' + std::to_string(TUNEKIT_VERSION_MINOR) + '.' + std::to_string(TUNEKIT_VERSION_PATCH); }

/// What another minute would take off the latency, with what has been found so far.
tk::schedule::outlook next_minute(const std::deque<job>& jobs, const tk::plan& p)
{
    std::vector<tk::schedule::task_view> views;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        const auto& record = p.tasks[k].record;
        views.push_back({.flops = jobs[k].flops, .weight = static_cast<double>(jobs[k].times), .curve = record.curve(),
                         .slots = p.tasks[k].slots, .seconds = record.seconds(), .active = record.stopped == tk::stop_reason::running});
    }
    tk::random::philox gen(0);  // one of its own: what is forecast must not change what is tried
    return tk::schedule::expected_gain(views, 60, tk::curve::record_process{}, gen);
}

/// One line on the terminal that is rewritten as the run goes on; nothing where there is no terminal.
class progress {
public:
    explicit progress(const options& o, const std::deque<job>& jobs) : o_(o), jobs_(jobs), on_(::isatty(2) != 0 && !o.json) {}
    ~progress()
    {
        if (on_) std::fprintf(stderr, "\r\033[K");
    }
    void show(const tk::plan& p, std::size_t k)
    {
        if (!on_) return;
        double latency = 0;
        for (std::size_t i = 0; i < jobs_.size(); ++i) latency += jobs_[i].times * p.tasks[i].record.best_cost();
        if (p.seconds >= forecast_at_) {  // milliseconds of work: once a second
            next_ = next_minute(jobs_, p);
            forecast_at_ = p.seconds + 1;
        }
        std::fprintf(stderr, "\r\033[K%zu slots  %-5s  model %.3f ms  next minute -%.3f ms (%.3f to %.3f)  %.0f s left", p.slots.size(),
                     jobs_[k].name.c_str(), 1e3 * latency, 1e3 * next_.gain, 1e3 * next_.low, 1e3 * next_.high,
                     (std::max)(0.0, o_.seconds - p.seconds));
    }

private:
    const options& o_;
    const std::deque<job>& jobs_;
    bool on_;
    tk::schedule::outlook next_;
    double forecast_at_ = 0;
};

/// The machine that a log belongs to, the device included.
std::string machine(const jobs_on& on) { return tk::io::machine_key() + (on.cuda ? " " + on.cuda->device().name : ""); }

/// Runs the whole budget but the race's share. `problem` tells of a log that could not be written to the end.
tk::plan tune_all(const options& o, jobs_on& on, const tk::any_strategy& strategy, std::string& problem)
{
    std::deque<job>& jobs = on.all;
    tk::tasks_budget budget{.seconds = (1 - race_share) * o.seconds, .slot_seconds = o.slot_seconds, .batch = batch, .limits = limits};
    budget.slot_seconds = budget.slot(jobs.size());
    using session = tk::io::session<tk::measure::wall_clock>;
    std::optional<session> log;
    if (!o.log.empty()) {
        if (o.resume && o.slot_seconds == 0 && ::access(o.log.c_str(), R_OK) == 0)
            budget.slot_seconds = tk::io::read_log(o.log).header.slot_seconds;  // more seconds must not change the slots
        log.emplace(o.log,
                    tk::io::log_header{.version = version(), .machine = machine(on), .seed = o.seed, .strategy = o.strategy,
                                       .schedule = o.schedule, .seconds = o.seconds, .slot_seconds = budget.slot_seconds,
                                       .batch = batch, .tasks = entries(jobs)},
                    tk::measure::wall_clock{},
                    session::options{.resume = o.resume,
                                     .sync = o.sync ? tk::io::log_file::sync::every_line : tk::io::log_file::sync::every_second});
    }
    const auto schedule = programs::find(programs::schedules({.seconds = budget.seconds, .slot_seconds = budget.slot_seconds, .tasks = jobs.size()}), "schedule", o.schedule);
    std::vector<tk::task> tasks;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        job& j = jobs[k];
        if (log) tasks.emplace_back(j.name, *j.space, log->record(k, lent{&j}), j.flops, j.times);
        else tasks.emplace_back(j.name, *j.space, lent{&j}, j.flops, j.times);
        if (!o.from_scratch) tasks.back().begin_with({j.untuned});
    }
    tk::random::philox gen(o.seed);
    progress line(o, jobs);
    const auto watch = [&](const tk::plan& p, std::size_t k) {
        line.show(p, k);
        return log && log->failed();
    };
    tk::plan plan = log ? tk::tune_tasks(tasks, strategy, schedule, budget, log->clock(), watch, gen)
                        : tk::tune_tasks(tasks, strategy, schedule, budget, tk::measure::wall_clock{}, watch, gen);
    if (log && log->failed()) problem = log->problem();
    return plan;
}

/// The best two trials and the default, measured afresh in interleaved rounds for `seconds`. Of those that the race cannot tell
/// apart the one with the lowest fresh median is taken.
outcome finish(job& j, const tk::tuning& record, double seconds)
{
    const tk::index untuned = j.untuned;
    std::vector<tk::index> finalists = record.finalists(2);
    if (std::find(finalists.begin(), finalists.end(), untuned) == finalists.end()) finalists.push_back(untuned);
    double spent = 1e-3;  // of one measurement, about: a whole one of the incumbent's
    if (record.found()) spent = (std::max)(spent, record.incumbent().measured.run_seconds);
    const double rounds = seconds / (spent * static_cast<double>(finalists.size()));
    lent measurer{&j};
    const auto result = tk::measure::race(measurer, finalists, {.run_seconds = limits.run_seconds},
                                          {.rounds = static_cast<std::uint32_t>((std::min)(60.0, (std::max)(2.0, rounds)))});
    outcome out{.best = {}, .tied = result.tied.size()};
    // Costs of rounds that were not run side by side do not compare: all are told by what they were slower in common rounds.
    for (const auto& s : result.standings) {
        const double cost = result.cost * (1 + s.against_winner.median);
        if (s.which == untuned && !s.failed) out.default_cost = cost;
        if (s.tied && cost < out.cost) {
            out.cost = cost;
            out.best = s.which;
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
            rows.push_back({{"name", j.name}, {"kind", j.kind}, {"raw_size", raw_size(*j.space)}, {"size", j.space->size()}});
        else
            std::printf("%-6s %-8s %20.0f %16llu\n", j.name.c_str(), j.kind.c_str(), raw_size(*j.space),
                        static_cast<unsigned long long>(j.space->size()));
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

/// Prints the table, or the same as JSON; true where every task has a verified kernel.
bool report(const options& o, const jobs_on& on, const tk::plan& plan, const std::vector<outcome>& ends, double race_seconds)
{
    const std::deque<job>& jobs = on.all;
    const auto number = [](double x) { return x < std::numeric_limits<double>::infinity() ? nlohmann::ordered_json(x) : nlohmann::ordered_json(); };
    auto rows = nlohmann::ordered_json::array();
    double before = 0, after = 0, measuring = race_seconds;
    std::uint64_t trials = 0, failed = 0;
    bool all = true;
    if (!o.json)
        std::printf("%-6s %-7s %9s %5s %12s %7s %7s %11s %10s %9s %8s  %s\n", "task", "kind", "MFLOP", "times", "space", "trials", "failed",
                    "default ms", "tuned ms", "GFLOP/s", "seconds", "algorithm");
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        const job& j = jobs[k];
        const auto& record = plan.tasks[k].record;
        const outcome& e = ends[k];
        before += j.times * e.default_cost;
        after += j.times * e.cost;
        trials += record.trials().size();
        failed += record.failed();
        for (const auto& t : record.trials()) measuring += t.measured.build_seconds + t.measured.run_seconds;
        all = all && e.best.has_value();
        const double gflops = j.flops / e.cost * 1e-9;
        if (!o.json) {
            std::printf("%-6s %-7s %9.3f %5d %12llu %7zu %7llu %11.4f %10.4f %9.1f %8.2f  %s\n", j.name.c_str(), j.kind.c_str(), j.flops * 1e-6,
                        j.times, static_cast<unsigned long long>(j.space->size()), record.trials().size(),
                        static_cast<unsigned long long>(record.failed()), 1e3 * e.default_cost, 1e3 * e.cost, gflops, record.seconds(),
                        e.best ? algorithm_of(*j.space, *e.best).c_str() : "NO VERIFIED KERNEL");
            continue;
        }
        auto config = nlohmann::ordered_json::object();
        if (e.best) {
            const auto texts = j.space->texts(*e.best);
            const auto names = j.space->names();
            for (std::size_t p = 0; p < texts.size(); ++p) config[names[p]] = texts[p];
        }
        rows.push_back({{"name", j.name}, {"kind", j.kind}, {"mflop", j.flops * 1e-6}, {"times", j.times},
                        {"space_size", j.space->size()}, {"trials", record.trials().size()}, {"failed", record.failed()},
                        {"default_ms", number(1e3 * e.default_cost)}, {"tuned_ms", number(1e3 * e.cost)}, {"gflops", gflops},
                        {"seconds", record.seconds()}, {"verified", e.best.has_value()}, {"tied", e.tied},
                        {"index", e.best ? nlohmann::ordered_json(*e.best) : nlohmann::ordered_json()}, {"config", config}});
    }
    const double seconds = plan.seconds + race_seconds;
    const double share = seconds > 0 ? measuring / seconds : 0;
    const auto next = next_minute(jobs, plan);
    if (o.json) {
        nlohmann::ordered_json all_of{{"network", o.network}, {"device", o.device}, {"strategy", o.strategy},
                                      {"schedule", o.schedule}, {"seed", o.seed}, {"seconds", seconds}, {"trials", trials},
                                      {"failed", failed}, {"measuring_share", share}, {"default_latency_ms", number(1e3 * before)},
                                      {"tuned_latency_ms", number(1e3 * after)},
                                      {"forecast", {{"seconds", next.seconds}, {"gain_ms", 1e3 * next.gain}, {"low_ms", 1e3 * next.low},
                                                    {"high_ms", 1e3 * next.high}}},
                                      {"tasks", rows}};
        if (on.cuda) {
            const auto seen = on.cuda->conditions();
            all_of["device_name"] = on.cuda->device().name;
            all_of["clock_mhz"] = {seen.least_mhz, seen.most_mhz};
            all_of["throttled"] = seen.throttled();
        }
        std::printf("%s\n", all_of.dump(2).c_str());
    } else {
        std::printf("model latency %.3f ms -> %.3f ms (%.2fx), %llu trials, %llu failed, %.0f%% of %.1f s spent measuring\n", 1e3 * before,
                    1e3 * after, before / after, static_cast<unsigned long long>(trials), static_cast<unsigned long long>(failed),
                    100 * share, seconds);
        std::printf("another minute is expected to gain %.3f ms, with 90 %% between %.3f and %.3f ms\n", 1e3 * next.gain, 1e3 * next.low,
                    1e3 * next.high);
        if (on.cuda) std::printf("%s, %s\n", on.cuda->device().name.c_str(), on.cuda->conditions().text().c_str());
    }
    return all;
}

int run(const options& o)
{
    const auto* const net = tk::kernels::find_network(o.network);
    if (net == nullptr) {
        std::string known;
        for (const auto& n : tk::kernels::networks) known += (known.empty() ? "" : ", ") + std::string(n.name);
        tk::invalid("network \"" + o.network + "\" is unknown, want one of: " + known);
    }
    const auto strategy = programs::find(programs::strategies(), "strategy", o.strategy);
    (void)programs::find(programs::schedules({}), "schedule", o.schedule);
    tk::require(o.device == "cpu" || o.device == "cuda", "device \"" + o.device + "\" is unknown, want one of: cpu, cuda");
    tk::require(o.templates == "own" || o.templates == "autotvm", "templates \"" + o.templates + "\" are unknown, want one of: own, autotvm");
    tk::require(o.device != "cpu" || o.templates == "own" || net->products.empty(),
                "--templates autotvm has convolutions alone, want a network without other products");
    tk::require(!o.winograd || o.device == "cuda", "--winograd needs --device cuda");
    tk::require(o.seconds > 0, "--seconds is not positive, want > 0");
    tk::require(o.slot_seconds >= 0, "--slot-seconds is negative, want > 0, or 0 for a twentieth of each task's share");
    tk::require(!o.resume || !o.log.empty(), "--resume needs the log to resume, want --log FILE");
    ::signal(SIGXFSZ, SIG_IGN);  // a log that meets a file size limit is told by its write

    auto on = jobs_of(*net, o);
    auto& jobs = on.all;
    if (o.spaces) return print_spaces(jobs, o.json), 0;
    std::string problem;
    const tk::plan plan = tune_all(o, on, strategy, problem);
    const tk::measure::wall_clock now;
    const double race_start = now();
    std::vector<outcome> ends;
    for (std::size_t k = 0; k < jobs.size(); ++k)
        ends.push_back(finish(jobs[k], plan.tasks[k].record, race_share * o.seconds / static_cast<double>(jobs.size())));
    const bool all = report(o, on, plan, ends, now() - race_start);
    if (!problem.empty()) std::fprintf(stderr, "tunekit: %s\n", problem.c_str());
    return all && problem.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app("Tunes the operators of a network on this machine and prints what that gained.", "tune_network");
    app.set_version_flag("--version", "tune_network (tunekit) " + version());
    app.add_option("--network", o.network, "resnet18, vgg16, alexnet, squeezenet, transformer or bert")->required();
    app.add_option("--strategy", o.strategy, "what is tried next: " + programs::list(programs::strategies()))->capture_default_str();
    app.add_option("--schedule", o.schedule, "whose turn it is: " + programs::list(programs::schedules({})))->capture_default_str();
    app.add_option("--seconds", o.seconds, "wall time for all tasks together")->capture_default_str();
    app.add_option("--slot-seconds", o.slot_seconds, "length of a slot; 0: seconds / (20 x tasks), within [0.1, 100]")->capture_default_str();
    app.add_option("--seed", o.seed, "same seed, same proposals for the same measurements")->capture_default_str();
    app.add_option("--log", o.log, "file that takes one line per trial");
    app.add_flag("--resume", o.resume, "take up the run in the log");
    app.add_flag("--sync", o.sync, "write every trial through to the disk");
    app.add_option("--device", o.device, "cpu or cuda, the first device; ends with status 3 where there is none")->capture_default_str();
    app.add_option("--templates", o.templates, "on cpu: own kernels, or autotvm's as code that is compiled; on cuda always autotvm's")->capture_default_str();
    app.add_flag("--from-scratch", o.from_scratch, "do not try the default configuration first; the last comparison still has it");
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
        return run(o);
    } catch (const tk::measure::no_cuda& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
