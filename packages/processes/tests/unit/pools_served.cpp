// SPDX-License-Identifier: MIT
#include "tunekit/processes/serve.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/isolation.hpp"
#include "tests/support/parents.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/processes/detail/spawned_zygote.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using support::has_children, support::with_thread;
using tk::answer;
using tk::ticket;

namespace {

struct some {
    using config = int;
    int values = 10;
    [[nodiscard]] tk::index size() const { return static_cast<tk::index>(values); }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
    [[nodiscard]] std::uint64_t fingerprint() const { return 7; }
};

/// What the program that serves builds. 3 crashes; 4 writes beside the output; 5 kills the zygote; 6 ends late.
measure::worker_task<some, measure::timed<std::function<double(int)>, measure::fixed>> task_of(std::size_t worker)
{
    auto out = std::make_shared<measure::guarded_buffer<float>>(100);
    const auto canary = out->canary();
    return {some{},
            {[out, worker](int c) {
                 if (c == 3) std::abort();
                 if (c == 4) out->data()[100] = 1;
                 if (c == 5) {
                     ::kill(support::grandparent(), SIGKILL);
                     ::pause();
                 }
                 while (c == 6) ::usleep(1000);
                 if (c == 7) {
                     out->data()[100] = 1;
                     std::abort();
                 }
                 return c == 8 ? 100.0 + static_cast<double>(worker) : 1.0 + c;
             },
             {.runs = 1, .batch = 1}},
            {canary}};
}

/// The unit tests' main does not serve, so this is run before it, as the first thing in a program's main is.
[[gnu::constructor]] void serve_before_main(int argc, char** argv, char**)
{
    measure::serve(argc, argv, [&](std::size_t worker) {
        const std::string what = argc > 3 ? argv[3] : "";
        if (what == "throws") throw std::runtime_error("no such device");
        const measure::detail::serve_hello newer{.version = TUNEKIT_VERSION + 1};
        if (what == "is newer") (void)!::write(3, &newer, sizeof newer);
        if (what == "babbles") (void)!::write(3, what.data(), what.size());
        return task_of(worker);
    });
}

measure::isolated_workers pool_of(std::size_t n, measure::isolated_workers::program_options options = {})
{
    options.workers.pinned = false;
    return measure::served_workers(n, some{}, options);
}

answer measured(measure::isolated_workers& pool, tk::index candidate, double seconds = 20)
{
    pool.submit({.ticket = ticket{candidate}, .candidate = candidate, .limits = {.run_seconds = seconds}});
    for (;;) {
        auto some = pool.collect(30);
        if (!some.empty()) return some.front();
    }
}

}  // namespace

TEST_CASE("served workers: in a process with threads, workers are the program again, and all is as with isolated ones")
{
    const with_thread here;
    {
        auto pool = pool_of(2);
        CHECK(pool.workers() == 2);
        CHECK(pool.measures_time());  // as the program says
        CHECK(measured(pool, 2).measured->cost == 3);
        CHECK(measured(pool, 3).measured->failed->code == SIGABRT);
        CHECK(measured(pool, 4).measured->failed ==
              measure::failure{failure_kind::damaged_canary, 0, "wrote beside output 0, 0 bytes past its end"});
        CHECK(measured(pool, 7).measured->failed ==
              measure::failure{
                  failure_kind::crash, SIGABRT,
                  "SIGABRT, abort or an exception that nobody caught; wrote beside output 0, 0 bytes past its end"});
        CHECK(measured(pool, 6, 0.2).measured->failed->kind == failure_kind::run_timeout);
        CHECK_FALSE(measured(pool, 5).measured);  // lost with the program, which is started again
        CHECK(measured(pool, 2).measured->cost == 3);
        CHECK(pool.room() == 2);
        pool.submit({.ticket = ticket{1}, .candidate = 6});
        pool.submit({.ticket = ticket{2}, .candidate = 8});
        CHECK(pool.collect(30).at(0).measured->cost == 101);  // `make` is told which worker
    }
    CHECK_FALSE(has_children());
}

TEST_CASE("served workers: pools on threads of their own answer what each answers alone, whatever is lost beside it")
{
    const auto answers = [] {
        auto pool = pool_of(2);
        std::vector<double> out;  // a cost; below 0: the kind of the failure, or -1 where the job was lost
        for (const tk::index i : {0U, 3U, 1U, 4U, 5U, 2U, 7U, 9U}) {
            const auto m = measured(pool, i).measured;
            out.push_back(!m ? -1 : m->ok() ? m->cost : -2.0 - static_cast<double>(m->failed->kind));
        }
        return out;
    };
    const auto alone = answers();
    CHECK(alone[0] == 1);
    CHECK(alone[4] == -1);
    std::vector<std::vector<double>> beside(3);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : beside) threads.emplace_back([&] { mine = answers(); });
    }
    for (const auto& one : beside) CHECK(one == alone);
    CHECK_FALSE(has_children());
}

TEST_CASE("served workers: what does not fit is refused, with the reason, and nothing is left")
{
    const auto message = [](auto&& make) {
        try {
            make();
        } catch (const tk::error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const auto holds = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(holds(message([] { static_cast<void>(measure::served_workers(1, some{.values = 9})); }),
                "has another space for task 0, of size 10, want the one of size 9"));
    CHECK(holds(message([] { static_cast<void>(measure::served_workers(1, std::vector<measure::task_identity>(2))); }),
                "has 1 task, want 2"));
    CHECK(holds(message([] { static_cast<void>(pool_of(1, {.arguments = {"throws"}})); }),
                "does not serve: no such device"));
    CHECK(holds(message([] { static_cast<void>(pool_of(1, {.arguments = {"is newer"}})); }),
                "was built with another version of tunekit, want the same"));
    CHECK(holds(message([] { static_cast<void>(pool_of(1, {.arguments = {"babbles"}})); }), "answers nonsense"));
    CHECK(holds(message([] { static_cast<void>(pool_of(1, {.program = "/bin/true"})); }), "ended before it served"));
    CHECK(holds(message([] { static_cast<void>(pool_of(1, {.program = "/nowhere/at/all"})); }), "cannot start"));
    CHECK(holds(message([] { static_cast<void>(pool_of(1, {.program = "/bin/sh", .start_seconds = 0.2})); }), "serve"));
    CHECK_FALSE(has_children());
}
