// SPDX-License-Identifier: MIT
#include "tunekit/online/context.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packages/online/tests/support/changing_kernel.hpp"
#include "packages/online/tests/unit/application.hpp"

namespace tk = tunekit;
namespace online = tk::online;
using support::application;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Calls until it has settled; fails where it does not in a million.
template <class Context>
void settle(application& app, Context& t)
{
    for (int k = 0; k < 1000 && !t.settled(); ++k) app.calls(t, 1000);
    REQUIRE(t.settled());
}

}  // namespace

TEST_CASE("context: begins with the default, settles on the fastest, and stays")
{
    application app;
    auto t = app.context();
    CHECK(t.phase() == online::phase::opening);
    for (int k = 0; k < 100; ++k) {  // (4 - 1) / 2 % = 150 calls until a candidate can be afforded
        CHECK(*app.space.index_of(t.next()) == app.untuned);
        if (t.wants_time()) t.report(app.cost(app.untuned));
    }
    settle(app, t);
    CHECK(t.phase() == online::phase::settled);
    CHECK(t.result()->winner == app.fastest());
    CHECK(t.result()->cost == doctest::Approx(app.cost(app.fastest())));
    CHECK(t.result()->default_cost == doctest::Approx(app.cost(app.untuned)));
    CHECK(t.result()->runner_up != t.result()->winner);
    CHECK(t.problem() == online::trouble::none);
    const double n = 100000;
    CHECK(app.calls(t, 100000) < n * app.cost(app.fastest()) * 1.001);
    CHECK(t.result()->winner == app.fastest());
}

TEST_CASE("context: with noise of 30 % the winner is among the fastest, whatever the seed")
{
    // Null hypothesis: none. The race tells 1 % apart only with more rounds than it has; 20 % are told with 0.95 each.
    int good = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        application app;
        app.noise = 0.3;
        app.gen = tk::random::philox(seed);
        auto t = app.context({.seed = seed});
        settle(app, t);
        good += app.cost(t.result()->winner) <= 1.2 * app.cost(app.fastest());
    }
    CHECK(good >= 19);
}

TEST_CASE(
    "context: at no moment more above the default alone than the regret allows, while candidates keep to what is "
    "assumed")
{
    for (const tk::index untuned : {0U, 27U, 35U, 69U})
        for (const double regret : {0.01, 0.02, 0.1})
            for (const double reinvest : {0.0, 0.5, 1.0}) {
                application app;
                app.untuned = untuned;
                auto t = app.context({.regret = regret, .reinvest = reinvest, .call_seconds = 0});
                double spent = 0;
                double worst = 0;
                for (int k = 1; k <= 30000; ++k) {
                    spent += app.calls(t, 1);
                    worst = (std::max)(worst, spent / (k * app.cost(untuned)) - 1);
                }
                CAPTURE(untuned);
                CAPTURE(regret);
                CHECK(worst <= regret + 1e-9);
            }
}

TEST_CASE("context: a candidate that is much slower costs one call, and is paid for before the next")
{
    application app;
    const auto usual = app.cost;
    app.cost = [&](tk::index i) { return i != app.untuned ? 100 * usual(i) : usual(i); };
    auto t = app.context({.call_seconds = 0});
    std::vector<int> runs(app.space.size());
    int last = 0, calls = 0;
    for (; calls < 100000 && !t.settled(); ++calls) {
        const auto i = *app.space.index_of(t.next());
        if (i != app.untuned) {
            ++runs[i];
            if (last > 0) CHECK(calls - last > 2000);  // about 100 / 2 % more calls of the default
            last = calls;
        }
        if (t.wants_time()) t.report(app.cost(i));
    }
    CHECK(*std::max_element(runs.begin(), runs.end()) == 1);
    CHECK(last > 0);
}

TEST_CASE("context: nothing better, so the default stays")
{
    application app;
    app.untuned = app.fastest();
    app.noise = 0.1;
    auto t = app.context();
    settle(app, t);
    CHECK(t.result()->winner == app.untuned);
}

TEST_CASE("context: of equals the default stays: it was not shown to be slower")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        // Null hypothesis: the default is no slower than any. The race errs with probability 0.05 at most: 6 of 20 or
        // more with probability below 4e-4, and with margin and draws of 10 % it is far less.
        application app;
        app.noise = 0.1;
        app.gen = tk::random::philox(seed);
        app.cost = [](tk::index) { return 1e-3; };
        auto t = app.context({.patience = 20, .seed = seed});
        settle(app, t);
        CHECK(t.result()->winner == app.untuned);
    }
}

TEST_CASE("context: run times with the clock that it was given, and hands through what the kernel returns")
{
    application app;
    auto t = app.context({}, online::parts{online::widening{}, online::alone{}, online::no_probe{}, app.clock()});
    for (int k = 0; k < 50000; ++k) {
        const auto got = t.run([&](const auto& c) {
            const auto i = *app.space.index_of(c);
            app.time += app.cost(i);
            return std::make_unique<tk::index>(i);  // cannot be copied
        });
        CHECK(*got < app.space.size());
    }
    t.run([](const auto&) {});
    int x = 0;
    int& same = t.run([&](const auto&) -> int& { return x; });
    CHECK(&same == &x);
    CHECK(t.settled());
    CHECK(t.result()->winner == app.fastest());
}

TEST_CASE("context: what the kernel throws passes through; a candidate that throws is not tried again")
{
    application app;
    const tk::index bad = app.fastest();
    int thrown = 0;
    auto t = app.context({}, online::parts{online::widening{}, online::alone{}, online::no_probe{}, app.clock()});
    for (int k = 0; k < 50000; ++k) {
        try {
            t.run([&](const auto& c) {
                const auto i = *app.space.index_of(c);
                app.time += app.cost(i);
                if (i == bad) throw std::runtime_error("out of registers");
            });
        } catch (const std::runtime_error& e) {
            CHECK(std::string(e.what()) == "out of registers");
            ++thrown;
            CHECK(t.problem() == online::trouble::threw);
            CHECK(t.problem() == online::trouble::none);  // told once
        }
    }
    CHECK(thrown == 1);
    CHECK(t.settled());
    CHECK(t.result()->winner != bad);
}

TEST_CASE("context: negative, zero, NaN and infinite seconds are told once, and do not count")
{
    for (const double wrong : {-1.0, 0.0, no_number, infinite, -infinite}) {
        application app;
        auto t = app.context();
        (void)t.next();
        REQUIRE(t.wants_time());
        t.report(wrong);
        CHECK(t.problem() == online::trouble::no_time);
        CHECK(t.problem() == online::trouble::none);
        CHECK(to_text(online::trouble::no_time).starts_with("online: "));
        settle(app, t);
        CHECK(t.result()->winner == app.fastest());
    }
}

TEST_CASE("context: a clock that never tells a time leaves the default, and says so")
{
    application app;
    auto t = app.context();
    for (int k = 0; k < 3; ++k) {
        (void)t.next();
        t.report(no_number);
    }
    CHECK(t.problem() == online::trouble::broken);
    CHECK(t.phase() == online::phase::gave_up);
    CHECK_FALSE(t.result().has_value());
    for (int k = 0; k < 1000; ++k) {
        CHECK(*app.space.index_of(t.next()) == app.untuned);
        CHECK_FALSE(t.wants_time());
        t.report(1e-3);
    }
}

TEST_CASE("context: a time told twice, or unasked, does not count")
{
    application app;
    auto t = app.context();
    t.report(1e-9);
    CHECK(t.problem() == online::trouble::unasked);
    (void)t.next();
    t.report(1e-3);
    t.report(1e-9);
    CHECK(t.problem() == online::trouble::unasked);
    CHECK(t.status().default_cost == 1e-3);
}

TEST_CASE("context: next without a report forgets that call; a candidate is not tried again")
{
    application app;
    auto t = app.context();
    app.calls(t, 2);
    (void)t.next();
    (void)t.next();
    CHECK(t.problem() == online::trouble::not_told);
    t.report(app.cost(app.untuned));
    std::vector<int> lost(app.space.size());
    for (int k = 0; k < 100000 && !t.settled(); ++k) {
        const auto i = *app.space.index_of(t.next());
        if (!t.wants_time()) continue;
        if (i == app.fastest()) {
            ++lost[i];
            continue;  // never told
        }
        t.report(app.cost(i));
    }
    CHECK(lost[app.fastest()] == 1);
    REQUIRE(t.settled());
    CHECK(t.result()->winner != app.fastest());
}

TEST_CASE("context: once settled it looks again for less than 0.1 % of the time")
{
    application app;
    auto t = app.context();
    settle(app, t);
    const double each = app.cost(app.fastest());
    std::uint64_t looks = 0;
    double sum = 0;
    for (int k = 0; k < 1000000; ++k) {
        const auto i = *app.space.index_of(t.next());
        sum += app.cost(i);
        if (t.wants_time()) {
            t.report(app.cost(i));
            looks += i != app.fastest();
        }
    }
    CHECK(looks > 10);
    CHECK(sum / (1e6 * each) - 1 < 1e-3);
    CHECK(t.settled());
}

TEST_CASE("context: opens again once the runner-up or the default has become faster, and settles anew")
{
    for (const bool by_default : {false, true}) {
        application app;
        auto t = app.context();
        settle(app, t);
        const auto winner = t.result()->winner;
        const auto better = by_default ? app.untuned : t.result()->runner_up;
        const auto before = app.cost;
        app.cost = [=](tk::index i) { return i == winner ? 20e-3 : i == better ? 0.5e-3 : before(i); };
        std::uint64_t calls = 0;
        while (t.status().reopened == 0 && calls < 10'000'000) {
            app.calls(t, 1000);
            calls += 1000;
        }
        CHECK(t.status().reopened == 1);
        settle(app, t);
        CHECK(t.result()->winner == better);
    }
}

TEST_CASE("context: opened again by its user it begins with what is used")
{
    application app;
    auto t = app.context();
    settle(app, t);
    const auto before = app.cost;
    app.cost = [=](tk::index i) { return before((i + 3) % 70); };
    t.reopen();
    CHECK_FALSE(t.settled());
    settle(app, t);
    CHECK(t.result()->winner == app.fastest());
}

TEST_CASE("context: the runner-up is the best other configuration that ran, though the default be far better than most")
{
    application app;  // the neighbours of the fastest take 1.2 times as long: too long to race against it
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        auto t = app.context({.seed = seed});
        settle(app, t);
        const auto is = *t.result();
        CHECK(is.winner == app.fastest());
        CHECK(is.runner_up != app.untuned);
        CHECK(app.cost(is.runner_up) == doctest::Approx(1.2e-3));
        CHECK(is.runner_up_cost == doctest::Approx(1.2e-3));
    }
}

TEST_CASE("context: where nothing else ran the default is the runner-up, and the winner where that is the default")
{
    application app;
    auto t = app.context({.max_trials = 0});
    settle(app, t);
    CHECK(t.result()->winner == app.untuned);
    CHECK(t.result()->runner_up == app.untuned);
    CHECK_FALSE(t.status().searching);
}

TEST_CASE(
    "context: of 198 configurations it settles within 5000 calls, also among noise, and tries the others after that")
{
    const tk::space::product space{tk::space::integers<"a">(0, 2), tk::space::integers<"b">(0, 5),
                                   tk::space::integers<"c">(0, 10)};
    using space_type = std::remove_const_t<decltype(space)>;
    using setup = online::setup<space_type>;
    const auto cost = [](const space_type::config& c) {
        return 1e-5 * (1 + 0.5 * std::abs(tk::get<"a">(c) - 1) + 0.2 * std::abs(tk::get<"b">(c) - 3) +
                       0.1 * std::abs(tk::get<"c">(c) - 6));
    };
    for (const tk::index untuned :
         {0U, 100U, 197U, 104U, 105U})  // the last two are 1.1 and 1 times as slow as the fastest
        for (const double noise : {0.0, 0.05, 0.2}) {
            tk::random::philox gen(untuned + 1);
            online::context<space_type> t(
                std::make_shared<const setup>(setup{.space = space, .untuned = untuned, .options = {}, .parts = {}}));
            std::vector<int> ran(space.size());
            for (int k = 0; k < 300000; ++k) {
                const auto& c = t.next();
                ran[*space.index_of(c)] = 1;
                if (t.wants_time()) t.report(cost(c) * drifting::log_normal(noise, gen));
                if (k == 5000) CHECK(t.settled());
            }
            const auto winner = space.at(t.result()->winner);
            CHECK(cost(winner) <= (noise > 0.1 ? 1.11e-5 : 1.0001e-5));
            CHECK(std::count(ran.begin(), ran.end(), 1) == 198);
            CHECK_FALSE(t.status().searching);
        }
}

TEST_CASE("context: a better runner-up that is found after settling takes the place of the first one")
{
    const tk::space::product space{tk::space::integers<"a">(0, 197)};
    using space_type = std::remove_const_t<decltype(space)>;
    using setup = online::setup<space_type>;
    constexpr tk::index fastest = 20, second = 171;
    const auto cost = [&](tk::index i) {
        return i == fastest ? 1e-5 : i == second ? 1.15e-5 : 2e-5 + 1e-8 * static_cast<double>(i);
    };
    online::context<space_type> t(
        std::make_shared<const setup>(setup{.space = space, .untuned = 22, .options = {}, .parts = {}}));
    while (!t.settled()) {
        const tk::index i = *space.index_of(t.next());
        if (t.wants_time()) t.report(cost(i));
    }
    CHECK(t.result()->winner == fastest);
    CHECK(t.result()->runner_up != second);  // or this test says nothing
    for (int k = 0; k < 300000; ++k) {
        const tk::index i = *space.index_of(t.next());
        if (t.wants_time()) t.report(cost(i));
    }
    CHECK_FALSE(t.status().searching);
    CHECK(t.result()->winner == fastest);
    CHECK(t.result()->runner_up == second);
    CHECK(t.result()->runner_up_cost == doctest::Approx(cost(second)));
}

TEST_CASE("context: what was known begins settled, and is looked at again soon")
{
    application app;
    auto t = app.context();
    settle(app, t);
    using setup = online::setup<support::tiles_space>;
    const auto how =
        std::make_shared<const setup>(setup{.space = app.space, .untuned = app.untuned, .options = {}, .parts = {}});
    online::context<support::tiles_space> same(how, *t.so_far());
    CHECK(same.settled());
    CHECK(same.result() == t.result());
    CHECK(*app.space.index_of(same.next()) == app.fastest());
    bool looked = false;
    for (int k = 0; k < 300 && !looked; ++k) {
        const auto i = *app.space.index_of(same.next());
        if (same.wants_time()) same.report(app.cost(i));
        looked = i != app.fastest();
    }
    CHECK(looked);
}

TEST_CASE("context: ranks that agree on the seconds take the same decisions, whatever each measures")
{
    application one, other;
    one.noise = other.noise = 0.4;
    other.gen = tk::random::philox(99);
    double shared = 0;
    const auto agree = [&](double) { return shared; };
    auto a = one.context({}, online::parts{online::widening{}, agree});
    auto b = other.context({}, online::parts{online::widening{}, agree});
    std::uint64_t timed = 0;
    for (int k = 0; k < 100000; ++k) {
        const auto i = *one.space.index_of(a.next()), j = *other.space.index_of(b.next());
        REQUIRE(i == j);
        REQUIRE(a.wants_time() == b.wants_time());
        if (!a.wants_time()) continue;
        const double s = one.draw(i), u = other.draw(j);
        shared = (std::max)(s, u);
        a.report(s);
        b.report(u);
        ++timed;
    }
    CHECK(a.settled());
    CHECK(b.settled());
    CHECK(timed < 5000);
}

TEST_CASE("context: what fails in a probe is never run here, nor what is slower there")
{
    application app;
    std::vector<int> probed(app.space.size()), ran(app.space.size());
    const auto probe = [&](tk::index i) {
        ++probed[i];
        tk::measure::measurement m{.cost = app.cost(i), .runs = 1};
        if (i % 3 == 1) m.failed = tk::measure::failure{.kind = tk::measure::failure_kind::crash};
        return m;
    };
    auto t = app.context({}, online::parts{online::widening{}, online::alone{}, probe});
    double highest = 0;
    for (int k = 0; k < 200000; ++k) {
        const auto i = *app.space.index_of(t.next());
        ++ran[i];
        highest = (std::max)(highest, app.cost(i));
        if (t.wants_time()) t.report(app.cost(i));
    }
    CHECK(t.settled());
    for (tk::index i = 0; i < app.space.size(); ++i) {
        CHECK(probed[i] <= 1);
        if (i % 3 == 1) CHECK(ran[i] == 0);
    }
    CHECK(highest <= app.cost(app.untuned));
}

TEST_CASE("context: the same times and seed give the same run; a copy goes its own way")
{
    application app;
    auto a = app.context();
    app.calls(a, 400);
    auto b = a;
    for (int k = 0; k < 20000; ++k) {
        const auto i = *app.space.index_of(a.next()), j = *app.space.index_of(b.next());
        REQUIRE(i == j);
        if (a.wants_time()) a.report(app.cost(i));
        if (b.wants_time()) b.report(app.cost(j));
    }
    CHECK(a.result() == b.result());
    a.reopen();
    CHECK(b.settled());
}

TEST_CASE("context: settled it is small") { CHECK(sizeof(online::context<support::tiles_space>) <= 256); }

TEST_CASE("context: settings out of range are refused")
{
    const auto refused = [](online::options o) { CHECK_THROWS_AS(o.validate(), std::invalid_argument); };
    refused({.regret = -0.1});
    refused({.regret = no_number});
    refused({.reinvest = 1.5});
    refused({.near_slowdown = 0.5});
    refused({.far_slowdown = no_number});
    refused({.call_seconds = -1});
    refused({.patience = 0});
    refused({.max_seconds = 0});
    refused({.runs = 0});
    refused({.runs = 16});
    online::options{}.validate();
}
