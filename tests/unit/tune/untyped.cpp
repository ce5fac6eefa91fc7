// SPDX-License-Identifier: MIT

// What a strategy sees of a space: the library's strategies a product without its types, anybody else's the product.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

const tk::space::product tiles{tk::space::integers<"a">(1, 12), tk::space::powers_of_two<"b">(1, 64),
                               tk::space::where<"a", "b">([](int a, int b) { return a * b <= 256; })};
using product = std::remove_const_t<decltype(tiles)>;

/// Answers by index; every fifth fails.
struct by_number {
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) {
            tk::measure::measurement m{.cost = 1e-3 * static_cast<double>(1 + (i * 37) % 101), .runs = 1};
            if (i % 5 == 4) m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 0, ""};
            out.push_back(m);
        }
        return out;
    }
};

/// A strategy that reads typed configurations: those of an even a, in order.
struct reads_values {
    struct state {
        tk::index next = 0;
    };
    template <class Space>
    state start(const Space&) const
    {
        return {};
    }
    template <class Space, class G>
    std::vector<tk::index> propose(state& s, const Space& space, std::size_t, G&) const
    {
        for (; s.next < space.size(); ++s.next)
            if (tk::get<"a">(space.at(s.next)) % 2 == 0) return {s.next++};
        return {};
    }
    template <class Space, class G>
    void observe(state&, const Space&, std::span<const tk::index>, std::span<const tk::measure::measurement>, G&) const
    {
    }
};

static_assert(std::is_same_v<tk::detail::seen_by<tk::search::annealing, product>, tk::space::detail::grid>);
static_assert(std::is_same_v<tk::detail::seen_by<reads_values, product>, product>);
static_assert(std::is_same_v<tk::detail::seen_by<tk::search::annealing, tk::space::any_space>, tk::space::any_space>);

template <class S>
void same_everywhere(const S& strategy)
{
    constexpr tk::budget limit{.trials = 60};
    by_number measure;
    std::vector<std::vector<tk::measure::trial>> trials;
    std::vector<std::uint64_t> next;
    const auto keep = [&](const tk::tuning& t, tk::random::philox gen) {
        trials.push_back(t.trials());
        next.push_back(gen());
    };
    tk::random::philox one(7), two(7);
    const tk::detail::configurations<product> first{tiles.at(11), tiles.at(3)};
    keep(tk::tune(tiles, measure, strategy, limit, one, {.begin_with = first}), one);
    keep(tk::tune(tk::space::any_space(tiles), measure, strategy, limit, two, {.begin_with = {11, 3}}), two);
    tk::tuner t(tiles, strategy, limit, tk::random::philox(7));
    t.begin_with(first);
    tk::tune(t, measure);
    keep(t.record(), t.generator());
    REQUIRE(trials.front().size() == 60);
    CHECK(trials.front().front().candidate == 11);
    for (std::size_t k = 1; k < trials.size(); ++k) {
        CHECK(next[k] == next.front());
        REQUIRE(trials[k].size() == 60);
        for (std::size_t i = 0; i < 60; ++i) CHECK(trials[k][i].candidate == trials.front()[i].candidate);
    }
}

}  // namespace

TEST_CASE("a run over a product, over a tuner's and over the same space behind any_space propose alike")
{
    same_everywhere(tk::search::annealing{});
    same_everywhere(tk::search::genetic{});
    same_everywhere(tk::search::grid{});
    same_everywhere(tk::search::hill_climb{});
    same_everywhere(tk::search::random{});
}

TEST_CASE("a strategy of one's own may read typed configurations")
{
    by_number measure;
    tk::random::philox gen(1);
    const auto found = tk::tune(tiles, measure, reads_values{}, {.trials = 9}, gen);
    REQUIRE(found.trials().size() == 9);
    for (const auto& t : found.trials()) CHECK(tk::get<"a">(tiles.at(t.candidate)) % 2 == 0);
}

TEST_CASE("a copy of a tuner over a product is a run of its own")
{
    tk::tuner t(tiles, tk::search::annealing{}, {.trials = 20}, tk::random::philox(3));
    tk::tuner copy = t;
    {
        const tk::tuner gone = std::move(t);  // the copy and what was moved refer to no space outside of them
        CHECK(gone.space().size() == tiles.size());
    }
    by_number measure;
    tk::tune(copy, measure);
    CHECK(copy.record().trials().size() == 20);
}

TEST_CASE("the generator comes back from a run that ends by an exception")
{
    struct broken {
        std::size_t left = 5;
        std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
        {
            if (left-- == 0) throw tk::error("broken");
            return std::vector<tk::measure::measurement>(batch.size(), {.cost = 1, .runs = 1});
        }
    } measure;
    tk::random::philox gen(5), untouched(5);
    CHECK_THROWS_AS((void)tk::tune(tiles, measure, tk::search::random{}, {.trials = 60}, gen), tk::error);
    CHECK(gen() != untouched());
}
