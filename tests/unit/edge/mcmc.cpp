// SPDX-License-Identifier: MIT
#include "tunekit/mcmc.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/edge/sweep.hpp"
#include "tunekit/random/philox.hpp"

namespace mc = tunekit::mcmc;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using enum edge::kind;

namespace {

/// A chain of one coordinate, four walkers and the steps of `x`, walker k a little later in it than k - 1.
mc::chain chain_of(const list& x)
{
    mc::chain out{.walkers = 4,
                  .dimensions = 1,
                  .thin_by = 1,
                  .steps = x.size(),
                  .positions = {},
                  .log_prob = {},
                  .accepted = {}};
    for (std::size_t t = 0; t < x.size(); ++t)
        for (std::size_t k = 0; k < 4; ++k) out.positions.push_back(x[(t + k) % x.size()]);
    out.log_prob.resize(out.positions.size());
    out.accepted.resize(4);
    return out;
}

list wave(double scale, std::size_t n = 400)
{
    list out;
    for (std::size_t t = 0; t < n; ++t) out.push_back(scale * std::sin(1.7 * static_cast<double>(t * t % 1009)));
    return out;
}

constexpr std::size_t walkers = 12, dimensions = 2;

/// Twelve walkers in two dimensions.
list positions(double scale)
{
    list out;
    for (std::size_t i = 0; i < walkers * dimensions; ++i)
        out.push_back(scale * std::sin(0.7 * static_cast<double>(i * i + 1)));
    return out;
}

/// What a move proposes to the first set, then the factors.
template <class Move>
list proposed(const Move& move, const list& at)
{
    std::vector<std::uint32_t> order(walkers);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    const mc::view view(at, dimensions, order, move.divide().sets, 0, 0);
    list points(view.size() * dimensions), factors(view.size());
    tunekit::random::philox gen(1);
    move.propose(view, mc::proposals(points.data(), dimensions, 1), factors, gen);
    points.insert(points.end(), factors.begin(), factors.end());
    return points;
}

bool finite(const list& x)
{
    for (const double v : x)
        if (!std::isfinite(v)) return false;
    return true;
}

double log_normal(std::span<const double> x)
{
    double out = 0;
    for (const double v : x) out -= 0.5 * v * v;
    return out;
}

/// A move that is made of differences between walkers. `refusal`: what it says where squares of them are no numbers.
template <class Move>
void moves(const Move& move, std::string_view refusal = {}, bool of_its_own_scale = false)
{
    sweep s(sweep::lists);
    const list want = proposed(move, positions(1));
    for (const auto& [k, scale] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}}) {
        if (!refusal.empty()) {
            s.refuses(k, [&, by = scale] { (void)proposed(move, positions(by)); }, refusal);
            continue;
        }
        const list got = proposed(move, positions(scale));
        s.holds(k, finite(got));
        for (std::size_t i = 0; i < walkers / move.divide().sets * dimensions && !of_its_own_scale; ++i)
            s.is(k, got[i], want[i] * scale, 1e-9);
    }
    const auto ends = [&](const list& at) {
        try {
            return proposed(move, at).size() > 0;
        } catch (const tunekit::numerical_error&) {
            return true;
        }
    };
    s.holds(largest, ends(positions(huge)));
    s.holds(denormal, ends(positions(20 * tiny)));
    list bad = positions(1);
    bad[5] = nan_d;
    s.holds(not_a_number, ends(bad));
    bad[5] = inf;
    s.holds(infinite, ends(bad));
    s.holds(equal, ends(list(walkers * dimensions, 0.1)));
    // Of too few walkers, and those that are no numbers, an ensemble makes no start.
    const mc::ensemble sampler{move};
    for (const auto& [k, x] : {std::pair{not_a_number, nan_d}, {infinite, inf}}) {
        list at = positions(1);
        at[5] = x;
        s.refuses(k, [&] { (void)sampler.start(log_normal, at, dimensions); }, "a position is not finite");
    }
    s.refuses(none, [&] { (void)sampler.start(log_normal, {}, dimensions); }, "positions are not W x D");
    s.refuses(none, [&] { (void)sampler.start(log_normal, {}, 0); }, "positions are not W x D");
    for (const auto& [k, n] : {std::pair{one, 1}, {two, 2}}) {
        const list few(static_cast<std::size_t>(n) * dimensions, 0.1);
        if (move.min_walkers(dimensions) > 1)
            s.refuses(k, [&] { (void)sampler.start(log_normal, few, dimensions); }, "walkers in 2 dimensions, want");
        else s.holds(k, sampler.start(log_normal, few, dimensions).walkers() == few.size() / dimensions);
    }
}

}  // namespace

TEST_CASE("edge: mcmc::autocorrelation_times, mcmc::effective_samples")
{
    sweep s(sweep::lists);
    const auto time = [](const list& x) { return mc::autocorrelation_times(chain_of(x))[0].time; };
    const auto samples = [](const list& x) { return mc::effective_samples(chain_of(x)).samples; };
    const auto reliable = [](const list& x) { return mc::effective_samples(chain_of(x)).reliable; };
    s.scales(time, wave(1), 0, 1e-9);
    s.scales(samples, wave(1), 0, 1e-9);
    const double want = time(wave(1));
    s.is(largest, time(wave(huge)), want, 1e-9);
    s.is(denormal, time(wave(1000000 * tiny)), want, 1e-3);  // rounded to whole multiples of the least
    list bad = wave(1);
    bad[7] = nan_d;
    s.is(not_a_number, time(bad), nan_d);
    s.is(not_a_number, samples(bad), nan_d);
    s.holds(not_a_number, !reliable(bad));
    s.is(not_a_number, samples(list(400, nan_d)), nan_d);
    bad[7] = inf;
    s.is(infinite, time(bad), nan_d);
    s.is(equal, time(list(400, 0.1)), inf);
    s.is(equal, samples(list(400, 0.1)), 0);
    s.is(one, time({7}), inf);
    s.is(two, time({7, 8}), 0.5);
    s.holds(two, !reliable({7, 8}));
    s.is(none, samples({}), 0);
    list alternating;
    for (int t = 0; t < 400; ++t) alternating.push_back(t % 2 == 0 ? 1 : -1);
    s.between(equal, time(alternating), 1.0 / 400, 1);
    s.is(none, mc::effective_samples(mc::chain{}).samples, nan_d);
    mc::chain two_of_them = chain_of(wave(1));  // one coordinate that is no number does not hide behind another
    two_of_them.dimensions = 2;
    list both;
    for (const double x : two_of_them.positions) both.insert(both.end(), {nan_d, x});
    two_of_them.positions = both;
    s.is(not_a_number, mc::effective_samples(two_of_them).samples, nan_d);
}

TEST_CASE("edge: mcmc::acceptance, mcmc::mean_acceptance")
{
    sweep s(sweep::lists);
    // They count steps; positions do not matter.
    for (const auto& [k, x] : {std::pair{not_a_number, nan_d},
                               {infinite, inf},
                               {e200, 1e200},
                               {em200, 1e-200},
                               {e160, 1e160},
                               {largest, huge},
                               {denormal, tiny},
                               {equal, 0.1}}) {
        mc::chain c = chain_of({x, x, x});
        c.accepted = {0, 1, 2, 3};
        s.is(k, mc::mean_acceptance(c), 0.5);
        s.is(k, mc::acceptance(c)[1], 1.0 / 3);
    }
    for (const auto& [k, n] : {std::pair{one, 1}, {two, 2}})
        s.is(k, mc::mean_acceptance(chain_of(list(static_cast<std::size_t>(n), 1.0))), 0);
    s.is(none, mc::mean_acceptance(chain_of({})), nan_d);
    s.is(none, mc::mean_acceptance(mc::chain{}), nan_d);
}

TEST_CASE("edge: mcmc::r_hat")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) {
        const mc::chain c = chain_of(x);
        return mc::r_hat(std::span(&c, 1))[0];
    };
    s.scales(f, wave(1, 40), 0);
    const double want = f(wave(1, 40));
    s.is(largest, f(wave(huge, 40)), want);
    s.is(denormal, f(wave(1000000 * tiny, 40)), want, 1e-3);
    list bad = wave(1, 40);
    for (const double x : {nan_d, inf, -inf}) {
        bad[7] = x;
        s.is(x == x ? infinite : not_a_number, f(bad), nan_d);
    }
    s.is(
        infinite,
        mc::r_hat(8, 2,
                  [](std::size_t t, std::size_t k) { return (t + k) % 2 ? -inf : static_cast<double>(t * 7 % 5 + k); }),
        nan_d);
    s.is(equal, f(list(40, 0.1)), nan_d);
    s.is(equal, mc::r_hat(8, 2, [](std::size_t, std::size_t k) { return static_cast<double>(k); }), inf);
    s.is(one, f({7}), nan_d);
    s.is(two, f({7, 8}), nan_d);
    s.is(none, f({}), nan_d);
    s.holds(none, mc::r_hat(std::span<const mc::chain>{}).empty());
}

TEST_CASE("edge: mcmc::linearly_independent")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) { return mc::linearly_independent(x, dimensions); };
    for (const auto& [k, scale] :
         {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {largest, huge}, {denormal, 1000 * tiny}})
        s.holds(k, f(positions(scale)));
    list bad = positions(1);
    bad[5] = nan_d;
    s.holds(not_a_number, !f(bad));
    bad[5] = inf;
    s.holds(infinite, !f(bad));
    s.holds(equal, !f(list(walkers * dimensions, 0.1)));
    s.holds(one, !f({1, 2}));
    s.holds(two, !f({1, 2, 3, 5}));
    s.holds(none, !f({}));
}

TEST_CASE("edge: mcmc::ball")
{
    sweep s(sweep::lists);
    const auto f = [](const list& centre, const list& sd) {
        tunekit::random::philox gen(1);
        return mc::ball(centre, sd, 3, gen);
    };
    const double z = f({0}, {1})[0];
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}})
        s.is(k, f({x}, {x})[0], x + x * z);
    s.is(largest, f({huge}, {0})[2], huge);
    s.is(denormal, f({tiny}, {0})[1], tiny);
    s.refuses(not_a_number, [&] { (void)f({nan_d}, {1}); }, "NaN or infinite");
    s.refuses(infinite, [&] { (void)f({0}, {inf}); }, "NaN or infinite");
    s.is(equal, f({7, 7}, {0, 0})[5], 7);
    s.holds(one, f({7}, {1}).size() == 3);
    s.holds(two, f({7, 8}, {1, 1}).size() == 6);
    s.holds(none, f({}, {}).empty());
}

TEST_CASE("edge: mcmc::stretch::propose") { moves(mc::stretch{}); }
TEST_CASE("edge: mcmc::differential_evolution::propose") { moves(mc::differential_evolution{}); }
TEST_CASE("edge: mcmc::walk::propose") { moves(mc::walk{}); }
TEST_CASE("edge: mcmc::snooker::propose") { moves(mc::snooker{}); }
TEST_CASE("edge: mcmc::kde::propose") { moves(mc::kde{}, "not positive definite"); }
TEST_CASE("edge: mcmc::gaussian::propose")
{
    moves(mc::gaussian{}, {}, true);
    for (const double variance : {nan_d, inf, -1.0, 0.0})
        CHECK_THROWS((mc::gaussian{.covariance = {variance}}.check(2)));
    for (const double variance : {1e200, 1e-200, huge, tiny}) mc::gaussian{.covariance = {variance}}.check(2);
}

TEST_CASE("edge: mcmc::ensemble::start, mcmc::ensemble::run")
{
    sweep s(sweep::numbers);
    const auto runs = [](double scale, auto density) {
        const mc::ensemble sampler{mc::stretch{}};
        mc::state state = sampler.start(density, positions(scale), dimensions);
        tunekit::random::philox gen(1);
        return sampler.run(state, density, 50, gen);
    };
    for (const auto& [k, scale] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {denormal, 1e-310}}) {
        const auto density = [by = scale](std::span<const double> x) {
            return -0.5 * (x[0] / by) * (x[0] / by) - 0.5 * (x[1] / by) * (x[1] / by);
        };
        const mc::chain c = runs(scale, density);
        s.holds(k, finite(c.positions));
        s.between(k, mc::mean_acceptance(c), 0.2, 1);
    }
    const auto always = [](double value) { return [=](std::span<const double>) { return value; }; };
    s.refuses(not_a_number, [&] { (void)runs(1, always(nan_d)); }, "the log density is NaN or +inf");
    s.refuses(infinite, [&] { (void)runs(1, always(inf)); }, "the log density is NaN or +inf");
    s.refuses(infinite, [&] { (void)runs(1, always(-inf)); }, "every walker has density 0");
    s.between(largest, mc::mean_acceptance(runs(1, always(huge))), 0.2, 1);
    s.between(largest, mc::mean_acceptance(runs(1, always(-huge))), 0.2, 1);
}
