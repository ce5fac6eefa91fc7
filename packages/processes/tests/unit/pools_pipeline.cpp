// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/pipeline.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/simulated_workers.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using tk::answer;
using tk::ticket;

namespace {

struct six {
    using config = int;
    [[nodiscard]] tk::index size() const { return 6; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

/// Costs 1 + c by its own word; 3 does not compile, 4 has no source, 5 crashes.
struct text {
    std::string operator()(int c) const
    {
        if (c == 3) return "extern \"C\" double cost() { return no_such_name; }";
        if (c == 4) throw std::invalid_argument("no such tile");
        if (c == 5) return "extern \"C\" double cost() { __builtin_trap(); }";
        return "extern \"C\" double cost() { return " + std::to_string(1 + c) + ".0; }";
    }
};
using costs = measure::source_template<six, text>;

const costs what{six{}, text{}, "cost"};

measure::builder compilers() { return measure::builder({.flags = {"-O0"}, .processes = 2, .together = 4}); }

auto run_it = [](auto* run, int) { return [run] { return run(); }; };

/// `n` workers that run each candidate `runs` times, as `build` has built it, which must outlive them.
measure::isolated_workers running(std::size_t n, std::uint32_t runs, const measure::builder& build)
{
    const auto make = [runs, &build](std::size_t) {
        auto kernel = measure::generated_kernel<double()>(what, build.cache(), run_it);
        measure::timed how{std::move(kernel), measure::fixed{.runs = runs, .batch = 1}};
        return measure::worker_task{six{}, std::move(how)};
    };
    return measure::isolated_workers(n, make, {.pinned = false});
}

std::map<ticket, answer> all_of(auto& pool, std::size_t n)
{
    std::map<ticket, answer> out;
    while (out.size() < n)
        for (const answer& a : pool.collect(30)) {
            CHECK(out.count(a.ticket) == 0);
            out[a.ticket] = a;
        }
    return out;
}

}  // namespace

TEST_CASE("a pipeline builds and runs: what is built is measured, what is not fails as it should")
{
    measure::builder build = compilers();
    measure::isolated_workers run = running(2, 1, build);
    measure::pipeline pool(what, std::move(build), std::move(run));
    static_assert(tk::pool<decltype(pool)>);
    CHECK(pool.workers() == 2);
    CHECK(pool.room() == 4);  // two run, and one for each compiler
    CHECK(pool.collect(60).empty());
    pool.submit({.ticket = ticket{4}, .candidate = 4});
    CHECK(pool.room() == 4);  // known at once
    for (std::uint64_t k = 0; k < 4; ++k) pool.submit({.ticket = ticket{k}, .candidate = k});
    CHECK(pool.room() == 0);
    CHECK_THROWS_AS(pool.submit({}), std::invalid_argument);
    const auto got = all_of(pool, 5);
    for (std::uint64_t k = 0; k < 3; ++k) {
        const answer& a = got.at(ticket{k});
        REQUIRE(a.measured);
        CHECK(a.measured->cost == 1.0 + static_cast<double>(k));
        CHECK(a.measured->build_seconds > 0);
        CHECK(a.worker < 2);
    }
    CHECK(got.at(ticket{3}).measured->failed->kind == failure_kind::build_error);
    CHECK(got.at(ticket{4}).measured->failed == measure::failure{failure_kind::invalid, 0, "threw: no such tile"});
    pool.submit({.ticket = ticket{9}, .candidate = 5});
    pool.submit({.ticket = ticket{10}, .candidate = 0});
    const auto more = all_of(pool, 2);
    CHECK(more.at(ticket{9}).measured->failed->kind == failure_kind::crash);
    CHECK(more.at(ticket{10}).measured->build_seconds == 0);  // there already
    CHECK_THROWS_AS(pool.submit({.task = 1}), std::invalid_argument);
}

TEST_CASE("alone: what is not built yet is built, then measured on one runner, while nothing is out")
{
    measure::builder build = compilers();
    measure::isolated_workers run = running(2, 1, build);
    measure::pipeline pool(what, std::move(build), std::move(run));
    auto quiet = pool.alone(1);
    static_assert(measure::streaming_measurer<decltype(quiet)>);
    const std::vector<tk::index> all{5, 0, 3, 1, 4, 0};
    const auto got = quiet.measure(all, {});
    REQUIRE(got.size() == all.size());
    CHECK(got[0].failed->kind == failure_kind::crash);
    CHECK(got[1].cost == 1);
    CHECK(got[1].build_seconds > 0);
    CHECK(got[2].failed->kind == failure_kind::build_error);
    CHECK(got[3].cost == 2);
    CHECK(got[4].failed == measure::failure{failure_kind::invalid, 0, "threw: no such tile"});
    CHECK(got[5].cost == 1);
    pool.submit({.ticket = ticket{1}, .candidate = 2});
    CHECK_THROWS_AS((void)quiet.measure(all, {}), std::invalid_argument);
    CHECK(all_of(pool, 1).at(ticket{1}).measured->cost == 3);
    CHECK(quiet.measure(std::vector<tk::index>{2}, {}).at(0).build_seconds == 0);  // there already
    CHECK_THROWS_AS((void)pool.alone(2), std::invalid_argument);
    CHECK_THROWS_AS((void)pool.alone(0, 1), std::invalid_argument);
}

TEST_CASE("alone: limits are read when a run begins, so that they fall inside a batch")
{
    measure::builder build = compilers();
    measure::isolated_workers run = running(1, 10, build);
    measure::pipeline pool(what, std::move(build), std::move(run));
    auto quiet = pool.alone(0);
    measure::limits within{};
    std::vector<measure::measurement> got;
    quiet.measure(std::vector<tk::index>{0, 2}, within, [&](measure::measurement m) {
        within.abandon_above = 1.05 * m.cost;
        got.push_back(std::move(m));
    });
    REQUIRE(got.size() == 2);
    CHECK(got[0].ok());
    CHECK(got[0].runs == 10);
    CHECK(got[1].at_least);  // three times as slow as the one before it in the batch
    CHECK(got[1].runs == 3);
}

namespace {

measure::recorded_row taking(double seconds)
{
    measure::recorded_row r;
    r.result.cost = seconds;
    r.seconds = seconds;
    return r;
}

}  // namespace

TEST_CASE(
    "pipeline: runners of any kind; one candidate at a time on one runner; lost jobs are lost, the last runner says so")
{
    const std::vector<measure::recorded_row> table(6, taking(1));
    using runners = support::simulated_workers<measure::recorded_rows>;
    measure::pipeline pool(
        std::vector<costs>{what, what}, compilers(),
        runners(std::vector<measure::recorded_rows>(2, measure::recorded_rows(table)), {.workers = 1}), {.ahead = 3});
    CHECK(pool.room() == 4);
    for (std::uint64_t k = 0; k < 3; ++k) pool.submit({.ticket = ticket{k}, .task = k % 2, .candidate = k});
    std::size_t answered = 0;
    while (answered < 3) answered += pool.collect(30).size();
    CHECK(pool.now() == doctest::Approx(3));  // of the runner, one after another
    pool.submit({.ticket = ticket{7}, .candidate = 0});
    pool.submit({.ticket = ticket{8}, .candidate = 1});
    pool.running().end(0);
    const auto lost = all_of(pool, 2);
    CHECK_FALSE(lost.at(ticket{7}).measured);
    CHECK_FALSE(lost.at(ticket{8}).measured);
    CHECK(pool.room() == 0);
    CHECK_THROWS_AS(static_cast<void>(pool.collect(1)), tk::error);
}

TEST_CASE("pipelines on threads of their own share a folder of builds, and each answers all that it was given")
{
    const measure::detail::temporary_directory kept("/tmp/tunekit-cache-");
    const std::vector<measure::recorded_row> table(6, taking(1));
    const auto costs_of_all = [&] {
        measure::builder build({.flags = {"-O0"}, .directory = kept.name(), .processes = 1});
        measure::pipeline pool(
            what, std::move(build),
            support::simulated_workers<measure::recorded_rows>({measure::recorded_rows(table)}, {.workers = 1}),
            {.ahead = 5});
        for (std::uint64_t k = 0; k < 6; ++k) pool.submit({.ticket = ticket{k}, .candidate = k});
        std::vector<double> out(6);  // a cost, or below 0 the kind of the failure
        for (std::size_t left = 6; left > 0;)
            for (const answer& a : pool.collect(60)) {
                const measure::measurement& m = a.measured.value();
                out[static_cast<std::size_t>(a.ticket)] = m.ok() ? m.cost : -1.0 - static_cast<double>(m.failed->kind);
                --left;
            }
        return out;
    };
    std::vector<std::vector<double>> beside(3);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : beside) threads.emplace_back([&] { mine = costs_of_all(); });
    }
    const auto alone = costs_of_all();  // finds what was built
    CHECK(alone[0] == 1);
    CHECK(alone[3] == -1.0 - static_cast<double>(failure_kind::build_error));
    for (const auto& one : beside) CHECK(one == alone);
}

TEST_CASE(
    "built kernels that are fast and wrong have no cost, slow ones are not checked, and limits fall while jobs wait")
{
    const std::vector<tk::index> batch{0, 2, 1, 2};  // 0 is the fastest, and wrong
    const auto judge = [&](const std::vector<measure::measurement>& got) {
        REQUIRE(got[0].failed);
        CHECK(got[0].failed->kind == failure_kind::wrong_result);
        CHECK(got[1].ok());  // nothing was in
        CHECK(got[1].checked == measure::check_state::ok);
        CHECK(got[2].ok());
        CHECK(got[3].at_least);
        CHECK(got[3].checked == measure::check_state::unchecked);
    };
    const auto timed = [](const measure::builder& build) {
        return measure::timed{measure::generated_kernel<double()>(what, build.cache(), run_it),
                              measure::fixed{.runs = 20, .batch = 1}, [](int c) { return c != 0; }};
    };
    const measure::limits none{.abandon_factor = 1.05};
    measure::builder build = compilers();
    auto runs = measure::isolated(six{}, timed(build));
    auto generated = measure::generated(what, std::move(build), std::move(runs));
    std::vector<measure::measurement> got;
    measure::limits within = none;
    generated.measure(batch, within, [&](measure::measurement m) {
        within.hear(m);
        got.push_back(std::move(m));
    });
    judge(got);

    measure::builder again({.flags = {"-O0"}, .processes = 1, .together = 1});  // so that jobs run in their order
    measure::isolated_workers run(1, [&](std::size_t) { return measure::worker_task{six{}, timed(again)}; },
                                  {.pinned = false});
    measure::pipeline pool(what, std::move(again), std::move(run), {.ahead = 3});
    for (std::uint64_t k = 0; k < 3; ++k) pool.submit({.ticket = ticket{k}, .candidate = k, .limits = none});
    const auto answers = all_of(pool, 3);
    CHECK(answers.at(ticket{0}).measured->failed->kind == failure_kind::wrong_result);
    CHECK(answers.at(ticket{1}).measured->ok());
    CHECK(answers.at(ticket{2}).measured->at_least);  // it was asked for when nothing was in
    CHECK(answers.at(ticket{2}).measured->checked == measure::check_state::unchecked);
    CHECK(answers.at(ticket{2}).within->abandon_above == doctest::Approx(1.05 * 2));
}
