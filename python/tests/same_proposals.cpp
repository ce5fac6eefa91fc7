// SPDX-License-Identifier: MIT

// The run of tests/test_cpp.py in C++: over the same space, with the same costs. `propose SEED TRIALS` prints the indices that it
// proposes, `resume LOG SEED TRIALS` goes on with a log and prints all of its trials, `time SEED TRIALS` prints the processor's seconds of the
// run alone, for ask_tell.py. `recorded STEM SEED TRIALS` runs over a recorded space, and prints the best cost so far after each trial.

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/io/logged.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/space/value_product.hpp"
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
    std::vector<tk::io::problem> problems;
    const auto on = tk::scoring::read_recording(stem, problems);
    tk::tuner run(on.space, tk::recipes::combined(), {.trials = trials}, tk::random::philox(seed));
    while (const auto job = run.ask()) {
        run.tell(*job, on.rows[job->candidate].result);
        std::printf("%a\n", run.record().best_cost());
    }
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
