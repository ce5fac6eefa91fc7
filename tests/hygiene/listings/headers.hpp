// SPDX-License-Identifier: MIT
#pragma once

// What the listings of the headers' comments speak of: `of_FLOOR` is the base of each listing of tunekit/FLOOR, a floor of the core or a package. Nothing here is defined,
// as nothing is run.

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tests/support/one_worker.hpp"
#include "tests/support/simulated_ranks.hpp"
#include "tunekit/curve.hpp"
#include "tunekit/devices.hpp"
#include "tunekit/dispatch.hpp"
#include "tunekit/explore.hpp"
#include "tunekit/kernels.hpp"
#include "tunekit/linalg.hpp"
#include "tunekit/mcmc.hpp"
#include "tunekit/measure.hpp"
#include "tunekit/online.hpp"
#include "tunekit/processes/build.hpp"
#include "tunekit/processes/files.hpp"
#include "tunekit/recipes.hpp"
#include "tunekit/recipes/chameleon.hpp"
#include "tunekit/recipes/dynatune_curves.hpp"
#include "tunekit/records.hpp"
#include "tunekit/report.hpp"
#include "tunekit/schedule.hpp"
#include "tunekit/screen.hpp"
#include "tunekit/search.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/surrogate.hpp"
#include "tunekit/tune.hpp"
#include "tunekit/tunekit.hpp"

#define TUNEKIT_RECORDINGS "packages/scoring/recordings"

namespace tk = tunekit;
using namespace std::string_literals;

namespace presumed {

/// A space, what measures it, a kernel with its check, and what programs have at hand.
struct anything {
    inline static const tk::space::product space{
        tk::space::powers_of_two<"tile">(1U, 16U), tk::space::integers<"mr">(1, 8),
        tk::space::integers<"mc">(1, 2),           tk::space::powers_of_two<"threads">(1U, 4U),
        tk::space::integers<"unroll">(1, 4),       tk::space::integers<"factor">(1, 4)};
    inline static auto measure =
        tk::measure::in_process(space, tk::measure::timed{[](const auto&) {}, tk::measure::fixed{}});
    inline static auto measurer = measure;
    inline static support::one_worker pool{measure};
    inline static auto& gen = listed::gen;
    inline static const auto kernel = [](const auto&...) { return [] {}; };
    inline static const auto check = [] { return true; };
    inline static const auto strategy = tk::search::annealing{};
    inline static const auto watch = [](const auto&, const auto&...) { return false; };
    inline static auto tasks = tk::tasks(tk::task("conv1", space, measure, 1e9, 1));
    static std::vector<tk::measure::recorded_row> table;
    static tk::budget budget;
    static tk::measure::wall_clock clock;
    inline static tk::tuner t{space, tk::recipes::combined(), {.trials = 512}, gen};
    static double now, seconds;
    static const std::size_t m, n;
    static std::vector<float> x, y, a, b, c;
    inline static const auto untuned = space.at(0);
    static void use(const auto&...) {}
};

/// What becomes whatever is asked for.
struct whatever {
    template <class T>
    operator const T&() const;
};

struct of_acquisition : anything {
    static const tk::stats::prediction predicted;
    static const double best;
};

struct of_bandit : anything {
    static const std::vector<tk::bandit::arm> arms;
    static const std::size_t t;
    static const double reward;
};

struct of_core : anything {
    inline static const auto hash_of = [](std::uint32_t i) { return std::uint64_t{i}; };
    inline static const auto same_as = [](std::uint32_t i) { return [i](std::uint32_t j) { return i == j; }; };
    static const std::uint32_t n;
};

struct of_curve : anything {
    static const std::vector<double> best;
    static const tk::curve::observations points;
    static const tk::curve::belief<> belief;
    static const std::size_t horizon;
    static const double peak, flops, weight;
};

struct of_devices : anything {
    inline static const tk::measure::source_template program{space,
                                                             [](const auto&) { return tk::measure::device_source{}; }};
    inline static auto cubins = tk::measure::nvrtc_builder().cache();
    static tk::measure::cuda_device device;
    static tk::measure::cuda_operands data;
    inline static tk::measure::cuda_session gpu{0};
    inline static auto runs = tk::measure::isolated(space, tk::measure::timed{kernel});
    static const std::vector<float> want;
};

struct of_dispatch : anything {
    struct gemm_choice {
        static constexpr std::uint64_t fingerprint = 1;
        static tk::dispatch::choice::kept choose(long long m, long long n, long long k);
    };
    struct runnable {
        void run() const;
    };
    struct pick;
    struct config;
    static tk::dispatch::results all, learned, judged;
    static const tk::dispatch::choice chosen;
    static tk::dispatch::shape_sizes at;
    static const std::vector<tk::dispatch::shape_sizes> family;
    static const std::string device;
    static const long long m, n, k;
    inline static const auto measurer_of = [](const tk::dispatch::shape_sizes&) { return measure; };
    static double flops_of(const tk::dispatch::shape_sizes&);
    static tk::index untuned_of(const tk::dispatch::shape_sizes&);
    static runnable kernel_of(tk::index);
    static std::vector<std::string> names_of(const auto&);
    static void log(const std::string&);
};

struct of_explore : anything {};

struct of_formats : anything {
    static const tk::tuning found;
};

struct of_kernels : anything {
    static const whatever shape, config;
    static const tk::kernels::tile_table& kernel_table();
    static const std::span<const float> weights;
    static struct array {
        operator float*() const;
        operator std::span<float>() const;
        operator std::span<const float>() const;
    } x, y, blocked_x, blocked_y, a, b, c;
    inline static const auto executor = tk::core::detail::serial_executor{};
};

struct of_linalg : anything {
    static std::vector<double> x, out;
    inline static const auto f = [](std::span<const double>, std::span<double>) { return 0.0; };
    static tk::linalg::normal_equations problem(const tk::linalg::vector&);
    static const std::vector<double> start, lower, upper;
    static const tk::linalg::vector first, low, high;
};

struct of_mcmc : anything {
    inline static const tk::mcmc::ensemble sampler{tk::mcmc::stretch{}};
    inline static const auto log_density = [](std::span<const double> x) { return -x[0] * x[0]; };
    static const std::vector<double> positions;
    static const std::size_t dimensions;
    inline static auto state = sampler.start(log_density, positions, dimensions);
    static tk::mcmc::chain chain;
    static bool enough(const tk::mcmc::chain&);
};

struct of_measure : anything {
    inline static const auto time_kernel = kernel;
    inline static const auto gemm = kernel;
    inline static const auto dot = [](const auto&...) { return 1.0F; };
    inline static const auto simulate = [](auto) { return 1.0; };
    inline static const auto solve = simulate;
    static const tk::index today;
    static const std::vector<std::string> names;
    static const std::vector<float> values, want, reference;
    static const std::span<float> output;
    static const std::vector<tk::index> finalists;
    static tk::measure::virtual_clock time;
    static void take(const tk::answer&);
    static std::vector<float> new_buffers();
    inline static const auto kernel_on = [](std::vector<float>) { return kernel; };
};

struct of_online : anything {
    static void launch(const auto&) {}
    static void advance();
    static double max_over_ranks(double);
    inline static tk::online::registry dslash{{"dslash", "3.1", "this"}, space, untuned};
    static const std::int64_t nx, ny;
};

struct of_random : anything {};

struct of_processes : anything {
    inline static const tk::measure::source_template scale{space, [](const auto&) { return std::string(); }, "scale"};
    inline static const auto bind = [](auto*, const auto&) { return [] {}; };
    inline static const auto time_kernel = kernel;
    using output_of_worker = std::shared_ptr<tk::measure::guarded_buffer<float>>;
    inline static const auto kernel_into = [](const output_of_worker&) { return [](const auto&) {}; };
    inline static const auto check_of = [](const output_of_worker&) { return [] { return true; }; };
    inline static const auto make = [](std::size_t) {
        return tk::measure::worker_task{space, tk::measure::timed{kernel}};
    };
    inline static tk::measure::isolated_workers pool{2, make};
    inline static tk::measure::builder compilers{{}};
    static std::vector<tk::measure::source> sources;
    static const std::string name, path, reference_text;
    static const tk::index candidate;
    static const std::vector<std::string> values;
    static const std::vector<tk::index> finalists;
    static int ask_a_library_that_may_crash();
};

struct of_records : anything {
    inline static const auto how = tk::recipes::combined();
    static const tk::tuning found;
    inline static const auto& other_space = space;
};

struct of_report : anything {
    static const std::vector<tk::schedule::task_view> views;
    static const tk::surrogate::random_forest::state forest;
    static const std::vector<std::vector<float>> values;
    static const double median_cost;
    static const std::string path, svg;
};

struct of_recipes : anything {};

struct of_schedule : anything {};

struct of_screen : anything {
    static double loss_of(std::size_t);
    static const std::vector<std::uint32_t> members;
    static const std::vector<tk::explore::scored_candidate> candidates;
    static const tk::space::index_set visited, chosen;
    static const tk::screen::point_rows points;
};

struct of_search : anything {
    static const tk::experience past;
    static const std::string name;
    static const std::vector<tk::index> measured, candidates;
    static const std::vector<double> costs;
    static const std::size_t j;
};

struct of_space : anything {
    enum class axis { m, n, k, c };
    enum class algorithm { direct, winograd };
    static const int n, ow;
    static const std::vector<std::int64_t> values;
    inline static const auto &product = space, &small = space, &large = space;
    static const tk::index best, fallback;
    inline static const auto configuration = space.at(0);
    static void run(int, int);
};

struct of_stats : anything {
    static const std::vector<double> arriving, runs;
    static double mean_at(std::span<const double>, std::span<const std::uint32_t>);
};

struct of_scoring : anything {
    using mine = tk::search::random;
    static const std::vector<tk::scoring::recording> spaces;
    static const tk::scoring::recording on;
    static const std::uint64_t seed, purpose, repeat;
};

struct of_surrogate : anything {
    static const tk::surrogate::features rows, candidates;
    static const std::vector<double> y, ran, c;
    static const std::size_t trees;
    static const std::vector<std::uint32_t> counts;
    static std::vector<tk::stats::prediction> predictions;
    inline static const tk::surrogate::gaussian_process model{};
    inline static auto state = model.start(3);
};

struct of_tune : anything {
    inline static const auto &space1 = space, &space2 = space;
    inline static auto measure1 = measure, measure2 = measure;
    static const double flops1, flops2, stamp;
    static const std::size_t worker;
    static tk::measure::wall_clock wall;
    static tk::measure::measurement measure_one(const tk::job&);
};

struct of_mpi : anything {
#if !defined(LISTINGS_WITHOUT_mpi)
    inline static const auto recipe = tk::recipes::combined();
    static const MPI_Comm comm;
    inline static support::simulated_ranks<> carrier{{tk::measure::recorded_rows(table)},
                                                     {tk::measure::identity_of(space)}};
    inline static const tk::measure::source_template scale{space, [](const auto&) { return std::string(); }, "scale"};
    inline static const tk::mpi::code_folder code;
    static float* x;
#endif
};

}  // namespace presumed
