// SPDX-License-Identifier: MIT
// What a log says of the machine's disturbances, and a run that is resumed from it.
#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using event = tk::io::log_content::event;

namespace {

const auto forty = tk::space::product{tk::space::integers<"x">(0, 39)};

/// Configuration i takes 1 + 0.02 i s of a virtual time, and twice as long from 10 to 16 s.
struct machine {
    double now = 0;
    std::size_t measured = 0;

    [[nodiscard]] bool measures_time() const { return true; }
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) {
            const double t = (1 + 0.02 * static_cast<double>(i)) * (10 <= now && now < 16 ? 2 : 1);
            now += t;
            ++measured;
            out.push_back({.cost = t, .runs = 2, .at_least = t > l.abandon_above, .batches = {t, 1.01 * t}});
        }
        return out;
    }
};

auto run(const std::string& path, machine& m, bool resume)
{
    return tk::io::logged_run(path, forty, m, tk::search::random{}, {.trials = 40}, {.seed = 1, .resume = resume},
                              {.clock = [&m] { return m.now; }});
}

}  // namespace

TEST_CASE("a log says what was checked, and a run that is resumed from it goes on with that")
{
    const support::temporary_folder at;
    const std::string path = at / "run.jsonl";
    machine m;
    const auto found = run(path, m, false);
    CHECK(found.incumbent().candidate == 0);
    CHECK(found.checks().disturbed == 1);
    CHECK(found.checks().measured_again >= 1);

    const auto log = tk::io::read_log(path);
    const event* last = nullptr;
    for (const event& e : log.events)
        if (e.what == event::kind::checks) last = &e;
    REQUIRE(last != nullptr);
    CHECK(last->checks == found.checks());

    machine idle;
    const auto again = run(path, idle, true);
    CHECK(idle.measured == 0);
    CHECK(again.checks() == found.checks());
    CHECK(again.trials() == found.trials());

    // Broken off behind the first line that tells of checks.
    const std::string text = support::text_of(path);
    const std::size_t line = text.find('\n', text.find("\"checks\"")) + 1;
    support::put(path, text.substr(0, line));
    machine rest;
    rest.now = 100;  // another day, which is quiet
    const auto whole = run(path, rest, true);
    CHECK(rest.measured > 0);
    CHECK(whole.trials().size() == 40);
    CHECK(whole.incumbent().candidate == 0);
    CHECK(whole.checks().disturbed == found.checks().disturbed);
    CHECK(whole.checks().waited_seconds == doctest::Approx(found.checks().waited_seconds));
}

TEST_CASE("a log says how many builds were put off, and a run that was ended before it built them does so when resumed")
{
    struct shop {  // configuration 10 builds in 5 s, by what it says, the others in 0.1 s
        std::size_t measured = 0;
        [[nodiscard]] bool measures_time() const { return true; }
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
        {
            ++measured;
            const double build = batch[0] == 10 ? 5 : 0.1;
            tk::measure::measurement m{.cost = 1, .runs = 1, .build_seconds = build};
            if (build > l.build_seconds) m.failed = tk::measure::failure{tk::measure::failure_kind::build_timeout};
            return {m};
        }
    };
    const auto run = [](const std::string& path, shop& m, std::size_t stop_at, bool resume) {
        return tk::io::logged_run(
            path, forty, m, tk::recipe<tk::search::grid>{{}, {}, {}, 1}, {.trials = 14}, {.seed = 1, .resume = resume},
            {.watch = [=](const tk::tuning& r) { return r.trials().size() == stop_at; }, .checks = false});
    };
    const support::temporary_folder at;
    const std::string path = at / "run.jsonl";
    shop first, second, third;
    const auto ended = run(path, first, 12, false);
    CHECK(ended.trials().size() == 12);
    CHECK(ended.failed() == 0);
    CHECK(ended.checks().put_off == 1);
    CHECK_FALSE(ended.checks().on);
    CHECK(first.measured == 13);
    const auto whole = run(path, second, 99, true);
    CHECK(whole.trials().size() == 14);
    CHECK(whole.failed() == 0);
    CHECK(whole.trials()[12].candidate == 10);  // first, within the run's own limit: no ten builds were seen since
    CHECK(whole.checks().put_off == 1);
    CHECK(second.measured == 2);
    const auto again = run(path, third, 99, true);
    CHECK(third.measured == 0);
    CHECK(again.checks() == whole.checks());
    CHECK(again.trials() == whole.trials());
}

TEST_CASE(
    "a logged run begins with the baseline and ends with it where nothing was shown to be faster; its log says so")
{
    const support::temporary_folder at;
    const auto ends = [&](const std::string& path, bool may_be_worse) {
        machine m{.now = 100};
        return tk::io::logged_run(path, forty, m, tk::search::random{}, {.trials = 40}, {.seed = 1},
                                  {.clock = [&m] { return m.now; }, .baseline = 5, .may_be_worse = may_be_worse});
    };
    const auto found = ends(at / "kept.jsonl", false);  // two runs of each show nothing
    CHECK(found.trials().front().candidate == 5);
    CHECK(found.incumbent().candidate == 0);
    CHECK(found.best_index() == 5);
    CHECK(found.verdict().kept);
    const auto about = tk::io::read_log(at / "kept.jsonl").header.about;
    CHECK(about.untuned == tk::index{5});
    CHECK(about.never_worse);

    CHECK(ends(at / "free.jsonl", true).best_index() == 0);
    CHECK_FALSE(tk::io::read_log(at / "free.jsonl").header.about.never_worse);
}
