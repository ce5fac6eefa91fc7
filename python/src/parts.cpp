// SPDX-License-Identifier: MIT
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "tools/support/names.hpp"
#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/bandit/ucb1.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace nb = nanobind;
namespace tk = tunekit;
using namespace nb::literals;

namespace python {

namespace {

using generator = tk::random::philox;

tk::screen::point_rows points_of(nb::handle x)
{
    auto rows = array_of<float>("X", x, 2);
    return {std::move(rows.values), rows.shape[1]};
}

/// A surrogate with what it learnt. A fit replaces that as a whole, so other threads predict meanwhile.
template <class Model>
class fitted {
public:
    fitted(Model model, std::uint64_t seed) : model_(std::move(model)), gen_(seed)
    {
        (void)model_.start(some_columns());
    }

    void fit(nb::handle x, nb::handle y)
    {
        const auto rows = array_of<float>("X", x, 2);
        const auto targets = array_of<double>("y", y, 1);
        auto next = state_ && state_->dimensions == rows.shape[1] ? *state_ : model_.start(rows.shape[1]);
        generator gen = gen_;
        {
            const nb::gil_scoped_release free;
            model_.fit(next, tk::surrogate::features(rows.values, rows.shape[1]), targets.values, gen);
        }
        gen_ = gen;
        state_ = std::make_shared<const state>(std::move(next));
    }

    nb::tuple predict(nb::handle x) const
    {
        const auto rows = array_of<float>("X", x, 2);
        const auto s = learnt();
        if (rows.shape[1] != s->dimensions)
            tk::invalid("X has " + std::to_string(rows.shape[1]) + " columns, want the " +
                        std::to_string(s->dimensions) + " of the fit");
        std::vector<tk::stats::prediction> out(rows.shape[0]);
        std::vector<double> mean(out.size()), sd(out.size());
        {
            const nb::gil_scoped_release free;
            model_.predict(*s, tk::surrogate::features(rows.values, rows.shape[1]), out);
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            mean[i] = out[i].mean;
            sd[i] = out[i].sd;
        }
        return nb::make_tuple(bytes_of(mean), bytes_of(sd));
    }

    [[nodiscard]] auto learnt() const
    {
        tk::require(state_ != nullptr, "the model was not fitted, want fit(X, y) first");
        return state_;
    }

private:
    using state = tk::surrogate::state_of<Model>;

    /// A number of columns with which the parameters can be checked.
    [[nodiscard]] std::size_t some_columns() const
    {
        if constexpr (requires { model_.columns; }) return (std::max)(model_.columns.size(), std::size_t{1});
        else return 1;
    }

    Model model_;
    generator gen_;
    std::shared_ptr<const state> state_;
};

using forest = fitted<tk::surrogate::random_forest>;
using process = fitted<tk::surrogate::gaussian_process>;

tk::surrogate::forest_sd sd_of(const std::string& name)
{
    using enum tk::surrogate::forest_sd;
    return programs::find<tk::surrogate::forest_sd>(
        {{"tree_sd", tree_sd}, {"total_variance", total_variance}, {"jackknife", jackknife}}, "sd", name);
}

tk::surrogate::column_distance distance_of(const std::string& name)
{
    using enum tk::surrogate::column_distance;
    return programs::find<tk::surrogate::column_distance>(
        {{"difference", difference}, {"overlap", overlap}, {"both", both}}, "distance", name);
}

/// Nearest of k centres, row by row: ties to the lower number, sums over coordinates ascending, as `screen::k_means` has it.
nb::object nearest(nb::handle x, nb::handle centres)
{
    const auto rows = array_of<float>("X", x, 2);
    const auto to = array_of<float>("centroids", centres, 2);
    const std::size_t d = to.shape[1];
    if (rows.shape[1] != d)
        tk::invalid("X has " + std::to_string(rows.shape[1]) + " columns, want the " + std::to_string(d) +
                    " of the fit");
    std::vector<std::uint32_t> out(rows.shape[0]);
    for (std::size_t i = 0; i < out.size(); ++i) {
        float least = std::numeric_limits<float>::infinity();
        for (std::size_t c = 0; c < to.shape[0]; ++c) {
            float sum = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const float e = rows.values[i * d + j] - to.values[c * d + j];
                sum += e * e;
            }
            if (!(sum < least)) continue;
            least = sum;
            out[i] = static_cast<std::uint32_t>(c);
        }
    }
    return bytes_of(out);
}

nb::tuple k_means(nb::handle x, std::size_t k, std::size_t restarts, std::size_t iterations, double tolerance,
                  std::uint64_t seed)
{
    const auto points = points_of(x);
    const tk::screen::k_means how{.restarts = restarts, .iterations = iterations, .tolerance = tolerance};
    tk::screen::k_means::clustering found;
    {
        const nb::gil_scoped_release free;
        generator gen(seed);
        found = how.cluster(points, k, how.starts(points, k, gen));
    }
    return nb::make_tuple(bytes_of(found.centroids), bytes_of(found.of), found.loss, found.iterations);
}

/// A bandit's policy with its rewards.
class bandit {
public:
    virtual ~bandit() = default;
    virtual std::size_t select(const std::optional<std::vector<std::size_t>>& among) = 0;
    virtual void update(nb::handle arms, nb::handle rewards) = 0;
    virtual nb::object estimates() const = 0;
    virtual nb::object pulls() const = 0;
};

template <class Policy>
class learning final : public bandit {
public:
    learning(Policy p, std::size_t arms, std::uint64_t seed) : policy_(p), state_(p.start(arms)), gen_(seed) {}

    std::size_t select(const std::optional<std::vector<std::size_t>>& among) override
    {
        if (!among) return policy_.select(state_, gen_);
        tk::require(!among->empty() && std::is_sorted(among->begin(), among->end()) && among->back() < arms(),
                    "bandit: among is empty, not ascending, or names an arm that is not there");
        return policy_.select(state_, std::span<const std::size_t>(*among), gen_);
    }
    void update(nb::handle arms_pulled, nb::handle rewards) override
    {
        const auto which = array_of<double>("arms", arms_pulled, 1);
        const auto told = array_of<double>("rewards", rewards, 1);
        tk::require(which.values.size() == told.values.size(), "bandit: not one reward per pull, want as many");
        auto next = state_;
        for (std::size_t i = 0; i < told.values.size(); ++i) {
            tk::require(which.values[i] >= 0 && which.values[i] < static_cast<double>(arms()),
                        "bandit: no such arm, want one below their number");
            policy_.update(next, static_cast<std::size_t>(which.values[i]), told.values[i]);
        }
        state_ = std::move(next);
    }
    nb::object estimates() const override
    {
        std::vector<double> out;
        if constexpr (on_arms)
            for (const auto& a : state_.arms) out.push_back(a.estimate);
        else out = state_.mean;
        return bytes_of(out);
    }
    nb::object pulls() const override
    {
        std::vector<std::uint64_t> out;
        if constexpr (on_arms)
            for (const auto& a : state_.arms) out.push_back(a.pulls);
        else out = state_.pulls;
        return bytes_of(out);
    }

private:
    static constexpr bool on_arms = requires(const typename Policy::state& s) { s.arms; };

    [[nodiscard]] std::size_t arms() const
    {
        if constexpr (on_arms) return state_.arms.size();
        else return state_.mean.size();
    }

    Policy policy_;
    typename Policy::state state_;
    generator gen_;
};

template <class Policy>
bandit* learner(Policy p, std::size_t arms, std::uint64_t seed)
{
    return new learning<Policy>(p, arms, seed);
}

/// A density of Python: it takes the bytes of n points, row-major, with n, and returns n numbers.
class density {
public:
    density(nb::object call) : call_(std::move(call)) {}

    void operator()(const tk::mcmc::points& xs, std::span<double> out) const
    {
        std::vector<double> rows(out.size() * dimensions);
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t c = 0; c < dimensions; ++c) rows[i * dimensions + c] = xs[c][i];
        const auto said = array_of<double>("log_density", call_(bytes_of(rows), out.size()), 1);
        tk::require(said.values.size() == out.size(), "log_density: gave not one number per point, want as many");
        std::copy(said.values.begin(), said.values.end(), out.begin());
    }

    std::size_t dimensions = 0;

private:
    nb::object call_;
};

class walkers {
public:
    walkers(nb::object call, nb::handle positions, std::size_t thin_by, double scale, bool few, std::uint64_t seed)
        : by_(std::move(call)), gen_(seed)
    {
        auto from = array_of<double>("positions", positions, 2);
        by_.dimensions = from.shape[1];
        sampler_.move.scale = scale;
        sampler_.options = {.thin_by = thin_by, .allow_few_walkers = few};
        state_ = sampler_.start(by_, std::move(from.values), by_.dimensions);
    }

    nb::tuple run(std::size_t steps)
    {
        auto next = state_;  // what the density throws leaves both as they are
        generator gen = gen_;
        const tk::mcmc::chain chain = sampler_.run(next, by_, steps, gen);
        state_ = std::move(next);
        gen_ = gen;
        return nb::make_tuple(bytes_of(chain.positions), bytes_of(chain.log_prob),
                              bytes_of(tk::mcmc::acceptance(chain)));
    }

private:
    density by_;
    tk::mcmc::ensemble<> sampler_;
    tk::mcmc::state state_;
    generator gen_;
};

/// Autocorrelation times of a chain T x W x D, in stored steps, and whether each can be relied on.
nb::tuple autocorrelation_times(nb::handle chain)
{
    auto all = array_of<double>("positions", chain, 3);
    tk::mcmc::chain c;
    c.walkers = all.shape[1];
    c.dimensions = all.shape[2];
    c.log_prob.resize(all.shape[0] * all.shape[1]);
    c.positions = std::move(all.values);
    std::vector<double> times;
    bool reliable = true;
    for (const auto& one : tk::mcmc::autocorrelation_times(c)) {
        times.push_back(one.time);
        reliable = reliable && one.reliable;
    }
    return nb::make_tuple(bytes_of(times), reliable);
}

using tk::curve::log_power;

/// The log power curve of least squares through (x, y), which it scales by the largest y: a, b, c, and the residuals' sd.
nb::tuple log_power_fit(nb::handle x, nb::handle y)
{
    const auto at = array_of<double>("x", x, 1);
    auto values = array_of<double>("y", y, 1).values;
    tk::require(!values.empty(), "log_power: there is no point, want some");
    const double top = *std::max_element(values.begin(), values.end());
    tk::require(top > 0 && std::isfinite(top), "log_power: the largest y is not a finite number > 0");
    for (double& v : values) v /= top;
    const auto found = tk::curve::fit<log_power>({at.values, values}, log_power::box(1.5));
    if (!found.usable) tk::invalid("log_power: no curve goes near these points, want some that rise");
    return nb::make_tuple(found.parameters[0] * top, found.parameters[1], found.parameters[2], found.sd * top);
}

nb::object log_power_at(double a, double b, double c, nb::handle x)
{
    auto out = array_of<double>("x", x, 1).values;
    for (double& v : out) {
        tk::require(v >= 1, "log_power: an x is below 1, want positions from 1 on");
        v = tk::curve::value<log_power>({a, b, c}, v);
    }
    return bytes_of(out);
}

const char* name_of(tk::curve::basis b)
{
    using enum tk::curve::basis;
    switch (b) {
        case nothing:
            return "nothing";
        case fallback:
            return "fallback";
        case posterior:
            return "posterior";
        case improvements:
            return "improvements";
    }
    return "?";
}

nb::dict forecast(nb::handle best, double horizon, const std::string& by, double peak, std::uint64_t seed)
{
    const auto curve = array_of<double>("best", best, 1);
    generator gen(seed);
    const auto said = [&](const auto& how) { return how.predict(curve.values, horizon, peak, gen); };
    const bool by_curve = programs::find<bool>({{"improvements", false}, {"log_power", true}}, "by", by);
    const tk::curve::forecast f = by_curve ? said(tk::curve::belief<>{}) : said(tk::curve::improvement_process{});
    nb::dict out;
    out["last"] = f.last;
    out["mean"] = f.mean;
    out["sd"] = f.sd;
    out["expected_improvement"] = f.expected_improvement;
    out["low"] = f.low;
    out["high"] = f.high;
    out["basis"] = name_of(f.basis);
    return out;
}

}  // namespace

void bind_parts(nb::module_& m)
{
    nb::class_<forest>(m, "Forest")
        .def(
            "__init__",
            [](forest* to, std::size_t trees, std::size_t max_features, std::size_t min_leaf, std::size_t max_depth,
               bool bootstrap, const std::string& sd, std::uint64_t seed) {
                new (to) forest({.trees = trees,
                                 .max_features = max_features,
                                 .min_leaf = min_leaf,
                                 .max_depth = max_depth,
                                 .bootstrap = bootstrap,
                                 .sd = sd_of(sd)},
                                seed);
            },
            nb::kw_only(), "trees"_a, "max_features"_a, "min_leaf"_a, "max_depth"_a, "bootstrap"_a, "sd"_a, "seed"_a)
        .def("fit", &forest::fit)
        .def("predict", &forest::predict);

    nb::class_<process>(m, "Process")
        .def(
            "__init__",
            [](process* to, const std::vector<std::string>& distances, double length, double overlap_length,
               double length_spread, double variance_spread, double noise, double noise_spread, double growth,
               std::size_t evidence_rows, std::size_t evaluations, std::size_t max_rows, std::uint64_t seed) {
                tk::surrogate::gaussian_process how{.prior = {.length = length,
                                                              .overlap_length = overlap_length,
                                                              .length_spread = length_spread,
                                                              .variance_spread = variance_spread,
                                                              .noise = noise,
                                                              .noise_spread = noise_spread},
                                                    .growth = growth,
                                                    .evidence_rows = evidence_rows,
                                                    .evaluations = evaluations,
                                                    .max_rows = max_rows};
                for (const std::string& d : distances) how.columns.push_back(distance_of(d));
                if (distances.size() == 1) how.distance = how.columns.front();  // of all columns
                if (distances.size() == 1) how.columns.clear();
                new (to) process(std::move(how), seed);
            },
            nb::kw_only(), "distances"_a, "length"_a, "overlap_length"_a, "length_spread"_a, "variance_spread"_a,
            "noise"_a, "noise_spread"_a, "growth"_a, "evidence_rows"_a, "evaluations"_a, "max_rows"_a, "seed"_a)
        .def("fit", &process::fit)
        .def("predict", &process::predict)
        .def("parameters", [](const process& p) {
            const auto s = p.learnt();
            return nb::make_tuple(s->parameters.lengths, s->parameters.variance, s->parameters.noise);
        });

    m.def("k_means", &k_means, "points"_a, nb::kw_only(), "k"_a, "restarts"_a, "iterations"_a, "tolerance"_a, "seed"_a);
    m.def("nearest", &nearest);

    nb::class_<bandit>(m, "Bandit")
        .def("select", &bandit::select, nb::arg().none())
        .def("update", &bandit::update)
        .def("estimates", &bandit::estimates)
        .def("pulls", &bandit::pulls);
    namespace rules = tk::bandit;
    m.def("epsilon_greedy", [](std::size_t arms, double epsilon, std::uint64_t seed) {
        return learner(rules::on_means{rules::epsilon_greedy{epsilon}}, arms, seed);
    });
    m.def(
        "softmax",
        [](std::size_t arms, std::optional<double> temperature, std::uint64_t seed) {
            return learner(rules::on_means{rules::softmax{temperature}}, arms, seed);
        },
        nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "ucb",
        [](std::size_t arms, double exploration, std::optional<double> unit) {
            return learner(rules::on_means{rules::ucb{.exploration = exploration, .unit = unit}}, arms, 0);
        },
        nb::arg(), nb::arg(), nb::arg().none());
    m.def("ucb1", [](std::size_t arms, double exploration, std::uint64_t seed) {
        return learner(rules::ucb1{exploration}, arms, seed);
    });

    nb::class_<walkers>(m, "Walkers")
        .def(nb::init<nb::object, nb::handle, std::size_t, double, bool, std::uint64_t>(), "log_density"_a,
             "positions"_a, nb::kw_only(), "thin_by"_a, "scale"_a, "few"_a, "seed"_a)
        .def("run", &walkers::run);
    m.def("autocorrelation_times", &autocorrelation_times);

    m.def("log_power_fit", &log_power_fit);
    m.def("log_power_at", &log_power_at);
    m.def("forecast", &forecast, "best"_a, nb::kw_only(), "horizon"_a, "by"_a, "peak"_a, "seed"_a);
}

}  // namespace python
