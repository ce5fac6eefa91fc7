// SPDX-License-Identifier: MIT
#include "tunekit/random/fill.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace tkr = tunekit::random;

static_assert(tkr::detail::bulk_generator<tkr::philox>);
static_assert(!tkr::detail::bulk_generator<std::mt19937_64>);

namespace {

// Bulk and single draws from equal generators agree in values and in what follows, for lengths around lane, refill and
// chunk sizes and from odd positions.
template <class T, class G, class Fill, class Draw>
void check_fill(G start, Fill fill, Draw draw)
{
    for (const std::size_t skip : {0U, 1U, 5U, 15U, 16U, 17U}) {
        for (const std::size_t n : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 33U, 127U, 128U, 129U, 1000U}) {
            G one = start;
            for (std::size_t i = 0; i < skip; ++i) static_cast<void>(one());
            G many = one;
            std::vector<T> got(n), want;
            fill(got, many);
            for (std::size_t i = 0; i < n; ++i) want.push_back(draw(one));
            CAPTURE(skip);
            CAPTURE(n);
            CHECK(got == want);
            CHECK((many == one));
            CHECK(many() == one());
        }
    }
}

template <class G>
void check_fills(const G& gen)
{
    check_fill<std::uint64_t>(gen, [](auto& out, G& g) { tkr::fill_bits(out, g); }, [](G& g) { return tkr::bits(g); });
    check_fill<double>(
        gen, [](auto& out, G& g) { tkr::fill_uniform_01(out, g); }, [](G& g) { return tkr::uniform_01(g); });
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{100}, (std::uint64_t{1} << 63) + 1}) {
        check_fill<std::uint64_t>(
            gen, [n](auto& out, G& g) { tkr::fill_uniform_index(out, n, g); },
            [n](G& g) { return tkr::uniform_index(n, g); });
    }
    check_fill<std::uint32_t>(
        gen, [](auto& out, G& g) { tkr::fill_uniform_index(out, 1000, g); },
        [](G& g) { return static_cast<std::uint32_t>(tkr::uniform_index(1000, g)); });
    check_fill<double>(gen, [](auto& out, G& g) { tkr::fill_normal(out, g); }, [](G& g) { return tkr::normal(g); });
    check_fill<float>(
        gen, [](auto& out, G& g) { tkr::fill_normal(out, g); },
        [](G& g) { return static_cast<float>(tkr::normal(g)); });
}

}  // namespace

TEST_CASE("filling equals drawing one by one, with philox")
{
    check_fills(tkr::philox(3));
    check_fills(tkr::philox(3, {0xfffffff0, 0xffffffff, 7, 0}));  // the counter carries on the way
}

TEST_CASE("filling indices rejects what single draws reject: draws 0, 1, 2, ... of which the first ones are too small")
{
    struct rising {
        using result_type = std::uint64_t;
        std::uint64_t next = 0;
        static constexpr result_type(min)() { return 0; }
        static constexpr result_type(max)() { return ~result_type{0}; }
        result_type operator()() { return next++; }
        void fill(std::span<std::uint64_t> out)
        {
            for (auto& x : out) x = next++;
        }
    };
    static_assert(tkr::detail::bulk_generator<rising>);
    for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{4294967295}, (std::uint64_t{1} << 40) + 1}) {
        rising one, many;
        std::vector<std::uint64_t> got(300), want;
        tkr::fill_uniform_index(got, n, many);
        for (std::size_t i = 0; i < got.size(); ++i) want.push_back(tkr::uniform_index(n, one));
        CHECK(got == want);
        CHECK(many.next == one.next);
        CHECK(many.next > 300);  // 2^64 mod n is not 0: draw 0 was rejected
    }
}

TEST_CASE("filling equals drawing one by one, with an engine of std") { check_fills(std::mt19937_64(3)); }

TEST_CASE("filling 100 000 normals equals drawing them, through tails and wedges")
{
    tkr::philox one(9), many(9);
    std::vector<double> got(100000), want;
    tkr::fill_normal(got, many);
    for (std::size_t i = 0; i < got.size(); ++i) want.push_back(tkr::normal(one));
    CHECK(got == want);
    CHECK((many == one));
}
