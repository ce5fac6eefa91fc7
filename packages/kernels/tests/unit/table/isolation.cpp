// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <algorithm>

#include <csignal>
#include <vector>

#include "packages/kernels/operators/conv2d_operators.hpp"
#include "packages/kernels/operators/product_operators.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
using tk::kernels::conv2d_config;
using tk::kernels::edge_mode;
using tk::measure::failure_kind;

namespace {

/// Proposes the given configurations in their order.
struct listed {
    std::vector<tk::index> which;

    template <class Space>
    std::size_t start(const Space&) const
    {
        return 0;
    }
    template <class Space, class G>
    std::vector<tk::index> propose(std::size_t& next, const Space&, std::size_t n, G&) const
    {
        const std::size_t end = (std::min)(which.size(), next + n);
        std::vector<tk::index> out(which.begin() + static_cast<std::ptrdiff_t>(next),
                                   which.begin() + static_cast<std::ptrdiff_t>(end));
        next = end;
        return out;
    }
    template <class Space, class G>
    void observe(std::size_t&, const Space&, std::span<const tk::index>, std::span<const tk::measure::measurement>,
                 G&) const
    {
    }
};

}  // namespace

TEST_CASE("kernels that write out of bounds or never end cost one failed trial each and change nothing else")
{
    // A convolution of 7 x 7 pixels: rows that are no multiple of most tiles.
    programs::conv2d_case on(tk::kernels::square_conv2d(16, 7, 32, 3, 1, 1), tk::kernels::hazards::included);
    const auto& space = on.space();
    const auto index = [&](const conv2d_config& c) { return tk::kernels::index_of(space, c).value(); };
    conv2d_config fast = tk::kernels::default_config(tk::kernels::square_conv2d(16, 7, 32, 3, 1, 1), kernel_table());
    fast.mr = 3;
    fast.oh_block = 7;
    std::vector<conv2d_config>
        good;  // one fast one among slow ones: a single pixel by a single vector, input channels one by one
    for (const auto order :
         {tk::kernels::loop_order::ori, tk::kernels::loop_order::rio, tk::kernels::loop_order::iro}) {
        conv2d_config c{.mr = 1, .nv = 1, .vl = fast.vl, .ku = 1, .ic_block = 1, .ic_chunk = 1, .order = order};
        good.push_back(c);
    }
    conv2d_config overrun = fast, endless = fast;
    overrun.edge = edge_mode::overrun;
    endless.ku = 0;

    auto measure = tk::measure::isolated(
        space, tk::measure::timed{on.kernel(), tk::measure::until_confident{.max_runs = 15}, on.check()},
        {.canaries = on.canaries()});
    tk::random::philox gen(1);
    const auto in_threes = [](const listed& all) {  // a crash under a sanitizer takes long to report
        return tk::recipe{all, tk::measure::fixed{}, {.max_run_seconds = 2}, 3};
    };
    const listed sound{{index(good[0]), index(fast), index(good[1]), index(good[2])}};
    const listed mixed{{index(good[0]), index(overrun), index(fast), index(endless), index(good[1]), index(good[2])}};
    const auto without = tk::tune(space, measure, in_threes(sound), {}, gen);
    const auto with = tk::tune(space, measure, in_threes(mixed), {}, gen);

    REQUIRE(without.failed() == 0);
    CHECK(without.incumbent().candidate == index(fast));
    REQUIRE(with.trials().size() == 6);
    CHECK(with.failed() == 2);
    CHECK(with.incumbent().candidate == without.incumbent().candidate);
    const auto& beyond = with.trials()[1].measured;
    REQUIRE(beyond.failed);
    // A sanitizer turns the crash into an exit with a report.
    CHECK((beyond.failed->kind == failure_kind::damaged_canary || beyond.failed->kind == failure_kind::crash ||
           beyond.failed->kind == failure_kind::exited));
    CHECK_MESSAGE(!beyond.failed->message.empty(), "says what happened");
    REQUIRE(with.trials()[3].measured.failed);
    CHECK(with.trials()[3].measured.failed->kind == failure_kind::run_timeout);
    for (const std::size_t k : {0U, 2U, 4U, 5U}) CHECK(with.trials()[k].measured.ok());
}

TEST_CASE("a matrix product is measured, checked and isolated like a convolution")
{
    programs::gemm_case on(tk::kernels::gemm_shape{.m = 31, .n = 45, .k = 20});
    auto measure = tk::measure::isolated(
        on.space(), tk::measure::timed{on.kernel(), tk::measure::until_confident{.max_runs = 15}, on.check()},
        {.canaries = on.canaries()});
    tk::random::philox gen(4);
    const auto sample = on.space().sample(20, gen);
    for (const auto& m : measure.measure(sample, {})) CHECK(m.ok());
    const auto untuned = measure.measure(std::vector<tk::index>{on.default_index()}, {});
    CHECK(untuned[0].ok());
}
