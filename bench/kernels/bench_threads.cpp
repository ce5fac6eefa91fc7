// SPDX-License-Identifier: MIT
// Products and direct convolutions on several threads: the division is tuned together with the tile, by wall time on all cores, and so is
// the form on one thread. Then both, the untuned configuration cut each way, oneDNN and OpenBLAS with as many threads run in interleaved
// rounds. "ceiling" is every thread running the whole serial winner on operands of its own. Needs as many idle cores as threads.

#include <pthread.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/kernels/support/begin_honestly.hpp"
#include "bench/kernels/support/cpu_peers.hpp"
#include "bench/kernels/support/field.hpp"
#include "bench/kernels/support/kernel_report.hpp"
#include "bench/kernels/support/product_shapes.hpp"
#include "bench/kernels/support/tuned_form.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/conv2d/parallel.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/gemm/parallel.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/tune/tune.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;

/// Threads that wait between runs: awake for some milliseconds, as OpenMP's do, because waking one takes as long as a small product.
class team {
public:
    explicit team(std::size_t n)
    {
        stay_on(0);
        for (std::size_t i = 1; i < n; ++i)
            threads_.emplace_back([this, i] {
                stay_on(i);
                for (unsigned seen = 0; next(seen); left_.fetch_sub(1))
                    if (i < parts_) task_(i);
            });
    }
    team(const team&) = delete;
    team& operator=(const team&) = delete;
    ~team()
    {
        task_ = nullptr;
        begin();
        for (auto& t : threads_) t.join();
    }

    /// The calling thread stays on this processor: two that share one would seem to gain nothing.
    static void stay_on(std::size_t processor)
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(processor, &own);
        pthread_setaffinity_np(pthread_self(), sizeof own, &own);
    }

    /// Runs task(0) ... task(n - 1), one a thread; one task alone wakes nobody. Precondition: n is at most the number of threads.
    template <class F>
    void run(std::size_t n, const F& task)
    {
        if (n > 1) {
            parts_ = n;
            task_ = std::cref(task);
            begin();
        }
        task(0);
        while (left_.load() > 0) std::this_thread::yield();
    }

private:
    void begin()
    {
        if (task_) left_.store(threads_.size());
        round_.fetch_add(1);
        round_.notify_all();
    }

    /// Waits for the round behind `seen`; whether there is something to do in it.
    bool next(unsigned& seen) const
    {
        for (int i = 0; i < 20000 && round_.load() == seen; ++i) std::this_thread::yield();
        round_.wait(seen);
        ++seen;
        return bool(task_);
    }

    std::atomic<unsigned> round_{0};
    std::atomic<std::size_t> left_{0};
    std::function<void(std::size_t)> task_;
    std::size_t parts_ = 0;
    std::vector<std::thread> threads_;
};

struct settings {
    std::vector<std::string> layers;
    int threads = 2, rounds = 31;
    double seconds = 10;
    std::uint64_t seed = 1;
    bool json = false;
};

/// A contestant of the last comparison, which runs `times` times the work of one.
struct runner {
    std::string name, config;
    std::function<void()> run;
    double times = 1;
};

/// Wall seconds of one run, after a pause in which the waiting threads of other libraries fall asleep: awake they would hold a core.
double paused_seconds_of(const std::function<void()>& run)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    run();
    const tk::measure::wall_clock now;
    const double began = now();
    int runs = 0;
    double spent = 0;
    while (spent < 0.02) {
        run();
        ++runs;
        spent = now() - began;
    }
    return spent / runs;
}

/// The best of a space by wall time: tuned by the library's default strategy, then raced. `plan(point)` makes what is run.
template <class Space, class Plan>
tk::index tuned(const std::string& layer, const std::string& name, const Space& space, tk::index untuned,
                const Plan& plan, const settings& set)
{
    constexpr double race_share = 0.1;
    auto measurer = tk::measure::in_process(
        space, tk::measure::timed{plan, bench::form_repetition, tk::measure::no_check{}, tk::measure::wall_clock{}});
    const auto base = tk::recipes::combined();
    tk::tuner tuner(space, tk::recipe{base.strategy, base.repetition, bench::form_limits, std::size_t{1}},
                    {.seconds = (1 - race_share) * set.seconds}, tk::random::philox(set.seed));
    tuner.begin_with({untuned});
    tk::tune(tuner, measurer);
    const bench::form of{.layer = layer, .name = name, .task = {.space = space, .untuned = untuned}};
    return bench::winner_of(of, measurer, tuner.record(), race_share * set.seconds);
}

/// Rows of a layer: what `runners` reach, those behind `ours` being peers; ratios to the first, the form on one thread.
bench::row compare(std::string layer, const std::string& group, const std::vector<runner>& runners, std::size_t ours,
                   double flops, int rounds)
{
    std::vector<std::vector<double>> seconds(runners.size());
    for (int r = 0; r < rounds; ++r)
        for (std::size_t i = 0; i < runners.size(); ++i)
            seconds[i].push_back(paused_seconds_of(runners[i].run) / runners[i].times);
    const auto rate = [&](std::size_t i) { return flops / tk::stats::median(seconds[i]) / 1e9; };
    bench::row out{.layer = std::move(layer)};
    for (std::size_t i = 0; i < ours; ++i) {
        out.ours.push_back({runners[i].name, runners[i].config, rate(i), 0});
        if (i == 0) continue;
        out.comparisons.push_back(
            {runners[i].name, group + "_" + runners[i].name, "one_thread", bench::ratio_of(seconds[0], seconds[i])});
    }
    std::optional<std::size_t> best;
    for (std::size_t i = ours; i < runners.size(); ++i) {
        out.peers.emplace_back(runners[i].name, rate(i));
        if (!best || rate(i) > rate(*best)) best = i;
        if (runners[i].name == "openblas")
            out.comparisons.push_back(
                {"tuned", group + "_tuned", "openblas", bench::ratio_of(seconds[i], seconds[1]), {}});
    }
    if (best)
        out.comparisons.push_back(
            {"tuned", group + "_tuned", "best_peer", bench::ratio_of(seconds[*best], seconds[1]), runners[*best].name});
    return out;
}

std::span<float> all(buffer& of) { return {of.data(), of.size()}; }
std::span<const float> all(const buffer& of) { return {of.data(), of.size()}; }

buffer copy_of(const buffer& from)
{
    buffer out(from.size());
    std::copy_n(from.data(), from.size(), out.data());
    return out;
}

/// Aligned as the peers' operands are: a row whose vectors cross cache lines took a third longer.
buffer random_floats(std::int64_t n, tk::random::philox& gen)
{
    buffer out(static_cast<std::size_t>(n));
    for (float& x : all(out)) x = 2 * static_cast<float>(tk::random::uniform_01(gen)) - 1;
    return out;
}

void require_equal(const std::string& layer, std::span<const float> got, std::span<const float> want)
{
    tk::require(relative_error(got, want) < 1e-4, layer + " on threads computes something else");
}

/// A whole product and its operands.
struct product_on {
    parallel_gemm<> kernel;
    buffer a, b, c;
};

bench::row product_row(const layer<gemm_shape>& layer, team& workers, const settings& set)
{
    const gemm_shape& s = layer.shape;
    const std::string name(layer.name);
    const auto on_team = [&](std::size_t n, const auto& task) { workers.run(n, task); };
    tk::random::philox gen(1);
    const auto a = random_floats(std::int64_t{s.batch} * s.m * s.k, gen),
               b = random_floats(std::int64_t{s.batch} * s.k * s.n, gen);
    buffer c(static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n));
    const auto planned = [&](const gemm_config& config, const gemm_division& division) {
        const auto kernel = std::make_shared<parallel_gemm<>>(s, config, kernel_table(), division);
        return [&, kernel] { kernel->run(a.data(), b.data(), c.data(), on_team); };
    };
    const auto plan = [&](const auto& point) {
        return planned(config_of<gemm_config>(point), config_of<gemm_division>(point));
    };
    const gemm_config untuned = default_config(s, kernel_table());
    const gemm_division whole{.parts = 1,
                              .split = s.batch > 1 ? gemm_division::cut::batch : gemm_division::cut::columns};

    const auto serial = gemm_space(s, kernel_table(), 1);
    const auto space = gemm_space(s, kernel_table(), set.threads);
    const tk::index one = tuned(name, "one_thread", serial, *index_of(serial, untuned, whole), plan, set);
    const tk::index best = tuned(name, "tuned", space, *index_of(space, untuned, whole), plan, set);

    std::vector<runner> runners{{"one_thread", serial.text(one), plan(serial.at(one))},
                                {"tuned", space.text(best), plan(space.at(best))}};
    const auto divisions = gemm_division_space(s, set.threads);
    for (tk::index i = 0; i < divisions.size(); ++i) {
        const gemm_division d = config_of<gemm_division>(divisions.at(i));
        if (d.parts == set.threads)
            runners.push_back({std::string("untuned_") + to_text(d.split), divisions.text(i), planned(untuned, d)});
    }
    std::vector<product_on> own;
    for (int i = 0; i < set.threads; ++i)
        own.push_back({parallel_gemm(s, config_of<gemm_config>(serial.at(one)), kernel_table(), 1), copy_of(a),
                       copy_of(b), copy_of(c)});
    runners.push_back({"ceiling", "",
                       [&] {
                           workers.run(own.size(), [&](std::size_t i) {
                               own[i].kernel.run(own[i].a.data(), own[i].b.data(), own[i].c.data(), tk::core::serial);
                           });
                       },
                       static_cast<double>(set.threads)});
    const auto want = reference_gemm(s, all(a), all(b));
    for (auto& r : runners) {
        if (r.name == "ceiling") continue;
        std::fill_n(c.data(), c.size(), 0.F);
        r.run();
        require_equal(name, all(c), want);
    }
    const std::size_t ours = runners.size();
    for (auto& peer : bench::peers_of(s))
        if (peer.name != "eigen") runners.push_back({peer.name, "", peer.run});
    return compare(name, "product", runners, ours, layer.shape.flops(), set.rounds);
}

/// A whole convolution and its operands.
struct convolution_on {
    conv2d_kernel<> kernel;
    buffer x, y;
};

bench::row convolution_row(const layer<conv2d_shape>& layer, team& workers, const settings& set)
{
    const conv2d_shape& s = layer.shape;
    const std::string name(layer.name);
    const auto on_team = [&](std::size_t n, const auto& task) { workers.run(n, task); };
    tk::random::philox gen(1);
    const auto weights = random_floats(s.weights(), gen), x = random_floats(s.inputs(), gen);
    struct planned_on {
        parallel_conv2d<> kernel;
        buffer x, y;
    };
    const auto planned = [&](const conv2d_config& config, const conv2d_division& division) {
        auto on = std::make_shared<planned_on>(
            planned_on{parallel_conv2d(s, config, kernel_table(), all(weights), division), buffer(x.size()), {}});
        on->kernel.kernel().pack_input(all(x), all(on->x));
        on->y = buffer(on->kernel.kernel().output_size());
        return on;
    };
    const auto running = [&](const std::shared_ptr<planned_on>& on) {
        return [&, on] { on->kernel.run(on->x.data(), on->y.data(), on_team); };
    };
    const auto plan = [&](const auto& point) {
        return running(planned(config_of<conv2d_config>(point), config_of<conv2d_division>(point)));
    };
    const conv2d_config untuned = default_config(s, kernel_table());
    const conv2d_division whole{.parts = 1, .split = conv2d_division::cut::channels};

    const auto serial = conv2d_space(s, kernel_table(), 1);
    const auto space = conv2d_space(s, kernel_table(), set.threads);
    const tk::index one = tuned(name, "one_thread", serial, *index_of(serial, untuned, whole), plan, set);
    const tk::index best = tuned(name, "tuned", space, *index_of(space, untuned, whole), plan, set);

    const auto want = reference_conv2d(s, all(x), all(weights));
    std::vector<runner> runners;
    const auto add = [&](const char* what, std::string config, const std::shared_ptr<planned_on>& on) {
        runners.push_back({what, std::move(config), running(on)});
        runners.back().run();
        std::vector<float> y(want.size());
        on->kernel.kernel().unpack_output(all(on->y), y);
        require_equal(name, y, want);
    };
    const auto point_of = [&](const auto& of, tk::index i) {
        return planned(config_of<conv2d_config>(of.at(i)), config_of<conv2d_division>(of.at(i)));
    };
    add("one_thread", serial.text(one), point_of(serial, one));
    add("tuned", space.text(best), point_of(space, best));
    for (const conv2d_division::cut split : {conv2d_division::cut::channels, conv2d_division::cut::rows})
        add(split == conv2d_division::cut::channels ? "untuned_channels" : "untuned_rows", "",
            planned(untuned, {.parts = set.threads, .split = split}));
    std::vector<convolution_on> own;
    for (int i = 0; i < set.threads; ++i) {
        own.push_back({conv2d_kernel(s, config_of<conv2d_config>(serial.at(one)), kernel_table(), all(weights)),
                       buffer(x.size()),
                       {}});
        own.back().y = buffer(own.back().kernel.output_size());
        own.back().kernel.pack_input(all(x), all(own.back().x));
    }
    runners.push_back(
        {"ceiling", "",
         [&] { workers.run(own.size(), [&](std::size_t i) { own[i].kernel.run(own[i].x.data(), own[i].y.data()); }); },
         static_cast<double>(set.threads)});
    const std::size_t ours = runners.size();
    if (auto peer = bench::onednn_convolution("onednn_direct", s, dnnl::algorithm::convolution_direct,
                                              dnnl::memory::format_tag::any))
        runners.push_back({peer->name, "", peer->run});
    return compare(name, "direct", runners, ours, layer.shape.flops(), set.rounds);
}

}  // namespace

int main(int argc, char** argv)
{
    settings set;
    CLI::App app("Products and direct convolutions on several threads, tuned, against oneDNN and OpenBLAS.",
                 "bench_threads");
    app.add_option("--threads", set.threads, "threads, each on a core of its own")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    app.add_option("--layers", set.layers, "only these: 1024x1024x1024 and other products, R2, R6, R9")->delimiter(',');
    app.add_option("--seconds", set.seconds, "tuning of each form of each layer, on one thread and on all")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--rounds", set.rounds, "interleaved rounds of the comparison")
        ->capture_default_str()
        ->check(CLI::Range(3, 10000));
    app.add_option("--seed", set.seed, "seed of the search")->check(programs::whole_number())->capture_default_str();
    app.add_flag("--json", set.json, "print JSON");
    return programs::run_program(app, argc, argv, [&] {
        bench::begin_honestly(argv, set.threads);
        // The threads of oneDNN begin here, while they may run on any core.
        for (auto& peer : bench::peers_of(gemm_shape{.m = 64, .n = 64, .k = 64})) peer.run();
        team workers(static_cast<std::size_t>(set.threads));
        const auto wanted = [&](std::string_view name) {
            return set.layers.empty() || std::find(set.layers.begin(), set.layers.end(), name) != set.layers.end();
        };
        std::vector<bench::row> rows;
        const auto add = [&](bench::row row) {
            rows.push_back(std::move(row));
            if (!set.json) bench::print_row(rows.back());
        };
        for (const auto& layer : bench::product_shapes)
            if (layer.shape.m > 1 && wanted(layer.name)) add(product_row(layer, workers, set));
        for (const auto& layer : find_network("resnet18")->convolutions)
            if ((layer.name == "R2" || layer.name == "R6" || layer.name == "R9") && wanted(layer.name))
                add(convolution_row(layer, workers, set));
        tk::require(!rows.empty(), "--layers names none of the layers, want 1024x1024x1024, R2 or another one");
        if (set.json) std::printf("%s\n", bench::to_json(rows).c_str());
        else bench::print_summaries(rows);
    });
}
