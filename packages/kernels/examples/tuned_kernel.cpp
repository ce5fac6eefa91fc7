// SPDX-License-Identifier: MIT

// Uses the winner of a log: the best trial becomes a kernel, in the five lines of `tuned`.
//
//     tuned_kernel FILE                runs the kernel that FILE, the log of an earlier run, found best; without FILE, or where
//                                      there is none, it tunes for two seconds first and writes the log

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "packages/kernels/table/kernel_table.hpp"

#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/recipe.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr gemm_shape shape{.m = 128, .n = 768, .k = 768};

/// The kernel that the log at `path` found best.
gemm_kernel<> tuned(const std::string& path, tk::index& best)
{
    const auto space = gemm_space(shape, kernel_table());
    tk::tuning record;
    record.append(tk::io::trials_of(tk::io::read_log(path), "product", space), 0);
    best = record.incumbent().candidate;
    return {shape, config_of<gemm_config>(space.at(best)), kernel_table()};
}

std::vector<float> noise(std::int64_t n, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(2 * tk::random::uniform_01(gen) - 1);
    return out;
}

/// The operands, and the right product.
struct problem {
    std::vector<float> a = noise(shape.m * shape.k, 1), b = noise(shape.k * shape.n, 2),
                       want = reference_gemm(shape, a, b), c = want;

    auto measurer()
    {
        const auto plan = [this](const auto& config) {
            return [this, kernel = gemm_kernel(shape, config_of<gemm_config>(config), kernel_table())]() mutable {
                kernel.run(a.data(), b.data(), c.data());
            };
        };
        return tk::measure::in_process(
            gemm_space(shape, kernel_table()),
            tk::measure::timed{plan, tk::measure::until_confident{.standard_error = 0.02, .group = 3, .max_runs = 60},
                               tk::measure::matches<float>{c, want, {.absolute = 1e-3}}, tk::measure::thread_clock{}});
    }
};

/// Tunes for two seconds and leaves a log at `path`.
void tune(const std::string& path, problem& on)
{
    const auto found =
        tk::io::logged_run(path, gemm_space(shape, kernel_table()), on.measurer(),
                           tk::recipe{tk::search::annealing{}, tk::measure::fixed{}, {.abandon_factor = 1.5}},
                           {.seconds = 2}, {.name = "product", .strategy = "annealing", .seed = 1});
    std::printf("tuned: %zu configurations\n", found.trials().size());
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::string given = argc > 1 ? argv[1] : "";
    problem on;
    const std::string path = given.empty() ? "/tmp/tuned_kernel." + std::to_string(::getpid()) : given;
    if (::access(path.c_str(), R_OK) != 0) tune(path, on);
    tk::index best = 0;
    gemm_kernel kernel = tuned(path, best);
    if (given.empty()) std::remove(path.c_str());

    // The tuner's measurement and the kernel in a loop take turns, because the speed of a machine changes.
    auto measurer = on.measurer();
    std::vector<double> tuners, here;
    tk::measure::thread_clock now;
    for (int round = 0; round < 9; ++round) {
        tuners.push_back(measurer.measure(std::vector{best}, {}).front().cost);
        std::vector<double> seconds;
        for (int r = 0; r < 30; ++r) {
            const double start = now();
            kernel.run(on.a.data(), on.b.data(), on.c.data());
            seconds.push_back(now() - start);
        }
        here.push_back(tk::stats::median(std::move(seconds)));
    }
    const double tuner = tk::stats::median(tuners), program = tk::stats::median(here),
                 error = relative_error(on.c, on.want);
    std::printf("tuner %.3f ms, here %.3f ms (%.3f), %.1f GFLOP/s, error %.1e\n", 1e3 * tuner, 1e3 * program,
                program / tuner, shape.flops() / program / 1e9, error);
    return error < 1e-4 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
