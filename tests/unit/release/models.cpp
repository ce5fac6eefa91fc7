// SPDX-License-Identifier: MIT
// Hostile numbers to models, samplers, forecasts and fits, without assertions.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tests/unit/release/outcome.hpp"
#include "tunekit/curve.hpp"
#include "tunekit/linalg/levenberg_marquardt.hpp"
#include "tunekit/mcmc.hpp"
#include "tunekit/random.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace {

namespace tk = tunekit;
using numbers = std::vector<double>;
using floats = std::vector<float>;
using enum outcome;

const floats eight{1, 2, 3, 4, 5, 6, 7, 8};
const numbers huge{1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308, 1e308};

/// What a model fitted to `rows` of d features says of the rows `at`.
template <class Model>
auto learns(Model model, floats rows, std::size_t d, numbers targets, floats at)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        auto s = model.start(d);
        model.fit(s, tk::surrogate::features(rows, d), targets, gen);
        std::vector<tk::stats::prediction> said(at.size() / d);
        model.predict(s, tk::surrogate::features(at, d), said);
        numbers out;
        for (const auto& p : said) out.insert(out.end(), {p.mean, p.sd});
        return out;
    };
}

template <class Model>
void check_model(Model model)
{
    check_all({
        {"one sample", answered, learns(model, {1, 2}, 2, {3}, {1, 2, 5, 5})},
        {"no sample", refused, learns(model, {}, 2, {}, {1, 2})},
        {"equal features", answered, learns(model, floats(16, 1.0F), 2, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 1})},
        {"equal targets", answered, learns(model, eight, 1, numbers(8, 0.25), {1, 9})},
        {"a feature is NaN", refused, learns(model, {1, nan_f, 3, 4, 5, 6, 7, 8}, 1, {1, 2, 3, 4, 5, 6, 7, 8}, {3})},
        {"features are infinite", refused,
         learns(model, {1, inf_f, 3, -inf_f, 5, 6, 7, 8}, 1, {1, 2, 3, 4, 5, 6, 7, 8}, {3})},
        {"a target is NaN", refused, learns(model, eight, 1, {1, nan_d, 3, 4, 5, 6, 7, 8}, {1, 3})},
        {"a target is infinite", refused, learns(model, eight, 1, {1, -inf, 3, 4, 5, 6, 7, 8}, {1, 3})},
        {"targets of 1e308", refused, learns(model, eight, 1, huge, {1, 3})},
        {"denormal targets", answered,
         learns(model, eight, 1, {5e-324, 1e-320, 5e-324, 1e-310, 0, 0, 5e-324, 1e-322}, {1, 3})},
        {"sizes that differ", refused, learns(model, {1, 2, 3}, 1, {1, 2}, {1})},
        {"no features", refused, [=]() -> numbers { return {(static_cast<void>(model.start(0)), 0.0)}; }},
        {"predict before fit", refused,
         [=]() -> numbers {
             const auto s = model.start(1);
             const floats at{1};
             std::vector<tk::stats::prediction> p(1);
             model.predict(s, tk::surrogate::features(at, 1), p);
             return {p[0].mean, p[0].sd};
         }},
    });
}

using density = std::function<double(std::span<const double>)>;

auto walks(density of, numbers from, std::size_t d, std::size_t steps = 100)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        const tk::mcmc::ensemble sampler{tk::mcmc::stretch{}};
        auto s = sampler.start(of, from, d);
        const auto chain = sampler.run(s, of, steps, gen);
        return {tk::mcmc::mean_acceptance(chain), tk::mcmc::effective_samples(chain).samples};
    };
}

auto forecasts(numbers best, double horizon, double peak)
{
    return [=]() -> numbers {
        tk::random::philox gen(1);
        const auto f = tk::curve::belief<>{}.predict(best, horizon, peak, gen);
        return {f.mean, f.sd, f.last, f.expected_improvement};
    };
}

/// A problem of one direction: it is singular in all others.
struct singular {
    double value;
    tk::linalg::normal_equations operator()(const tk::linalg::vector& p) const
    {
        tk::linalg::normal_equations e;
        e.sum_of_squares = value + p.sum() * p.sum();
        e.gradient = tk::linalg::vector::Constant(p.size(), p.sum());
        e.hessian = tk::linalg::matrix::Constant(p.size(), p.size(), 1);
        return e;
    }
};

auto fits(double value, double low, double high, int d, double from)
{
    return [=]() -> numbers {
        const auto all = [d](double x) { return tk::linalg::vector(tk::linalg::vector::Constant(d, x)); };
        const auto fit = tk::linalg::levenberg_marquardt{}.minimize(singular{value}, all(from), all(low), all(high));
        return {fit.at.sum_of_squares};
    };
}

}  // namespace

TEST_CASE("release: forests") { check_model(tk::surrogate::random_forest{.trees = 10}); }

TEST_CASE("release: a forest of no trees")
{
    check_all({{"no trees", refused, []() -> numbers {
                    return {(static_cast<void>(tk::surrogate::random_forest{.trees = 0}.start(1)), 0.0)};
                }}});
}

TEST_CASE("release: boosted trees") { check_model(tk::surrogate::boosted_trees{}); }

TEST_CASE("release: an ensemble of walkers that cannot walk")
{
    const density normal = [](std::span<const double> p) {
        double s = 0;
        for (const double x : p) s -= 0.5 * x * x;
        return s;
    };
    const auto always = [](double value) -> density { return [=](std::span<const double>) { return value; }; };
    const numbers at{0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8};
    check_all({
        {"a density of 0", refused, walks(always(-inf), at, 2)},
        {"a density of NaN", refused, walks(always(nan_d), at, 2)},
        {"an infinite density", refused, walks(always(inf), at, 2)},
        {"NaN in half of the places", refused,
         walks([](std::span<const double> p) { return p[0] > 0.3 ? nan_d : -p[0] * p[0]; },
               {0, 0, 0.1, 0.1, 0.2, 0.2, -0.1, 0}, 2)},
        {"one walker", refused, walks(normal, {0.1, 0.2}, 2)},
        {"two walkers", refused, walks(normal, {0.1, 0.2, 0.3, 0.4}, 2)},
        {"no walker", refused, walks(normal, {}, 2)},
        {"no dimension", refused, walks(normal, at, 0)},
        {"half a walker", refused, walks(normal, numbers(7, 0.1), 2)},
        {"equal walkers", refused, walks(normal, numbers(8, 0.5), 2)},
        {"a position is NaN", refused, walks(normal, {nan_d, 0, 1, 2, 3, 4, 5, 6}, 2)},
        {"positions of 1e308", refused, walks(normal, huge, 2)},
        {"no steps", not_a_number, walks(normal, at, 2, 0)},
        {"one step", answered, walks(normal, at, 2, 1)},
        {"a flat density", answered, walks(always(0), at, 2)},
    });
}

TEST_CASE("release: forecasts of curves that no run has")
{
    const numbers rising{1, 2, 3, 4, 5, 6, 7};
    check_all({
        {"no point", answered, forecasts({}, 10, 1)},
        {"one point", answered, forecasts({1}, 10, 2)},
        {"constant", answered, forecasts(numbers(30, 1.0), 40, 2)},
        {"zeros", answered, forecasts(numbers(30, 0.0), 40, 2)},
        {"a point is NaN", refused, forecasts({1, nan_d, 2}, 10, 3)},
        {"a point is infinite", refused, forecasts({1, 2, inf}, 10, 3)},
        {"a falling curve", answered, forecasts({3, 2, 1, 1, 1, 1, 1}, 10, 3)},
        {"a peak below the last point", answered, forecasts(rising, 10, 3)},
        {"an infinite peak", answered, forecasts(rising, 10, inf)},
        {"a peak of NaN", answered, forecasts(rising, 10, nan_d)},
        {"a horizon that is past", refused, forecasts({1, 2, 3}, 2, 5)},
        {"a horizon of 1e308", refused, forecasts(rising, 1e308, 10)},
        {"a horizon of NaN", refused, forecasts({1, 2, 3}, nan_d, 10)},
        {"points of 1e308", refused, forecasts({1e307, 5e307, 1e308, 1e308, 1e308, 1e308}, 10, 1.7e308)},
        {"denormal points", answered, forecasts({5e-324, 1e-323, 1e-322, 1e-321, 1e-320, 1e-319}, 10, 1e-318)},
    });
}

TEST_CASE("release: least squares without an answer")
{
    check_all({
        {"singular", answered, fits(1, -10, 10, 3, 5)},
        {"a sum of NaN", not_a_number, fits(nan_d, -10, 10, 3, 5)},
        {"a box of NaN", refused, fits(1, nan_d, 10, 3, 5)},
        {"a crossed box", refused, fits(1, 10, -10, 3, 5)},
        {"a start of NaN", not_a_number, fits(1, -10, 10, 3, nan_d)},
        {"an infinite box", infinite, fits(1, -inf, inf, 3, 1e308)},
        {"no parameter", answered, fits(1, -1, 1, 0, 0)},
    });
}
