// SPDX-License-Identifier: MIT
#include "tunekit/random/uniform.hpp"

#include <doctest/doctest.h>

#include <array>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/taus88.hpp>
#include <cstdint>
#include <random>

#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace tkr = tunekit::random;

static_assert(tk::generator<std::mt19937> && tk::generator<std::mt19937_64> && tk::generator<std::minstd_rand>);
static_assert(tk::generator<std::ranlux24> && tk::generator<std::knuth_b>);
static_assert(!tk::generator<int> && !tk::generator<std::uniform_int_distribution<int>>);

namespace {

/// Gives 0, 1, ..., Last, 0, ...: every value once per turn.
template <std::uint32_t First, std::uint32_t Last>
struct counting {
    using result_type = std::uint32_t;
    std::uint32_t next = First;
    static constexpr result_type(min)() { return First; }
    static constexpr result_type(max)() { return Last; }
    result_type operator()() { return next == Last ? (next = First, Last) : next++; }
};

/// Pearson's statistic of `cells` equally likely outcomes.
template <std::size_t cells, class Draw>
double chi_squared(int n, Draw draw)
{
    std::array<double, cells> seen{};
    for (int i = 0; i < n; ++i) ++seen[draw()];
    double out = 0;
    const double expected = double{static_cast<double>(n)} / double{cells};
    for (const double s : seen) out += (s - expected) * (s - expected) / expected;
    return out;
}

}  // namespace

TEST_CASE("bits takes a 64-bit engine's draws as they are and joins two 32-bit ones, high half first")
{
    std::mt19937_64 a(1), b(1);
    CHECK(tkr::bits(a) == b());
    std::mt19937 c(1), d(1);
    const std::uint64_t high = d();
    CHECK(tkr::bits(c) == (high << 32 | d()));
}

TEST_CASE("bits draws from odd ranges without bias: an engine over [3, 8] gives two fair bits of each four values")
{
    counting<3, 8> gen;  // 6 values: 2 bits, the draws 7 and 8 are rejected
    std::uint64_t want = 0;
    for (std::uint64_t i = 0; i < 32; ++i) want = want << 2 | i % 4;
    CHECK(tkr::bits(gen) == want);
}

TEST_CASE("engines of std and Boost give fair bytes: chi-squared of 256 cells, p(false alarm) < 1e-6")
{
    // chi-squared with 255 degrees of freedom exceeds 378 with probability 1e-6
    const auto statistic = [](auto gen, int shift) {
        return chi_squared<256>(100000, [&] { return (tkr::bits(gen) >> shift) & 255; });
    };
    for (const int shift : {0, 24, 32, 56}) {
        CHECK(statistic(std::minstd_rand(7), shift) < 378);  // [1, 2^31 - 2]
        CHECK(statistic(std::ranlux24(7), shift) < 378);
        CHECK(statistic(boost::random::mt19937(7), shift) < 378);
        CHECK(statistic(boost::random::taus88(7), shift) < 378);
        CHECK(statistic(tkr::philox(7), shift) < 378);
    }
}

TEST_CASE("uniform_01 is the upper 53 bits of a draw, in [0, 1)")
{
    counting<0, 0xffffffff> gen;
    CHECK(tkr::uniform_01(gen) == 0);
    gen.next = 0xfffffffe;
    CHECK(tkr::uniform_01(gen) == (4294967294.0 * 0x1p32 + 4294965248.0) * 0x1p-64);
    struct ones {
        using result_type = std::uint64_t;
        static constexpr result_type(min)() { return 0; }
        static constexpr result_type(max)() { return ~result_type{0}; }
        result_type operator()() { return ~result_type{0}; }
    } last;
    CHECK(tkr::uniform_01(last) == 1 - 0x1p-53);
}

TEST_CASE("uniform_index is unbiased over 3 * 2^62 values: the halves of its range, p(false alarm) < 1e-6")
{
    // A biased `draw * n >> 64` would favour every third result twofold: n draws of residue 0 with p = 1/3 against 1/2.
    tkr::philox gen(5);
    const std::uint64_t n = 3 * (std::uint64_t{1} << 62);
    CHECK(chi_squared<3>(30000, [&] { return tkr::uniform_index(n, gen) % 3; }) < 27.7);  // 2 degrees of freedom
}

TEST_CASE("uniform_index over 10 values is uniform: chi-squared, p(false alarm) < 1e-6")
{
    tkr::philox gen(6);
    CHECK(chi_squared<10>(100000, [&] { return tkr::uniform_index(10, gen); }) < 47);  // 9 degrees: 46.7
    CHECK(tkr::uniform_index(1, gen) == 0);
}
