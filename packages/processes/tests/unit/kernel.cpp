// SPDX-License-Identifier: MIT
#include "tunekit/processes/tune_kernel.hpp"

#include <unistd.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "tunekit/processes/front_door.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

namespace {

/// A number below n that this process has drawn.
int drawn(unsigned n)
{
    tk::random::philox gen(static_cast<std::uint64_t>(::getpid()));
    return static_cast<int>(gen() % n);
}

}  // namespace

TEST_CASE("a kernel is measured as its recipe says, in a child process, and checked")
{
    const tk::space::product space{tk::space::integers<"n">(1, 6)};
    const auto kernel = [](const auto& p) {
        if (tk::get<"n">(p) == 2) __builtin_trap();
        return 1e-3 * tk::get<"n">(p);  // reports its seconds
    };
    const tk::recipe how{tk::search::grid{}, tk::measure::fixed{.runs = 4, .batch = 2}};
    tk::random::philox gen(1);
    const auto plain = tk::tune(space, kernel, how, {.trials = 6}, gen);
    CHECK(plain.failed() == 1);
    CHECK(plain.incumbent().candidate == 0);
    CHECK(plain.incumbent().measured.runs == 4);
    std::size_t seen = 0;
    const auto checked = tk::tune(space, kernel, how, [](const auto& p) { return tk::get<"n">(p) != 1; }, {.trials = 6},
                                  gen, {.watch = [&](const tk::tuning&) { ++seen; }});
    CHECK(checked.failed() == 2);
    CHECK(checked.incumbent().candidate == 2);
    CHECK(seen == 6);
}

TEST_CASE("the front door takes a space, a kernel and a budget, and options")
{
    const tk::space::product space{tk::space::integers<"n">(1, 6)};
    const auto kernel = [](const auto& p) { return 1e-3 * tk::get<"n">(p); };
    CHECK(tk::tune(space, kernel, {.trials = 6}).incumbent().candidate == 0);
    std::size_t seen = 0;
    const auto found = tk::tune(space, kernel, {.trials = 6},
                                {.watch = [&](const tk::tuning&) { ++seen; }, .baseline = space.of(tk::value<"n">(4))});
    CHECK(seen == 6);
    CHECK(found.trials()[0].candidate == 3);
    CHECK(
        to_text(found).starts_with("best of 6: n 1, 1 ms (the baseline takes 4 ms, 4 times as long); separated from "));
    CHECK(found.verdict().says == tk::verdict::kind::separated);
    CHECK(found.verdict().rounds >= 8);
    CHECK(found.rounds.size() == found.verdict().rounds);
    CHECK(found.trials().size() == 6);
}

TEST_CASE("each round of the race at the end has a fresh worker, whose bias it does not keep")
{
    const tk::space::product space{tk::space::integers<"n">(0, 3)};
    // Every worker favours one configuration by 4 %, another by chance; the true costs are equal but for n = 3.
    const auto kernel = [](const auto& p) {
        const int n = tk::get<"n">(p);
        return 1e-3 * (n == 3 ? 2 : 1) * (n == drawn(3) ? 0.96 : 1);
    };
    const auto found = tk::tune(space, kernel, {.trials = 4});
    CHECK(found.verdict().says == tk::verdict::kind::tied);
    CHECK(found.verdict().tied.size() == 2);
    CHECK(found.verdict().finalists == 4);
}

TEST_CASE("a run with a baseline ends with it unless another was shown to be faster, and one word switches that off")
{
    const tk::space::product space{tk::space::integers<"n">(0, 4)};
    const auto kernel = [](const auto& p) { return 1e-3 * (1 + 0.002 * tk::get<"n">(p) * (drawn(2) == 0 ? -1 : 1)); };
    const auto same = tk::tune(space, kernel, {.trials = 5}, {.baseline = 2});
    CHECK(same.best_index() == 2);
    CHECK(same.verdict().says == tk::verdict::kind::tied);
    const auto changed = tk::tune(space, kernel, {.trials = 5}, {.baseline = 2, .race = false, .may_be_worse = true});
    CHECK(changed.verdict().says == tk::verdict::kind::not_raced);
    CHECK(changed.best_index() == changed.incumbent().candidate);
    CHECK(changed.best_index() != 2);
}

TEST_CASE("a budget that leaves no time for a race says so, and what would make it clear")
{
    const tk::space::product space{tk::space::integers<"n">(0, 3)};
    const auto kernel = [](const auto& p) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return 1e-3 * (1 + tk::get<"n">(p));
    };
    const auto found = tk::tune(space, kernel, {.trials = 4, .seconds = 1e-3});
    CHECK(found.verdict().says != tk::verdict::kind::tied);
    CHECK(found.verdict().rounds == 0);
    tk::random::philox gen(1);
    const auto stopped =
        tk::tune(space, kernel, tk::recipe{tk::search::grid{}, tk::measure::fixed{.runs = 1}, {}, 1}, {.trials = 9},
                 gen, {.watch = [](const tk::tuning& r) { return r.trials().size() == 2; }});
    CHECK(stopped.verdict().says == tk::verdict::kind::not_raced);  // its caller ended it
}
