// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/choice.hpp"

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/processes/files/text.hpp"

namespace dispatch = tunekit::dispatch;

TEST_CASE("log2_steps is log2 at powers of two, increasing, and never more than 0.0861 too low")
{
    CHECK(dispatch::detail::log2_steps(1) == 0);
    CHECK(dispatch::detail::log2_steps(0) == 0);
    CHECK(dispatch::detail::log2_steps(-5) == 0);
    for (int k = 0; k < 63; ++k) CHECK(dispatch::detail::log2_steps(std::int64_t{1} << k) == std::int64_t{k} * 65536);
    std::int64_t before = -1;
    for (std::int64_t x = 1; x < 200000; ++x) {
        const std::int64_t l = dispatch::detail::log2_steps(x);
        CHECK_MESSAGE(l >= before, x);
        if (x < 65536) CHECK_MESSAGE(l > before, x);
        const double gap = std::log2(static_cast<double>(x)) - static_cast<double>(l) / 65536;
        CHECK_MESSAGE((gap > -1e-4 && gap < 0.08609), x);
        before = l;
    }
    const double top =
        static_cast<double>(dispatch::detail::log2_steps((std::numeric_limits<std::int64_t>::max)())) / 65536;
    CHECK(top == doctest::Approx(63).epsilon(1e-4));
}

TEST_CASE("a choice goes by its rungs")
{
    const auto c = fixtures::by_hand();
    const auto is = [&](const char* device, dispatch::shape_sizes at, std::uint32_t config, dispatch::rung by,
                        bool untuned = false) { CHECK(c.choose(device, at) == dispatch::pick{config, by, untuned}); };
    is("AMD, 2 cores", {8, 8, 8}, 1, dispatch::rung::exact);
    is("AMD, 2 cores", {100, 1, 2}, 0, dispatch::rung::tree);        // log2 n k / m = -5.6 is below 300000 / 65536
    is("AMD, 2 cores", {100, 4096, 4096}, 1, dispatch::rung::tree);  // 17.4 is not
    is("AMD, 2 cores", {101, 1, 1}, 2, dispatch::rung::tree);
    is("AMD, 2 cores", {4096, 4096, 4096}, 1, dispatch::rung::tree, true);
    is("AMD, 2 cores", {1, 1, 1}, 0, dispatch::rung::exact, true);
    is("a \"GPU\" \\", {1, 1, 1}, 2, dispatch::rung::exact);
    is("a \"GPU\" \\", {1, 1, 2}, 2, dispatch::rung::nearest);
    is("a \"GPU\" \\", {4096, 4096, 4096}, 0, dispatch::rung::nearest, true);
    is("a \"GPU\" \\", {32, 32, 1}, 2, dispatch::rung::nearest);  // half way: the first of equals
    CHECK(c.choose("no such device", {8, 8, 8}) ==
          dispatch::pick{2, dispatch::rung::one, false, tunekit::kinship::other});
    is("a \"GPU\" \\", {0, -7, 1}, 2, dispatch::rung::nearest);  // below 1 counts as 1
    CHECK_THROWS_AS(static_cast<void>(c.choose("AMD, 2 cores", {1, 1})), std::invalid_argument);
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::picker(c, "AMD, 2 cores")({1, 1})),
                         "tunekit: choice of gemm \\ 2: got a shape of 2 sizes, want one for each of m n k",
                         std::invalid_argument);
    CHECK(dispatch::picker()(dispatch::shape_sizes{}) ==
          dispatch::pick{0, dispatch::rung::one, false, tunekit::kinship::other});
}

TEST_CASE("a choice's file gives back the choice")
{
    const auto c = fixtures::by_hand();
    const std::string text = dispatch::to_text(c);
    CHECK(dispatch::detail::choice_in(text, "choice x") == c);
    for (std::size_t n = 0; n < text.size(); ++n)
        CHECK_THROWS_AS(static_cast<void>(dispatch::detail::choice_in(text.substr(0, n), "choice x")), tunekit::error);
    auto other = c;
    other.devices[0].tree[0].no = 0;  // would run round in a ring
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(other), "choice x")),
                         doctest::Contains("an invalid tree"), tunekit::error);
    other = c;
    other.devices[1].shapes[0].config = 3;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(other), "choice x")),
        doctest::Contains("device \"a \"GPU\" \\\" has the shape m=1 n=1 k=1 without its configuration"),
        tunekit::error);
    other = c;
    other.devices[0].tree[1].of = 8;
    CHECK_THROWS_AS(static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(other), "choice x")),
                    tunekit::error);
    other = c;
    std::swap(other.devices[0].shapes[0], other.devices[0].shapes[1]);
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(other), "choice x")),
                         doctest::Contains("has the shape m=1 n=1 k=1 behind a later one"), tunekit::error);
    other = c;
    other.one_untuned = true;
    CHECK(dispatch::detail::choice_in(dispatch::to_text(other), "choice x") == other);
    other.one = 3;
    CHECK_THROWS_AS(static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(other), "choice x")),
                    tunekit::error);
}

TEST_CASE("a choice's file that would take forever to write as a header is refused")
{
    auto c = fixtures::by_hand();
    const auto refused = [&](const char* why) {
        CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::detail::choice_in(dispatch::to_text(c), "choice x")),
                             doctest::Contains(why), tunekit::error);
    };
    auto& tree = c.devices[0].tree;
    const auto levels = [&](std::uint32_t n, bool shared) {  // shared: both ways lead to the same node, so 2^n paths
        tree.clear();
        for (std::uint32_t k = 0; k < n; ++k) tree.push_back({.of = 1, .yes = shared ? k + 1 : 2 * n - k, .no = k + 1});
        tree.resize(2 * n + 1);
    };
    levels(64, true);
    refused("an invalid tree");
    levels(1001, false);
    refused("more than 1000 levels");
    levels(1000, false);
    CHECK(dispatch::detail::choice_in(dispatch::to_text(c), "choice x") == c);
    c.devices[0].scores[0].gain = std::numeric_limits<double>::quiet_NaN();
    refused("an invalid score");
}

TEST_CASE("a program loads its own choice, and no other")
{
    const auto c = fixtures::by_hand();
    const support::temporary_folder folder;
    const std::string path = folder / "gemm.choice";
    dispatch::write_choice(path, c);
    const dispatch::loaded::wanted want{
        .kernel = c.kernel, .version = "1", .fingerprint = c.fingerprint, .device = "AMD, 2 cores"};
    const auto file = dispatch::load(path, want);
    REQUIRE(file);
    CHECK(*file.chosen == c);
    CHECK(file.device == "AMD, 2 cores");
    CHECK(file.note.empty());
    CHECK(file.refused.empty());
    const auto refused = [&](auto&& spoil, const char* why) {
        auto other = want;
        spoil(other);
        const auto none = dispatch::load(path, other);
        CHECK(!none);
        CHECK_MESSAGE(none.refused.find(why) != std::string::npos, none.refused);
        CHECK(none.refused.find('\n') == std::string::npos);
    };
    refused([](auto& w) { w.kernel = "conv"; }, "the kernel is \"gemm");
    refused([](auto& w) { w.version = "2"; }, "the kernel's version is \"1\", here \"2\"");
    refused([](auto& w) { w.fingerprint = 1; }, "the space's fingerprint is \"");
    refused([](auto& w) { w.device = "another"; },
            "does not know device \"another\", only \"AMD, 2 cores\" (an old name, from before 0.3), ");
    tunekit::io::write_text(path, dispatch::to_text(c).substr(0, 400));
    refused([](auto&) {}, "was cut");
    ::unlink(path.c_str());
    refused([](auto&) {}, "cannot be opened");
    CHECK(dispatch::load(path, want).refused.find("tunekit: ") == std::string::npos);  // one style for all
}

TEST_CASE("a choice of a kin answers, and a line says so")
{
    auto c = fixtures::by_hand();
    c.devices[0].device = "AuthenticAMD 25.17.1, 64 cores, avx512";
    const support::temporary_folder folder;
    const std::string path = folder / "gemm.choice";
    dispatch::write_choice(path, c);
    const auto load = [&](const char* device) {
        return dispatch::load(path,
                              {.kernel = c.kernel, .version = "1", .fingerprint = c.fingerprint, .device = device});
    };
    const auto file = load("AuthenticAMD 25.97.2, 2 cores, avx512");
    REQUIRE(file);
    CHECK(file.device == c.devices[0].device);
    CHECK(file.note == "choice " + path +
                           ": does not know device \"AuthenticAMD 25.97.2, 2 cores, avx512\"; its kin "
                           "\"AuthenticAMD 25.17.1, 64 cores, avx512\" answers, tune here for better");
    CHECK(file.choose({8, 8, 8}) == dispatch::pick{1, dispatch::rung::exact, false, tunekit::kinship::kin});
    CHECK(c.choose("AuthenticAMD 25.97.2, 2 cores, avx512", {8, 8, 8}) == file.choose({8, 8, 8}));
    CHECK(c.choose("AuthenticAMD 25.97.2, 2 cores, avx2", {8, 8, 8}).by == dispatch::rung::one);
    CHECK(load("AuthenticAMD 25.17.1, 64 cores, avx512").choose({8, 8, 8}).on == tunekit::kinship::same);
    CHECK(load("AuthenticAMD 25.17.1, 64 cores, avx512").note.empty());
    CHECK_FALSE(load("AuthenticAMD 26.2.1, 64 cores, avx512"));
    CHECK_FALSE(load("AuthenticAMD 25.1.1, 64 cores, avx2"));
}

TEST_CASE("a file has the choices of several kernels, and each program takes its own")
{
    std::vector<dispatch::choice> all{fixtures::by_hand(), fixtures::by_hand()};
    all[0].kernel = "conv";
    all[1].one = 0;
    const support::temporary_folder folder;
    const std::string path = folder / "both.choice";
    dispatch::write_choice(path, std::span<const dispatch::choice>(all));
    for (const auto& c : all) {
        const auto file = dispatch::load(
            path, {.kernel = c.kernel, .version = "1", .fingerprint = c.fingerprint, .device = "AMD, 2 cores"});
        REQUIRE_MESSAGE(file, file.refused);
        CHECK(*file.chosen == c);
    }
    const auto refused = [&] {
        return dispatch::load(path, {.kernel = "other", .version = "1", .fingerprint = all[0].fingerprint}).refused;
    };
    CHECK(refused() ==
          "choice " + path + ": the kernel is \"conv, gemm \\ 2\", here \"other\"; what was built in answers");
    const std::string text = tunekit::io::read_text(path);
    for (const std::size_t n : {text.size() - 1, text.find("# tunekit", 1) + 3, text.find("# tunekit", 1) - 1}) {
        tunekit::io::write_text(path, text.substr(0, n));
        CHECK_FALSE(dispatch::load(path, {.kernel = all[1].kernel, .version = "1", .fingerprint = all[1].fingerprint}));
    }
    const std::size_t second = text.find("# tunekit", 1);
    tunekit::io::write_text(path, text.substr(0, second) + "# tunekit choice 9" + text.substr(text.find('\n', second)));
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(second), '\n');
    CHECK(refused().find("choice " + path + " behind line " + std::to_string(lines)) == 0);
    CHECK_THROWS_WITH_AS(dispatch::write_choice(path, std::vector{all[0], all[0]}),
                         doctest::Contains("two choices of kernel conv"), std::invalid_argument);
    CHECK_THROWS_AS(dispatch::write_choice(path, std::span<const dispatch::choice>()), std::invalid_argument);
    tunekit::io::write_text(path, text + "more\n");
    CHECK(refused().find("choice " + path) == 0);
    CHECK(refused().find("the kernel is") == std::string::npos);
}

TEST_CASE("the environment forces a configuration, and what it names must exist")
{
    const auto c = fixtures::by_hand();
    const support::temporary_folder folder;
    const std::string path = folder / "gemm.choice";
    dispatch::write_choice(path, c);
    const auto with = [&](const char* value) {
        ::setenv("TUNEKIT_DISPATCH", value, 1);
        auto out = dispatch::load(
            path, {.kernel = c.kernel, .version = "1", .fingerprint = c.fingerprint, .device = "AMD, 2 cores"});
        ::unsetenv("TUNEKIT_DISPATCH");
        REQUIRE(out);
        return out;
    };
    const auto file = with("conv=1 gemm_\\_2=7");
    CHECK(file.choose({8, 8, 8}) == dispatch::pick{2, dispatch::rung::forced});
    CHECK(file.note.empty());
    CHECK(with("conv=7 gemm=7").choose({8, 8, 8}).by == dispatch::rung::exact);
    for (const char* const wrong : {"gemm_\\_2=1", "gemm_\\_2=", "gemm_\\_2", "gemm_\\_2=-7", "gemm_\\_2=7x"}) {
        const auto ignored = with(wrong);
        CHECK(ignored.choose({8, 8, 8}).by == dispatch::rung::exact);
        CHECK(ignored.note == std::string("TUNEKIT_DISPATCH names ") + wrong +
                                  ", want one of the 3 candidates that are kept for gemm \\ 2");
    }
}
