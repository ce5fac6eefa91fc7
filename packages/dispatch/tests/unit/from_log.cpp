// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/from_log.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

TEST_CASE("a task's name says kernel and sizes")
{
    CHECK(dispatch::task_name("gemm", {"m", "n"}, {128, 7}) == "gemm m=128 n=7");
    const auto one = dispatch::detail::named_shape_of("fused gemm m=128 n=7");
    REQUIRE(one);
    CHECK(one->kernel == "fused gemm");
    CHECK(one->sizes == std::vector<std::string>{"m", "n"});
    CHECK(one->at == dispatch::shape_sizes{128, 7});
    for (const char* bad :
         {"", "gemm", "m=1", "gemm m=0", "gemm m=-1", "gemm m=x", "gemm m=1 wide", "gemm =1", "gemm m=1.5"})
        CHECK_MESSAGE(!dispatch::detail::named_shape_of(bad), bad);
}

namespace {

const tk::space::product space{tk::space::integers<"tile">(0, 9)};

/// The lines of a log over two shapes of gemm and a task of another kind, one trial a line: (task, index, cost).
tk::io::log_content log_of(const std::vector<std::pair<std::size_t, std::pair<tk::index, double>>>& trials)
{
    tk::io::log_content out;
    out.header.machine = "box";
    const auto names = space.names();
    for (const char* name : {"gemm m=1 n=8", "gemm m=64 n=8", "conv h=3"})
        out.header.tasks.push_back(
            {.name = name, .size = 10, .fingerprint = space.fingerprint(), .parameters = {names.begin(), names.end()}});
    for (const auto& [task, what] : trials) {
        tk::io::log_content::trial t{.task = task, .candidate = what.first};
        t.measured = {.cost = what.second, .spread = 0.01 * what.second, .runs = 3};
        t.values = {std::to_string(what.first)};
        if (std::isnan(what.second)) t.measured.failed = tk::measure::failure{};
        out.trials.push_back(std::move(t));
    }
    return out;
}

}  // namespace

TEST_CASE("a log's tasks of one kernel become results")
{
    const auto log =
        log_of({{0, {3, 2.0}}, {0, {4, 1.0}}, {1, {3, 5.0}}, {1, {5, std::nan("")}}, {1, {4, 9.0}}, {2, {1, 1.0}}});
    const auto all = dispatch::results_of(log, {.kernel = "gemm", .date = "2026-11-22"});
    CHECK(all.rows.size() == 4);
    CHECK(all.sizes == std::vector<std::string>{"m", "n"});
    CHECK(all.parameters == std::vector<std::string>{"tile"});
    CHECK(all.fingerprint == space.fingerprint());
    CHECK(all.devices == std::vector<dispatch::results::dated>{{"box", "2026-11-22"}});
    CHECK(all.rows[0].at == dispatch::shape_sizes{1, 8});
    CHECK(all.rows[0].searched);
    CHECK(all.rows[0].within.contains(2.0));

    // Of each shape the best, and what is best elsewhere.
    const auto few = dispatch::results_of(log, {.kernel = "gemm", .best = 1});
    CHECK(few.rows.size() == 4);  // 4 is the best of the one, 3 of the other, and both were measured at both
    CHECK_THROWS_AS(static_cast<void>(dispatch::results_of(log, {.kernel = "gemm", .best = 0})), std::invalid_argument);
}

TEST_CASE("a log that says nothing, is foreign or mixes spaces is refused in one line")
{
    const auto refused = [](const tk::io::log_content& log, const std::string& kernel, const char* why) {
        CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::results_of(log, {.kernel = kernel})), doctest::Contains(why),
                             tk::error);
    };
    const auto whole = log_of({{0, {3, 2.0}}, {1, {3, 2.0}}});
    refused(whole, "attention", "no task of kernel");
    refused(log_of({}), "gemm", "no shape that was measured");
    refused(log_of({{0, {3, std::nan("")}}}), "gemm", "no shape that was measured");
    auto other = whole;
    other.header.tasks[1].fingerprint ^= 1;
    refused(other, "gemm", "another space");
    other = whole;
    other.header.tasks[1].name = "gemm n=8 m=64";
    refused(other, "gemm", "other sizes");
    other = whole;
    for (auto& t : other.header.tasks) t.parameters.clear();
    refused(other, "gemm", "older logs");
    other = whole;
    for (auto& t : other.trials) t.values.clear();
    refused(other, "gemm", "older logs");
}

TEST_CASE("a log as a run writes it, whole and cut")
{
    const support::temporary_folder folder;
    const std::string path = folder / "gemm.jsonl";
    const auto cost = [](const auto& c) { return 1e-3 * (1 + std::abs(tk::get<"tile">(c) - 4)); };
    const auto found =
        tk::io::logged_run(path, space, tk::measure::function{space, cost}, tk::search::grid{}, {.trials = 10},
                           {.name = dispatch::task_name("gemm", {"m", "n"}, {16, 8}), .machine = "box"});
    CHECK(found.trials().size() == 10);
    const auto all = dispatch::results_of(tk::io::read_log(path), {.kernel = "gemm"});
    REQUIRE(all.rows.size() == 10);
    const auto w = all.winners();
    REQUIRE(w.size() == 1);
    CHECK(all.rows[w[0].best].values == std::vector<std::string>{"4"});

    const std::string text = tk::io::read_text(path);
    tk::io::write_text(path, text.substr(0, text.size() / 2));  // what is whole counts
    CHECK(dispatch::results_of(tk::io::read_log(path), {.kernel = "gemm"}).rows.size() < 10);
    tk::io::write_text(path, "not a log\n");
    CHECK_THROWS_AS(static_cast<void>(tk::io::read_log(path)), tk::error);
}
