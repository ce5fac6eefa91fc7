// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/report/from_log.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/terminal.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace report = tunekit::report;
using report::detail::escaped;
using report::detail::number;
using support::temporary_folder;

namespace {

report::seen_task::trial ran(double cost, double spread, std::vector<std::string> values = {}, tk::index i = 0)
{
    return {.candidate = i, .values = std::move(values), .measured = {.cost = cost, .spread = spread, .runs = 3}};
}

report::seen_task::trial failed(tk::measure::failure_kind kind, std::string message,
                                std::vector<std::string> values = {})
{
    report::seen_task::trial t{.values = std::move(values)};
    t.measured.failed = tk::measure::failure{kind, 1, std::move(message)};
    return t;
}

/// n trials over two parameters, of which x decides and y does not.
report::seen_task two_parameters(std::size_t n)
{
    report::seen_task t{.name = "gemm", .size = 64, .flops = 1e9, .parameters = {"x", "y"}};
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t x = i * 5 % 8, y = i * 3 / 8 % 8;
        if (x == 7) t.trials.push_back(failed(tk::measure::failure_kind::build_error, "no", {"7", std::to_string(y)}));
        else
            t.trials.push_back(ran(1e-3 * static_cast<double>(1 + x) * (1 + 1e-3 * static_cast<double>(y)), 1e-5,
                                   {std::to_string(x), std::to_string(y)}, x * 8 + y));
        t.trials.back().stamp = 0.5 * static_cast<double>(i + 1);
        t.trials.back().measured.run_seconds = 0.3;
        t.trials.back().measured.build_seconds = 0.1;
    }
    return t;
}

report::seen_run run_of(report::seen_task t)
{
    report::seen_run out{.title = t.name};
    out.seconds = t.trials.empty() ? 0 : t.trials.back().stamp;
    out.tasks.push_back(std::move(t));
    return out;
}

std::string page_of(const report::seen_run& run) { return report::to_page(run, report::findings_of(run)); }

std::size_t count_of(std::string_view text, std::string_view what)
{
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++n;
    return n;
}

/// Whether every element of the page is closed in its order: what a parser of XML would say of the tags.
bool well_formed(std::string_view html, std::string& why)
{
    std::vector<std::string> open;
    for (std::size_t i = html.find('<'); i != std::string_view::npos; i = html.find('<', i)) {
        const std::size_t end = html.find('>', i);
        if (end == std::string_view::npos) return why = "a tag without its end", false;
        const std::string_view tag = html.substr(i + 1, end - i - 1);
        i = end;
        if (tag.starts_with('!') || tag.ends_with('/')) continue;
        const std::string name(
            tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" ", 1) - (tag.starts_with('/') ? 1 : 0)));
        if (name == "meta" || name == "link" || name == "br") continue;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != name) return why = "closes " + name, false;
            open.pop_back();
            continue;
        }
        open.push_back(name);
        if (name == "script" || name == "style") i = html.find("</" + name, i);
    }
    why = open.empty() ? "" : "leaves " + open.back() + " open";
    return open.empty();
}

}  // namespace

TEST_CASE("text is escaped for content and attributes, and what is not a text is replaced")
{
    CHECK(escaped("<b a='1' c=\"2\">&</b>") == "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;&lt;/b&gt;");
    CHECK(escaped("gr\xC3\xBC\xC3\x9F \xE2\x86\x92 \xF0\x9F\x98\x80") ==
          "gr\xC3\xBC\xC3\x9F \xE2\x86\x92 \xF0\x9F\x98\x80");
    CHECK(escaped(std::string("a\0b", 3)) ==
          "a\xEF\xBF\xBD"
          "b");
    CHECK(escaped("\x1B[31m") == "\xEF\xBF\xBD[31m");
    CHECK(escaped("a\xE2\x80\xAE z\xC2\x9B") == "a\xEF\xBF\xBD z\xEF\xBF\xBD");  // turned round; a control character
    CHECK(escaped("\xD7\x90\xC2\xA0\xE2\x80\xAF") == "\xD7\x90\xC2\xA0\xE2\x80\xAF");
    CHECK(report::printable("a\x1B[2J\n\t\x7F \xC3\xBC") == "a\\x1b[2J\\n\\t\\x7f \xC3\xBC");
    CHECK(report::printable("\xE2\x80\xAE\xE2\x81\xA6\xC2\x9B") == "\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xc2\\x9b");
    CHECK(report::plain_blanks("1.2\xC2\xA0ms to 3\xC2\xA0ms") == "1.2 ms to 3 ms");
    for (const char* broken :
         {"\xFF", "\xC3", "\xC0\xAF", "\xE2\x86", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xEF\xBF\xBF"}) {
        CAPTURE(broken);
        const std::string out = escaped(broken);
        CHECK(out.size() % 3 == 0);
        CHECK(out.starts_with("\xEF\xBF\xBD"));
    }
}

TEST_CASE("numbers and times are written for people")
{
    CHECK(number(3.14159) == "3.14");
    CHECK(number(31415.9) == "31416");
    CHECK(number(0.0123456) == "0.0123");
    CHECK(number(0.5) == "0.500");
    CHECK(number(0) == "0.00");
    CHECK(number(1.5e-9) == "1.5e-09");
    CHECK(number(std::numeric_limits<double>::quiet_NaN()) == "?");
    CHECK(report::detail::time(0.0012345) == "1.234\xC2\xA0ms");
    CHECK(report::detail::time(1.5e-8) == "15.00\xC2\xA0ns");
    CHECK(report::detail::duration(200) == "3 min 20 s");
    CHECK(report::detail::duration(7500) == "2 h 5 min");
    CHECK(report::detail::count(1234567) ==
          "1\xE2\x80\xAF"
          "234\xE2\x80\xAF"
          "567");
    CHECK(report::detail::count(1234) == "1234");
    CHECK(report::detail::shortened("gr\xC3\xBC\xC3\x9F"
                                    "e",
                                    5) ==
          "gr\xC3\xBC\xC3\x9F"
          "e");
    CHECK(report::detail::shortened("gr\xC3\xBC\xC3\x9F"
                                    "en",
                                    5) == "gr\xC3\xBC\xC3\x9F\xE2\x80\xA6");
}

TEST_CASE("ticks are round, within, and never too many")
{
    for (const bool log : {false, true})
        for (const double high : {1.07, 3.0, 17.0, 4000.0, 1e7}) {
            CAPTURE(log);
            CAPTURE(high);
            const auto s = report::detail::scale_of(1, high, 0, 100, log);
            const auto ticks = s.ticks(6);
            CHECK(!ticks.empty());
            CHECK(ticks.size() <= 7);
            for (const double t : ticks) {
                CHECK(t >= s.low * 0.999);
                CHECK(t <= s.high * 1.001);
            }
        }
}

TEST_CASE("winner, gain and ties follow from costs and spreads")
{
    report::seen_task t{.name = "a"};
    t.trials = {failed(tk::measure::failure_kind::crash, "SIGSEGV"),
                ran(4e-3, 4e-5, {}, 1),
                ran(1e-3, 1e-5, {}, 2),
                ran(1.02e-3, 1e-5, {}, 3),
                ran(1.03e-3, 1e-5, {}, 4),
                failed(tk::measure::failure_kind::crash, "again")};
    auto slow = ran(9e-3, 0, {}, 5);
    slow.measured.at_least = true;
    t.trials.push_back(slow);
    const auto f = report::findings_of(t);
    CHECK(f.winner == 2);
    CHECK(f.reference == 1);
    CHECK(f.incumbents == std::vector<std::size_t>{1, 2});
    CHECK(f.gain == doctest::Approx(4));
    // Each spread is 1 %: half = 1.96 sqrt(2) %.
    CHECK(f.gain_range.low == doctest::Approx(4 * std::exp(-0.0277186)).epsilon(1e-5));
    CHECK(f.gain_range.high == doctest::Approx(4 * std::exp(0.0277186)).epsilon(1e-5));
    CHECK(f.best->within.low == doctest::Approx(1e-3 - 1.96e-5).epsilon(1e-4));
    REQUIRE(f.tied.size() == 1);
    CHECK(f.tied[0].trial == 3);  // 1.96 sqrt(2) 1e-5 = 2.77e-5
    CHECK(f.failed == 2);
    CHECK(f.cut_short == 1);
    REQUIRE(f.failures.size() == 1);
    CHECK(f.failures[0].trials == 2);
    CHECK(f.failures[0].message == "SIGSEGV");

    // Student's t of three batches is 4.30: all intervals are wider. Of ten it is 1.96.
    for (auto& trial : t.trials) trial.measured.batches.assign(3, trial.measured.cost);
    const auto few = report::findings_of(t);
    CHECK(few.best->within.low == doctest::Approx(1e-3 - 4.3027e-5).epsilon(1e-4));
    CHECK(few.gain_range.high == doctest::Approx(4 * std::exp(0.0608488)).epsilon(1e-5));
    REQUIRE(few.tied.size() == 2);  // 4.30 sqrt(2) 1e-5 = 6.1e-5
    CHECK(few.tied[0].trial == 3);
    CHECK(few.tied[1].trial == 4);
    for (auto& trial : t.trials) trial.measured.batches.assign(10, trial.measured.cost);
    CHECK(report::findings_of(t).tied.size() == 1);

    t.baseline = 4;
    const auto against = report::findings_of(t);
    CHECK(against.reference == 4);
    CHECK(against.against_baseline);
    CHECK(against.gain == doctest::Approx(1.03));
}

TEST_CASE("the rounds of a last comparison are the account, and the lucky trial is not")
{
    report::seen_task t{.name = "a", .parameters = {"p"}, .baseline = 1};
    t.trials = {ran(3e-3, 0, {"slow"}, 1), ran(1e-3, 0, {"lucky"}, 2), ran(1.2e-3, 0, {"good"}, 3)};
    for (std::uint64_t round = 0; round < 12; ++round)
        for (const tk::index i : std::vector<tk::index>{2, 3, 1}) {
            const double wobble = 1 + 0.01 * static_cast<double>(round % 3);
            auto x = ran((i == 1   ? 4e-3
                          : i == 2 ? 1.5e-3
                                   : 1.25e-3) *
                             wobble,
                         0,
                         {i == 1   ? "slow"
                          : i == 2 ? "lucky"
                                   : "good"},
                         i);
            x.round = round;
            t.rounds.push_back(x);
        }
    const auto f = report::findings_of(t);
    REQUIRE(f.best);
    CHECK(f.best->candidate == 3);
    CHECK(f.winner == 2);
    CHECK(f.best->cost == doctest::Approx(1.2625e-3));
    CHECK(f.best->within.low >= 1.25e-3);
    REQUIRE(f.compared);
    CHECK(f.compared->candidate == 1);
    CHECK(f.gain == doctest::Approx(3.2));
    CHECK(f.verdict.says == tk::verdict::kind::separated);
    CHECK(f.tied.empty());
    const std::string page = page_of(run_of(t));
    CHECK(page.find("takes 1.26") != std::string::npos);
    CHECK(page.find("takes 1.00") == std::string::npos);

    auto torn = t;  // a round that was interrupted does not count
    torn.rounds.resize(4);
    const auto few = report::findings_of(torn);
    CHECK(few.verdict.rounds == 1);
    CHECK(few.verdict.says == tk::verdict::kind::unclear);
}

TEST_CASE("without a race nothing is claimed of the winner, and the first line says so")
{
    report::seen_task t{.name = "a", .parameters = {"p"}};
    t.trials = {ran(1e-3, 1e-6, {"x"}, 0), ran(2e-3, 1e-6, {"y"}, 1)};
    for (auto& x : t.trials) x.measured.batches.assign(20, x.measured.cost);
    t.trials[0].measured.batches[7] = 2.1e-3;
    const auto v = report::summary_of(t, report::findings_of(t));
    CHECK(v.headline == "The best configuration takes 1.000\xC2\xA0ms (not raced).");
    std::string all;
    for (const auto& s : v.sentences) all += s + '\n';
    CHECK(all.find("Not raced: that is one trial, at another moment") != all.npos);
    CHECK(all.find("race them before you choose") != all.npos);
    CHECK(all.find("The machine was not watched. 1 of 40 runs took more than twice as long") != all.npos);
    CHECK(all.find("sure") == all.npos);
    t.checks = {.on = true, .made = 5, .disturbed = 2, .measured_again = 1, .seconds = 0.5};
    t.trials.back().stamp = 10;
    CHECK(page_of(run_of(t)).find(
              "The machine was disturbed 2 times, 0.5 s of 10 s; 1 configuration was measured again.") !=
          std::string::npos);
}

TEST_CASE("the default stays the winner where nothing was shown to be better, and only where the run says so")
{
    report::seen_task t{.name = "a", .parameters = {"p"}, .baseline = 0};
    t.trials = {ran(1e-3, 1e-6, {"x"}, 0), ran(0.9e-3, 1e-6, {"y"}, 1)};
    t.trials[0].measured.batches = {1e-3, 1.1e-3, 1.2e-3};
    t.trials[1].measured.batches = {0.9e-3, 0.95e-3, 1.05e-3};
    CHECK(report::findings_of(t).best->candidate == 1);
    t.never_worse = true;
    const auto f = report::findings_of(t);
    REQUIRE(f.best);
    CHECK(f.best->candidate == 0);
    CHECK(f.verdict.kept);
    CHECK(f.winner == 0);
    CHECK(f.gain == 1);
    CHECK(report::summary_of(t, f).headline ==
          "Nothing was shown to be better than the default, which takes 1.100\xC2\xA0ms (not raced).");
    t.trials[1].measured.batches = {0.9e-3, 0.95e-3, 0.99e-3};
    CHECK(report::findings_of(t).best->candidate == 1);
}

TEST_CASE("a default that left the comparison before the machine became slower is told by the rounds that it shared")
{
    report::seen_task t{.name = "a", .parameters = {"p"}, .baseline = 1};
    t.trials = {ran(4e-3, 0, {"slow"}, 1), ran(1e-3, 0, {"fast"}, 2), ran(1e-3, 0, {"even"}, 3)};
    for (std::uint64_t round = 0; round < 30; ++round)
        for (const tk::index i : std::vector<tk::index>{1, 2, 3}) {
            if (i == 1 && round >= 12) continue;
            const double machine = round < 12 ? 1 : 2, wobble = 1 + 0.001 * static_cast<double>((i + round) % 3);
            auto x = ran((i == 1 ? 4e-3 : 1e-3) * machine * wobble, 0, {i == 1 ? "slow" : i == 2 ? "fast" : "even"}, i);
            x.round = round;
            t.rounds.push_back(x);
        }
    const auto f = report::findings_of(t);
    REQUIRE(f.best);
    REQUIRE(f.compared);
    CHECK(f.compared->runs < f.best->runs);
    CHECK(f.gain == doctest::Approx(4).epsilon(0.01));
    CHECK(f.best->cost == doctest::Approx(2e-3).epsilon(0.01));
    CHECK(f.compared->cost == doctest::Approx(8e-3).epsilon(0.01));  // not 4e-3, which is twice as much
    CHECK(f.compared->within.contains(f.compared->cost));
}

TEST_CASE("a result that was known before may be the best, and the default may be one")
{
    report::seen_task t{.name = "a", .parameters = {"p"}, .baseline = 5};
    t.trials = {ran(3, 0, {"x"}, 1), ran(2, 0, {"y"}, 2)};
    t.known = {ran(1, 0, {"z"}, 3), ran(4, 0, {"w"}, 5), failed(tk::measure::failure_kind::invalid, "no")};
    const auto f = report::findings_of(t);
    REQUIRE(f.best);
    CHECK(f.best->candidate == 3);
    CHECK_FALSE(f.best->trial);
    CHECK(f.compared->candidate == 5);
    CHECK(f.against_baseline);
    CHECK(f.gain == 4);
    CHECK(page_of(run_of(t)).find("known before") != std::string::npos);
    t.trials.clear();
    const auto v = report::summary_of(t, report::findings_of(t));  // as the table of the winner has it
    CHECK(v.headline.find("The best configuration takes 1") == 0);
    for (const auto& s : v.sentences) CHECK(s.find("trials failed") == s.npos);
    t.known.clear();
    CHECK(report::summary_of(t, report::findings_of(t)).headline == "Nothing was measured yet.");
}

TEST_CASE("a score is told as a score, and more of it is better")
{
    const report::cost_unit unit{.name = "GB/s", .maximize = true};
    CHECK(unit.text(0.02) == "50\xC2\xA0GB/s");
    CHECK(unit.shown(tk::stats::interval{0.02, 0.04}) == tk::stats::interval{25, 50});
    CHECK(unit.text(tk::stats::interval{0.02, 0.04}) == "25\xC2\xA0GB/s to 50\xC2\xA0GB/s");
    CHECK(report::cost_unit{.name = ""}.text(7.22) == "7.22");
    CHECK(report::cost_unit{}.text(7.22) == "7.220\xC2\xA0s");
    report::seen_task t{.name = "a", .unit = unit};
    t.trials = {ran(0.1, 0, {}, 0), ran(0.02, 0, {}, 1)};
    const auto f = report::findings_of(t);
    CHECK(report::summary_of(t, f).headline == "The best configuration reaches 50\xC2\xA0GB/s (not raced).");
    CHECK(report::summary_of(t, f).sentences[0].find("5.00 times what the first that ran does") != std::string::npos);
    CHECK(page_of(run_of(t)).find(" takes ") == std::string::npos);
    t.unit = {.name = ""};
    CHECK(report::summary_of(t, f).headline == "The best configuration costs 0.02 (not raced).");
}

TEST_CASE("failures that one parameter explains say so, and others do not")
{
    auto t = two_parameters(64);  // x = 7 fails
    CHECK(report::findings_of(t).failures[0].where == "x = 7");
    CHECK(page_of(run_of(t)).find("They are those with x = 7.") != std::string::npos);
    for (std::size_t i = 0; i < t.trials.size(); i += 3)
        t.trials[i] = failed(tk::measure::failure_kind::build_error, "no", t.trials[i].values);
    CHECK(report::findings_of(t).failures[0].where.empty());
    report::seen_task all{.name = "f", .parameters = {"p"}};
    for (int i = 0; i < 5; ++i) all.trials.push_back(failed(tk::measure::failure_kind::crash, "", {"1"}));
    CHECK(report::findings_of(all).failures[0].where.empty());  // there is nothing to tell it from
}

TEST_CASE("a parameter that changes nothing is told, with the condition under which it does")
{
    // depth = 1 ignores unroll; name changes nothing at all. Each of the 96 configurations ran.
    const auto all = [](auto&& cost) {
        report::seen_task t{.name = "loop", .parameters = {"depth", "unroll", "name"}};
        for (int depth = 1; depth <= 4; ++depth)
            for (int unroll = 0; unroll < 8; ++unroll)
                for (const char* name : {"a", "b", "c"})
                    t.trials.push_back(ran(cost(depth, unroll, name[0] - 'a'), 0,
                                           {std::to_string(depth), std::to_string(unroll), name}));
        return t;
    };
    const auto told = all([](int depth, int unroll, int) { return 1.0 / depth + (depth > 1 ? 0.01 * unroll : 0); });
    const auto f = report::findings_of(told);
    REQUIRE(f.idle.size() == 2);
    CHECK(f.axes[f.idle[0].parameter].name == "name");
    CHECK(f.idle[0].comparisons == 64);  // 32 groups of three
    CHECK(f.idle[0].where.empty());
    CHECK(f.axes[f.idle[1].parameter].name == "unroll");
    CHECK(f.idle[1].comparisons == 21);  // three groups of eight
    CHECK(f.idle[1].where == "depth = 1");
    const std::string sentence =
        "Configurations cost the same to the last bit if they differ only in one of these: name (64 comparisons); "
        "unroll while depth = 1 (21 comparisons).";
    CHECK(page_of(run_of(told)).find(sentence) != std::string::npos);
    CHECK(report::to_terminal(run_of(told), report::findings_of(run_of(told))).find("differ only in one") !=
          std::string::npos);

    // Costs of two sizes: most ties are luck.
    CHECK(report::findings_of(all([](int depth, int unroll, int name) {
              return (depth * 7 + unroll * 5 + name * 3) % 11 < 2 ? 1.0 : 2.0;
          })).idle.empty());
    // Where each costs something else there is none.
    CHECK(report::findings_of(all([](int depth, int unroll, int name) {
              return depth + 0.01 * unroll + 1e-9 * name;
          })).idle.empty());
    CHECK(report::findings_of(two_parameters(64)).idle.empty());
}

TEST_CASE("a parameter that is idle by luck is told in no more than 1 % of runs")
{
    tk::random::philox gen(65);
    int lucky = 0;
    for (int run = 0; run < 400; ++run) {  // 60 trials of five flags and a size; a third of the costs are one of two
        report::seen_task t{.name = "luck", .parameters = {"a", "b", "c", "d", "e", "size"}};
        for (int i = 0; i < 60; ++i) {
            std::vector<std::string> values;
            for (int j = 0; j < 5; ++j) values.push_back(tk::random::uniform_index(2, gen) == 0 ? "no" : "yes");
            values.push_back(std::to_string(tk::random::uniform_index(3, gen)));
            const auto kind = tk::random::uniform_index(3, gen);
            t.trials.push_back(ran(kind == 0 ? 1.0 + static_cast<double>(tk::random::uniform_index(2, gen))
                                             : 3 + tk::random::uniform_01(gen),
                                   0, values));
        }
        auto f = report::findings_of(t);
        lucky += f.idle.empty() ? 0 : 1;
    }
    CHECK(lucky <= 8);  // of 400: the chance of more, at 1 % each, is 0.02
}

TEST_CASE("a default that failed is said, and values stand in the order of the space")
{
    report::seen_task t{.name = "a", .parameters = {"size"}, .baseline = 0};
    t.texts = {{"64KiB", "1MiB", "16MiB"}};
    t.trials = {failed(tk::measure::failure_kind::exited, "no such file", {"16MiB"}), ran(1, 0.1, {"1MiB"}, 1),
                ran(2, 0.1, {"64KiB"}, 2)};
    const auto f = report::findings_of(t);
    CHECK(f.axes[0].values == std::vector<std::string>{"64KiB", "1MiB", "16MiB"});
    REQUIRE(f.default_failed);
    CHECK_FALSE(f.against_baseline);
    CHECK(report::summary_of(t, f).sentences[0] ==
          "The default failed: exited, no such file. Nothing is compared with it.");
    t.texts = {{"64KiB"}};  // of another space: by name
    CHECK(report::findings_of(t).axes[0].values == std::vector<std::string>{"16MiB", "1MiB", "64KiB"});
}

TEST_CASE("a log has what a page shows: rounds, unit, numbers, the end")
{
    const temporary_folder folder;
    tk::io::log_content::head h{
        .schema = 2, .version = "0.3.0", .machine = "m", .seed = 1, .strategy = "s", .schedule = "", .workers = 1};
    h.value_names = {"bytes"};
    h.about = {.title = "xz", .unit = "", .untuned = 0, .values = {{"9", "10"}}};
    h.tasks = {{.name = "t", .size = 2, .fingerprint = 1, .parameters = {"p"}}};
    using tk::io::log_content;
    std::string text = h.line() + '\n';
    const auto say = [&](log_content::event e) { text += e.line() + '\n'; };
    for (const tk::index i : std::vector<tk::index>{0, 1})
        say({.what = log_content::event::kind::tell,
             .jobs = {{.ticket = tk::ticket{i}, .candidate = i}},
             .stamp = 1.0 + static_cast<double>(i),
             .measured = {.cost = 18.0 - 10 * static_cast<double>(i), .runs = 1, .values = {4096}},
             .values = {i == 0 ? "9" : "10"}});
    for (const double shift : {5.0, 0.0})  // the second comparison takes the place of the first
        for (std::uint64_t r = 0; r < 8; ++r)
            for (const tk::index i : r % 2 == 0 ? std::vector<tk::index>{0, 1} : std::vector<tk::index>{1, 0})
                say({.what = log_content::event::kind::round,
                     .n = r,
                     .jobs = {{.candidate = i}},
                     .stamp = 3,
                     .measured = {.cost = (i == 0 ? 18.3 : 7.52) + shift, .runs = 1},
                     .values = {i == 0 ? "9" : "10"}});
    say({.what = log_content::event::kind::ended, .stamp = 4, .why = "the budget of trials is used up"});
    std::ofstream(folder / "log", std::ios::binary) << text;
    const auto run = report::seen_run_of_log(folder / "log");
    CHECK(run.title == "xz");
    CHECK(run.stopped == "the budget of trials is used up");
    CHECK(run.seconds == 4);
    CHECK(run.problems.empty());
    const auto f = report::findings_of(run)[0];
    REQUIRE(f.best);
    CHECK(f.best->cost == 7.52);
    CHECK(f.verdict.rounds == 8);
    CHECK(f.best->numbers == tk::measure::measured_values{4096});
    CHECK(f.axes[0].values == std::vector<std::string>{"9", "10"});
    const std::string page = page_of(run);
    CHECK(page.find("The best configuration costs 7.52 (separated).") != std::string::npos);
    CHECK(page.find("bytes") != std::string::npos);
    CHECK(page.find("It ended because: the budget of trials is used up.") != std::string::npos);
}

TEST_CASE("what was tried is compared by number where values are numbers, and matters as it should")
{
    const auto t = two_parameters(64);
    const auto f = report::findings_of(t);
    REQUIRE(f.axes.size() == 2);
    CHECK(f.axes[0].numeric);
    CHECK(f.axes[0].values == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"});
    REQUIRE(f.shares);
    CHECK(f.shares->singles[0].mean > 0.95);
    CHECK(f.order.front() == 0);
    report::seen_task words{.name = "w", .parameters = {"p"}};
    for (const char* v : {"10", "9", "b"}) words.trials.push_back(ran(1, 0, {v}));
    CHECK_FALSE(report::findings_of(words).axes[0].numeric);
    CHECK(report::findings_of(words).axes[0].values == std::vector<std::string>{"10", "9", "b"});
}

TEST_CASE("a model's latency is the weighted sum of what was best by then")
{
    report::seen_run run{.tasks = {{.name = "a", .weight = 2}, {.name = "b", .weight = 1}}};
    const auto add = [&](std::size_t k, double cost, double stamp) {
        run.tasks[k].trials.push_back(ran(cost, 0));
        run.tasks[k].trials.back().stamp = stamp;
    };
    add(0, 4, 1), add(0, 3, 4), add(1, 5, 2), add(1, 6, 3), add(1, 1, 5);
    const auto points = report::detail::latency_of(run);
    REQUIRE(points.size() == 3);
    CHECK(points[0].seconds == 2);
    CHECK(points[0].latency == 13);
    CHECK(points[1].latency == 11);
    CHECK(points[2].latency == 7);
}

TEST_CASE("a page is one file of closed elements, with an alternative for every picture")
{
    auto run = run_of(two_parameters(120));
    run.peak_flops = 2e12;
    run.use = {"./run --x 0"};
    auto several = run;
    several.tasks.push_back(two_parameters(40));
    several.tasks.back().name = "second";
    for (const auto& r : {run, several}) {
        const std::string page = page_of(r);
        std::string why;
        CHECK_MESSAGE(well_formed(page, why), why);
        CHECK(count_of(page, "<svg ") > 4);
        CHECK(count_of(page, "<svg ") == count_of(page, "role=\"img\" aria-label=\""));
        CHECK(count_of(page, "aria-label=\"\"") == 0);
        CHECK(count_of(page, "nan") == 0);
        CHECK(count_of(page, "http") == count_of(page, "http://www.w3.org/2000/svg") + count_of(page, "http-equiv"));
        CHECK(count_of(page, "src=") == 0);
        CHECK(page.find("of peak") != std::string::npos);
    }
    CHECK(page_of(run).find("class=\"task\"") == std::string::npos);
    CHECK(page_of(several).find("id=\"task-1\"") != std::string::npos);
}

TEST_CASE("names are text wherever they come, on pages and in terminals")
{
    const std::string evil = "</style></script><script>alert(1)</script><img src=x onerror='1'>\"\x1B[2J\xE2\x80\xAE";
    auto t = two_parameters(60);
    t.name = evil;
    t.parameters = {evil, "y\" onload=\"x"};
    t.unit = {evil};
    for (auto& x : t.trials) {
        if (x.values[0] == "3") x.values[0] = evil;
        if (x.measured.failed) x.measured.failed->message = evil;
    }
    auto run = run_of(std::move(t));
    run.title = evil;
    run.facts = {evil};
    run.use = run.repeat = run.problems = {evil};
    run.stopped = evil;
    const std::string page = page_of(run);
    std::string why;
    CHECK_MESSAGE(well_formed(page, why), why);
    CHECK(count_of(page, "<script") == 1);
    CHECK(count_of(page, "<img") == 0);
    CHECK(count_of(page, "onload=\"") == 0);
    CHECK(page.find('\x1B') == std::string::npos);
    CHECK(page.find("\xE2\x80\xAE") == std::string::npos);
    CHECK(report::to_terminal(run, report::findings_of(run)).find('\x1B') == std::string::npos);
}

TEST_CASE("whatever there is makes a page: nothing, one trial, all failed, no costs, a space without names")
{
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    std::vector<report::seen_run> runs{
        {}, run_of({.name = "empty"}), run_of(two_parameters(1)), run_of(two_parameters(2))};
    report::seen_task failing{.name = "f", .parameters = {"p"}};
    for (int i = 0; i < 3; ++i) failing.trials.push_back(failed(tk::measure::failure_kind::run_timeout, "", {"1"}));
    runs.push_back(run_of(failing));
    report::seen_task odd{.name = "odd"};
    for (const double c : {nan, inf, -1.0, 0.0, 1e300, 1e-300, 1e-3}) odd.trials.push_back(ran(c, nan));
    for (auto& x : odd.trials) x.stamp = 1e9;
    runs.push_back(run_of(odd));
    report::seen_task equal{.name = "equal", .parameters = {"p"}};
    for (int i = 0; i < 40; ++i) equal.trials.push_back(ran(1e-3, inf, {i % 2 == 0 ? "a" : ""}));
    runs.push_back(run_of(equal));
    report::seen_run several{.tasks = {two_parameters(30), {.name = "nothing"}, failing}};
    runs.push_back(several);
    for (const auto& r : runs) {
        CAPTURE(r.title);
        const std::string page = page_of(r);
        std::string why;
        CHECK_MESSAGE(well_formed(page, why), why);
        CHECK(page.find("id=\"verdict-h\"") != std::string::npos);
        CHECK(count_of(page, "\"nan") + count_of(page, " nan") + count_of(page, "inf\"") == 0);
        CHECK(!report::to_terminal(r, report::findings_of(r)).empty());
    }
    CHECK(page_of(runs[0]).find("The log has no task.") != std::string::npos);
    CHECK(page_of(runs[1]).find("Nothing was measured yet.") != std::string::npos);
    CHECK(page_of(runs[4]).find("All 3 trials failed.") != std::string::npos);
    CHECK(page_of(runs[7]).find("2 of 3 tasks have no configuration that runs.") != std::string::npos);
}

TEST_CASE("ten thousand trials stay below two megabytes")
{
    auto t = two_parameters(10000);
    for (std::size_t j = 0; j < 12; ++j) {
        t.parameters.push_back("p" + std::to_string(j));
        for (std::size_t i = 0; i < t.trials.size(); ++i)
            t.trials[i].values.push_back(std::to_string(i * (j + 3) % 50));
    }
    const std::string page = page_of(run_of(std::move(t)));
    CHECK(page.size() < 2'000'000);
    CHECK(page.find("every 9th is drawn") == std::string::npos);  // 10000 / 1250 is 8
    CHECK(page.find("every 8th is drawn") != std::string::npos);
}

TEST_CASE("a record over a space is a run")
{
    const tk::space::product space{tk::space::integers<"x">(0, 9)};
    tk::tuning record;
    record.append(tk::measure::trial{.candidate = 4, .measured = {.cost = 2e-3, .runs = 1}}, 0.5);
    record.append(tk::measure::trial{.candidate = 7, .measured = {.cost = 1e-3, .runs = 1}}, 0.25);
    const auto run = report::seen_run_of("one", space, record);
    REQUIRE(run.tasks.size() == 1);
    CHECK(run.tasks[0].parameters == std::vector<std::string>{"x"});
    CHECK(run.tasks[0].trials[1].values == std::vector<std::string>{"7"});
    CHECK(run.tasks[0].trials[1].stamp == 0.75);
    CHECK(run.tasks[0].size == 10);
    CHECK(run.seconds == 0.75);
}

TEST_CASE("idle is when a worker has nothing, where the log says when its configurations went out")
{
    const temporary_folder folder;
    tk::io::log_content::head h{
        .schema = 2, .version = "0.2.0", .machine = "m", .seed = 1, .strategy = "s", .schedule = "", .workers = 2};
    h.tasks = {{.name = "t", .size = 9, .fingerprint = 1, .parameters = {"p"}, .flops = 5, .weight = 1}};
    std::string text = h.line() + '\n';
    const auto ask = [&](std::uint64_t ticket, std::uint64_t worker, double stamp) {
        text += tk::io::log_content::event{.what = tk::io::log_content::event::kind::ask,
                                           .n = 1,
                                           .jobs = {{.ticket = tk::ticket{ticket}, .candidate = ticket}},
                                           .worker = worker,
                                           .stamp = stamp}
                    .line() +
                '\n';
    };
    const auto tell = [&](std::uint64_t ticket, std::uint64_t worker, double stamp) {
        text += tk::io::log_content::event{.what = tk::io::log_content::event::kind::tell,
                                           .jobs = {{.ticket = tk::ticket{ticket}, .candidate = ticket}},
                                           .worker = worker,
                                           .stamp = stamp,
                                           .measured = {.cost = 1e-3, .runs = 1, .run_seconds = 1},
                                           .values = {"v"}}
                    .line() +
                '\n';
    };
    ask(0, 0, 0);  // worker 0 is out all the time, worker 1 from 1 to 2 and from 6 to 8 of 8 s: idle for 5 of them
    ask(1, 1, 1);
    tell(1, 1, 2);
    tell(0, 0, 4);
    ask(2, 0, 4);
    ask(3, 1, 6);
    tell(3, 1, 8);
    tell(2, 0, 8);
    std::ofstream(folder / "log", std::ios::binary) << text;
    const auto run = report::seen_run_of_log(folder / "log");
    REQUIRE(run.tasks[0].trials.size() == 4);
    CHECK(run.tasks[0].trials[0].asked == 1);
    CHECK(run.tasks[0].trials[3].asked == 4);
    const std::string page = page_of(run);
    CHECK(page.find("Worker 1: building 0.0\xC2\xA0%, running 25.0\xC2\xA0%, idle 62.5\xC2\xA0%.") !=
          std::string::npos);
    CHECK(page.find("Worker 0: building 0.0\xC2\xA0%, running 25.0\xC2\xA0%, idle 0.0\xC2\xA0%.") != std::string::npos);
}

TEST_CASE("a log is read up to where it is whole, and says so")
{
    const temporary_folder folder;
    tk::io::log_content::head h{
        .schema = 2, .version = "0.2.0", .machine = "m", .seed = 1, .strategy = "s", .schedule = "", .workers = 2};
    h.tasks = {{.name = "t",
                .size = 9,
                .fingerprint = 1,
                .parameters = {"gr\xC3\xBC\xC3\x9F"
                               "e"},
                .flops = 5,
                .weight = 2}};
    std::string text = h.line() + '\n';
    for (std::uint64_t i = 0; i < 3; ++i)
        text += tk::io::log_content::event{.what = tk::io::log_content::event::kind::tell,
                                           .jobs = {{.ticket = tk::ticket{i}, .candidate = i}},
                                           .worker = i % 2,
                                           .stamp = 0.5 + static_cast<double>(i),
                                           .measured = {.cost = 1e-3, .runs = 1},
                                           .values = {"\xC3\xA4" + std::to_string(i)}}
                    .line() +
                '\n';
    const auto with = [&](const std::string& tail) {
        std::ofstream(folder / "log", std::ios::binary) << text << tail;
        return report::seen_run_of_log(folder / "log");
    };
    for (const char* tail : {"", "{\"tell\": 3, \"wor", "{\"tell\": 3}\n{\"tell\": 4}\n", "NaN\n", "\n"}) {
        CAPTURE(tail);
        const auto run = with(tail);
        REQUIRE(run.tasks.size() == 1);
        REQUIRE(run.tasks[0].trials.size() == 3);
        CHECK(run.tasks[0].parameters.at(0) ==
              "gr\xC3\xBC\xC3\x9F"
              "e");
        CHECK(run.tasks[0].trials[2].values.at(0) ==
              "\xC3\xA4"
              "2");
        CHECK(run.tasks[0].trials[1].worker == 1);
        CHECK(run.tasks[0].flops == 5);
        CHECK(run.tasks[0].weight == 2);
        CHECK(run.seconds == 2.5);
        CHECK(run.problems.empty() == std::string_view(tail).empty());
        CHECK((page_of(run).find("is not whole") == std::string::npos) == run.problems.empty());
    }
    std::ofstream(folder / "empty", std::ios::binary).flush();
    CHECK_THROWS_AS((void)report::seen_run_of_log(folder / "empty"), tk::error);
    CHECK_THROWS_AS((void)report::seen_run_of_log(folder / "none"), tk::error);
    std::ofstream(folder / "other") << "{\"x\": 1}\n";
    std::string said;
    try {
        (void)report::seen_run_of_log(folder / "other");
    } catch (const tk::error& e) {
        said = e.what();
    }
    CHECK(said.rfind("tunekit: ") == 0);  // once
}

TEST_CASE("a sparkline falls as a curve does, and bars are as long as their shares")
{
    CHECK(report::detail::sparkline({8, 4, 2, 1}) == "\xE2\x96\x88\xE2\x96\x86\xE2\x96\x83\xE2\x96\x81");
    CHECK(report::detail::sparkline({std::numeric_limits<double>::infinity(), 1}) == "\xC2\xB7\xE2\x96\x81");
    CHECK(report::detail::text_bar(0.5, 2) == "\xE2\x96\x88");
    CHECK(report::detail::text_bar(0.25, 2) == "\xE2\x96\x8C");
    CHECK(report::detail::text_bar(7, 2) == "\xE2\x96\x88\xE2\x96\x88");
    const auto run = run_of(two_parameters(64));
    const std::string text = report::to_terminal(run, report::findings_of(run));
    CHECK(text.find("tuning curve  ") != std::string::npos);
    CHECK(text.find("what matters") != std::string::npos);
    CHECK(text.find("build error") != std::string::npos);
}

TEST_CASE("a picture of its own has its colours")
{
    const auto t = two_parameters(20);
    const std::string svg = report::to_standalone_svg(report::tuning_curve_svg(t, report::findings_of(t), {}));
    std::string why;
    CHECK_MESSAGE(well_formed(svg, why), why);
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(svg.find("--accent:#0b5c9e") != std::string::npos);
}
