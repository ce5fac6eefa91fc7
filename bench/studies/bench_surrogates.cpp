// SPDX-License-Identifier: MIT Surrogates on recorded spaces, out of sample: how well they predict, and whether their
// sd says where and by how much they err.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/program.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/scores.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;
using tk::surrogate::boosted_loss;
using tk::surrogate::boosted_trees;
using tk::surrogate::forest_sd;
using tk::surrogate::random_forest;

namespace {

constexpr double least_sd = 1e-3;  // an sd of 0 would make any error infinitely unlikely

struct settings {
    std::string spaces, only, scale = "log";
    std::vector<std::size_t> rows{64, 256};
    std::size_t fresh = 2000, repeats = 5;
    std::uint64_t seed = 1;
    bool each = false, json = false;
};

struct table {
    std::vector<float> x;
    std::vector<double> y;
    std::size_t d = 0;

    [[nodiscard]] tk::surrogate::features rows() const { return {x, d}; }
    [[nodiscard]] std::size_t size() const { return y.size(); }

    /// Rows begin ... end - 1.
    [[nodiscard]] table part(std::size_t begin, std::size_t end) const
    {
        const auto at = [&](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
        return {{x.begin() + at(begin * d), x.begin() + at(end * d)}, {y.begin() + at(begin), y.begin() + at(end)}, d};
    }
};

/// `n` distinct valid configurations at random, and their scores; fewer where there are fewer.
table draw(const tk::scoring::recording& from, std::size_t n, tk::search::score_scale scale, tk::random::philox& gen)
{
    std::vector<tk::index> valid;
    for (std::size_t i = 0; i < from.rows.size(); ++i)
        if (from.rows[i].result.ok()) valid.push_back(i);
    n = (std::min)(n, valid.size());
    for (std::size_t i = 0; i < n; ++i)
        std::swap(valid[i], valid[i + static_cast<std::size_t>(tk::random::uniform_index(valid.size() - i, gen))]);
    valid.resize(n);
    std::vector<double> costs;
    for (const tk::index i : valid) costs.push_back(from.rows[static_cast<std::size_t>(i)].result.cost);
    table out;
    out.d = from.space.feature_count(tk::space::encoding::values);
    out.x.resize(n * out.d);
    from.space.features(valid, out.x, tk::space::encoding::values);
    out.y = tk::search::scores_of(costs, from.optimum, scale, 1);
    return out;
}

/// What is said of one model on one space, or the mean over draws and spaces.
struct score {
    double r2 = 0, rank = 0, sd_rank = 0, half = 0, ninety = 0, nll = 0, constant = 0;
};

double nll_of(double error, double sd)
{
    sd = (std::max)(sd, least_sd);
    return 0.5 * std::log(2 * 3.14159265358979323846) + std::log(sd) + 0.5 * error * error / (sd * sd);
}

template <class Model>
std::vector<tk::stats::prediction> ask(const Model& model, const table& train, const table& test,
                                       tk::random::philox& gen)
{
    auto state = model.start(train.d);
    model.fit(state, train.rows(), train.y, gen);
    std::vector<tk::stats::prediction> out(test.size());
    model.predict(state, test.rows(), out);
    return out;
}

template <class Model>
score judge(const Model& model, const table& train, const table& test, tk::random::philox& gen)
{
    const auto n = static_cast<double>(test.size());
    const auto predicted = ask(model, train, test, gen);
    // The constant: errors of a model of half of the rows on the other half.
    const table first = train.part(0, train.size() / 2), second = train.part(train.size() / 2, train.size());
    const auto held = ask(model, first, second, gen);
    double square = 0;
    for (std::size_t i = 0; i < held.size(); ++i) square += (held[i].mean - second.y[i]) * (held[i].mean - second.y[i]);
    const double constant = std::sqrt(square / static_cast<double>(held.size()));

    score out;
    std::vector<double> means, sds, errors;
    double truth = 0, left = 0, all = 0;
    for (const double y : test.y) truth += y / n;
    const double z50 = tk::stats::normal_quantile(0.75), z90 = tk::stats::normal_quantile(0.95);
    for (std::size_t i = 0; i < test.size(); ++i) {
        const double error = predicted[i].mean - test.y[i];
        means.push_back(predicted[i].mean);
        sds.push_back(predicted[i].sd);
        errors.push_back(std::abs(error));
        left += error * error;
        all += (test.y[i] - truth) * (test.y[i] - truth);
        out.half += std::abs(error) <= z50 * predicted[i].sd ? 1 / n : 0;
        out.ninety += std::abs(error) <= z90 * predicted[i].sd ? 1 / n : 0;
        out.nll += nll_of(error, predicted[i].sd) / n;
        out.constant += nll_of(error, constant) / n;
    }
    out.r2 = 1 - left / all;
    out.rank = tk::stats::spearman(means, test.y);
    const double told = tk::stats::spearman(sds, errors);
    out.sd_rank = std::isfinite(told) ? told : 0;  // an sd that is the same everywhere tells nothing
    return out;
}

/// A row of the table.
struct summary {
    std::string model;
    std::size_t rows = 0;
    std::string space;
    score of;
    std::size_t better = 0, spaces = 0;  ///< spaces whose likelihood is better than that of the constant, and all
};

/// Means over draws are taken space by space; over spaces means, and medians of the likelihoods, which one space could
/// rule.
summary summarise(const std::string& name, std::size_t rows, const std::string& where, const std::vector<score>& all)
{
    summary out{name, rows, where, {}, 0, all.size()};
    std::vector<double> nll, constant;
    const auto n = static_cast<double>(all.size());
    for (const score& s : all) {
        out.of.r2 += s.r2 / n;
        out.of.rank += s.rank / n;
        out.of.sd_rank += s.sd_rank / n;
        out.of.half += s.half / n;
        out.of.ninety += s.ninety / n;
        nll.push_back(s.nll);
        constant.push_back(s.constant);
        out.better += s.nll < s.constant;
    }
    out.of.nll = tk::stats::median(nll);
    out.of.constant = tk::stats::median(constant);
    return out;
}

void print(const summary& r)
{
    std::printf("%-26s %4zu %-24s %5.2f %6.2f %6.2f %6.2f %6.2f %9.2f %9.2f %5zu/%zu\n", r.model.c_str(), r.rows,
                r.space.c_str(), r.of.r2, r.of.rank, r.of.sd_rank, r.of.half, r.of.ninety, r.of.nll, r.of.constant,
                r.better, r.spaces);
    std::fflush(stdout);
}

nlohmann::ordered_json to_json(const summary& r)
{
    return {{"model", r.model},
            {"learnt_from", r.rows},
            {"space", r.space},
            {"r2", r.of.r2},
            {"rank_correlation", r.of.rank},
            {"sd_rank_correlation", r.of.sd_rank},
            {"coverage_of_50", r.of.half},
            {"coverage_of_90", r.of.ninety},
            {"nll", r.of.nll},
            {"nll_of_constant_sd", r.of.constant},
            {"better", r.better},
            {"spaces", r.spaces}};
}

/// Calls `tell` with each summary as soon as there is one.
template <class Model, class Tell>
void study(const char* name, const Model& model, const std::vector<tk::scoring::recording>& spaces, const settings& s,
           std::size_t rows, const Tell& tell)
{
    const auto scale = s.scale == "log" ? tk::search::score_scale::log : tk::search::score_scale::throughput;
    std::vector<score> of_spaces;
    for (std::size_t k = 0; k < spaces.size(); ++k) {
        score mean;
        const auto n = static_cast<double>(s.repeats);
        for (std::size_t r = 0; r < s.repeats; ++r) {
            auto gen = tk::random::stream(s.seed, 0x73757272U, r * spaces.size() + k);  // the same rows for every model
            const table drawn = draw(spaces[k], rows + s.fresh, scale, gen);
            if (drawn.size() < rows + 10)
                tk::invalid("--rows is too large for " + spaces[k].name + ", want fewer than its valid configurations");
            const score one = judge(model, drawn.part(0, rows), drawn.part(rows, drawn.size()), gen);
            mean.r2 += one.r2 / n;
            mean.rank += one.rank / n;
            mean.sd_rank += one.sd_rank / n;
            mean.half += one.half / n;
            mean.ninety += one.ninety / n;
            mean.nll += one.nll / n;
            mean.constant += one.constant / n;
        }
        if (s.each) tell(summarise(name, rows, spaces[k].name, {mean}));
        of_spaces.push_back(mean);
    }
    tell(summarise(name, rows, "all", of_spaces));
}

void run(const settings& s)
{
    if (s.repeats == 0 || s.fresh == 0) tk::invalid("--repeats and --fresh are counts, want >= 1");
    if (s.scale != "log" && s.scale != "throughput")
        tk::invalid("--scale \"" + s.scale + "\" is unknown, want log or throughput");
    for (const std::size_t rows : s.rows)
        if (rows < 4) tk::invalid("--rows is below 4, want enough to hold half back");
    const auto spaces = programs::load_spaces("bench_surrogates", s.spaces, s.only);
    auto found = nlohmann::ordered_json::array();
    const auto tell = [&](const summary& r) {
        if (s.json) found.push_back(to_json(r));
        else print(r);
    };
    if (!s.json)
        std::printf("%-26s %4s %-24s %5s %6s %6s %6s %6s %9s %9s %s\n", "model", "rows", "spaces", "R2", "rank",
                    "sd~err", "50 %", "90 %", "NLL", "constant", "better");
    for (const std::size_t rows : s.rows) {
        const auto add = [&](const char* name, const auto& model) { study(name, model, spaces, s, rows, tell); };
        add("forest, sd over trees", random_forest{.max_features = 10});
        add("forest, total, leaves 1", random_forest{.max_features = 10, .sd = forest_sd::total_variance});
        add("forest, total, leaves 3",
            random_forest{.max_features = 10, .min_leaf = 3, .sd = forest_sd::total_variance});
        add("forest, jackknife", random_forest::jackknifed());
        add("forest, 3 features, whole", random_forest{.trees = 32, .max_features = 3, .bootstrap = false});
        add("boosting, 10 members", boosted_trees{.members = 10});
        if (s.scale == "throughput")
            add("boosting, logistic, 10", boosted_trees{.loss = boosted_loss::logistic, .members = 10});
    }
    if (!s.json) return;
    const nlohmann::ordered_json out{
        {"seed", s.seed}, {"repeats", s.repeats}, {"fresh", s.fresh}, {"scale", s.scale}, {"rows", found}};
    std::printf("%s\n", out.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app(
        "Fits surrogates to random valid configurations of recorded spaces and asks about others: R2, rank correlation "
        "of the mean, of the sd with "
        "the absolute error, coverage of 50 and 90 % intervals, mean negative log likelihood beside that of a constant "
        "sd.",
        "bench_surrogates");
    app.spaces(s.spaces, s.only);
    app.add_option("--rows", s.rows, "configurations learnt from")->delimiter(',');
    app.add_option("--fresh", s.fresh, "others asked about, at most");
    app.repeats(s.repeats, "draws per space");
    app.add_option("--scale", s.scale, "targets: log, ln(best / cost), or throughput, best / cost");
    app.seed(s.seed, "of the draws");
    app.add_flag("--each", s.each, "print every space too");
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
