// SPDX-License-Identifier: MIT

// Tunes the operators of a network on many machines: rank 0 tunes, the other ranks measure.
//
//     mpirun -n 4 tune_network_mpi --network resnet18 --seconds 60 --log run.jsonl

#include <signal.h>
#include <csignal>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "packages/kernels/operators/operator_task.hpp"
#include "tools/support/network_end.hpp"
#include "tools/support/network_options.hpp"
#include "tools/support/program.hpp"
#include "tools/support/run_options.hpp"
#include "tools/support/run_report.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/mpi/pool.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

struct options : programs::network_options {
    std::string device;
    bool mixed = false, head_measures = false;
};

void say(const std::string& what) { programs::say("tune_network_mpi", what); }

/// The operators of a network; without a repetition only their spaces.
std::vector<programs::operator_task> operators_of(const tk::kernels::network& net,
                                                  const programs::maybe_repetition& repetition)
{
    std::vector<programs::operator_task> out;
    for (const auto& layer : net.convolutions) out.push_back(programs::any_conv2d_task(layer.shape, repetition));
    for (const auto& layer : net.products) out.push_back(programs::gemm_task(layer.shape, repetition));
    return out;
}

std::vector<tk::task> tasks_of(const tk::kernels::network& net, const std::vector<programs::operator_task>& operators)
{
    std::vector<tk::task> out;
    const auto add = [&](const auto& layer) {
        const auto& o = operators[out.size()];
        out.push_back({std::string(layer.name), o.space, layer.shape.flops(), static_cast<double>(layer.times)});
        out.back().begin_with({o.untuned});
    };
    for (const auto& layer : net.convolutions) add(layer);
    for (const auto& layer : net.products) add(layer);
    return out;
}

/// Prints the table; true where every task has a verified kernel.
bool report(const std::vector<tk::task>& tasks, const tk::plan& plan, const std::vector<tk::last_comparison>& ends,
            const tk::mpi::pool& pool)
{
    bool all = true;
    double before = 0, after = 0;
    std::printf("%-6s %12s %7s %20s %7s %11s %10s\n", "task", "space", "trials", "by worker", "failed", "default ms",
                "tuned ms");
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const auto& record = plan.tasks[k].record;
        all = all && ends[k].best.has_value();
        before += tasks[k].weight() * ends[k].untuned_cost;
        after += tasks[k].weight() * ends[k].cost;
        std::printf("%-6s %12llu %7zu %20s %7llu %11.4f %10.4f%s\n", tasks[k].name().c_str(),
                    static_cast<unsigned long long>(tasks[k].space().size()), record.trials().size(),
                    programs::trials_by_worker(record, pool.workers()).c_str(),
                    static_cast<unsigned long long>(record.failed()), 1e3 * ends[k].untuned_cost, 1e3 * ends[k].cost,
                    ends[k].best ? "" : "  NO VERIFIED KERNEL");
    }
    for (std::size_t w = 0; w < pool.workers(); ++w) {
        const auto& m = pool.members()[w];
        std::printf("worker %zu: %s, %s, %s, %llu lost", w, m.who.host.c_str(), m.who.device.c_str(),
                    tk::core::detail::counted(m.answered, "answer").c_str(), static_cast<unsigned long long>(m.lost));
        if (const auto c = pool.against_first(w))
            std::printf(", %.3f [%.3f, %.3f] times the first worker's reference", c->value, c->low, c->high);
        std::printf("%s%s\n", m.why.empty() ? "" : ", ", m.why.c_str());
    }
    std::printf("%s\n", programs::verdicts_text(ends).c_str());
    std::printf("model latency %.3f ms -> %.3f ms (%.2fx), %.1f s\n", 1e3 * before, 1e3 * after, before / after,
                plan.seconds);
    return all;
}

int lead_run(const options& o, const tk::kernels::network& net, tk::mpi::leader& lead)
{
    const auto operators = operators_of(net, {});
    const auto tasks = tasks_of(net, operators);
    std::vector<tk::measure::task_identity> identities;
    for (const auto& t : operators) identities.push_back(tk::measure::identity_of(t.space));
    tk::mpi::pool pool(lead, identities,
                       {.reference = tk::mpi::leased_options::reference_job{.candidate = operators[0].untuned}});
    std::vector<std::string> logs;  // one for each kind of device; none of them is a past of this job
    for (std::size_t k = 0; !o.log.empty() && k < lead.runs(); ++k)
        logs.push_back(o.log + (lead.runs() > 1 ? "." + std::to_string(k) : ""));
    const std::string log = logs.empty() ? std::string() : logs[lead.run()];

    const tk::stop_on_signal stop;
    const tk::measure::wall_clock now;
    const double start = now();
    const tk::tasks_budget budget{.seconds = (1 - tk::comparison_reserve::usual_share) * o.seconds};
    tk::random::philox gen(o.seed);
    const auto begun = o.begun(logs);
    for (const std::string& note : begun.notes) say(note);
    if (const std::string told = programs::told_of(begun.past, tasks); !told.empty()) say(told);
    tk::tasks_tuner t(tasks, begun.how, budget, pool.workers(), gen);
    std::string problem;
    std::vector<tk::index> untuned;
    for (const auto& each : operators) untuned.push_back(each.untuned);
    std::vector<tk::last_comparison> ends;
    const auto race = [&](tk::plan& found) {               // afresh beside the default
        while (!pool.first_idle()) (void)pool.collect(1);  // of a run that was taken up and had no time left
        const auto alone = [&](std::size_t k) {
            const auto worker = pool.first_idle();
            if (!worker) throw tk::error("no rank is left for the last comparison; resume the run from its log");
            return pool.alone(*worker, k);
        };
        ends = tk::compare_finalists(alone, found, untuned, stop.heard() != 0 ? 0 : o.seconds - (now() - start),
                                     {.run_seconds = 5}, o.may_be_worse);
    };
    const auto carry = [&](auto& run) {
        problem = programs::trouble_of(run, [&] { tk::tune_tasks(run, pool, {.watch = stop, .checks = o.checks()}); });
        return programs::raced(run, problem, race);
    };
    const auto logged = [&] {
        tk::io::logged run(log, std::move(t),
                           {.strategy = begun.name,
                            .schedule = o.schedule,
                            .machine = o.device.empty() ? to_text(tk::this_machine()) : o.device,
                            .seed = o.seed,
                            .mixed_devices = o.mixed,
                            .resume = o.resume,
                            .fastest = programs::ranks_by_fastest(o.how().repetition)});
        if (!run.note().empty()) say(run.note());
        return carry(run);
    };
    tk::plan plan = log.empty() ? carry(t) : logged();

    if (ends.empty()) ends = programs::told_by_trials(plan, untuned, o.may_be_worse);

    // First it is printed; then comes what can fail.
    const bool all = report(tasks, plan, ends, pool);
    if (!problem.empty()) say(problem);
    const int lost = programs::output_status(say);
    if (!problem.empty()) return 2;
    if (lost != 0) return lost;
    if (stop.heard() != 0) return stop.status();
    return all ? 0 : 1;
}

int run(const options& o, int argc, char** argv)
{
    o.check();
    const auto& net = o.found();
    const auto repetition = o.how().repetition;
    ::signal(SIGXFSZ, SIG_IGN);  // a log that meets a file size limit is told by its write
    auto lead = tk::mpi::serve(argc, argv,
                               [&](std::size_t) {
                                   std::vector<tk::measure::any_worker_task> out;
                                   for (const auto& t : operators_of(net, repetition)) out.push_back(t.worker());
                                   return out;
                               },
                               {.device = o.device, .mixed = o.mixed, .head_measures = o.head_measures});
    int status = 2;
    try {
        status = lead_run(o, net, lead);
    } catch (const std::exception& e) {
        say(e.what());
    }
    return lead.finish(status);
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app("Tunes the operators of a network on the ranks of an MPI job.", "tune_network_mpi");
    app.set_version_flag("--version", "tune_network_mpi (tunekit) " + programs::version_text());
    o.describe(app, "file that takes every event, with who measured and on what");
    app.add_option("--device", o.device,
                   "key of what a rank measures on [the processor's family, model and vectors, and its cores]");
    app.add_flag("--mixed", o.mixed, "one run for all ranks, whatever their devices; else one for each kind");
    app.add_flag("--head-measures", o.head_measures, "rank 0 measures, too");
    const bool speaks = tk::mpi::launched().value_or(tk::mpi::place{}).rank == 0;  // one line, not one of each rank
    try {
        app.parse(argc, argv);
        return run(o, argc, argv);
    } catch (const CLI::Success& e) {
        return speaks ? app.exit(e) : 0;
    } catch (const CLI::ParseError& e) {
        if (speaks) say(programs::wrong_options(e, app, argc, argv));
        return 2;
    } catch (const std::exception& e) {
        if (speaks) say(e.what());
        return 2;
    }
}
