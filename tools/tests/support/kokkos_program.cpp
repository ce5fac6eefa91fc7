// SPDX-License-Identifier: MIT

// A program of Kokkos itself, tuned by libtunekit_kokkos.so without a word of it here; `own` has variables of the program.
//
//     kokkos_program about|range|team|tiles|own CALLS

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point began)
{
    return std::chrono::duration<double>(clock_type::now() - began).count();
}

/// A loop over a range; whether its result is right.
bool range(int calls)
{
    constexpr int n = 2000;
    const Kokkos::View<double*, Kokkos::HostSpace> y("y", n);
    for (int k = 0; k < calls; ++k)
        Kokkos::parallel_for(
            "axpy", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, n), KOKKOS_LAMBDA(int i) { y(i) += i; });
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += y(i);
    return sum == static_cast<double>(calls) * n * (n - 1) / 2;
}

/// Sums of rows by teams whose size Kokkos or a tool chooses; whether they are right.
bool team(int calls)
{
    using policy = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>;
    constexpr int rows = 16, columns = 128;
    const Kokkos::View<double*, Kokkos::HostSpace> sums("sums", rows);
    for (int k = 0; k < calls; ++k)
        Kokkos::parallel_for(
            "rows", policy(rows, Kokkos::AUTO), KOKKOS_LAMBDA(const policy::member_type& m) {
                double sum = 0;
                Kokkos::parallel_reduce(Kokkos::TeamThreadRange(m, columns), [&](int j, double& to) { to += j; }, sum);
                Kokkos::single(Kokkos::PerTeam(m), [&] { sums(m.league_rank()) += sum; });
            });
    for (int i = 0; i < rows; ++i)
        if (sums(i) != static_cast<double>(calls) * columns * (columns - 1) / 2) return false;
    return true;
}

/// Says how often a call visits each element of a range of two dimensions, and what a call takes.
void tiles(int calls)
{
    using policy = Kokkos::MDRangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Rank<2>>;
    constexpr int n = 60;
    const Kokkos::View<std::int64_t**, Kokkos::HostSpace> visits("visits", n, n);
    const auto began = clock_type::now();
    for (int k = 0; k < calls; ++k)
        Kokkos::parallel_for(
            "visits", policy({0, 0}, {n, n}),
            KOKKOS_LAMBDA(int i, int j) { Kokkos::atomic_add(&visits(i, j), std::int64_t{1}); });
    const double each = seconds_since(began) / calls;
    std::int64_t sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) sum += visits(i, j);
    std::printf("each element is visited %.3g times a call, which takes %.3g us\n",
                static_cast<double>(sum) / (static_cast<double>(n) * n * calls), 1e6 * each);
}

#ifdef KOKKOS_ENABLE_TUNING
/// 198 configurations of a text, an ordered set and a range of fractions, at two sizes. A call works for as long as its
/// configuration says. Says what all calls took over what the fastest would have, and the same of the last tenth.
void own(int calls)
{
    namespace kt = Kokkos::Tools::Experimental;
    std::vector<std::string> layouts{"left", "blocked", "right"};
    std::vector<std::int64_t> unrolls{1, 2, 4, 8, 16, 32};
    const auto declare = [](const char* name, kt::ValueType type, kt::StatisticalCategory category,
                            kt::CandidateValueType quantity, kt::SetOrRange candidates) {
        kt::VariableInfo info{};
        info.type = type;
        info.category = category;
        info.valueQuantity = quantity;
        info.candidates = candidates;
        return kt::declare_output_type(name, info);
    };
    const std::size_t layout =
        declare("layout", kt::ValueType::kokkos_value_string, kt::StatisticalCategory::kokkos_value_categorical,
                kt::CandidateValueType::kokkos_value_set, kt::make_candidate_set(layouts.size(), layouts.data()));
    const std::size_t unroll =
        declare("unroll", kt::ValueType::kokkos_value_int64, kt::StatisticalCategory::kokkos_value_ordinal,
                kt::CandidateValueType::kokkos_value_set, kt::make_candidate_set(unrolls.size(), unrolls.data()));
    const std::size_t share =
        declare("share", kt::ValueType::kokkos_value_double, kt::StatisticalCategory::kokkos_value_interval,
                kt::CandidateValueType::kokkos_value_range, kt::make_candidate_range(0.0, 1.0, 0.1, false, false));
    kt::VariableInfo about{};
    about.type = kt::ValueType::kokkos_value_int64;
    about.category = kt::StatisticalCategory::kokkos_value_interval;
    about.valueQuantity = kt::CandidateValueType::kokkos_value_unbounded;
    const std::size_t size = kt::declare_input_type("size", about);
    double work = 0, last = 0;
    for (int k = 0; k < calls; ++k) {
        const std::int64_t n = k % 2;
        const std::size_t context = kt::get_new_context_id();
        kt::begin_context(context);
        kt::VariableValue in[] = {kt::make_variable_value(size, n)};
        kt::set_input_values(context, 1, in);
        kt::VariableValue out[] = {kt::make_variable_value(layout, layouts[0]),
                                   kt::make_variable_value(unroll, unrolls[0]), kt::make_variable_value(share, 0.0)};
        kt::request_output_values(context, 3, out);
        const std::string_view is = out[0].value.string_value;
        const double off = (is == layouts[n == 0 ? 1 : 2] ? 0 : 0.5) +
                           0.2 * std::abs(std::log2(static_cast<double>(out[1].value.int_value)) - 3) +
                           std::abs(out[2].value.double_value - (n == 0 ? 0.6 : 0.3));
        for (const auto began = clock_type::now(); seconds_since(began) < 4e-6 * (1 + off);) continue;
        kt::end_context(context);
        work += 1 + off;
        if (k >= calls - calls / 10) last += 1 + off;
    }
    std::printf("work %.3f of the fastest's, %.3f in the last tenth\n", work / calls, last / (calls / 10));
}
constexpr bool tunes = true;
#else
void own(int) { std::puts("this Kokkos was built without Kokkos_ENABLE_TUNING: it has no variables of a program"); }
constexpr bool tunes = false;
#endif

}  // namespace

int main(int argc, char** argv)
{
    Kokkos::initialize(argc, argv);
    const std::string_view what = argc > 1 ? argv[1] : "about";
    const int calls = argc > 2 ? std::atoi(argv[2]) : 100;
    bool right = true;
    if (what == "range") right = range(calls);
    if (what == "team") right = team(calls);
    if (what == "tiles") tiles(calls);
    if (what == "own") own(calls);
    if (what == "about")
        std::printf("Kokkos %d.%d.%d, %s, tuning %s\n", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                    KOKKOS_VERSION % 100, Kokkos::DefaultHostExecutionSpace::name(), tunes ? "on" : "off");
    if (!right) std::puts("the result is wrong");
    Kokkos::finalize();
    return right ? 0 : 1;
}
