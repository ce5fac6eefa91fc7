// SPDX-License-Identifier: MIT

// The run of tests/test_cpp.py in C++: over the same space, with the same costs. `propose SEED TRIALS` prints the indices that it
// proposes, `resume LOG SEED TRIALS` goes on with a log and prints all of its trials, `time SEED TRIALS` prints the processor's seconds of the
// run alone, for ask_tell.py. `recorded STEM SEED TRIALS` runs over a recorded space, and prints the best cost so far after each trial.
// `parts` prints what the parts learn of the data of test_parts.py, a line for each.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/bandit/ucb1.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

namespace {

tk::space::value_product space()
{
    using tk::space::entries;
    using tk::space::value;
    using integer = std::int64_t;
    return {{{"tile", {value(integer{1}), integer{2}, integer{4}, integer{8}, integer{16}, integer{32}}},
             {"unroll", {value(integer{1}), integer{2}, integer{4}, integer{8}}},
             {"fast", {value(false), true}},
             {"ratio", {value(0.25), 0.5, 1.5}},
             {"how", {value(std::string("row")), std::string("column")}},
             {"order",
              {value(entries{{0, 1, 2}}), entries{{0, 2, 1}}, entries{{1, 0, 2}}, entries{{1, 2, 0}},
               entries{{2, 0, 1}}, entries{{2, 1, 0}}}}},
            {"tile * unroll <= 64", "order_0 != 1 or fast", "how == 'row' or ratio > 0.3"}};
}

template <class Run>
void drive(Run& run)
{
    while (const auto job = run.ask()) {
        const auto i = job->candidate;
        run.tell(*job, {.cost = 1 + static_cast<double>(i * 7919 % 1009) / 1009, .runs = 1});
    }
}

template <class Run>
void print(const Run& run)
{
    for (const auto& t : run.record().trials()) std::printf("%llu\n", static_cast<unsigned long long>(t.candidate));
}

void replay(const std::string& stem, std::uint64_t seed, std::uint64_t trials)
{
    const auto on = tk::scoring::read_recording(stem);
    tk::tuner run(on.space, tk::recipes::combined(), {.trials = trials}, tk::random::philox(seed));
    while (const auto job = run.ask()) {
        run.tell(*job, on.rows[job->candidate].result);
        std::printf("%a\n", run.record().best_cost());
    }
}

// 60 rows of 3 numbers in [0, 1), a target for each, and the best so far of 40 trials.
struct samples {
    std::vector<float> rows;
    std::vector<double> targets, best;

    samples()
    {
        for (int i = 0; i < 60; ++i) {
            for (int j = 0; j < 3; ++j) rows.push_back(static_cast<float>((i * 7919 + j * 4801) % 1009) / 1024);
            const float* x = rows.data() + 3 * i;
            targets.push_back(static_cast<double>(x[0]) * static_cast<double>(x[1]) + static_cast<double>(x[2]));
        }
        for (int i = 0; i < 40; ++i) best.push_back(4 - 3.0 / (1 + i / 5));
    }
};

void say(const char* what, const std::vector<double>& numbers)
{
    std::printf("%s", what);
    for (const double x : numbers) std::printf(" %.17g", x);
    std::printf("\n");
}

template <class Model>
void model_says(const char* what, const Model& model, const samples& of)
{
    tk::random::philox gen(5);
    const tk::surrogate::features rows(of.rows, 3);
    auto s = model.start(3);
    model.fit(s, rows, of.targets, gen);
    std::vector<tk::stats::prediction> out(60);
    model.predict(s, rows, out);
    std::vector<double> numbers;
    for (const auto& p : out) numbers.push_back(p.mean);
    for (const auto& p : out) numbers.push_back(p.sd);
    say(what, numbers);
}

template <class Policy>
void bandit_says(const char* what, const Policy& policy)
{
    tk::random::philox gen(5);
    auto s = policy.start(4);
    std::vector<double> pulled;
    for (int t = 0; t < 50; ++t) {
        const std::size_t k = policy.select(s, gen);
        pulled.push_back(static_cast<double>(k));
        policy.update(s, k, static_cast<double>((t * 31 + static_cast<int>(k) * 17) % 10) / 16);
    }
    say(what, pulled);
}

void parts()
{
    const samples of;
    model_says("forest", tk::surrogate::random_forest{.trees = 20, .max_features = 2}, of);
    model_says("jackknife", tk::surrogate::random_forest{.trees = 80, .sd = tk::surrogate::forest_sd::jackknife}, of);
    model_says("process", tk::surrogate::gaussian_process{}, of);

    // every parameter by its name
    namespace surrogate = tk::surrogate;
    model_says("named_forest",
               surrogate::random_forest{.trees = 7,
                                        .max_features = 1,
                                        .min_leaf = 3,
                                        .max_depth = 4,
                                        .bootstrap = false,
                                        .sd = surrogate::forest_sd::total_variance},
               of);
    using enum surrogate::column_distance;
    model_says("named_process",
               surrogate::gaussian_process{.columns = {overlap, both, difference},
                                           .prior = {.length = 0.4,
                                                     .overlap_length = 0.8,
                                                     .length_spread = 0.7,
                                                     .variance_spread = 0.6,
                                                     .noise = 0.01,
                                                     .noise_spread = 1.5},
                                           .evidence_rows = 12,
                                           .evaluations = 15,
                                           .max_rows = 24},
               of);

    tk::random::philox gen(5);
    const tk::screen::point_rows points{of.rows, 3};
    const tk::screen::k_means groups{.restarts = 2};
    const auto found = groups.cluster(points, 6, groups.starts(points, 6, gen));
    say("k_means", {found.loss});
    say("labels", {found.of.begin(), found.of.end()});

    namespace bandit = tk::bandit;
    bandit_says("epsilon_greedy", bandit::on_means{bandit::epsilon_greedy{.epsilon = 0.3}});
    bandit_says("softmax", bandit::on_means{bandit::softmax{}});
    bandit_says("ucb", bandit::on_means{bandit::ucb{}});
    bandit_says("ucb1", bandit::ucb1{});

    const auto normal = [](std::span<const double> x) { return -0.5 * (x[0] * x[0] + 4 * x[1] * x[1]); };
    std::vector<double> start;
    for (std::size_t i = 0; i < 20; ++i) start.push_back(static_cast<double>(of.rows[i]));
    gen = tk::random::philox(5);
    const tk::mcmc::ensemble sampler{tk::mcmc::stretch{}, {.thin_by = 2}};
    auto state = sampler.start(normal, start, 2);
    const auto chain = sampler.run(state, normal, 30, gen);
    say("chain", chain.positions);
    std::vector<double> times;
    for (const auto& one : tk::mcmc::autocorrelation_times(chain)) times.push_back(one.time);
    say("times", times);

    gen = tk::random::philox(5);
    for (const auto& [what, f] :
         {std::pair{"improvements", tk::curve::improvement_process{}.predict(of.best, 90, 0, gen)},
          std::pair{"log_power", tk::curve::belief<>{}.predict(of.best, 90, 0, gen)}})
        say(what, {f.last, f.mean, f.sd, f.expected_improvement, f.low, f.high});
}

}  // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> all(argv + 1, argv + argc);
    const auto number = [&](std::size_t k) { return std::stoull(all.at(k)); };
    if (all.at(0) == "recorded") {
        replay(all.at(1), number(2), number(3));
        return 0;
    }
    if (all.at(0) == "parts") {
        parts();
        return 0;
    }
    const bool resume = all.at(0) == "resume";
    const std::clock_t began = std::clock();
    const std::size_t at = resume ? 2 : 1;
    tk::tuner run(space(), tk::recipes::combined(), {.trials = number(at + 1)}, tk::random::philox(number(at)));
    if (!resume) {
        drive(run);
        if (all.at(0) == "time") std::printf("%.6f\n", static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
        else print(run);
    } else {
        tk::io::logged kept(all.at(1), std::move(run), {.strategy = "combined", .seed = number(at), .resume = true});
        drive(kept);
        print(kept);
    }
    return 0;
}
