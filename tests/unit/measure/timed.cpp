// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;

static_assert(measure::clock<measure::wall_clock> && measure::clock<measure::thread_clock>);

namespace {

/// Configurations are the numbers 0 to 9.
struct digits {
    using config = int;
    [[nodiscard]] tk::index size() const { return 10; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

/// Time that passes only where a kernel says so.
struct fake_time {
    double seconds = 0;
    int runs = 0;

    void pass(double s)
    {
        seconds += s;
        ++runs;
    }
};

struct fake_clock {
    fake_time* time;
    double operator()() const { return time->seconds; }
};

/// A clock of which each reading takes a microsecond.
struct slow_clock {
    fake_time* time;
    double operator()() const { return time->seconds += 1e-6; }
};

constexpr measure::timed_options as_asked{.min_steps = 0};

}  // namespace

TEST_CASE("timed runs what the policy asks for, plus the check and a warm-up until the time settles")
{
    fake_time time;
    int checks = 0;
    measure::timed how{
        [&](int) { time.pass(1e-3); },
        measure::until_stable{},
        [&] { return ++checks == 1 && time.runs == 1; },
        fake_clock{&time},
        as_asked,
    };
    const measure::measurement m = how(0, {});
    REQUIRE(m.ok());
    CHECK(m.cost == doctest::Approx(1e-3));
    CHECK(m.runs == 150);
    CHECK(m.batches.size() == 3);
    CHECK(time.runs == 1 + 3 + 150);
    CHECK(checks == 1);
    CHECK(m.run_seconds > 0);
}

TEST_CASE("timed warms up until runs get no faster, within bounds")
{
    fake_time time;
    const auto cooling = [&](int) { time.pass(time.runs < 6 ? 1.0 / (1 + time.runs) : 1.0 / 7); };
    measure::timed how{cooling, measure::fixed{.runs = 4, .batch = 2}, measure::no_check{}, fake_clock{&time},
                       as_asked};
    const auto m = how(0, {});
    REQUIRE(m.ok());
    CHECK(m.cost == doctest::Approx(1.0 / 7));
    CHECK(time.runs == 7 + 2 + 4);

    fake_time endless;
    const auto ever_faster = [&](int) { endless.pass(1.0 / (1 + endless.runs * endless.runs)); };
    measure::timed_options bounded = as_asked;
    bounded.max_warm_up_runs = 5;
    measure::timed forever{ever_faster, measure::fixed{.runs = 1, .batch = 1}, measure::no_check{},
                           fake_clock{&endless}, bounded};
    CHECK(forever(0, {}).ok());
    CHECK(endless.runs == 5 + 1);
}

TEST_CASE("timed batches what is too short for the clock")
{
    fake_time time;
    measure::timed by_steps{[&](int) { time.pass(1e-7); }, measure::fixed{.runs = 3, .batch = 1}, measure::no_check{},
                            slow_clock{&time}};
    const auto stepped = by_steps(0, {});
    REQUIRE(stepped.ok());
    CHECK(stepped.batches.size() == 3);
    CHECK(stepped.runs >= 3 * 1990);  // 200 readings take 2000 runs; a window has one reading of its own

    int runs = 0;
    double x = 1;
    const auto short_kernel = [&](int) {
        runs = runs + 1;
        for (int k = 0; k < 2; ++k) x = x / 1.01 + 0.01;  // each needs the one before
    };
    measure::timed how{short_kernel, measure::fixed{.runs = 3, .batch = 1}};
    const auto m = how(0, {});
    REQUIRE(m.ok());
    CHECK(m.batches.size() == 3);
    CHECK(m.runs > 3);  // how many depends on the machine
    CHECK(m.runs <= static_cast<std::uint32_t>(runs));
    CHECK(m.cost < 1e-6);

    measure::timed on_thread{short_kernel, measure::fixed{.runs = 3, .batch = 1}, measure::no_check{},
                             measure::thread_clock{}};
    const auto t = on_thread(0, {});
    REQUIRE(t.ok());
    CHECK(t.runs > 3);
}

TEST_CASE("timed prepares outside the timed window, restores before each run and numbers the turns")
{
    fake_time time;
    std::vector<std::uint64_t> turns;
    int restored = 0;
    struct prepared {
        fake_time& time;
        std::vector<std::uint64_t>& turns;
        int& restored;
        void restore()
        {
            ++restored;
            time.seconds += 100;
        }
        void operator()(std::uint64_t turn)
        {
            turns.push_back(turn);
            time.pass(2e-3);
        }
    };
    const auto prepare = [&](int) {
        time.seconds += 1000;
        return prepared{time, turns, restored};
    };
    measure::timed how{prepare, measure::fixed{.runs = 4, .batch = 2}, measure::no_check{}, fake_clock{&time},
                       as_asked};
    const auto m = how(0, {});
    REQUIRE(m.ok());
    CHECK(m.cost == doctest::Approx(2e-3).epsilon(1e-6));
    CHECK(turns == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6});
    CHECK(restored == 7);
}

TEST_CASE("timed takes the seconds that a kernel reports, and refuses those that mean nothing")
{
    measure::timed how{[](int c) { return c == 3   ? -1.0
                                          : c == 4 ? std::nan("")
                                                   : 0.25 * c; },
                       measure::fixed{.runs = 4, .batch = 2}};
    CHECK(how(2, {}).cost == doctest::Approx(0.5));
    for (const int bad : {0, 3, 4}) {
        const auto m = how(bad, {});
        REQUIRE(m.failed);
        CHECK(m.failed->kind == failure_kind::bad_cost);
        CHECK_FALSE(m.ok());
    }
}

TEST_CASE("timed says which seconds a kernel reported, where they are no time")
{
    measure::timed how{[](int c) { return c == 0   ? -0.001
                                          : c == 1 ? std::numeric_limits<double>::infinity()
                                                   : 0.0; },
                       measure::fixed{}};
    CHECK(how(0, {}).failed->message == "the kernel reported -0.001 s, want a positive time");
    CHECK(how(1, {}).failed->message == "the kernel reported inf s, want a positive time");
    CHECK(how(2, {}).failed->message == "the kernel reported 0 s, want a positive time");
}

TEST_CASE("timed takes a kernel alone, and a prepared one that reports float seconds")
{
    measure::timed alone{[](int c) { return 0.5 * c; }};
    CHECK(alone(3, {}).cost == doctest::Approx(1.5));
    CHECK(alone(3, {}).runs == 15);  // until_confident's least: three medians of five
    measure::timed prepared{[](int c) { return [c] { return 0.25F * static_cast<float>(c); }; }};
    CHECK(prepared(3, {}).cost == doctest::Approx(0.75));
}

TEST_CASE("timed: a check says what is wrong by bool, text or null")
{
    const auto kernel = [](int) { return 1.0; };
    const auto failed_with = [&](auto check) {
        const auto m = measure::timed{kernel, measure::fixed{}, check}(7, {});
        if (m.failed) CHECK(m.failed->kind == failure_kind::wrong_result);
        return m.failed ? m.failed->message : std::string();
    };
    CHECK(failed_with([]() -> const char* { return nullptr; }).empty());
    CHECK(failed_with([]() -> const char* { return "off by one"; }) == "off by one");
    CHECK(failed_with([](int c) -> std::optional<std::string> { return std::to_string(c); }) == "7");
    CHECK(failed_with([]() -> std::optional<std::string> { return std::nullopt; }).empty());
    CHECK(failed_with([] { return true; }).empty());
    CHECK(failed_with([](int) { return false; }) == "the check refused the result");
}

TEST_CASE("timed refuses a kernel that takes as long as an empty loop")
{
    // Every reading takes a nanosecond and nothing else takes time but what the kernel passes.
    double seconds = 0;
    const auto slow_to_read = [&] { return seconds += 1e-9; };
    const measure::timed_options any_batch{.min_steps = 0.5};
    measure::timed nothing{[](int) {}, measure::fixed{}, measure::no_check{}, slow_to_read, any_batch};
    const auto m = nothing(0, {});
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::bad_cost);
    CHECK(m.failed->message.find("a run took 1e-09 s, as long as an empty loop") == 0);
    measure::timed something{[&](int) { seconds += 1e-9; }, measure::fixed{}, measure::no_check{}, slow_to_read,
                             any_batch};
    CHECK(something(0, {}).ok());
}

TEST_CASE("keep hands a value on unchanged")
{
    double x = 3;
    measure::keep(x * 2);
    measure::keep(x);
    CHECK(x == 3);
}

TEST_CASE("timed: a clock that goes backwards is a bad cost, not a fast kernel")
{
    fake_time time;
    measure::timed how{[&](int) { time.pass(time.runs == 8 ? -3600.0 : 1e-3); }, measure::fixed{.runs = 20, .batch = 1},
                       measure::no_check{}, fake_clock{&time}, as_asked};
    const auto m = how(0, {});
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::bad_cost);
}

TEST_CASE("timed: a clock that jumps by an hour at any reading is a bad cost that says so, or changes nothing")
{
    // The run's clock jumps for good at its reading number `when`; time passes only in runs, 10 us each.
    const auto measured = [](double hours, int when, measure::timed_options options, auto repeat) {
        fake_time time;
        int readings = 0;
        const auto jumping = [&, hours, when] { return time.seconds + (readings++ >= when ? 3600 * hours : 0); };
        measure::timed how{[&](int) { time.pass(1e-5); }, repeat, measure::no_check{}, jumping, options};
        return std::pair{how(0, {}), readings};
    };
    for (const measure::timed_options& options : {as_asked, measure::timed_options{}})
        for (const double hours : {1.0, -1.0}) {
            const int readings = measured(0, 0, options, measure::fixed{.runs = 20, .batch = 4}).second;
            int failed = 0;
            const auto judge = [&](const measure::measurement& m) {
                if (m.failed) {
                    ++failed;
                    CHECK(m.failed->kind == failure_kind::bad_cost);
                    CHECK(m.failed->message.find("a run took") == 0);
                    CHECK(std::isnan(m.cost));
                } else {
                    CHECK(m.cost == doctest::Approx(1e-5));
                }
            };
            for (int when = 0; when <= readings; ++when) {
                CAPTURE(when);
                judge(measured(hours, when, options, measure::fixed{.runs = 20, .batch = 4}).first);
                judge(measured(hours, when, options, measure::until_confident{}).first);
            }
            CHECK(failed >= 2 * (3 + 5));  // within each warm-up run and each batch
            CHECK(failed < 2 * readings);  // not between them
        }
}

TEST_CASE("timed cuts short what is certainly more expensive than the limit, and only that")
{
    fake_time time;
    measure::timed how{[&](int c) { time.pass(c * 1e-3); }, measure::fixed{.runs = 100, .batch = 1},
                       measure::no_check{}, fake_clock{&time}, as_asked};
    const auto slow = how(5, {.abandon_above = 4e-3});
    CHECK_FALSE(slow.failed);
    CHECK(slow.at_least);
    CHECK_FALSE(slow.ok());
    CHECK(slow.cost == doctest::Approx(5e-3));
    CHECK(time.runs == 3);
    const auto fast = how(3, {.abandon_above = 4e-3});
    CHECK(fast.ok());
    CHECK(fast.runs == 100);
}

TEST_CASE("timed: a look runs until one is not above the limit, without warm-up or check")
{
    fake_time time;
    int checked = 0;
    std::vector<double> takes;  // the next runs, last first
    const auto check = [&](int) { return ++checked, true; };
    measure::timed how{[&](int) {
                           time.pass(takes.back());
                           takes.pop_back();
                       },
                       measure::fixed{.runs = 100, .batch = 1}, check, fake_clock{&time}, as_asked};
    const measure::limits look{.abandon_above = 4e-3, .max_runs = 3};
    CHECK(look.only_looks());
    CHECK_FALSE(measure::limits{}.only_looks());
    for (const auto& [runs, cost, above] :
         {std::tuple(std::vector{3e-3}, 3e-3, false), std::tuple(std::vector{5e-3, 4e-3}, 4e-3, false),
          std::tuple(std::vector{5e-3, 6e-3, 3e-3}, 3e-3, false),
          std::tuple(std::vector{7e-3, 5e-3, 6e-3}, 5e-3, true)}) {
        takes.assign(runs.rbegin(), runs.rend());
        const auto m = how(1, look);
        CHECK_FALSE(m.failed);
        CHECK(takes.empty());
        CHECK(m.runs == runs.size());
        CHECK(m.cost == doctest::Approx(cost));
        CHECK(m.at_least == above);
    }
    CHECK(checked == 0);
}

TEST_CASE("timed: a look at what is too short for the clock times batches")
{
    fake_time time;
    measure::timed how{[&](int) { time.pass(1e-6); }, measure::fixed{.runs = 100, .batch = 1}, measure::no_check{},
                       slow_clock{&time}};
    const auto m = how(1, {.abandon_above = 1.2e-6, .max_runs = 3});
    CHECK_FALSE(m.at_least);
    CHECK(m.cost == doctest::Approx(1e-6).epsilon(0.02));
}

TEST_CASE("timed checks what could win, behind its runs; what is abandoned as slow is never checked, and never ok")
{
    using measure::check_state;
    fake_time time;
    std::vector<int> asked;
    const auto is_not_one = [&](int c) {
        asked.push_back(c);
        return c != 1;  // the fastest is wrong
    };
    measure::timed how{[&](int c) { time.pass(c * 1e-3); }, measure::fixed{.runs = 10, .batch = 1}, is_not_one,
                       fake_clock{&time}, as_asked};
    const auto slow = how(5, {.abandon_above = 4e-3});
    CHECK(slow.at_least);
    CHECK(slow.checked == check_state::unchecked);
    CHECK(asked.empty());
    CHECK(time.runs == 3);
    const auto right = how(3, {.abandon_above = 4e-3});
    CHECK(right.ok());
    CHECK(right.checked == check_state::ok);
    for (const measure::limits& l : {measure::limits{.abandon_above = 4e-3}, measure::limits{}}) {
        const auto wrong = how(1, l);
        REQUIRE(wrong.failed);
        CHECK(wrong.failed->kind == failure_kind::wrong_result);
        CHECK(wrong.checked == check_state::unchecked);
        CHECK(std::isnan(wrong.cost));
    }
    CHECK(asked == std::vector<int>{3, 1, 1});

    how.options.checks = measure::check::always;
    time.runs = 0;
    CHECK(how(5, {.abandon_above = 4e-3}).checked == check_state::ok);
    CHECK(time.runs == 4);
    time.runs = 0;
    CHECK(how(1, {.abandon_above = 4e-3}).failed);
    CHECK(time.runs == 1);  // nothing was timed
}

TEST_CASE("timed: the run that is checked is the first of a kernel that was prepared, and has its time")
{
    std::vector<std::uint64_t> turns;
    std::vector<int> sorted;  // in place: right after the first run alone
    const auto in_place = [&](int) {
        sorted = {0};
        return [&](std::uint64_t turn) {
            ++sorted[0];
            turns.push_back(turn);
        };
    };
    measure::timed how{in_place, measure::fixed{.runs = 2, .batch = 1}, [&] { return sorted[0] == 1; },
                       measure::wall_clock{}, as_asked};
    for (const double abandon_above : {1.0, std::numeric_limits<double>::infinity()}) {
        turns.clear();
        const auto m = how(1, {.abandon_above = abandon_above});
        CHECK(m.runs == 2);
        CHECK(m.checked == measure::check_state::ok);
        REQUIRE(turns.size() > 3);
        CHECK((turns.back() == 0) == (abandon_above == 1));  // checked at the end, where it could have been cut short
        for (std::size_t k = 0; k + 1 < turns.size(); ++k) CHECK(turns[k] == k);
    }

    const measure::wall_clock now;
    const auto busy = [&](int) {
        for (const double until = now() + 0.2; now() < until;) {
        }
    };
    measure::timed long_runs{busy, measure::fixed{.runs = 100, .batch = 1}, [](int) { return true; }};
    const auto m = long_runs(0, {.abandon_above = 60, .run_seconds = 3});
    CHECK(m.ok());
    CHECK(m.checked == measure::check_state::ok);
    CHECK(m.runs < 15);
    CHECK(m.run_seconds < 3);
}

TEST_CASE("timed: where there is no cost to beat yet, three batches are all")
{
    fake_time time;
    measure::timed how{[&](int c) { time.pass(c * 1e-3); }, measure::fixed{.runs = 100, .batch = 10},
                       measure::no_check{}, fake_clock{&time}, as_asked};
    const auto first = how(3, {.abandon_factor = 1.05});
    CHECK(first.ok());
    CHECK(first.runs == 30);
    CHECK(first.cost == doctest::Approx(3e-3));
    CHECK(how(3, {.abandon_above = 4e-3, .abandon_factor = 1.05}).runs == 100);
    CHECK(how(3, {}).runs == 100);  // a recipe without a factor has all of its runs
}

TEST_CASE("timed says which element is wrong, and a skipped element is never right by luck")
{
    std::vector<float> out(100, 1.0F);
    const std::vector<float> want(100, 1.0F);
    const auto kernel = [&](int c) {
        for (std::size_t i = 0; i < out.size(); ++i)
            if (c != 1 || i != 42) out[i] = c == 2 && i == 7 ? 1.5F : 1.0F;
    };
    measure::timed how{kernel, measure::fixed{.runs = 2, .batch = 1},
                       measure::matches<float>{out, want, {.absolute = 1e-3}}};
    CHECK(how(0, {}).ok());
    const auto skipped = how(1, {});
    REQUIRE(skipped.failed);
    CHECK(skipped.failed->kind == failure_kind::wrong_result);
    CHECK(skipped.failed->message.find("element 42 is nan, want 1") == 0);
    const auto wrong = how(2, {});
    REQUIRE(wrong.failed);
    CHECK(wrong.failed->message == "element 7 is 1.5, want 1 (absolute 0.001, relative 0)");
    CHECK(std::isnan(wrong.cost));
}

TEST_CASE("matches leaves out what the mask leaves out: a stencil need not write its frame")
{
    constexpr std::size_t n = 6;
    std::vector<float> out(n * n);
    std::vector<float> want(n * n, 0.0F);
    std::vector<unsigned char> inner(n * n);
    for (std::size_t y = 1; y + 1 < n; ++y)
        for (std::size_t x = 1; x + 1 < n; ++x) {
            want[y * n + x] = 2.0F;
            inner[y * n + x] = 1;
        }
    const auto stencil = [&](int c) {
        for (std::size_t k = 0; k < n * n; ++k)
            if (inner[k] != 0 && (c == 0 || k != 2 * n + 3)) out[k] = 2.0F;
    };
    measure::timed framed{stencil, measure::fixed{.runs = 2, .batch = 1}, measure::matches<float>{out, want}};
    CHECK(framed(0, {}).failed->message.find("element 0 is nan, want 0") == 0);
    measure::timed how{stencil, measure::fixed{.runs = 2, .batch = 1}, measure::matches<float>{out, want, {}, inner}};
    CHECK(how(0, {}).ok());
    CHECK(how(1, {}).failed->message.find("element 15 is nan, want 2") == 0);
    const std::vector<unsigned char> shorter(n);
    CHECK_THROWS_AS(static_cast<void>(measure::close_to<float>(std::span<const float>(out),
                                                               std::span<const float>(want), {}, shorter)),
                    std::invalid_argument);
}

TEST_CASE("timed: exceptions of a kernel are data")
{
    const auto moody = [](int c) {
        if (c == 1) throw std::runtime_error("tile does not fit");
        return [c] {
            if (c == 2) throw std::runtime_error("lost");
            if (c == 3) throw std::bad_alloc();
            if (c == 4) throw 4;
        };
    };
    auto measure = measure::in_process(digits{}, measure::timed{moody, measure::fixed{.runs = 2, .batch = 1}});
    static_assert(measure::measurer<decltype(measure)>);
    const auto m = measure.measure(std::vector<tk::index>{0, 1, 2, 3, 4}, {});
    REQUIRE(m.size() == 5);
    CHECK(m[0].ok());
    CHECK(m[1].failed == measure::failure{failure_kind::invalid, 0, "threw: tile does not fit"});
    CHECK(m[2].failed == measure::failure{failure_kind::crash, 0, "threw: lost"});
    CHECK(m[3].failed->kind == failure_kind::out_of_memory);
    CHECK(m[4].failed->kind == failure_kind::crash);
}

TEST_CASE("timed gives what it has where the time is over, and a time-out where it has nothing")
{
    measure::wall_clock now;
    const auto busy = [&](int) {
        const double until = now() + 2e-3;
        while (now() < until) {
        }
    };
    measure::timed how{busy, measure::fixed{.runs = 1000000, .batch = 1}};
    const auto cut = how(0, {.run_seconds = 0.5});
    CHECK(cut.ok());
    CHECK(cut.runs < 1000000);
    CHECK(cut.cost >= 2e-3);

    measure::timed checked{busy, measure::fixed{}, [](int) { return true; }};
    const auto none = checked(0, {.run_seconds = 1e-3});
    REQUIRE(none.failed);
    CHECK(none.failed->kind == failure_kind::run_timeout);
}

TEST_CASE("timed cold: each run is timed alone, the flush outside")
{
    fake_time time;
    measure::timed_options cold = as_asked;
    cold.state = measure::cache::cold;
    cold.flush_bytes = 1 << 16;
    measure::timed how{[&](int) { time.pass(1e-3); }, measure::fixed{.runs = 3, .batch = 3}, measure::no_check{},
                       fake_clock{&time}, cold};
    const auto m = how(0, {});
    REQUIRE(m.ok());
    CHECK(m.cost == doctest::Approx(1e-3));
    CHECK(m.runs == 3);
}

TEST_CASE("close_to: tolerances, NaN, infinities, integers, sizes")
{
    const auto close = [](std::vector<double> a, std::vector<double> b, measure::tolerance t = {}) {
        return !measure::close_to(std::span<const double>(a), std::span<const double>(b), t);
    };
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(close({1, 2}, {1, 2}));
    CHECK_FALSE(close({1, 2.1}, {1, 2}));
    CHECK(close({1, 2.1}, {1, 2}, {.absolute = 0.11}));
    CHECK(close({1, 2.1}, {1, 2}, {.relative = 0.06}));
    CHECK_FALSE(close({1, 2.1}, {1, 2}, {.relative = 0.04}));
    CHECK_FALSE(close({nan}, {1}, {.absolute = inf}));
    CHECK(close({nan}, {nan}));
    CHECK_FALSE(close({1}, {nan}));
    CHECK(close({inf}, {inf}));
    CHECK_FALSE(close({-inf}, {inf}, {.relative = 1}));
    CHECK_FALSE(close({1}, {inf}, {.relative = 1}));
    CHECK_FALSE(close({inf}, {1}, {.relative = 1}));
    std::vector<int> ints(3);
    measure::poison(std::span<int>(ints));
    CHECK(measure::close_to(std::span<const int>(ints), std::span<const int>(std::vector<int>{0, 0, 0})));
    CHECK_THROWS_AS(static_cast<void>(measure::close_to(std::span<const int>(ints), std::span<const int>{})),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)close({1}, {1}, {.absolute = -1}), std::invalid_argument);
    CHECK_THROWS_AS((void)close({1}, {1}, {.relative = nan}), std::invalid_argument);
    const measure::matches<int> wrong{ints, ints, {.absolute = -1}};
    CHECK_THROWS_AS((measure::timed{[](int) {}, measure::fixed{}, wrong}.validate()), std::invalid_argument);
}

TEST_CASE("close_to: integers are compared as integers, long doubles as themselves, and the line tells them apart")
{
    const auto differs = []<class T>(T got, T want, measure::tolerance within = {}) {
        const T a[]{got}, b[]{want};
        return measure::close_to(std::span<const T>(a), std::span<const T>(b), within).value_or("");
    };
    constexpr std::int64_t big = std::int64_t{1} << 53, lowest = std::numeric_limits<std::int64_t>::min();
    CHECK(differs(big + 1, big) == "element 0 is 9007199254740993, want 9007199254740992 (absolute 0, relative 0)");
    CHECK(differs(big + 1, big, {.absolute = 1}).empty());
    CHECK_FALSE(differs(big + 1, big, {.absolute = 0.5}).empty());
    CHECK_FALSE(differs(std::uint64_t{0x9E3779B97F4A7C15}, std::uint64_t{0x9E3779B97F4A7C16}).empty());
    CHECK(differs(~std::uint64_t{0}, ~std::uint64_t{0}).empty());
    // A distance that no signed integer holds.
    CHECK_FALSE(differs(std::numeric_limits<std::int64_t>::max(), lowest, {.absolute = 1e19}).empty());
    CHECK(differs(std::numeric_limits<std::int64_t>::max(), lowest, {.absolute = 2e19}).empty());
    CHECK_FALSE(differs(std::int64_t{1}, std::int64_t{-1}, {.absolute = 1.9}).empty());
    CHECK(differs(std::int8_t{127}, std::int8_t{-128}, {.absolute = 255}).empty());
    CHECK_FALSE(differs(std::int8_t{127}, std::int8_t{-128}, {.absolute = 254}).empty());
    CHECK(differs(100, 110, {.relative = 0.1}).empty());
    CHECK_FALSE(differs(true, false).empty());
    CHECK(differs(0.1F, 0.25F) == "element 0 is 0.1, want 0.25 (absolute 0, relative 0)");
    if (std::numeric_limits<long double>::digits > std::numeric_limits<double>::digits) {
        const long double next = 1 + std::numeric_limits<long double>::epsilon();
        CHECK_FALSE(differs(next, 1.0L).empty());
        CHECK(differs(next, 1.0L, {.absolute = 1e-15}).empty());
        CHECK_FALSE(differs(std::numeric_limits<long double>::infinity(), 1.0L, {.relative = 1}).empty());
    }
}

TEST_CASE("matches refuses sizes that differ when it is made")
{
    std::vector<float> out(3);
    const std::vector<float> want(2), right(3);
    const std::vector<unsigned char> inner(2);
    CHECK_THROWS_WITH_AS((void)measure::matches<float>(out, want),
                         "tunekit: matches: output and reference differ in size, want the same", std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)measure::matches<float>(out, right, {}, inner),
                         "tunekit: matches: output and mask differ in size, want the same", std::invalid_argument);
    CHECK_FALSE(measure::matches<float>{out, right}());
}

TEST_CASE("in_process refuses settings that mean nothing, and takes what can only be moved")
{
    CHECK_THROWS_AS(
        static_cast<void>(measure::in_process(digits{}, measure::timed{[](int) {}, measure::fixed{.runs = 0}})),
        std::invalid_argument);
    auto owned = std::make_unique<int>(3);
    auto measure =
        measure::in_process(digits{}, measure::timed{[owned = std::move(owned)](int c) { return 1.0 + c + *owned; },
                                                     measure::fixed{.runs = 1, .batch = 1}});
    CHECK(measure.measure(std::vector<tk::index>{1}, {}).front().cost == 5);
}
