#include "tunekit/measure/any_repetition.hpp"
// SPDX-License-Identifier: MIT
// The concepts of measure/: each holds for the poorest type and fails where one piece of it is missing, mistyped or not const.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/archetypes/measure.hpp"
#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using batch = std::span<const tk::index>;
using times = std::span<const double>;

// measurer
static_assert(measure::measurer<tk::archetype::measurer>);
struct wrong_answer {
    std::vector<double> measure(batch b, const measure::limits& l);
};
struct no_limits {
    std::vector<measure::measurement> measure(batch b);
};
struct one_at_a_time {
    measure::measurement measure(tk::index i, const measure::limits& l);
};
struct writes_its_batch {
    std::vector<measure::measurement> measure(std::span<tk::index> b, const measure::limits& l);
};
struct other_name {
    std::vector<measure::measurement> operator()(batch b, const measure::limits& l);
};
static_assert(!measure::measurer<wrong_answer>);
static_assert(!measure::measurer<no_limits>);
static_assert(!measure::measurer<one_at_a_time>);
static_assert(!measure::measurer<writes_its_batch>);
static_assert(!measure::measurer<other_name>);
static_assert(!measure::measurer<const tk::archetype::measurer>);  // measuring changes the measurer
static_assert(!measure::measurer<int>);

// streaming_measurer
struct streams : tk::archetype::measurer {
    using tk::archetype::measurer::measure;
    void measure(batch b, const measure::limits& l, void (&each)(measure::measurement));
};
struct streams_alone {
    void measure(batch b, const measure::limits& l, void (&each)(measure::measurement));
};
struct streams_with_answer : tk::archetype::measurer {
    using tk::archetype::measurer::measure;
    int measure(batch b, const measure::limits& l, void (&each)(measure::measurement));
};
static_assert(measure::streaming_measurer<streams>);
static_assert(!measure::streaming_measurer<tk::archetype::measurer>);
static_assert(!measure::streaming_measurer<streams_alone>);
static_assert(!measure::streaming_measurer<streams_with_answer>);

// clock
struct integer_clock {
    int operator()();
};
static_assert(measure::clock<tk::archetype::clock>);
static_assert(!measure::clock<integer_clock>);
static_assert(!measure::clock<const tk::archetype::clock>);
static_assert(!measure::clock<tk::archetype::measurer>);

// repetition and its pieces
struct poorest_policy {
    [[nodiscard]] std::uint32_t next(times t) const;
    [[nodiscard]] measure::estimate estimate_of(times t) const;
    void validate() const;
};
struct next_changes : poorest_policy {
    std::uint32_t next(times t);
};
struct next_is_signed : poorest_policy {
    [[nodiscard]] int next(times t) const;
};
struct estimates_a_number : poorest_policy {
    [[nodiscard]] double estimate_of(times t) const;
};
struct validates_with_answer : poorest_policy {
    [[nodiscard]] bool validate() const;
};
struct not_copied : poorest_policy {
    std::unique_ptr<int> owned;
};
static_assert(measure::repetition<poorest_policy>);
static_assert(measure::repetition<measure::fixed> && measure::repetition<measure::until_stable> &&
              measure::repetition<measure::until_confident>);
static_assert(!measure::detail::plans_runs<next_changes> && !measure::repetition<next_changes>);
static_assert(!measure::detail::plans_runs<next_is_signed> && !measure::repetition<next_is_signed>);
static_assert(!measure::detail::estimates_cost<estimates_a_number> && !measure::repetition<estimates_a_number>);
static_assert(!measure::detail::validated<validates_with_answer> && !measure::repetition<validates_with_answer>);
static_assert(!measure::repetition<not_copied> && measure::detail::plans_runs<not_copied>);
static_assert(!measure::detail::plans_runs<int> && !measure::detail::estimates_cost<int> &&
              !measure::detail::validated<int>);

// pool
struct poorest_pool {
    [[nodiscard]] std::size_t workers() const;
    [[nodiscard]] std::size_t room() const;
    void submit(const tk::job& j);
    std::vector<tk::answer> collect(double seconds);
    [[nodiscard]] double now() const;
};
struct counts_as_int : poorest_pool {
    [[nodiscard]] int workers() const;
};
struct room_changes : poorest_pool {
    std::size_t room();
};
struct submits_indices : poorest_pool {
    void submit(tk::index i);
};
struct collects_measurements : poorest_pool {
    std::vector<measure::measurement> collect(double seconds);
};
struct now_changes : poorest_pool {
    double now();
};
static_assert(tk::pool<poorest_pool>);
static_assert(!tk::detail::counts_workers<counts_as_int> && !tk::pool<counts_as_int>);
static_assert(!tk::detail::tells_room<room_changes> && !tk::pool<room_changes>);
static_assert(!tk::detail::takes_jobs<submits_indices> && !tk::pool<submits_indices>);
static_assert(!tk::detail::gives_answers<collects_measurements> && !tk::pool<collects_measurements>);
static_assert(!tk::detail::tells_its_time<now_changes> && !tk::pool<now_changes>);
static_assert(!tk::pool<const poorest_pool>);
static_assert(!tk::pool<tk::archetype::measurer>);
static_assert(!std::is_convertible_v<tk::index, tk::ticket>);

// makes_worker_tasks
static_assert(measure::makes_worker_tasks<measure::any_worker_task (*)(std::size_t)>);
static_assert(measure::makes_worker_tasks<std::vector<measure::any_worker_task> (*)(std::size_t)>);
static_assert(!measure::makes_worker_tasks<measure::any_worker_task (*)()>);  // not told for which worker
static_assert(!measure::makes_worker_tasks<measure::any_worker_task (*)(std::string)>);
static_assert(!measure::makes_worker_tasks<void (*)(std::size_t)>);
static_assert(!measure::makes_worker_tasks<std::span<measure::any_worker_task> (*)(std::size_t)>);  // whose are they?

// The forms of what a kernel returns, and of a check
static_assert(measure::detail::calls_plainly<void (*)()> && !measure::detail::calls_plainly<void (*)(std::uint64_t)>);
static_assert(measure::detail::calls_by_turn<void (*)(std::uint64_t)> && !measure::detail::calls_by_turn<void (*)()>);
static_assert(!measure::detail::calls_by_turn<void (*)(std::string)> && !measure::detail::calls_plainly<int>);
struct run_that_restores {
    void operator()();
    void restore();
};
struct run_that_is_asked_what_to_restore {
    void operator()();
    void restore(int what);
};
static_assert(measure::detail::restores<run_that_restores>);
static_assert(!measure::detail::restores<run_that_is_asked_what_to_restore> && !measure::detail::restores<void (*)()>);
struct check_that_poisons {
    bool operator()() const;
    void poison();
};
static_assert(measure::detail::poisons<check_that_poisons> && !measure::detail::poisons<const check_that_poisons>);
static_assert(!measure::detail::poisons<run_that_restores> && !measure::detail::poisons<bool (*)()>);
static_assert(measure::detail::nothing_or_seconds<void> && measure::detail::nothing_or_seconds<double>);
static_assert(!measure::detail::nothing_or_seconds<int> && !measure::detail::nothing_or_seconds<std::optional<double>>);

// What `timed` takes: it deduces, and copies are copies.
constexpr auto kernel = [](int) {};
using plain = decltype(measure::timed{kernel});
static_assert(std::same_as<plain, measure::timed<std::remove_const_t<decltype(kernel)>, measure::until_confident,
                                                 measure::no_check, measure::wall_clock>>);
static_assert(std::same_as<decltype(measure::timed{plain{kernel}}), plain>);
static_assert(plain::misfit_of<int> == measure::detail::misfit::none);
static_assert(plain::misfit_of<std::string> == measure::detail::misfit::kernel_takes);

// any_repetition
static_assert(std::is_convertible_v<measure::fixed, measure::any_repetition>);
static_assert(measure::repetition<measure::any_repetition>);
static_assert(!std::is_convertible_v<next_is_signed, measure::any_repetition> &&
              !std::is_convertible_v<int, measure::any_repetition>);
