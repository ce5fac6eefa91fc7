// SPDX-License-Identifier: MIT

// The program of the tutorial: a matrix product of your own is tuned, checked, logged, and then used.
//
// docs/tutorial.md builds it step by step. The first run writes a log, which the next one continues or only reads.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/report/print_progress.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

namespace {

// Step 1: the kernel. c = a b of n x n matrices, in tiles.
constexpr int n = 256;

void multiply(const float* a, const float* b, float* c, int rows, int columns, int depth)
{
    for (int i = 0; i < n * n; ++i) c[i] = 0;
    for (int i0 = 0; i0 < n; i0 += rows)
        for (int k0 = 0; k0 < n; k0 += depth)
            for (int j0 = 0; j0 < n; j0 += columns)
                for (int i = i0; i < i0 + rows; ++i)
                    for (int k = k0; k < k0 + depth; ++k)
                        for (int j = j0; j < j0 + columns; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// Step 2: the space. Every parameter has a name and values; a constraint removes what makes no sense.
const tk::space::product space{
    tk::space::powers_of_two<"rows">(1, 256), tk::space::powers_of_two<"columns">(4, 256),
    tk::space::powers_of_two<"depth">(1, 256),
    tk::space::where<"columns", "depth">([](int columns, int depth) { return columns * depth <= 16384; })};

// Step 3: the inputs, and what must come out.
struct problem {
    std::vector<float> a, b, c = std::vector<float>(n * n), expected = std::vector<float>(n * n);

    problem()
    {
        for (int i = 0; i < n * n; ++i) {
            a.push_back(std::sin(0.1F * static_cast<float>(i)));
            b.push_back(std::cos(0.2F * static_cast<float>(i)));
        }
        multiply(a.data(), b.data(), expected.data(), 1, n, 1);
    }

    // Step 4: how a configuration is measured.
    auto measurer()
    {
        const auto kernel = [this](const auto& p) {
            multiply(a.data(), b.data(), c.data(), tk::get<"rows">(p), tk::get<"columns">(p), tk::get<"depth">(p));
        };
        const tk::measure::matches<float> check{c, expected, {.absolute = 1e-2}};
        const tk::measure::until_confident repetition{.standard_error = 0.02, .max_runs = 30};
        return tk::measure::isolated(space, tk::measure::timed{kernel, repetition, check, tk::measure::thread_clock{}});
    }
};

// Step 5: the search, with a log.
void tune(const std::string& log)
{
    problem on;
    const auto found = tk::io::logged_run(log, space, on.measurer(), tk::recipes::combined(), {.trials = 64},
                                          {.name = "multiply", .strategy = "combined", .seed = 1, .resume = true},
                                          {.watch = tk::print_progress{}});
    std::printf("%zu of %llu configurations measured, %llu failed\n", found.trials().size(),
                static_cast<unsigned long long>(space.size()), static_cast<unsigned long long>(found.failed()));
    if (found.failed() > 0) std::printf("most often: %s\n", found.most_often().c_str());
}

// Step 6: the winner, in a program.
int use(const std::string& log)
{
    tk::tuning record;
    record.append(tk::io::trials_of(tk::io::read_log(log), "multiply", space), 0);
    const auto best = space.at(record.incumbent().candidate);
    const int rows = tk::get<"rows">(best), columns = tk::get<"columns">(best), depth = tk::get<"depth">(best);

    problem on;
    const tk::measure::thread_clock now;
    double seconds = tk::forever;
    for (int run = 0; run < 5; ++run) {
        const double start = now();
        multiply(on.a.data(), on.b.data(), on.c.data(), rows, columns, depth);
        seconds = (std::min)(seconds, now() - start);
    }
    std::printf("%d x %d x %d: %.2f ms when tuned, %.2f ms here\n", rows, columns, depth, 1e3 * record.best_cost(),
                1e3 * seconds);
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const std::string log = argc > 1 ? argv[1] : "multiply.jsonl";
        tune(log);
        return use(log);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
