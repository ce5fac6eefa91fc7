// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/cost_reading.hpp"
#include "tunekit/measure/fastest_quarter.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

namespace {

const auto sixteen = tk::space::product{tk::space::integers<"x">(0, 15)};

using reading = double (*)(const std::array<double, 3>&);
double fastest(const std::array<double, 3>& runs) { return runs[0]; }
double median(const std::array<double, 3>& runs) { return runs[1]; }
double mean(const std::array<double, 3>& runs) { return std::accumulate(runs.begin(), runs.end(), 0.0) / 3; }
constexpr reading nothing = nullptr;  // the cost alone is told
double half(const std::array<double, 3>& runs) { return (runs[0] + runs[1]) / 2; }

tk::measure::measurement measured(tk::index i, reading cost)
{
    const double t = 1 + static_cast<double>(i);
    if (cost == nothing) return {.cost = t, .runs = 1};
    const std::array<double, 3> runs{t, t + 0.5, t + 2};
    return {.cost = cost(runs), .runs = 3, .batches = {runs.begin(), runs.end()}};
}

auto opened(const std::string& path, bool resume, bool says_fastest = false)
{
    return tk::io::logged(path, tk::tuner(sixteen, tk::search::random{}, {.trials = 16}, tk::random::philox(1)),
                          {.seed = 1, .resume = resume, .fastest = says_fastest});
}

/// Measures n configurations, or as many as are left.
template <class Run>
void drive(Run& run, std::size_t n, reading cost)
{
    for (; n > 0 && !run.over(); --n)
        if (const auto j = run.ask()) run.tell(*j, measured(j->candidate, cost));
}

std::string refusal(const std::string& path, const std::string& there, const std::string& here)
{
    return "tunekit: log " + path + ": the cost of a configuration is the " + there + " of its runs there, and the " +
           here + " of its runs here; resume with the same, delete the log, or name another file";
}

/// A log as version 0.2 wrote it, without checksums: the cost is the mean. 2 was disturbed once, 3 is cut short.
std::string of_0_2(const std::string& about, const std::string& runs_of_2)
{
    const auto line = [](int number, int x, const std::string& cost, const char* cut, const std::string& runs) {
        const std::string n = std::to_string(number);
        return R"({"tell":)" + n + R"(,"worker":0,"stamp_s":)" + n + R"(,"task":0,"batch":0,"index":)" +
               std::to_string(x) + R"(,"values":[")" + std::to_string(x) +
               R"("],"limits":{"abandon_above":null,"run_s":null,"build_s":null},"cost":)" + cost +
               R"(,"spread":0,"runs":2,"at_least":)" + cut + R"(,"build_s":0,"run_s":4,"batches":[)" + runs +
               "],\"ended_ns\":0}\n";
    };
    return R"({"tunekit_log":2,"version":"0.2.0","machine":"m","seed":1,"strategy":"","schedule":"","seconds":null,)"
           R"("slot_seconds":null,"batch":0,"workers":1,)"
           R"("budget":{"trials":16,"patience":null,"workers_per_task":null},)" +
           about + R"("tasks":[{"name":"run","size":16,"fingerprint":)" + std::to_string(sixteen.fingerprint()) +
           R"(,"parameters":["x"]}]})"
           "\n"
           R"({"ask":3,"worker":0,"stamp_s":0,"task":0,"jobs":[[0,1],[1,2],[2,3]],)"
           R"("limits":{"abandon_above":null,"run_s":null,"build_s":null}})"
           "\n" +
           line(0, 1, "2", "false", "1.5,2.5") + line(1, 2, "3", "false", runs_of_2) +
           line(2, 3, "2.5", "true", "2.5,9");
}

}  // namespace

TEST_CASE("a log whose costs are another reading of their runs is not resumed, and the line names both")
{
    const support::temporary_folder at;
    const std::string path = at / "run.jsonl";
    const auto log_of = [&](reading cost) {
        support::put(path, "");
        auto run = opened(path, true);
        drive(run, 6, cost);
    };
    log_of(mean);
    const std::string six = support::text_of(path);
    CHECK_THROWS_WITH_AS(opened(path, true, true), refusal(path, "mean", "mean of the fastest quarter").c_str(),
                         tk::error);
    CHECK(support::text_of(path) == six);

    {  // Nobody says it: the first answer shows it, and is not written.
        auto run = opened(path, true);
        const tk::job j = *run.ask();
        CHECK_THROWS_WITH_AS(run.tell(j, measured(j.candidate, fastest)),
                             refusal(path, "mean", "mean of the fastest quarter").c_str(), tk::error);
        CHECK_THROWS_WITH_AS(run.tell(j, measured(j.candidate, median)), refusal(path, "mean", "median").c_str(),
                             tk::error);
        CHECK(run.record().trials().size() == 6);
    }
    {  // Whoever reads as the log does goes on behind it, one answer that tells nothing among the others.
        auto run = opened(path, true);
        const tk::job j = *run.ask();
        run.tell(j, {.cost = 9, .runs = 1, .batches = {9}});
        drive(run, 16, mean);
        CHECK(run.record().trials().size() == 16);
    }
    log_of(fastest);
    {
        auto run = opened(path, true, true);
        drive(run, 16, fastest);
        CHECK(run.record().trials().size() == 16);
    }
    log_of(nothing);
    CHECK_THROWS_WITH_AS(opened(path, true, true),
                         ("tunekit: log " + path +
                          ": the runs of its costs are not in it, and the mean of the fastest quarter of its runs is a "
                          "cost here; resume with the same, delete the log, or name another file")
                             .c_str(),
                         tk::error);
    CHECK(opened(path, true).record().trials().size() == 6);
    log_of(half);  // a reading of one's own is not known, and never refused
    auto run = opened(path, true, true);
    drive(run, 5, half);
    drive(run, 16, fastest);
    CHECK(run.record().trials().size() == 16);
}

TEST_CASE("an experience reads the times of an older log anew where all have their runs")
{
    const auto costs = [](const std::string& about, const std::string& runs_of_2) {
        const auto past =
            tk::io::detail::experience_of(tk::io::detail::parse_log(of_0_2(about, runs_of_2), "old"), "old");
        REQUIRE(past.sources.size() == 1);
        std::vector<double> out;
        for (const auto& r : past.sources[0].results) out.push_back(r.cost);
        return out;
    };
    const std::vector<double> anew{1.5, 1, 2.5}, as_they_are{2, 3, 2.5};
    CHECK(costs("", "1,5") == anew);
    const auto known =
        tk::io::by_fastest_runs(tk::io::trials_of(tk::io::detail::parse_log(of_0_2("", "1,5"), "old"), "run", sixteen));
    for (std::size_t k = 0; k < 3; ++k) CHECK(known[k].measured.cost == anew[k]);
    CHECK(costs("", "") == as_they_are);
    CHECK(costs("", "1,6") == as_they_are);  // no reading that is known
    CHECK(costs(R"("objective":"cost * bytes",)", "1,5") == as_they_are);
    CHECK(costs(R"("meaning":{"cost":"cpu"},)", "1,5") == anew);
    CHECK(costs(R"("meaning":{"cost":"regex:n=.*"},)", "1,5") == as_they_are);
    CHECK(costs(R"("about":{"title":"","unit":"J","maximize":false,"values":[]},)", "1,5") == as_they_are);
}
