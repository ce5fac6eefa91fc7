// SPDX-License-Identifier: MIT
// A tuned matrix product in a program of one's own: the best trial of a log becomes a kernel, in the five lines of `tuned`.
//
//     tuned_kernel FILE                runs the kernel that FILE, the log of an earlier run, found best; without FILE, or where
//                                      there is none, it tunes for two seconds first and writes the log

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <kernel_table.hpp>

#include "tunekit/io/machine.hpp"
#include "tunekit/io/session.hpp"
#include "tunekit/kernels/gemm.hpp"
#include "tunekit/kernels/gemm_space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr gemm_shape shape{.m = 128, .n = 768, .k = 768};

/// The kernel that the log at `path` found best, and what it cost there.
gemm_kernel tuned(const std::string& path, double& seconds)
{
    const auto space = gemm_space(shape, kernel_table());
    tk::tuning record;
    record.append(tk::io::trials_of(tk::io::read_log(path), "product", space), 0);
    seconds = record.best_cost();
    return {shape, gemm_config_of(space.at(record.incumbent().candidate)), kernel_table()};
}

std::vector<float> noise(std::int64_t n, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(2 * tk::random::uniform_01(gen) - 1);
    return out;
}

/// Tunes for two seconds and leaves a log at `path`.
void tune(const std::string& path, const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c,
          const std::vector<float>& want)
{
    const auto space = gemm_space(shape, kernel_table());
    const auto plan = [&](const auto& config) {
        return [kernel = gemm_kernel(shape, gemm_config_of(config), kernel_table()), &a, &b, &c]() mutable {
            kernel.run(a.data(), b.data(), c.data());
        };
    };
    const auto timed = tk::measure::timed{plan, tk::measure::until_confident{.standard_error = 0.02, .group = 3, .runs = 24},
                                          tk::measure::matches<float>{c, want, {.absolute = 1e-3}}, tk::measure::thread_clock{}};
    tk::io::session log(path, {.machine = tk::io::machine_key(), .seed = 1, .strategy = "annealing", .seconds = 2, .batch = 1,
                               .tasks = {{"product", space.size(), space.fingerprint()}}}, tk::measure::wall_clock{}, {});
    tk::random::philox gen(1);
    const auto found = tk::tune(space, log.record(0, tk::measure::in_process(space, timed)), tk::search::annealing{},
                                {.seconds = 2, .batch = 1, .limits = {.abandon_factor = 1.5}}, log.clock(), [](const tk::tuning&) { return false; }, gen);
    std::printf("tuned: %zu configurations\n", found.trials().size());
}

int run(const std::string& given)
{
    const auto a = noise(shape.m * shape.k, 1), b = noise(shape.k * shape.n, 2), want = reference_gemm(shape, a, b);
    std::vector<float> c(want.size());
    const std::string path = given.empty() ? "/tmp/tuned_kernel." + std::to_string(::getpid()) : given;
    if (::access(path.c_str(), R_OK) != 0) tune(path, a, b, c, want);
    double tuners = 0;
    gemm_kernel kernel = tuned(path, tuners);
    if (given.empty()) std::remove(path.c_str());

    std::vector<double> seconds;
    tk::measure::thread_clock now;
    for (int r = 0; r < 60; ++r) {
        const double start = now();
        kernel.run(a.data(), b.data(), c.data());
        seconds.push_back(now() - start);
    }
    const double here = tk::stats::median(seconds), error = relative_error(c, want);
    std::printf("tuner %.3f ms, here %.3f ms (%.3f), %.1f GFLOP/s, error %.1e\n", 1e3 * tuners, 1e3 * here, here / tuners,
                shape.flops() / here / 1e9, error);
    return error < 1e-4 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc > 1 ? argv[1] : "");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
