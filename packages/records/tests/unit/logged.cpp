// SPDX-License-Identifier: MIT
#include "tunekit/records/logged.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/resealed.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/linear.hpp"
#include "tunekit/schedule/random.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using support::grid_space;
using support::temporary_folder;
using philox = tk::random::philox;

namespace {

tk::measure::measurement of(tk::index i)
{
    tk::measure::measurement m{.cost = 1e-3 / 3 * static_cast<double>(1 + i % 97), .runs = 3, .run_seconds = 0.1 / 3};
    if (i % 7 == 0) m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "signal 11 \"in\" kernel"};
    return m;
}

auto fresh() { return tk::tuner(grid_space({20, 20}), tk::search::annealing{}, {.trials = 120}, philox(3)); }

tk::io::logged_options how(bool resume) { return {.name = "a", .strategy = "annealing", .seed = 3, .resume = resume}; }

std::string text_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// Up to 6 out at a time, answered in any order, some lost.
template <class Run>
void drive(Run& run, std::uint64_t seed)
{
    philox dice(seed);
    std::vector<tk::job> out;
    double stamp = run.stamp();
    while (!run.over()) {
        while (out.size() < 6) {
            const auto jobs = run.ask(6 - out.size());
            if (jobs.empty()) break;
            out.insert(out.end(), jobs.begin(), jobs.end());
        }
        if (out.empty()) continue;
        const auto i = static_cast<std::size_t>(tk::random::uniform_index(out.size(), dice));
        const tk::job j = out[i];
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
        if (tk::random::uniform_index(9, dice) == 0) run.drop(j);
        else run.tell(j, of(j.candidate), stamp += 0.1 / 7, i);
    }
}

}  // namespace

TEST_CASE("a log of events cut anywhere is replayed to the same state, and what was out goes out first")
{
    const temporary_folder f;
    {
        tk::io::logged run(f / "whole", fresh(), how(false));
        drive(run, 5);
        CHECK(run.stopped() == tk::stop_reason::trials);
    }
    const std::string whole = text_of(f / "whole");
    const auto content = tk::io::read_log(f / "whole");
    CHECK(content.header.schema == 2);
    CHECK(content.trials.size() <= 120);
    const std::size_t header = whole.find('\n') + 1;
    for (std::size_t cut = header; cut < whole.size(); cut += 997) {
        CAPTURE(cut);
        write(f / "cut", whole.substr(0, cut));
        const auto before = tk::io::read_log(f / "cut");
        std::vector<tk::job> out;
        for (const auto& e : before.events) {
            for (const auto& j : e.jobs) {
                if (e.what == tk::io::log_content::event::kind::ask) out.push_back(j);
                else std::erase_if(out, [&](const tk::job& o) { return o.ticket == j.ticket; });
            }
        }
        tk::io::logged run(f / "cut", fresh(), how(true));
        CHECK(run.replayed() == before.trials.size());
        CHECK(run.outstanding() == 0);
        std::vector<tk::measure::trial> told;  // what was lost twice is a trial, but nobody measured it
        for (const auto& t : run.record().trials())
            if (!t.measured.failed || t.measured.failed->kind != tk::measure::failure_kind::lost) told.push_back(t);
        REQUIRE(told.size() == before.trials.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            CHECK(told[i].candidate == before.trials[i].candidate);
            if (told[i].measured.ok()) CHECK(told[i].measured == before.trials[i].measured);
        }
        // Lost for the second time is a failure; whatever was out besides comes first.
        const auto again = run.ask(400);
        for (const auto& o : out) {
            const auto is = [&](const auto& x) { return x.candidate == o.candidate; };
            CHECK((std::any_of(again.begin(), again.end(), is) ||
                   std::any_of(run.record().trials().begin(), run.record().trials().end(), is)));
        }
        if (!out.empty()) CHECK(again.size() <= 6);
        for (const auto& j : again) run.tell(j, of(j.candidate));
        drive(run, 6);
        CHECK(run.stopped() == tk::stop_reason::trials);
        CHECK(run.record().trials().size() == 120);
        CHECK_FALSE(run.failed());
    }
}

TEST_CASE("what was out at each of many kills of the tuner is measured in the end: nobody but a worker loses anything")
{
    const temporary_folder f;
    std::vector<tk::index> first;
    for (int kill = 0; kill < 20; ++kill) {
        tk::io::logged run(f / "log", fresh(), how(kill > 0));
        std::vector<tk::index> out;
        for (const tk::job& j : run.ask(3)) out.push_back(j.candidate);
        if (kill == 0) first = out;
        CHECK(out == first);
        CHECK(run.record().trials().empty());
    }  // as if it had been killed here, with all of them out
    {
        tk::io::logged run(f / "log", fresh(), how(true));
        while (const auto j = run.ask()) run.tell(*j, of(j->candidate));
        CHECK(run.record().trials().size() == 120);
        for (const auto& t : run.record().trials())
            if (t.measured.failed) CHECK(t.measured.failed->kind == tk::measure::failure_kind::crash);
    }
    const tk::io::logged again(f / "log", fresh(), how(true));
    CHECK(again.record().trials().size() == 120);
}

TEST_CASE("a run over one space that any worker asked is resumed from its log")
{
    const temporary_folder f;
    std::vector<tk::job> jobs;
    {
        tk::io::logged run(f / "log", fresh(), how(false));
        jobs = run.ask(3, 2);
        REQUIRE(jobs.size() == 2);
        run.tell(jobs[0], of(jobs[0].candidate), 0.1, 3);
    }
    tk::io::logged again(f / "log", fresh(), how(true));
    CHECK(again.replayed() == 1);
    CHECK(again.ask(7, 1).at(0).candidate == jobs[1].candidate);  // what was out goes out first
}

TEST_CASE("a clock beside a pool is refused before there is a log")
{
    const temporary_folder f;
    const grid_space space({20, 20});
    const std::vector<tk::measure::recorded_row> rows(400, {.result = of(0), .seconds = 1});
    support::simulated_workers pool(rows, {.workers = 2});
    CHECK_THROWS_AS((void)tk::io::logged_run(f / "log", space, pool, tk::search::annealing{}, {.trials = 4}, how(false),
                                             {.clock = [] { return 0.0; }}),
                    std::invalid_argument);
    CHECK_FALSE(std::ifstream(f / "log").is_open());
}

TEST_CASE("with one out at a time a run that was broken off goes on as if it had not been")
{
    const temporary_folder f;
    auto one_by_one = [](auto& run) {
        while (auto j = run.ask()) run.tell(*j, of(j->candidate));
    };
    auto plain = fresh();
    one_by_one(plain);
    {
        tk::io::logged run(f / "whole", fresh(), how(false));
        one_by_one(run);
    }
    const std::string whole = text_of(f / "whole");
    for (std::size_t cut = whole.find('\n') + 1; cut < whole.size(); cut += 2111) {
        write(f / "cut", whole.substr(0, cut));
        tk::io::logged run(f / "cut", fresh(), how(true));
        one_by_one(run);
        REQUIRE(run.record().trials().size() == 120);
        for (std::size_t i = 0; i < 120; ++i)
            CHECK(run.record().trials()[i].candidate == plain.record().trials()[i].candidate);
    }
}

TEST_CASE("a log of another run, or one that cannot be written, is one line that says so")
{
    const temporary_folder f;
    {
        tk::io::logged run(f / "log", fresh(), how(false));
        for (int k = 0; k < 9; ++k) {
            const auto j = *run.ask();
            run.tell(j, of(j.candidate));
        }
    }
    const std::string path = f / "log";
    CHECK_THROWS_WITH_AS(
        tk::io::logged(path, fresh(), how(false)),
        ("tunekit: log " + path + ": exists already; resume it (.resume = true, or --resume), or name another file")
            .c_str(),
        tk::error);
    auto other = how(true);
    other.seed = 4;
    CHECK_THROWS_WITH_AS(
        tk::io::logged(path, fresh(), other),
        ("tunekit: log " + path +
         ": was written with seed 3, not 4; resume with the same, delete the log, or name another file")
            .c_str(),
        tk::error);
    CHECK_THROWS_WITH_AS(
        tk::io::logged(path, tk::tuner(grid_space({20, 20}), tk::search::annealing{}, {.trials = 120}, philox(4)),
                       how(true)),
        doctest::Contains(", line 2: the run began with configuration "), tk::error);
    const std::string whole = text_of(path);
    const auto refused = [&](const char* why, const tk::io::logged_options& as, auto run) {
        CHECK_THROWS_WITH_AS(tk::io::logged(path, run, as), doctest::Contains(why), tk::error);
        CHECK(text_of(path) == whole);
    };
    auto elsewhere = how(true), by_another = how(true), named = how(true);
    elsewhere.machine = "elsewhere";
    by_another.strategy = "random";
    named.name = "b";
    refused(("was written on the machine " + tk::quoted_device(to_text(tk::this_machine())) +
             ", this one is \"elsewhere\"; resume there")
                .c_str(),
            elsewhere, fresh());
    const auto by_name = [&](const std::string& was, const char* is, const char* why) {
        const std::string theirs = f / "theirs";
        auto begun = how(false), resumed = how(true);
        begun.machine = was;
        resumed.machine = is;
        {
            const tk::io::logged run(theirs, fresh(), begun);
        }
        CHECK_THROWS_WITH_AS(tk::io::logged(theirs, fresh(), resumed), doctest::Contains(why), tk::error);
        std::remove(theirs.c_str());
    };
    by_name("AuthenticAMD 25.17.1, 64 cores, avx512", "AuthenticAMD 25.17.1, 2 cores, avx512",
            "this one is \"AuthenticAMD 25.17.1, 2 cores, avx512\", a kin, whose times are its own; resume there");
    by_name("AMD EPYC, 2 cores", "AuthenticAMD 25.17.1, 2 cores, avx512",
            "was written on the machine \"AMD EPYC, 2 cores\" (an old name, from before 0.3), this one is");
    refused("was written with strategy annealing, not random", by_another, fresh());
    refused("was written with task a, not b", named, fresh());
    refused("the space of its task a has 400 configurations, that of this run 800", how(true),
            tk::tuner(grid_space({20, 40}), tk::search::annealing{}, {.trials = 120}, philox(3)));
    refused("was written with the parameters x0, x1, not x; resume with the same", how(true),
            tk::tuner(tk::space::product{tk::space::integers<"x">(0, 399)}, tk::search::annealing{}, {.trials = 120},
                      philox(3)));
    CHECK_THROWS_AS(tk::io::logged("/dev/full", fresh(), how(false)), tk::error);
}

TEST_CASE("a log of another version is not resumed, and starts a run as experience")
{
    const temporary_folder f;
    const std::string path = f / "log";
    {
        tk::io::logged run(path, fresh(), how(false));
        for (int k = 0; k < 20; ++k) {
            const auto j = *run.ask();
            run.tell(j, of(j.candidate));
        }
    }
    std::string text = text_of(path);
    const std::string was = "\"version\":\"" + tk::core::version_text() + '"';
    text.replace(text.find(was), was.size(), "\"version\":\"0.1.99\"");
    text = support::resealed(text);
    write(path, text);
    CHECK_THROWS_WITH_AS(
        tk::io::logged(path, fresh(), how(true)),
        ("tunekit: log " + path + ": was written with tunekit version 0.1.99, not " + tk::core::version_text() +
         "; resume with that version, or name another file and start from the results of this one")
            .c_str(),
        tk::error);
    CHECK(text_of(path) == text);
    const auto past = tk::io::experience_in({path});
    REQUIRE(past.sources.size() == 1);
    CHECK(past.sources[0].results.size() == 20);
    CHECK(past.notes.empty());
}

TEST_CASE("a resumed run means the same: what differs is named, with both values")
{
    const temporary_folder f;
    const std::string path = f / "log";
    const auto meant = [](bool resume) {
        auto out = how(resume);
        out.meaning = {.cost = "wall",
                       .numbers = "bytes=size:out",
                       .program =
                           "./gr\xC3\xB6\xC3\x9F"
                           "e {x0}",
                       .check = "status 0",
                       .limits = "60 s a run",
                       .environment = "A=1",
                       .build = "",
                       .repeat = "3"};
        out.about.values = {{"1", "2"}, {"on", "off"}};
        return out;
    };
    const auto small = [](std::uint64_t seed = 3) {
        return tk::tuner(grid_space({2, 2}), tk::search::annealing{}, {.trials = 4}, philox(seed));
    };
    {
        tk::io::logged run(path, small(), meant(false));
        const auto j = *run.ask();
        run.tell(j, of(j.candidate));
    }
    CHECK(tk::io::logged(path, small(), meant(true)).note().empty());
    CHECK(tk::io::logged(path, small(), how(true)).note().empty());  // who says nothing is not compared
    const std::string whole = text_of(path);
    const auto refused = [&](auto change, const std::string& why) {
        auto is = meant(true);
        change(is);
        CHECK_THROWS_WITH_AS(tk::io::logged(path, small(), is),
                             ("tunekit: log " + path + ": was written with " + why +
                              "; resume with the same, delete the log, or name another file")
                                 .c_str(),
                             tk::error);
        CHECK(text_of(path) == whole);
    };
    refused([](auto& o) { o.meaning.cost = "cpu"; }, "the cost wall, not cpu");
    refused([](auto& o) { o.meaning.numbers = ""; }, "the numbers bytes=size:out, not none");
    refused([](auto& o) { o.meaning.program = "./b"; },
            "the program ./gr\xC3\xB6\xC3\x9F"
            "e {x0}, not ./b");
    refused([](auto& o) { o.meaning.check = "status 1"; }, "the check status 0, not status 1");
    refused([](auto& o) { o.meaning.limits = "9 s a run"; }, "the limits 60 s a run, not 9 s a run");
    refused([](auto& o) { o.about.unit = "GFLOP"; }, "the unit s, not GFLOP");
    refused([](auto& o) { o.about.values[1][0] = "yes"; }, "the values of x1 on, off, not yes, off");
    auto elsewhere = meant(true);
    elsewhere.meaning.environment = "A=2";
    elsewhere.meaning.build = "make";
    elsewhere.meaning.repeat = "5";
    elsewhere.about.title = elsewhere.about.values[0][0] = "1";
    CHECK(tk::io::logged(path, small(), elsewhere).note() ==
          "log " + path + ": the environment: was A=1, is A=2; the build: was none, is make; the repeats: was 3, is 5");
}

TEST_CASE("a replay that goes another way says where, and in what")
{
    const temporary_folder f;
    const std::string path = f / "log";
    const auto random = [](double run_seconds, tk::index first) {
        tk::recipe r{tk::search::random{}};
        r.limits.max_run_seconds = run_seconds;
        tk::tuner t(grid_space({2, 50}), r, {.trials = 40}, philox(3));
        t.begin_with({first});
        return t;
    };
    {
        tk::io::logged run(path, random(60, 7), how(false));
        for (int k = 0; k < 3; ++k) {
            const auto j = *run.ask();
            run.tell(j, of(j.candidate));
        }
    }
    const auto says = [&](double run_seconds, tk::index first, const std::string& what) {
        CHECK_THROWS_WITH_AS(tk::io::logged(path, random(run_seconds, first), how(true)),
                             doctest::Contains((what + "; resume with the same").c_str()), tk::error);
    };
    says(120, 7, "line 2: the limit of a run was 60 s, is 120 s");
    says(60, 8, "line 2: the run began with configuration 7 (1, 3), this one begins with 8 (0, 4)");
    // A line is lost in the middle: the tell of the first job, or its ask.
    std::string lines = text_of(path);
    std::vector<std::string> all;
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
        all.push_back(lines.substr(at, lines.find('\n', at) + 1 - at));
    write(path, all[0] + all[3] + all[4] + all[5]);
    says(60, 7, "line 2: a line before it is missing: its job is number 1, that of this run 0");
}

TEST_CASE("one call gives a logged, resumable run")
{
    struct counted {
        std::size_t measured = 0;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            measured += batch.size();
            std::vector<tk::measure::measurement> out;
            for (const auto i : batch) out.push_back(of(i));
            return out;
        }
    };
    const temporary_folder f;
    const grid_space space({20, 20});
    counted first, second;
    const auto a = tk::io::logged_run(f / "log", space, first, tk::search::annealing{}, {.trials = 40}, how(true));
    const auto b = tk::io::logged_run(f / "log", space, second, tk::search::annealing{}, {.trials = 64}, how(true));
    CHECK(first.measured == 40);
    CHECK(second.measured == 24);
    CHECK(b.trials().size() == 64);
    CHECK(b.trials()[39].candidate == a.trials()[39].candidate);
}

TEST_CASE("an answer is in the log before the next candidate of its batch runs")
{
    const temporary_folder f;
    const tk::space::product space{tk::space::integers<"x">(0, 399)};
    std::vector<std::size_t> told, several_told;
    const auto told_in = [](const std::string& path) {
        const std::string text = text_of(path);
        std::size_t n = 0;
        for (std::size_t at = 0; (at = text.find("\"tell\"", at)) != std::string::npos; ++at) ++n;
        return n;
    };
    const auto seen_by = [&](std::vector<std::size_t>& out, const std::string& path) {
        return tk::measure::function{space, [&out, path, told_in](const auto& c) {
                                         out.push_back(told_in(path));
                                         return 1.0 + tk::get<"x">(c);
                                     }};
    };
    std::vector<std::size_t> each;
    for (std::size_t k = 0; k < 24; ++k) each.push_back(k);

    auto one = seen_by(told, f / "one");
    const auto eight = tk::recipe{tk::search::annealing{}, tk::measure::fixed{}, {}, std::size_t{8}};
    static_cast<void>(tk::io::logged_run(f / "one", space, one, eight, {.trials = 24}, how(false)));
    CHECK(told == each);

    auto tasks = tk::tasks(tk::task("a", space, seen_by(several_told, f / "several"), 1.0));
    const auto turns =
        tk::recipe{tk::search::annealing{}, tk::measure::fixed{}, {}, std::size_t{8}, 3.0, tk::schedule::random{}};
    const auto run = [&](std::uint64_t most, bool resume) {
        return tk::io::logged_run(f / "several", tasks, turns, {.trials_per_task = most}, how(resume)).tasks[0].record;
    };
    CHECK(run(24, false).trials().size() == 24);
    CHECK(several_told == each);
    CHECK(run(24, true).trials().size() == 24);  // from the log
    CHECK(several_told == each);
    CHECK(run(25, true).trials().size() == 25);
    CHECK(several_told.size() == 25);
}

TEST_CASE("what a run knew before is in its log, and a resumed run must know the same")
{
    const temporary_folder f;
    const auto begun = [](std::vector<tk::index> known, double cost = 0.1 / 3) {
        tk::tuner t = fresh();
        for (const tk::index i : known) {
            tk::measure::measurement m = of(i);
            if (!m.failed) m.cost = cost;
            t.know(i, m);
        }
        return t;
    };
    const auto go = [](auto& run, std::size_t n) {
        while (n-- > 0)
            if (auto j = run.ask()) run.tell(*j, of(j->candidate));
    };
    {
        tk::io::logged run(f / "log", begun({5, 7}), how(false));
        go(run, 10);
    }
    const auto log = tk::io::read_log(f / "log");
    CHECK(log.trials.size() == 10);
    REQUIRE(log.events.size() == 22);
    for (std::size_t k : {0U, 1U}) {
        CHECK(log.events[k].what == tk::io::log_content::event::kind::known);
        CHECK(log.events[k].jobs.at(0).candidate == 5 + 2 * k);
        CHECK(log.events[k].measured.ok() == (k == 0));
        CHECK(log.events[k].values.size() == 2);
    }
    {
        tk::io::logged run(f / "log", begun({5, 7}), how(true));
        CHECK(run.replayed() == 10);
        CHECK(run.record().known().size() == 2);
        go(run, 10);
    }
    auto whole = begun({5, 7});
    go(whole, 20);
    CHECK(tk::io::logged(f / "log", begun({5, 7}), how(true)).record().trials() == whole.record().trials());

    const auto refused = [&](auto t, const char* why) {
        CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", std::move(t), how(true)), doctest::Contains(why), tk::error);
    };
    refused(fresh(), "line 2: this run knows something else from before");
    refused(begun({5}), "line 3: this run knows something else from before");
    refused(begun({5, 7}, 1), "line 2: this run knows something else from before");
    refused(begun({5, 7, 9}), "line 4: this run knows more from before");

    const std::string text = text_of(f / "log");  // broken off between the header and what is known
    write(f / "cut", text.substr(0, text.find('\n', text.find('\n') + 1) + 1));
    tk::io::logged run(f / "cut", begun({5, 7}), how(true));
    go(run, 20);
    CHECK(text_of(f / "cut") == text);
}

TEST_CASE("a budget of trials or patience may be raised when a run is taken up, and lowered")
{
    const temporary_folder f;
    const grid_space space({20, 20});
    const auto in_nines = tk::recipe{tk::search::annealing{}, tk::measure::fixed{}, {}, std::size_t{9}};
    struct measurer {
        std::size_t measured = 0;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            measured += batch.size();
            std::vector<tk::measure::measurement> out;
            for (const auto i : batch) out.push_back(of(i));
            return out;
        }
    } m;
    std::size_t watched = 0;
    const auto watch = [&](const tk::tuning&) { ++watched; };
    // 40 is no multiple of 9: the last proposal was cut short, and is so on replay whatever the budget is by then.
    for (const std::uint64_t trials : {40U, 64U, 64U, 50U, 80U}) {
        CAPTURE(trials);
        const std::size_t before = m.measured;
        watched = 0;
        const auto found =
            tk::io::logged_run(f / "trials", space, m, in_nines, {.trials = trials}, how(true), {.watch = watch});
        CHECK(found.trials().size() == (trials == 50 ? 64 : trials));
        CHECK(m.measured == found.trials().size());
        CHECK(watched == m.measured - before);
        CHECK(found.stopped() == tk::stop_reason::trials);
    }
    const auto one = tk::recipe{tk::search::annealing{}, tk::measure::fixed{}, {}, std::size_t{1}};
    std::size_t last = 0;
    for (const std::uint64_t patience : {5U, 20U, 3U, 60U}) {
        CAPTURE(patience);
        const auto found = tk::io::logged_run(f / "patience", space, m, one, {.patience = patience}, how(true));
        CHECK(found.stale() >= patience);
        CHECK(found.stopped() == tk::stop_reason::patience);
        CHECK((patience == 3) == (found.trials().size() == last));
        last = found.trials().size();
    }
    CHECK(tk::io::read_log(f / "patience").header.budget.patience == 5);
}

namespace {

constexpr std::size_t task_count = 3;

std::vector<tk::task> three_tasks()
{
    std::vector<tk::task> out;
    out.emplace_back("a", grid_space({20, 20}), 1e6, 1);
    out.emplace_back("b", grid_space({30, 10}), 2e6, 2);
    out.emplace_back("c", grid_space({9, 9}), 3e6, 1);
    out[1].begin_with({17});
    return out;
}

template <class Schedule>
tk::tasks_tuner fresh_tasks(std::size_t workers, const Schedule& by, double seconds = 12, std::uint64_t seed = 3)
{
    philox gen(seed);
    const auto tasks = three_tasks();
    return {tasks, tk::search::annealing{}, by, {.seconds = seconds, .slot_seconds = 0.5}, workers, gen};
}

tk::io::logged_options of_tasks(bool resume)
{
    return {.strategy = "annealing", .schedule = "random", .seed = 3, .resume = resume};
}

/// Loses some of what it is given, with everything else that `simulated_workers` does.
class losing_pool {
public:
    losing_pool(std::size_t workers, std::uint64_t seed)
        : tables_{rows(400), rows(300), rows(81)},
          held_({tk::measure::recorded_rows(tables_[0]), tk::measure::recorded_rows(tables_[1]),
                 tk::measure::recorded_rows(tables_[2])},
                {.workers = workers}),
          dice_(seed)
    {
    }
    [[nodiscard]] std::size_t workers() const { return held_.workers(); }
    [[nodiscard]] std::size_t room() const { return held_.room(); }
    [[nodiscard]] double now() const { return held_.now(); }
    void submit(const tk::job& j)
    {
        held_.submit(j);
        if (tk::random::uniform_index(20, dice_) == 0) held_.lose(j.ticket);
    }
    [[nodiscard]] std::vector<tk::answer> collect(double seconds) { return held_.collect(seconds / 16); }

private:
    static std::vector<tk::measure::recorded_row> rows(tk::index n)
    {
        std::vector<tk::measure::recorded_row> out;
        for (tk::index i = 0; i < n; ++i) out.push_back({of(i), 0.04 + 0.01 * static_cast<double>(i % 11)});
        return out;
    }

    std::vector<std::vector<tk::measure::recorded_row>> tables_;
    support::simulated_workers<> held_;
    philox dice_;
};

/// What a log leaves out when it ends here.
std::vector<tk::job> out_at_end(const tk::io::log_content& log)
{
    std::vector<tk::job> out;
    for (const auto& e : log.events)
        for (const auto& j : e.jobs) {
            if (e.what == tk::io::log_content::event::kind::ask) out.push_back(j);
            else std::erase_if(out, [&](const tk::job& o) { return o.ticket == j.ticket; });
        }
    return out;
}

/// Every answer of the log is in the record of its task, in its order, and nothing else but what was lost for good.
void check_recorded(const tk::plan& p, const tk::io::log_content& log)
{
    for (std::size_t k = 0; k < task_count; ++k) {
        std::vector<tk::measure::trial> told;
        for (const auto& t : p.tasks[k].record.trials())
            if (!t.measured.failed || t.measured.failed->kind != tk::measure::failure_kind::lost) told.push_back(t);
        std::size_t n = 0;
        bool same = true;
        for (const auto& t : log.trials) {
            if (t.task != k) continue;
            REQUIRE(n < told.size());
            same = same && told[n].candidate == t.candidate && told[n].measured.failed.has_value() == !t.measured.ok();
            if (told[n].measured.ok()) same = same && told[n].measured == t.measured;
            ++n;
        }
        CHECK(same);
        CHECK(n == told.size());
    }
}

}  // namespace

TEST_CASE("a log of several tasks and workers cut anywhere is replayed to the same state, for any number of workers")
{
    const temporary_folder f;
    for (const std::size_t workers : {1U, 2U, 7U}) {
        CAPTURE(workers);
        const std::string path = f / ("whole" + std::to_string(workers));
        tk::plan first;
        {
            losing_pool pool(workers, workers);
            tk::io::logged run(path, fresh_tasks(workers, tk::schedule::random{}, 4), of_tasks(false));
            tk::tune_tasks(run, pool);
            CHECK(run.over());
            first = run.record();
        }
        const std::string whole = text_of(path);
        const auto log = tk::io::read_log(path);
        CHECK(log.header.workers == workers);
        CHECK(log.header.tasks.size() == task_count);
        REQUIRE(log.trials.size() > 30);
        std::size_t seen = 0;  // workers that answered
        for (std::size_t w = 0; w < workers; ++w)
            seen += std::any_of(log.events.begin(), log.events.end(), [&](const auto& e) {
                return e.what == tk::io::log_content::event::kind::tell && e.worker == w;
            });
        CHECK(seen == workers);
        check_recorded(first, log);
        std::vector<std::size_t> cuts;  // at each line's end, and inside of the next
        for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) {
            cuts.push_back(at + 1);
            if (cuts.size() % 8 == 0) cuts.push_back((std::min)(at + 17, whole.size()));
        }
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            CAPTURE(cuts[c]);
            write(f / "cut", whole.substr(0, cuts[c]));
            const auto before = tk::io::read_log(f / "cut");
            const auto out = out_at_end(before);
            const std::size_t now = std::vector<std::size_t>{1, 2, 7}[c % 3];
            {
                tk::io::logged run(f / "cut", fresh_tasks(now, tk::schedule::random{}, c % 16 == 0 ? 14 : 5),
                                   of_tasks(true));
                CHECK(run.replayed() == before.trials.size());
                CHECK(run.outstanding() == 0);
                CHECK(run.workers() == now);
                check_recorded(run.record(), before);
                if (c % 16 != 0) continue;
                losing_pool pool(now, c);
                tk::tune_tasks(run, pool);
                CHECK(run.over());
                const auto after = tk::io::read_log(f / "cut");
                check_recorded(run.record(), after);
                for (const auto& o : out) {  // goes out again, or was lost for the second time
                    const auto& trials = run.record().tasks[o.task].record.trials();
                    CHECK(std::any_of(trials.begin(), trials.end(),
                                      [&](const auto& t) { return t.candidate == o.candidate; }));
                }
            }
            // What a resumed run wrote is taken up as well as what it found.
            const auto twice = tk::io::read_log(f / "cut");
            tk::io::logged again(f / "cut", fresh_tasks(3, tk::schedule::random{}, 3), of_tasks(true));
            check_recorded(again.record(), twice);
        }
    }
}

TEST_CASE("with one worker a run of several tasks that was broken off goes on as if it had not been")
{
    const temporary_folder f;
    const auto drive_one = [](auto& run, std::size_t stop_after) {
        std::size_t n = 0;
        while (n++ < stop_after) {
            const auto j = run.ask();
            if (!j) break;
            run.tell(*j, of(j->candidate), run.stamp() + 0.05 + 0.001 * static_cast<double>(j->candidate));
        }
    };
    auto plain = fresh_tasks(1, tk::schedule::linear{});
    drive_one(plain, 10'000);
    auto options = of_tasks(true);
    options.schedule = "linear";
    for (std::size_t broken = 0; broken < 100; broken += 7) {
        CAPTURE(broken);
        const std::string path = f / std::to_string(broken);
        {
            tk::io::logged run(path, fresh_tasks(1, tk::schedule::linear{}), options);
            drive_one(run, broken);
        }
        tk::io::logged run(path, fresh_tasks(1, tk::schedule::linear{}), options);
        drive_one(run, 10'000);
        REQUIRE(run.record().slots.size() == plain.record().slots.size());
        for (std::size_t s = 0; s < plain.record().slots.size(); ++s) {
            CHECK(run.record().slots[s].task == plain.record().slots[s].task);
            CHECK(run.record().slots[s].ended == plain.record().slots[s].ended);
        }
        for (std::size_t k = 0; k < task_count; ++k) {
            const auto& a = run.record().tasks[k].record;
            const auto& b = plain.record().tasks[k].record;
            REQUIRE(a.trials().size() == b.trials().size());
            CHECK(a.seconds() == b.seconds());
            for (std::size_t i = 0; i < a.trials().size(); ++i)
                CHECK(a.trials()[i].candidate == b.trials()[i].candidate);
        }
    }
}

TEST_CASE("trials and patience of several tasks may be raised when a run is taken up, and lowered")
{
    const temporary_folder f;
    const auto tasks = three_tasks();
    const std::uint64_t most[] = {400, 300, 81};
    for (const std::size_t workers : {1U, 3U}) {
        const std::string path = f / ("trials" + std::to_string(workers));
        const std::string other = f / ("patience" + std::to_string(workers));
        std::vector<std::size_t> last(task_count), at_last(task_count);
        for (const std::uint64_t bound : {7U, 30U, 30U, 12U, 100U}) {  // 100: the last task is exhausted before
            CAPTURE(bound);
            std::size_t watched = 0, before = 0, after = 0;
            for (const std::size_t n : last) before += n;
            losing_pool pool(workers, bound);
            const auto p = tk::io::logged_run(path, tasks, pool,
                                              tk::recipe{tk::search::annealing{},
                                                         tk::measure::fixed{},
                                                         {},
                                                         std::size_t{1},
                                                         20.0,
                                                         tk::schedule::any_schedule(tk::schedule::random{})},
                                              {.trials_per_task = bound}, of_tasks(true),
                                              {.watch = [&](const tk::plan&, std::size_t) { ++watched; }});
            CHECK(p.stopped == tk::stop_reason::trials);
            for (std::size_t k = 0; k < task_count; ++k) {
                last[k] = p.tasks[k].record.trials().size();
                CHECK(last[k] == (std::min)(bound == 12 ? 30 : bound, most[k]));
                after += last[k];
            }
            CHECK(watched >= after - before);
            check_recorded(p, tk::io::read_log(path));

            losing_pool patient(workers, bound + 1);
            tk::io::logged run(
                other,
                [&] {
                    philox gen(3);
                    return tk::tasks_tuner(tasks, tk::search::annealing{}, tk::schedule::linear{},
                                           {.seconds = 1e6, .patience = bound}, workers, gen);
                }(),
                of_tasks(true));
            tk::tune_tasks(run, patient);
            for (std::size_t k = 0; k < task_count; ++k) {
                const auto& r = run.record().tasks[k].record;
                CHECK((r.stopped() == tk::stop_reason::patience || r.stopped() == tk::stop_reason::exhausted));
                CHECK(r.trials().size() >= at_last[k]);
                at_last[k] = r.trials().size();
            }
        }
        // What has stopped its tasks is found again from the log alone, at any line at which it is cut.
        for (const std::string& from : {path, other}) {
            const std::string whole = text_of(from);
            const auto log = tk::io::read_log(from);
            CHECK(std::count_if(log.events.begin(), log.events.end(),
                                [](const auto& e) { return e.what == tk::io::log_content::event::kind::budget; }) == 3);
            std::size_t lines = 0;
            for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) {
                if (++lines % 7 != 0) continue;
                write(f / "cut", whole.substr(0, at + 1));
                philox gen(3);
                const auto how = from == path ? tk::schedule::any_schedule(tk::schedule::random{})
                                              : tk::schedule::any_schedule(tk::schedule::linear{});
                tk::io::logged again(f / "cut",
                                     tk::tasks_tuner(tasks, tk::search::annealing{}, how,
                                                     {.seconds = 1e6, .trials_per_task = 200}, 2, gen),
                                     of_tasks(true));
                check_recorded(again.record(), tk::io::read_log(f / "cut"));
            }
        }
    }
}

TEST_CASE("slots keep their length when a run is taken up with other seconds")
{
    const temporary_folder f;
    const auto tasks = three_tasks();
    const auto of = [&](double seconds) {
        philox gen(3);
        return tk::tasks_tuner(tasks, tk::search::annealing{}, tk::schedule::random{}, {.seconds = seconds}, 1, gen);
    };
    const double slots = of(30).slot_seconds();
    CHECK(slots != of(60).slot_seconds());
    for (const double seconds : {30.0, 60.0, 60.0}) {
        losing_pool pool(1, 1);
        tk::io::logged run(f / "log", of(seconds), of_tasks(true));
        tk::tune_tasks(run, pool);
        CHECK(tk::io::read_log(f / "log").header.slot_seconds == slots);
        CHECK(run.stopped() == tk::stop_reason::seconds);
        CHECK(run.stamp() >= seconds);
        CHECK(run.stamp() < seconds + 1);
    }
}

TEST_CASE("a log of other tasks, of another schedule or of a worker that is none is one line that says so")
{
    const temporary_folder f;
    const std::string path = f / "log";
    {
        losing_pool pool(2, 1);
        tk::io::logged run(path, fresh_tasks(2, tk::schedule::random{}, 3), of_tasks(false));
        tk::tune_tasks(run, pool);
    }
    const std::string whole = text_of(path);
    const auto says = [&](const std::string& what, auto make) {
        CAPTURE(what);
        std::string said;
        try {
            make();
        } catch (const tk::error& e) {
            said = e.what();
        }
        CHECK(said.find(what) != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
        CHECK(text_of(path) == whole);
    };
    auto other = of_tasks(true);
    other.schedule = "dynatune";
    says("was written with schedule random, not dynatune",
         [&] { tk::io::logged(path, fresh_tasks(2, tk::schedule::random{}), other); });
    says("line 2: the run began with configuration ",
         [&] { tk::io::logged(path, fresh_tasks(2, tk::schedule::random{}, 12, 4), of_tasks(true)); });
    says("was written with a number of tasks of 3, not 1", [&] {
        auto one = of_tasks(true);
        one.schedule = "random";
        tk::io::logged(path, fresh(), one);
    });
    says("the space of its task b has 300 configurations, that of this run 10; resume with the same", [&] {
        auto tasks = three_tasks();
        tasks[1] = tk::task("b", grid_space({10, 1}), 2e6, 2);
        philox gen(3);
        tk::io::logged(path,
                       tk::tasks_tuner(tasks, tk::search::annealing{}, tk::schedule::random{},
                                       {.seconds = 12, .slot_seconds = 0.5}, 2, gen),
                       of_tasks(true));
    });
    says("was written with slot seconds 0.500000, not 0.250000", [&] {
        const auto tasks = three_tasks();
        philox gen(3);
        tk::io::logged(path,
                       tk::tasks_tuner(tasks, tk::search::annealing{}, tk::schedule::random{},
                                       {.seconds = 12, .slot_seconds = 0.25}, 2, gen),
                       of_tasks(true));
    });
    std::string wrong = whole;
    const std::string first = R"("worker":)";
    wrong.replace(wrong.find(first) + first.size(), 1, "9");
    write(f / "wrong", support::resealed(wrong));
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "wrong", fresh_tasks(2, tk::schedule::random{}), of_tasks(true)),
                         ("tunekit: log " + (f / "wrong") +
                          ", line 2: a worker asks that the run does not have; resume with the same, delete the log, "
                          "or name another file")
                             .c_str(),
                         tk::error);
}

TEST_CASE("a log of events names the parameters, and of each answer the values: it can be read without its program")
{
    const temporary_folder f;
    const grid_space space({20, 20});
    {
        tk::io::logged run(f / "log", fresh(), how(false));
        drive(run, 5);
    }
    const auto log = tk::io::read_log(f / "log");
    const auto names = space.names();
    CHECK(log.header.tasks.at(0).parameters == std::vector<std::string>(names.begin(), names.end()));
    REQUIRE(!log.trials.empty());
    for (const auto& t : log.trials) CHECK(t.values == space.texts(t.candidate));
    tk::io::logged again(f / "log", fresh(), how(true));  // what people read is not compared
    CHECK(again.replayed() == log.trials.size());
}

TEST_CASE("a log has the values beside the cost, their names once, and nothing of them where there are none")
{
    tk::io::log_content::trial t{.measured = {.cost = 0.5, .runs = 1, .batches = {0.5}}, .ended_ns = 7};
    const std::string before =
        R"({"task":0,"batch":0,"index":0,"limits":{"abandon_above":null,"run_s":10,"build_s":10},"cost":0.5,"spread":0,)"
        R"("runs":1,"at_least":false,"build_s":0,"run_s":0,"batches":[0.5],)";
    CHECK(t.line() == before + R"("ended_ns":7})");
    t.measured.values = {0.25, 4096};
    t.measured.checked = tk::measure::check_state::ok;
    CHECK(t.line() == before + R"("measured":[0.25,4096],"checked":"ok","ended_ns":7})");

    const temporary_folder f;
    const auto named = [](bool resume, std::vector<std::string> names) {
        auto out = how(resume);
        out.value_names = std::move(names);
        return out;
    };
    {
        tk::io::logged run(f / "log", fresh(), named(false, {"joules", "bytes"}));
        const auto j = *run.ask();
        run.tell(j, t.measured, run.stamp() + 1);
    }
    const auto log = tk::io::read_log(f / "log");
    CHECK(log.header.value_names == std::vector<std::string>{"joules", "bytes"});
    CHECK(log.trials.at(0).measured == t.measured);
    CHECK(tk::io::logged(f / "log", fresh(), named(true, {"joules", "bytes"})).record().trials().at(0).measured ==
          t.measured);
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", fresh(), how(true)),
                         doctest::Contains("was written with measured values named joules, bytes, not none"),
                         tk::error);

    // The names may come from the tuner, or go to it.
    CHECK(tk::io::logged(f / "log", fresh(), named(true, {"joules", "bytes"})).record().value_names ==
          log.header.value_names);
    {
        auto t2 = fresh();
        t2.name_values({"watts"});
        tk::io::logged run(f / "by tuner", std::move(t2), how(false));
    }
    CHECK(tk::io::read_log(f / "by tuner").header.value_names == std::vector<std::string>{"watts"});

    tk::io::log_content::head header = log.header;
    header.schema = tk::io::log_content::head::of_trials;
    const std::string text = header.line() + '\n' + t.line() + '\n';
    const auto refused = [&](const std::string& was, const std::string& is) {
        std::string wrong = text;
        const auto at = wrong.find(was);
        REQUIRE(at != std::string::npos);
        wrong.replace(at, was.size(), is);
        try {
            (void)tk::io::detail::parse_log(wrong, "log");
        } catch (const tk::error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(refused("[0.25,4096]", "[1,2,3,4,5,6,7,8,9]").find("line 2: measured are more than 8 numbers") !=
          std::string::npos);
    CHECK(refused("[0.25,4096]", "[true]").find("line 2: measured[0] is not a number") != std::string::npos);
    CHECK(refused("\"ok\"", "\"fine\"").find("line 2: checked is not a state of a check, want \"ok\"") !=
          std::string::npos);
    CHECK(refused(R"(["joules","bytes"])", R"(["a","b","c","d","e","f","g","h","i"])")
              .find("line 1: measured are more than 8 names") != std::string::npos);
}

TEST_CASE("a log has its objective and its goals, and a run with another objective does not take it up")
{
    const temporary_folder f;
    const auto by = [](bool resume, std::string objective) {
        auto out = how(resume);
        out.value_names = {"bytes", "cost"};
        out.objective = std::move(objective);
        out.about.goals = {"cost", "bytes"};
        return out;
    };
    {
        tk::io::logged run(f / "log", fresh(), by(false, "cost * bytes"));
        const auto j = *run.ask();
        run.tell(j, {.cost = 8, .runs = 1, .values = {4, 2}}, run.stamp() + 1);
    }
    const auto log = tk::io::read_log(f / "log");
    CHECK(log.header.objective == "cost * bytes");
    CHECK(log.header.about.goals == std::vector<std::string>{"cost", "bytes"});
    CHECK(log.header.line().find(R"("measured":["bytes","cost"],"objective":"cost * bytes","about":)") !=
          std::string::npos);
    CHECK(tk::io::logged(f / "log", fresh(), by(true, "cost * bytes")).record().trials().at(0).measured.cost == 8);
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", fresh(), by(true, "")),
                         doctest::Contains("was written with the objective cost * bytes, not cost;"), tk::error);
}
