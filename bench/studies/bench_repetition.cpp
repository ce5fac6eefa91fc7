// SPDX-License-Identifier: MIT
// How far repetition policies are from the truth, and what they cost. Kernels of 2 us to 20 ms are run in rounds, all
// kernels of a round after one another, so that each kernel's runs are spread over the whole time; some rounds are
// repeated with a competing process on the same core. Each visit records a stretch of successive samples by two clocks.
// The truth of a kernel is the median of all its quiet samples by the clock in question. Policies, pure functions of
// batches, run over the recorded stretches; on the shorter kernels they also measure live.

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include "packages/kernels/table/kernel_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "packages/kernels/operators/noise.hpp"
#include "tools/support/program.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/quantile.hpp"

namespace {

namespace tk = tunekit;
namespace measure = tk::measure;
using namespace tk::kernels;
using programs::noise;
using tk::stats::median;
using tk::stats::quantile;

constexpr std::size_t stretch_samples = 500;
constexpr std::size_t first_starts = 13;  ///< a policy begins at samples 0, 20, ..., 240 of a stretch
constexpr double long_kernel = 1e-3;      ///< seconds; from here on a kernel takes part in every fourth round only
constexpr double field_gap = 0.01;        ///< pairs of the top ten that differ by more are counted apart, too
const std::array<const char*, 2> clock_names{"wall", "thread"};
const std::array<const char*, 2> condition_names{"quiet", "loaded"};

struct settings {
    int rounds = 40, core = -1;
    double most_ms = 100;
    std::uint64_t seed = 1;
};

struct policy {
    const char* name;
    std::function<std::uint32_t(std::span<const double>)> next;
    std::function<measure::estimate(std::span<const double>)> estimate_of;
    std::function<measure::measurement(const std::function<void()>&, int clock)> live;
    std::size_t starts;
};

template <class Repetition>
policy named(const char* name, const Repetition& r, std::size_t starts)
{
    const auto live = [r](const std::function<void()>& run, int clock) {
        const auto kernel = [&run](int) { return [&run] { run(); }; };
        const measure::limits within{.run_seconds = 60};
        return clock == 0 ? measure::timed{kernel, r}(0, within)
                          : measure::timed{kernel, r, measure::no_check{}, measure::thread_clock{}}(0, within);
    };
    return {name, [r](auto b) { return r.next(b); }, [r](auto b) { return r.estimate_of(b); }, live, starts};
}

const std::vector<policy>& policies()
{
    static const std::vector<policy> all{
        named("fixed 500", measure::fixed{.runs = 500, .batch = 10}, 1),
        named("until_stable paper", measure::until_stable::paper(), first_starts),
        named("until_stable reference", measure::until_stable::reference(), first_starts),
        named("until_confident", measure::until_confident{}, first_starts)};
    return all;
}

/// Successive samples of one kernel; by each clock the seconds per run of so many runs as `timed` would put in a batch.
struct stretch {
    std::array<std::vector<double>, 2> samples;
    std::array<std::uint64_t, 2> unit{1, 1};
};

struct result {
    double cost = 0, runs = 0, seconds = 0;
};

struct subject {
    std::string name;
    std::function<void()> run;
    int field = -1;  ///< the top ten that it belongs to, or none
    double seconds = 0;
    std::array<std::vector<stretch>, 2> recorded{};                           ///< by condition
    std::map<std::tuple<int, int, std::size_t>, std::vector<result>> live{};  ///< by condition, clock, policy
};

std::uint64_t runs_for(double step, double seconds)
{
    const double n = std::ceil(measure::timed_options{}.min_steps * step / seconds);
    return n > 1 ? static_cast<std::uint64_t>(n) : 1;
}

stretch record(const subject& s, const std::array<double, 2>& steps)
{
    const measure::wall_clock wall;
    const measure::thread_clock thread;
    stretch out;
    for (int i = 0; i < 5; ++i) s.run();
    for (const std::size_t c : {0U, 1U}) out.unit[c] = runs_for(steps[c], s.seconds);
    const auto pass = [&](std::uint64_t n, bool keep_wall, bool keep_thread) {
        for (std::size_t i = 0; i < stretch_samples; ++i) {
            const double t0 = thread();
            const double w0 = wall();
            for (std::uint64_t k = 0; k < n; ++k) {
                s.run();
                asm volatile("" ::: "memory");
            }
            const double w1 = wall();
            const double t1 = thread();
            if (keep_wall) out.samples[0].push_back((w1 - w0) / static_cast<double>(n));
            if (keep_thread) out.samples[1].push_back((t1 - t0) / static_cast<double>(n));
        }
    };
    pass(out.unit[0], true, out.unit[1] == out.unit[0]);
    if (out.unit[1] != out.unit[0]) pass(out.unit[1], false, true);
    return out;
}

/// What `p` makes of a stretch from sample `at` on; with its end, a measurement ends.
result replayed(const policy& p, const stretch& s, std::size_t clock, std::size_t at)
{
    const auto& samples = s.samples[clock];
    const std::uint64_t unit = s.unit[clock];
    std::vector<double> batches;
    result r;
    while (const std::uint32_t wanted = p.next(batches)) {
        const std::size_t n = (std::max<std::uint64_t>(wanted, unit) + unit - 1) / unit;
        if (at + n > samples.size()) break;
        double sum = 0;
        for (std::size_t i = at; i < at + n; ++i) sum += samples[i];
        batches.push_back(sum / static_cast<double>(n));
        at += n;
        r.runs += static_cast<double>(n * unit);
        r.seconds += sum * static_cast<double>(unit);
    }
    r.cost = p.estimate_of(batches).cost;
    return r;
}

double truth(const subject& s, std::size_t clock)
{
    std::vector<double> all;
    for (const stretch& one : s.recorded[0])
        all.insert(all.end(), one.samples[clock].begin(), one.samples[clock].end());
    return median(std::move(all));
}

/// A process that spins on this core while it is let.
class competitor {
public:
    competitor() : pid_(::fork())
    {
        tk::require(pid_ >= 0, "bench_repetition: no child process can be had");
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (volatile unsigned spins = 0;;) spins = spins + 1;
        }
        let(false);
    }
    competitor(const competitor&) = delete;
    competitor& operator=(const competitor&) = delete;
    ~competitor()
    {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    void let(bool spin) const
    {
        ::kill(pid_, spin ? SIGCONT : SIGSTOP);
        ::usleep(20000);
    }

private:
    pid_t pid_;
};

double seconds_of(const std::function<void()>& run)
{
    const measure::thread_clock now;
    const double from = now();
    run();
    return now() - from;
}

std::function<void()> product(const gemm_shape& s, const gemm_config& config, tk::random::philox& gen)
{
    struct state {
        gemm_kernel<> kernel;
        std::vector<float> a, b, c;
    };
    const auto d = gemm_strides::dense(s);
    const auto st =
        std::make_shared<state>(state{gemm_kernel(s, config, kernel_table()), noise(s.batch * d.batch_a, gen),
                                      noise(s.batch * d.batch_b, gen), noise(s.batch * d.batch_c, gen)});
    return [st] { st->kernel.run(st->a.data(), st->b.data(), st->c.data()); };
}

std::function<void()> convolution(const conv2d_shape& s, const conv2d_config& config, tk::random::philox& gen)
{
    struct state {
        conv2d_kernel<> kernel;
        buffer in, out;
    };
    const auto st = std::make_shared<state>(state{conv2d_kernel(s, config, kernel_table(), noise(s.weights(), gen)),
                                                  buffer(static_cast<std::size_t>(s.inputs())), buffer(0)});
    st->out = buffer(st->kernel.output_size());
    std::fill_n(st->in.data(), st->in.size(), 0.5F);
    return [st] { st->kernel.run(st->in.data(), st->out.data()); };
}

/// The ten fastest of 300 random configurations, by medians of rounds over the better ones.
template <class Space, class Make>
void add_top_ten(std::vector<subject>& to, const std::string& name, int field, const Space& space, Make&& make,
                 tk::random::philox& gen)
{
    std::vector<std::pair<double, std::function<void()>>> tried;
    for (const tk::index i : space.sample(300, gen)) {
        auto run = make(space.at(i), gen);
        run();
        tried.emplace_back((std::min)(seconds_of(run), seconds_of(run)), std::move(run));
    }
    const auto by_time = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::sort(tried.begin(), tried.end(), by_time);
    tried.resize((std::min<std::size_t>)(tried.size(), 30));
    std::vector<std::vector<double>> seconds(tried.size());
    for (int round = 0; round < 31; ++round)
        for (std::size_t k = 0; k < tried.size(); ++k) {
            tried[k].second();
            seconds[k].push_back(seconds_of(tried[k].second));
        }
    for (std::size_t k = 0; k < tried.size(); ++k) tried[k].first = median(seconds[k]);
    std::sort(tried.begin(), tried.end(), by_time);
    for (std::size_t k = 0; k < 10; ++k) to.push_back({name + " #" + std::to_string(k), tried[k].second, field});
}

std::vector<subject> subjects(const settings& set, tk::random::philox& gen)
{
    const auto& table = kernel_table();
    std::vector<subject> out;
    for (const gemm_shape& s :
         {gemm_shape{.m = 48, .n = 64, .k = 32}, gemm_shape{.m = 64, .n = 128, .k = 64},
          gemm_shape{.m = 128, .n = 128, .k = 128}, gemm_shape{.batch = 12, .m = 128, .n = 128, .k = 64},
          gemm_shape{.m = 1, .n = 2048, .k = 2048}})
        out.push_back({"gemm " + std::to_string(s.batch) + "x" + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
                           std::to_string(s.k),
                       product(s, default_config(s, table), gen)});
    const std::vector<std::pair<const char*, conv2d_shape>> layers{
        {"conv2d R11", square_conv2d(256, 14, 512, 1, 2, 0)},
        {"conv2d R4", square_conv2d(64, 56, 128, 3, 2, 1)},
        {"conv2d R2", square_conv2d(64, 56, 64, 3, 1, 1)},
        {"conv2d V9", square_conv2d(512, 14, 512, 3, 1, 1)},
        {"conv2d V4", square_conv2d(128, 112, 128, 3, 1, 1)}};
    for (const auto& [name, s] : layers) out.push_back({name, convolution(s, default_config(s, table), gen)});
    const gemm_shape g{.m = 128, .n = 128, .k = 128};
    add_top_ten(
        out, "gemm 128x128x128", 0, gemm_space(g, table),
        [&](const auto& c, auto& r) { return product(g, config_of<gemm_config>(c), r); }, gen);
    const conv2d_shape& r8 = square_conv2d(128, 28, 256, 1, 2, 0);
    add_top_ten(
        out, "conv2d R8", 1, conv2d_space(r8, table),
        [&](const auto& c, auto& r) { return convolution(r8, config_of<conv2d_config>(c), r); }, gen);
    for (subject& s : out) {
        std::vector<double> seconds;
        for (int i = 0; i < 10; ++i) seconds.push_back(seconds_of(s.run));
        s.seconds = median(std::move(seconds));
    }
    std::erase_if(out, [&](const subject& s) { return s.seconds > 1e-3 * set.most_ms; });
    return out;
}

void visit(subject& s, int condition, const std::array<double, 2>& steps, tk::random::philox& gen)
{
    s.recorded[static_cast<std::size_t>(condition)].push_back(record(s, steps));
    if (s.field >= 0 || s.seconds >= long_kernel) return;
    for (const int clock : {0, 1}) {
        const std::size_t first = tk::random::uniform_index(policies().size(), gen);
        for (std::size_t k = 0; k < policies().size(); ++k) {
            const std::size_t p = (first + k) % policies().size();
            const measure::measurement m = policies()[p].live(s.run, clock);
            if (!m.failed)
                s.live[{condition, clock, p}].push_back({m.cost, static_cast<double>(m.runs), m.run_seconds});
        }
    }
}

/// One line of the result: a policy on a kernel.
struct row {
    const char *source, *condition, *clock, *policy;
    std::string kernel;
    double truth_seconds, measurements, error_median, error_p90, runs_mean, seconds_mean;
};

row summarised(const char* source, std::size_t condition, std::size_t clock, const char* name, const subject& s,
               const std::vector<result>& of)
{
    const double want = truth(s, clock);
    std::vector<double> errors;
    double all_runs = 0, all_seconds = 0;
    for (const result& r : of) {
        errors.push_back(std::fabs(r.cost / want - 1));
        all_runs += r.runs;
        all_seconds += r.seconds;
    }
    const auto n = static_cast<double>(of.size());
    return {source, condition_names[condition], clock_names[clock],    name,         s.name,         want,
            n,      quantile(errors, 0.5),      quantile(errors, 0.9), all_runs / n, all_seconds / n};
}

std::vector<row> rows_of(const std::vector<subject>& all)
{
    std::vector<row> out;
    for (const std::size_t condition : {0U, 1U})
        for (const std::size_t clock : {0U, 1U})
            for (std::size_t p = 0; p < policies().size(); ++p)
                for (const subject& s : all) {
                    if (s.field >= 0 || s.recorded[condition].empty()) continue;
                    std::vector<result> found;
                    for (const stretch& one : s.recorded[condition])
                        for (std::size_t k = 0; k < policies()[p].starts; ++k)
                            found.push_back(replayed(policies()[p], one, clock, 20 * k));
                    out.push_back(summarised("recorded", condition, clock, policies()[p].name, s, found));
                    const auto live = s.live.find({static_cast<int>(condition), static_cast<int>(clock), p});
                    if (live != s.live.end())
                        out.push_back(summarised("live", condition, clock, policies()[p].name, s, live->second));
                }
    return out;
}

struct order_row {
    const char *condition, *clock, *policy;
    std::string field;
    double wrong, wrong_apart;  ///< of all 45 pairs; of those more than field_gap apart
    int apart;
    double spread;  ///< slowest over fastest of the ten, less 1
};

std::vector<order_row> orders_of(const std::vector<subject>& all)
{
    std::vector<order_row> out;
    for (const int field : {0, 1})
        for (const std::size_t condition : {0U, 1U})
            for (const std::size_t clock : {0U, 1U})
                for (const policy& p : policies()) {
                    std::vector<const subject*> ten;
                    for (const subject& s : all)
                        if (s.field == field) ten.push_back(&s);
                    if (ten.empty() || ten[0]->recorded[condition].empty()) continue;
                    std::vector<double> want;
                    for (const subject* s : ten) want.push_back(truth(*s, clock));
                    double pairs = 0, wrong = 0, pairs_apart = 0, wrong_apart = 0;
                    for (std::size_t r = 0; r < ten[0]->recorded[condition].size(); ++r)
                        for (std::size_t k = 0; k < p.starts; ++k) {
                            std::vector<double> found;
                            for (const subject* s : ten)
                                found.push_back(replayed(p, s->recorded[condition][r], clock, 20 * k).cost);
                            for (std::size_t i = 0; i < ten.size(); ++i)
                                for (std::size_t j = 0; j < i; ++j) {
                                    const bool bad = (found[i] < found[j]) != (want[i] < want[j]);
                                    const bool apart = std::fabs(std::log(want[i] / want[j])) > field_gap;
                                    pairs += 1;
                                    wrong += bad;
                                    pairs_apart += apart;
                                    wrong_apart += bad && apart;
                                }
                        }
                    const double measured = static_cast<double>(p.starts * ten[0]->recorded[condition].size());
                    const auto [least, most] = std::minmax_element(want.begin(), want.end());
                    out.push_back({condition_names[condition], clock_names[clock], p.name,
                                   ten[0]->name.substr(0, ten[0]->name.find(" #")), wrong / pairs,
                                   pairs_apart > 0 ? wrong_apart / pairs_apart : 0,
                                   static_cast<int>(pairs_apart / measured), *most / *least - 1});
                }
    return out;
}

/// How much the medians of the quiet stretches differ: 90 % over 10 % quantile, less 1. No policy can know more.
double drift(const subject& s, std::size_t clock)
{
    std::vector<double> medians;
    for (const stretch& one : s.recorded[0]) medians.push_back(median(one.samples[clock]));
    return quantile(medians, 0.9) / quantile(medians, 0.1) - 1;
}

void print(const std::vector<subject>& all, const std::vector<row>& rows, const std::vector<order_row>& orders)
{
    std::printf("%-20s %10s %10s %9s %9s\n", "kernel", "wall us", "thread us", "drift", "runs");
    for (const subject& s : all) {
        double runs = 0;
        for (const stretch& one : s.recorded[0]) runs += static_cast<double>(one.samples[0].size() * one.unit[0]);
        std::printf("%-20s %10.2f %10.2f %8.1f%% %9.0f\n", s.name.c_str(), 1e6 * truth(s, 0), 1e6 * truth(s, 1),
                    100 * drift(s, 0), runs);
    }
    std::printf("\n%-9s %-7s %-7s %-23s %-20s %10s %6s %8s %8s %8s %10s\n", "source", "core", "clock", "policy",
                "kernel", "truth us", "n", "median", "p90", "runs", "ms");
    for (const row& r : rows)
        std::printf("%-9s %-7s %-7s %-23s %-20s %10.2f %6.0f %7.2f%% %7.2f%% %8.0f %10.3f\n", r.source, r.condition,
                    r.clock, r.policy, r.kernel.c_str(), 1e6 * r.truth_seconds, r.measurements, 100 * r.error_median,
                    100 * r.error_p90, r.runs_mean, 1e3 * r.seconds_mean);
    std::printf("\n%-7s %-7s %-23s %-18s %8s %8s %6s %8s\n", "core", "clock", "policy", "top ten of", "wrong",
                "of apart", "pairs", "spread");
    for (const order_row& r : orders)
        std::printf("%-7s %-7s %-23s %-18s %7.1f%% %7.1f%% %6d %7.1f%%\n", r.condition, r.clock, r.policy,
                    r.field.c_str(), 100 * r.wrong, 100 * r.wrong_apart, r.apart, 100 * r.spread);
}

void study(const settings& set, const tk::stop_on_signal& stop)
{
    if (set.core >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(set.core), &one);
        tk::require(::sched_setaffinity(0, sizeof one, &one) == 0,
                    "bench_repetition: core " + std::to_string(set.core) + " is not ours, want one that is");
    } else {
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &here);
        ::sched_setaffinity(0, sizeof here, &here);
    }
    auto gen = tk::random::stream(set.seed, 0, 0);
    const competitor other;
    auto all = subjects(set, gen);
    measure::wall_clock wall;
    measure::thread_clock thread;
    const std::array<double, 2> steps{measure::smallest_step(wall), measure::smallest_step(thread)};
    for (int round = 0; round < set.rounds && stop.heard() == 0; ++round) {  // whole rounds: each has all kernels
        for (const int condition : {0, 1}) {
            if (condition == 1 && round % 4 != 0) continue;
            other.let(condition == 1);
            const std::size_t from = tk::random::uniform_index(all.size(), gen);
            for (std::size_t k = 0; k < all.size(); ++k) {
                subject& s = all[(from + k) % all.size()];
                if (s.seconds < long_kernel || round % 4 == 0) visit(s, condition, steps, gen);
            }
        }
        other.let(false);
    }
    print(all, rows_of(all), orders_of(all));
}

}  // namespace

int main(int argc, char** argv)
{
    settings set;
    CLI::App app{"Repetition policies against the truth of thousands of runs, on a quiet and on a shared core",
                 "bench_repetition"};
    app.add_option("--rounds", set.rounds,
                   "500 samples of each kernel in each; long kernels and the load in every fourth")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));
    app.add_option("--core", set.core, "the core to stay on; -1 where it starts")
        ->capture_default_str()
        ->check(CLI::Range(-1, 1023));
    app.add_option("--most-ms", set.most_ms, "leave out kernels that take longer")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--seed", set.seed, "seed of the operands and of the order of the kernels")
        ->check(programs::whole_number())
        ->capture_default_str();
    const tk::stop_on_signal stop;
    const int status = programs::run_program(app, argc, argv, [&] { study(set, stop); });
    return status != 0 ? status : stop.status();
}
