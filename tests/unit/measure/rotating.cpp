// SPDX-License-Identifier: MIT
#include "tunekit/measure/rotating.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/measure/timed.hpp"

namespace measure = tunekit::measure;

TEST_CASE("rotating: as many copies as the bytes ask for and one more, each apart from the others, in turn")
{
    const measure::rotating<float> of(100, 4096);  // 400 bytes take 448
    CHECK(of.size() == 100);
    CHECK(of.copies() == 11);  // 10 of 448 bytes exceed 4096
    std::set<const float*> seen;
    for (std::uint64_t turn = 0; turn < of.copies(); ++turn) {
        const std::span<float> one = of.at(turn);
        CHECK(one.size() == 100);
        CHECK(reinterpret_cast<std::uintptr_t>(one.data()) % 64 == 0);
        for (const float* const other : seen) CHECK((one.data() + 100 <= other || other + 100 <= one.data()));
        seen.insert(one.data());
    }
    CHECK(seen.size() == of.copies());
    CHECK(of.at(11).data() == of.at(0).data());
    CHECK(of.at(std::uint64_t{11} * 1000000007 + 3).data() == of.at(3).data());
}

TEST_CASE("rotating: between two turns of a copy more bytes are touched than the caches hold")
{
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20, std::size_t{40} << 20}) {
        const measure::rotating<unsigned char> of(n);
        CHECK((of.copies() - 1) * (n + 63) >= measure::beyond_caches());
        CHECK(of.copies() >= 2);
    }
}

TEST_CASE("rotating: every copy holds what it was filled with, also after a move")
{
    std::vector<int> content(33);
    for (int i = 0; i < 33; ++i) content[static_cast<std::size_t>(i)] = i * i;
    measure::rotating<int> of(33, 1000);
    for (const int x : of.at(4)) CHECK(x == 0);
    of.fill(content);
    const int* const before = of.at(2).data();
    const measure::rotating<int> moved = std::move(of);
    CHECK(moved.at(2).data() == before);
    for (std::uint64_t turn = 0; turn < moved.copies(); ++turn)
        CHECK(std::vector<int>(moved.at(turn).begin(), moved.at(turn).end()) == content);
}

TEST_CASE("rotating refuses nothing at all and content of another size")
{
    CHECK_THROWS_AS(measure::rotating<int>(0), std::invalid_argument);
    measure::rotating<int> of(3, 100);
    CHECK_THROWS_AS(of.fill(std::vector<int>{1, 2}), std::invalid_argument);
}

TEST_CASE("timed gives each run the next copy, the checked one copy 0")
{
    const measure::rotating<int> of(16, 200);
    std::vector<std::size_t> used;
    std::vector<std::size_t> checked;
    const auto kernel = [&](int) {
        return [&](std::uint64_t turn) {
            ++of.at(turn)[0];
            used.push_back(turn % of.copies());
        };
    };
    const auto check = [&] {
        for (std::size_t k = 0; k < of.copies(); ++k)
            if (of.at(k)[0] != 0) checked.push_back(k);
        return true;
    };
    measure::timed how{kernel, measure::fixed{.runs = 20, .batch = 1}, check, measure::wall_clock{},
                       measure::timed_options{.min_steps = 0}};
    REQUIRE(how(0, {}).ok());
    CHECK(checked == std::vector<std::size_t>{0});
    REQUIRE(used.size() >= 21);
    for (std::size_t k = 0; k < used.size(); ++k) CHECK(used[k] == k % of.copies());
}

namespace {

/// One step of a walk over memory. It lies in a cache line of its own and holds the position of the next one.
struct alignas(64) cache_line {
    std::uint32_t next = 0;
};

/// The least seconds of 21 walks over 256 KiB under a cache policy: one dependent load per cache line, in an order that no
/// prefetcher guesses. Disturbance only adds time.
double walk_seconds(bool turning, measure::cache state)
{
    constexpr std::uint32_t lines = 4096;
    measure::rotating<cache_line> memory(lines);
    std::set<std::uint32_t> seen;
    for (std::size_t k = 0; k < memory.copies(); ++k)
        for (std::uint32_t i = 0; i < lines; ++i) memory.at(k)[i].next = (i * 1229 + 2531) % lines;
    for (std::uint32_t at = 0; seen.insert(at).second;) at = memory.at(0)[at].next;
    REQUIRE(seen.size() == lines);
    const auto load = [&](int) {
        return [&](std::uint64_t turn) {
            const auto copy = memory.at(turning ? turn : 0);
            std::uint32_t at = 0;
            for (std::size_t k = 0; k < copy.size(); ++k) at = copy[at].next;
            measure::keep(at);
        };
    };
    measure::timed how{load, measure::fixed{.runs = 21, .batch = 1}, measure::no_check{}, measure::wall_clock{},
                       measure::timed_options{.state = state, .min_steps = 0}};
    const measure::measurement m = how(0, {.run_seconds = 600});
    REQUIRE(m.ok());
    return *std::min_element(m.batches.begin(), m.batches.end());
}

}  // namespace

TEST_CASE("cache policies work on this machine: the least of 21 runs, cold and rotating half as long again as warm")
{
    const double warm = walk_seconds(false, measure::cache::warm);
    const double cold = walk_seconds(false, measure::cache::cold);
    const double rotating = walk_seconds(true, measure::cache::warm);
    INFO("warm " << warm << " s, cold " << cold << " s, rotating " << rotating << " s");
    CHECK(warm > 0);
    CHECK(cold > 1.5 * warm);
    CHECK(rotating > 1.5 * warm);
}
