// SPDX-License-Identifier: MIT
// Runs over CUDA's driver, which is emulated, and over an OpenCL device such as PoCL's, ended by signals at random moments and taken up again: no
// answer is lost, told twice or held against its configuration, and no worker, builder or other process is left. 40 signals each;
// `attack_kills_devices --kills 1000 --seed 2` for others.
#include <doctest/doctest.h>

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "packages/devices/tests/support/doubling.hpp"
#include "packages/devices/tests/support/fake_cuda.hpp"
#include "tests/support/attacks.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/signalled_runs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

std::size_t kills_wanted = 40;
std::uint64_t first_seed = 1;

[[gnu::constructor]] void options_before_main(int argc, char** argv, char**)
{
    const support::attack asked(argc, argv);
    first_seed = asked.seed();
    if (asked.tenth()) kills_wanted /= 10;
    for (int k = 1; k + 1 < argc; ++k)
        if (std::string_view(argv[k]) == "--kills") kills_wanted = std::strtoull(argv[k + 1], nullptr, 10);
}

/// The failure of a kernel that is wrong in one of these ways; none where it is right.
std::optional<measure::failure_kind> failure_of(std::string_view mode)
{
    if (mode == "bad") return measure::failure_kind::build_error;
    if (mode == "fault") return measure::failure_kind::launch_error;
    if (mode == "wrong" || mode == "beyond") return measure::failure_kind::wrong_result;
    return std::nullopt;
}

const tk::space::product space{tk::space::parameter<"us">({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                               tk::space::parameter<"mode">({"right", "wrong", "beyond", "bad", "fault"})};

/// Whether a result is that of its configuration; `cost` says whether it is the cost for `us`.
template <class Cost>
void check(const tk::io::log_content::trial& t, Cost&& right_cost)
{
    const auto c = space.at(t.candidate);
    const std::string mode = tk::get<"mode">(c);
    CAPTURE(mode);
    const auto wanted = failure_of(mode);
    REQUIRE(t.measured.failed.has_value() == wanted.has_value());
    if (wanted) CHECK(t.measured.failed->kind == *wanted);
    else CHECK(right_cost(tk::get<"us">(c), t.measured.cost));
}

/// A process of its own that takes the run up; it ends by itself when the run is over.
template <class Measurer>
[[noreturn]] void take_up(const std::string& path, std::size_t trials, const Measurer& measurer)
{
    measure::detail::reset_signals();  // those that doctest hears
    int status = 2;
    try {
        auto measures = measurer();
        tk::io::logged run(path, tk::tuner(space, tk::search::random{}, {.trials = trials}, tk::random::philox(3)),
                           {.strategy = "random", .seed = 3, .resume = true});
        tk::tune(run, measures);
        status = run.failed() ? 3 : 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    ::_exit(status);
}

constexpr int length = 64;

}  // namespace

TEST_CASE("runs over a driver of CUDA, ended by signals at random moments, are taken up to the end")
{
    const support::fake_library driver(support::fake_driver_source), compiler(support::fake_compiler_source);
    const measure::source_template program{
        space, [](const auto& c) {
            const std::string mode = tk::get<"mode">(c);
            measure::device_source out;
            out.text = mode == "bad" ? "//bad"
                                     : "//run factor=2 n=64 us=" + std::to_string(tk::get<"us">(c)) +
                                           " mode=" + (mode == "right" ? "ok" : mode);
            out.launches = {{.grid = {1, 1, 1}, .block = {length + 1, 1, 1}}};
            return out;
        }};
    support::doubling<measure::cuda_operands> on(length);
    constexpr std::size_t trials = 50;
    const auto measurer = [&] {
        return measure::cuda_measurer(
            program, measure::nvrtc_builder({.processes = 2, .library = compiler.path()}), on.data,
            measure::fixed{.runs = 3},
            {.device = measure::find_cuda_device(0, driver.path()), .driver = driver.path(), .nvml = "/nowhere"});
    };
    const support::signalled_runs runs{kills_wanted, first_seed, trials};
    runs([&](const std::string& path) { take_up(path, trials, measurer); },
         [](const auto& t) {
             check(t, [](int us, double cost) { return cost == doctest::Approx(1e-6 * us).epsilon(1e-4); });
         });
}

TEST_CASE("runs over a device of OpenCL, ended by signals at random moments, are taken up to the end")
{
    try {
        static_cast<void>(measure::find_opencl_device());
    } catch (const measure::no_device& e) {
        MESSAGE("left out: ", e.what());
        return;
    }
    const support::temporary_folder cache;
    const support::environment_variable kept("POCL_CACHE_DIR", cache / "");
    const measure::source_template program{
        space, [](const auto& c) {
            const std::string mode = tk::get<"mode">(c);
            measure::device_source out;
            out.text =
                "__kernel void twice(__global const float* x, __global float* y)\n{\n  const int i = "
                "get_global_id(0);\n";
            if (mode == "bad") out.text += "  undeclared = " + std::to_string(tk::get<"us">(c)) + ";\n";
            if (mode == "beyond") out.text += "  if (i == 0) y[64] = " + std::to_string(tk::get<"us">(c)) + ";\n";
            if (mode == "wrong") out.text += "  if (i == 60) return;\n";
            out.text += "  y[i] = 2 * x[i];\n}\n";
            const bool odd = mode == "fault";  // work-groups of more than any device takes
            out.launches = {{.entry = "twice", .grid = {odd ? 1 : 4, 1, 1}, .block = {odd ? 1 << 20 : 16, 1, 1}}};
            return out;
        }};
    support::doubling<measure::opencl_operands> on(length);
    constexpr std::size_t trials = 12;
    const auto measurer = [&] {
        const auto device = measure::find_opencl_device();
        return measure::opencl_measurer(program, measure::opencl_builder({.device = device}), on.data,
                                        measure::fixed{.runs = 2}, {.device = device});
    };
    const support::signalled_runs runs{kills_wanted, first_seed, trials};
    runs([&](const std::string& path) { take_up(path, trials, measurer); },
         [](const auto& t) { check(t, [](int, double cost) { return cost > 0 && cost < 1; }); });
}
