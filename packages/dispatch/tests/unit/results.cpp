// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/processes/files/text.hpp"

namespace dispatch = tunekit::dispatch;
using fixtures::row;

TEST_CASE("rows are sorted, whatever the order in which they come")
{
    auto a = fixtures::empty_gemm(), b = a;
    const std::vector<dispatch::results::row> rows{row(8, 8, 1, 2), row(2, 9, 3, 1), row(8, 8, 0, 1, "ant"),
                                                   row(2, 1, 3, 4)};
    for (const auto& r : rows) a.add(r);
    for (auto r = rows.rbegin(); r != rows.rend(); ++r) b.add(*r);
    CHECK(a == b);
    CHECK(a.rows.front().device == "ant");
    CHECK(a.rows[1].at == dispatch::shape_sizes{2, 1});
    CHECK(a.devices.size() == 2);
}

TEST_CASE("of two times of one configuration at one shape the faster stays, and both origins")
{
    auto all = fixtures::empty_gemm();
    auto first = row(8, 8, 1, 2.0), second = row(8, 8, 1, 1.9);
    second.searched = false;
    second.untuned = true;
    all.add(first);
    all.add(second);
    REQUIRE(all.rows.size() == 1);
    CHECK(all.rows[0].seconds == 1.9);
    CHECK(all.rows[0].searched);
    CHECK(all.rows[0].untuned);

    auto bound = row(8, 8, 1, 0.5);
    bound.at_least = true;
    all.add(bound);  // says less than a whole time
    CHECK(all.rows[0].seconds == 1.9);
    CHECK(!all.rows[0].at_least);
    auto cut = fixtures::empty_gemm();
    cut.add(bound);
    bound.seconds = 0.7;
    bound.within = {0.7, 1};
    cut.add(bound);  // of two bounds the higher says more
    CHECK(cut.rows[0].seconds == 0.7);
    cut.add(first);
    CHECK(cut.rows[0].seconds == 2.0);
}

TEST_CASE("times that contradict are an error, and those that are merely apart are not")
{
    auto all = fixtures::empty_gemm();
    all.add(row(8, 8, 1, 1.0));
    all.add(row(8, 8, 1, 1.5));
    CHECK_THROWS_WITH_AS(all.add(row(8, 8, 1, 3.0)), doctest::Contains("contradict; measure it again"), tunekit::error);
    CHECK(all.rows.size() == 1);
    CHECK(all.rows[0].seconds == 1.0);
    all.add(row(8, 8, 1, 3.0), 4);
    auto foreign = row(8, 8, 1, 1.0);
    foreign.values = {"9", "true"};
    CHECK_THROWS_WITH_AS(all.add(foreign), doctest::Contains("rows of one space"), tunekit::error);
}

TEST_CASE("a row that does not fit is refused")
{
    auto all = fixtures::empty_gemm();
    const auto refused = [&](auto&& spoil, const char* why) {
        auto r = row(8, 8, 1, 1.0);
        spoil(r);
        CHECK_THROWS_WITH_AS(all.add(r), doctest::Contains(why), std::invalid_argument);
    };
    refused([](auto& r) { r.device.clear(); }, "want its name");
    refused([](auto& r) { r.device = "a\nb"; }, "want its name");
    refused([](auto& r) { r.at = {8}; }, "a shape of 1 size, want one for each of m n");
    refused([](auto& r) { r.at = {}; }, "a shape of 0 sizes");
    refused([](auto& r) { r.at = {8, 0}; }, "the shape m=8 n=0 with a size below 1");
    refused([](auto& r) { r.values.pop_back(); }, "other values");
    refused([](auto& r) { r.values[0] = "a\nb"; }, "several lines");
    refused([](auto& r) { r.seconds = 0; }, "seconds above 0");
    refused([](auto& r) { r.seconds = std::nan(""); }, "seconds above 0");
    refused([](auto& r) { r.seconds = std::numeric_limits<double>::infinity(); }, "seconds above 0");
    refused([](auto& r) { r.within = {2, 3}; }, "low <= seconds");
    CHECK(all.rows.empty());
}

TEST_CASE("the best of each shape, and who is tied with it")
{
    auto all = fixtures::empty_gemm();
    all.add(row(8, 8, 1, 1.0));
    all.add(row(8, 8, 2, 1.015));  // intervals of 1 % overlap
    all.add(row(8, 8, 3, 1.5));
    auto bound = row(8, 8, 4, 0.1);
    bound.at_least = true;
    all.add(bound);
    auto untuned = row(16, 8, 9, 3);
    untuned.untuned = true;
    all.add(untuned);
    auto alone = row(32, 8, 4, 1);
    alone.at_least = true;
    all.add(alone);
    const auto w = all.winners();
    REQUIRE(w.size() == 2);  // of 32 x 8 nothing was measured whole
    CHECK(all.rows[w[0].best].candidate == 1);
    REQUIRE(w[0].tied.size() == 1);
    CHECK(all.rows[w[0].tied[0]].candidate == 2);
    CHECK(!w[0].untuned);
    REQUIRE(w[1].untuned);
    CHECK(all.rows[*w[1].untuned].candidate == 9);
}

TEST_CASE("merging takes all rows or none")
{
    auto a = fixtures::powers(3, 3), b = fixtures::powers(4, 3, "other box");
    a.set_date("box", "2026-11-01");
    b.set_date("other box", "2026-11-02");
    const auto before = a;
    a.merge(b);
    CHECK(a.rows.size() == 3 * 2 * 3 + 4 * 2 * 3);
    CHECK(a.devices.size() == 2);
    CHECK(a.devices[1].date == "2026-11-02");
    const auto merged = a;
    a.merge(b);
    CHECK(a == merged);

    auto foreign = b;
    foreign.fingerprint = 1;
    CHECK_THROWS_WITH_AS(a.merge(foreign), doctest::Contains("the space's fingerprint is \"1\""), tunekit::error);
    foreign = b;
    foreign.version = "2";
    CHECK_THROWS_WITH_AS(a.merge(foreign), doctest::Contains("the kernel's version is \"2\", here \"1\""),
                         tunekit::error);
    foreign = b;
    foreign.kernel = "conv";
    CHECK_THROWS_WITH_AS(a.merge(foreign), doctest::Contains("the kernel is \"conv\", here \"gemm\""), tunekit::error);
    foreign = before;
    foreign.rows.back().seconds *= 10;
    foreign.rows.back().within = {foreign.rows.back().seconds, foreign.rows.back().seconds};
    CHECK_THROWS_AS(a.merge(foreign), tunekit::error);
    CHECK(a == merged);
    CHECK_THROWS_AS(a.set_date("no box", "today"), std::invalid_argument);
}

TEST_CASE("a file gives back what was written, and its text does not depend on the order")
{
    auto all = fixtures::powers(4, 5);
    all.merge(fixtures::powers(2, 2, "a|b 100% \xC3\xA9"));
    all.set_date("box", "2026-11-22");
    auto odd = row(9, 9, 77, 1.0 / 3);
    odd.values = {"(0, 2, 1)", ""};
    odd.within = {0, std::numeric_limits<double>::infinity()};
    odd.at_least = true;
    odd.searched = false;
    all.add(odd);
    const std::string text = dispatch::to_text(all);
    CHECK(dispatch::detail::results_in(text, "results x") == all);
    auto again = fixtures::empty_gemm();
    for (auto r = all.rows.rbegin(); r != all.rows.rend(); ++r) again.add(*r);
    again.set_date("box", "2026-11-22");
    CHECK(dispatch::to_text(again) == text);

    const support::temporary_folder folder;
    const std::string path = folder / "gemm.results";
    dispatch::write_results(path, all);
    CHECK(dispatch::read_results(path) == all);
    CHECK(tunekit::io::read_text(path) == text);
    CHECK_THROWS_AS(static_cast<void>(dispatch::read_results(folder / "none")), tunekit::error);
    CHECK_THROWS_AS(dispatch::write_results(folder / "no/such", all), tunekit::error);
}

TEST_CASE("a file that was cut or changed anywhere is refused in one line")
{
    const std::string text = dispatch::to_text(fixtures::powers(2, 2));
    for (std::size_t n = 0; n < text.size(); ++n)
        CHECK_THROWS_AS(static_cast<void>(dispatch::detail::results_in(text.substr(0, n), "results x")),
                        tunekit::error);
    for (std::size_t n = 0; n < text.size(); ++n) {
        std::string changed = text;
        changed[n] = static_cast<char>(changed[n] ^ 1);
        CHECK_THROWS_AS(static_cast<void>(dispatch::detail::results_in(changed, "results x")), tunekit::error);
    }
}

TEST_CASE("a file whose rows repeat more than 256 MiB of values is refused")
{
    std::string text = "# tunekit results 1\nkernel gemm\nversion 1\nspace ab\nsizes m\nparameters tile\nconfig 0 " +
                       std::string(1 << 20, 'v') + "\ndevice box %\n";
    for (int m = 1; m <= 260; ++m) text += std::to_string(m) + " 0 1 1 1 1 s\n";
    CHECK_THROWS_WITH_AS(
        static_cast<void>(dispatch::detail::results_in(tunekit::io::detail::with_end(std::move(text)), "results x")),
        doctest::Contains("hold more than 256 MiB of values"), tunekit::error);
}

TEST_CASE("a file whose lines do not fit is refused with the line's number")
{
    const auto refused = [](const std::string& body, const char* why) {
        const std::string text = tunekit::io::detail::with_end(
            "# tunekit results 1\nkernel gemm\nversion 1\nspace ab\nsizes m n\nparameters tile\n" + body);
        CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::detail::results_in(text, "results x")), doctest::Contains(why),
                             tunekit::error);
    };
    CHECK_NOTHROW(static_cast<void>(dispatch::detail::results_in(
        tunekit::io::detail::with_end(
            "# tunekit results 1\nkernel gemm\nversion 1\nspace ab\nsizes m n\nparameters tile\n"),
        "results x")));
    refused("1 1 0 1 1 1 1 s\n", "line 7: configuration 0 is not in the file");
    refused("config 0 4\n1 1 0 1 1 1 1 s\n", "line 8");  // without a device
    refused("config 0 4\nconfig 0 5\n", "line 8: configuration 0 is there twice");
    const std::string d = "config 0 4\ndevice box %\n";
    refused(d + "1 1 0 1 1 1 1 s\n1 1 0 1 1 1 1 s\n", "line 10: is a second row");
    refused(d + "1 2 0 1 1 1 1 s\n1 1 0 1 1 1 1 s\n", "line 10: comes before the row above it");
    refused(d + "1 1 0 1 1 1 1 q\n", "another letter");
    refused(d + "1 1 0 1 1 1 s\n", "is not a row");
    refused("config 0\ndevice box %\n1 1 0 1 1 1 1 s\n", "other values than the results");
    refused(d + "1 x 0 1 1 1 1 s\n", "not such a number");
    refused(d + "1 1 0 1 2 2 1 s\n", "low <= seconds");
    refused("config 0 4%zz\n", "is not a field");
    refused("device box\n", "wants a device and a date");
    refused("config 0 4\ndevice box a%0Ab\n1 1 0 1 1 1 1 s\n", "line 9: results: a date has several lines");
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::detail::results_in("{\"tunekit_log\":2}\n", "results run.jsonl")),
                         doctest::Contains("run.jsonl: is not a file of results"), tunekit::error);
}

TEST_CASE("the interval of a measurement")
{
    CHECK(dispatch::detail::interval_of({.cost = 2, .spread = 0.1}).low == doctest::Approx(2 - 0.196).epsilon(1e-4));
    CHECK(dispatch::detail::interval_of({.cost = 2, .spread = 5}).low == 0);
    CHECK(std::isinf(dispatch::detail::interval_of({.cost = 2}).high));
}
