// SPDX-License-Identifier: MIT
// What Chameleon claims, on recorded spaces: search steps of the policy against annealing, what learning adds to its walk, and
// measurements with adaptive sampling against without. Deterministic; nothing here depends on the machine's speed.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/chameleon.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/search/scores.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t plan = 64;                   ///< of every system here: what a search returns
constexpr std::size_t searches = 4;                ///< one after another; before each, another plan's worth is known
constexpr std::size_t looks[] = {4, 16, 64, 500};  ///< steps after which lists are compared
constexpr double enough = 0.99;                    ///< of the mean score that the worse of two searches ends with
constexpr double quality = 1.01;                   ///< of the more expensive of two final costs
constexpr double paper_steps = 2.88;  ///< what the paper has of search steps: annealing's over the policy's

struct settings {
    std::string spaces, only;
    std::size_t repeats = 15, measurements = 256;
    std::uint64_t seed = 1;
    bool json = false;
};

/// A model's scores of all configurations; keeps the best `plan` that a search asked for outside `visited`, and how good they were
/// after each call.
class watched {
public:
    watched(const std::vector<double>& scores, const tk::space::index_set& visited)
        : scores_(&scores), visited_(&visited), seen_(scores.size())
    {
    }

    [[nodiscard]] double best() const { return 1; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto which = static_cast<std::size_t>(in[i]);
            out[i] = (*scores_)[which];
            if (!seen_[which] && !visited_->contains(in[i])) keep(out[i]);
            seen_[which] = 1;
        }
        course_.push_back(sum_ / static_cast<double>(plan));
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {(*scores_)[static_cast<std::size_t>(in[i])], 0};
    }

    /// Mean score of the best, 0 for those that are missing, after the start and after each step.
    [[nodiscard]] const std::vector<double>& course() const { return course_; }

private:
    void keep(double score) const
    {
        if (kept_.size() == plan && score <= *kept_.begin()) return;
        kept_.insert(score);
        sum_ += score;
        if (kept_.size() > plan) {
            sum_ -= *kept_.begin();
            kept_.erase(kept_.begin());
        }
    }

    const std::vector<double>* scores_;
    const tk::space::index_set* visited_;
    mutable std::vector<char> seen_;
    mutable std::multiset<double> kept_;
    mutable double sum_ = 0;
    mutable std::vector<double> course_;
};

/// What one explorer did in one search.
struct trace {
    std::vector<double> course;
    double possible = 0;  ///< mean score of the best `plan` that there are

    [[nodiscard]] double share(std::size_t steps) const
    {
        return course[(std::min)(steps, course.size() - 1)] / possible;
    }
    [[nodiscard]] double steps_to(double mean) const
    {
        for (std::size_t t = 0; t < course.size(); ++t)
            if (course[t] >= mean) return static_cast<double>((std::max)(t, std::size_t{1}));
        return infinite;
    }
};

constexpr const char* explorers[] = {"annealing", "annealing, whole", "annealing, spread",
                                     "policy",    "policy, rate 0",   "policy, early ends"};
enum : std::size_t { annealing, whole, spread, policy, walk, early, explorer_count };
using traces = std::vector<std::vector<trace>>;  ///< by explorer, then by search

/// One explorer over all searches, of which search s knows `scores[s]` and `possible[s]` is the best it can find.
template <class Explorer>
std::vector<trace> follow(const Explorer& explorer, const tk::space::any_space& space, std::uint64_t seed,
                          std::size_t repeat, const std::vector<std::vector<double>>& scores,
                          const std::vector<tk::space::index_set>& visited, const std::vector<double>& possible)
{
    auto gen = tk::random::stream(seed, 0x666f6cU, repeat);
    auto state = explorer.start(space);
    std::vector<trace> out;
    for (std::size_t s = 0; s < searches; ++s) {
        const watched judge(scores[s], visited[s]);
        static_cast<void>(explorer.explore(state, space, judge, visited[s], plan, gen));
        out.push_back({judge.course(), possible[s]});
    }
    return out;
}

/// All explorers on the same models: fitted to 64, 128, ... configurations at random, which the searches may not return.
traces search_models(const tk::scoring::recording& on, const settings& o, std::size_t repeat)
{
    auto gen = tk::random::stream(o.seed, 0x6d6f64U, repeat);
    const auto size = static_cast<std::size_t>(on.space.size());
    const std::size_t known = (std::min)(searches * plan, size / 2),
                      d = on.space.feature_count(tk::space::encoding::values);
    const auto order = tk::random::sample_without_replacement(on.space.size(), known, gen);
    std::vector<tk::index> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = i;
    std::vector<float> features(size * d);
    on.space.features(all, features, tk::space::encoding::values);

    auto trees = tk::surrogate::boosted_trees::paper();
    trees.loss = tk::surrogate::boosted_loss::squared;  // xgb-reg
    auto model = trees.start(d);
    std::vector<std::vector<double>> scores;
    std::vector<tk::space::index_set> visited;
    for (std::size_t s = 0; s < searches; ++s) {
        const std::span<const tk::index> seen(order.data(), known * (s + 1) / searches);
        std::vector<float> rows(seen.size() * d);
        on.space.features(seen, rows, tk::space::encoding::values);
        std::vector<double> costs;
        double best = infinite;
        tk::space::index_set taken;
        for (const auto i : seen) {
            const auto& m = on.rows[static_cast<std::size_t>(i)].result;
            costs.push_back(m.ok() ? m.cost : infinite);
            best = (std::min)(best, costs.back());
            taken.insert(i);
        }
        const auto y = tk::search::scores_of(costs, best, tk::search::score_scale::throughput, 1);
        trees.fit(model, tk::surrogate::features(rows, d), y, gen);
        std::vector<tk::stats::prediction> predicted(size);
        trees.predict(model, tk::surrogate::features(features, d), predicted);
        scores.emplace_back();
        for (const auto& p : predicted) scores.back().push_back(p.mean);
        visited.push_back(std::move(taken));
    }
    std::vector<double> possible, ignored(size);
    for (std::size_t s = 0; s < searches; ++s) {
        const watched judge(scores[s], visited[s]);
        judge.score(all, ignored);
        possible.push_back(judge.course().back());
    }
    const auto run = [&](const auto& explorer) {
        return follow(explorer, on.space, o.seed, repeat, scores, visited, possible);
    };
    traces out(explorer_count);
    const tk::explore::policy_gradient learns;
    auto stays = learns;
    stays.learning_rate = 0;
    auto ends = learns;
    ends.end_share = tk::explore::policy_gradient::reference().end_share;
    out[annealing] = run(tk::explore::annealing{});
    out[whole] = run(tk::explore::annealing{.patience = 500});
    out[spread] = run(tk::explore::annealing{.patience = 500, .unit = tk::explore::heat::spread});
    out[policy] = run(learns);
    out[walk] = run(stays);
    out[early] = run(ends);
    return out;
}

/// The best cost after each measurement of a run.
std::vector<double> tune(const tk::search::any_strategy& strategy, const tk::scoring::recording& on, const settings& o,
                         std::size_t repeat)
{
    auto gen = tk::random::stream(o.seed, 0x74756eU, repeat);
    double now = 0, best = infinite;
    tk::measure::replay measurer(on.rows, tk::measure::virtual_clock(now));
    const std::size_t most = (std::min)(o.measurements, static_cast<std::size_t>(on.space.size()) / 2);
    auto state = strategy.start(on.space);
    std::vector<double> out;
    while (out.size() < most) {
        const auto batch = strategy.propose(state, on.space, most - out.size(), gen);
        if (batch.empty()) break;
        const auto measured = measurer.measure(batch, {});
        for (const auto& m : measured) {
            if (m.ok()) best = (std::min)(best, m.cost);
            out.push_back(best);
        }
        strategy.observe(state, on.space, batch, measured, gen);
    }
    return out;
}

double reached(const std::vector<double>& course, double cost)
{
    const auto at = std::find_if(course.begin(), course.end(), [&](double c) { return c <= cost; });
    return static_cast<double>(at - course.begin() + 1);
}

constexpr const char* systems[] = {"SA", "SA + AS", "AE", "AE + AS", "AE, rate 0", "SA + diversity", "AE + diversity"};
enum : std::size_t { sa, sa_as, ae, ae_as, ae_walk, sa_diverse, ae_diverse, system_count };

/// Pairs that are compared, and what the paper has.
struct pair_of {
    std::size_t without, with;
    double paper = 0;  ///< 0: nothing
};
constexpr pair_of pairs[] = {{sa, sa_as, 1.98}, {ae, ae_as, 2.33},   {sa, ae},           {ae_walk, ae},
                             {sa, ae_as},       {sa_diverse, sa_as}, {ae_diverse, ae_as}};

/// Numbers by space and repeat, and what is said of them.
class column {
public:
    column(std::size_t spaces, std::size_t repeats) : repeats_(repeats), values_(spaces * repeats) {}
    double& operator()(std::size_t space, std::size_t repeat) { return values_[space * repeats_ + repeat]; }

    /// Over repeats, of the geometric mean over the spaces [first, last).
    [[nodiscard]] programs::middle over(std::size_t first, std::size_t last) const
    {
        std::vector<double> each;
        for (std::size_t r = 0; r < repeats_; ++r) {
            double sum = 0;
            for (std::size_t s = first; s < last; ++s) sum += std::log(values_[s * repeats_ + r]);
            each.push_back(std::exp(sum / static_cast<double>(last - first)));
        }
        return programs::middle_of(each);
    }

private:
    std::size_t repeats_;
    std::vector<double> values_;
};

/// Everything that was found, each number by space and repeat.
struct study {
    std::vector<std::vector<column>> shares;   ///< by explorer; after each look, in the first search, then in the last
    std::vector<column> steps;                 ///< annealing over the policy: of the first search, and of the last
    std::vector<column> measurements, finals;  ///< by pair: ratios
};

study search_all(const std::vector<tk::scoring::recording>& spaces, const settings& o)
{
    const column none(spaces.size(), o.repeats);
    study out{std::vector(explorer_count, std::vector(2 * std::size(looks), none)), std::vector(2, none),
              std::vector(std::size(pairs), none), std::vector(std::size(pairs), none)};
    std::vector<tk::search::any_strategy> strategies;
    auto stays = tk::explore::policy_gradient::paper();
    stays.learning_rate = 0;
    strategies.emplace_back(tk::recipes::chameleon_sa().strategy);
    strategies.emplace_back(tk::recipes::chameleon_sa_as().strategy);
    strategies.emplace_back(tk::recipes::chameleon_ae().strategy);
    strategies.emplace_back(tk::recipes::chameleon().strategy);
    strategies.emplace_back(tk::recipes::chameleon_parts(stays, tk::screen::keep_best{}).strategy);
    strategies.emplace_back(tk::recipes::chameleon_parts(tk::explore::annealing{}, tk::screen::diversity{}).strategy);
    strategies.emplace_back(
        tk::recipes::chameleon_parts(tk::explore::policy_gradient::paper(), tk::screen::diversity{}).strategy);
    const bool watched_by_somebody = ::isatty(2) != 0;
    for (std::size_t k = 0; k < spaces.size(); ++k)
        for (std::size_t r = 0; r < o.repeats; ++r) {
            if (watched_by_somebody) std::fprintf(stderr, "\r\033[K%s %zu", spaces[k].name.c_str(), r + 1);
            const auto found = search_models(spaces[k], o, r);
            for (std::size_t last = 0; last < 2; ++last) {
                const std::size_t s = last == 0 ? 0 : searches - 1;
                for (std::size_t x = 0; x < explorer_count; ++x)
                    for (std::size_t l = 0; l < std::size(looks); ++l)
                        out.shares[x][last * std::size(looks) + l](k, r) = found[x][s].share(looks[l]);
                const double want =
                    enough * (std::min)(found[annealing][s].course.back(), found[policy][s].course.back());
                out.steps[last](k, r) = found[annealing][s].steps_to(want) / found[policy][s].steps_to(want);
            }
            std::vector<std::vector<double>> courses;
            for (const auto& strategy : strategies) courses.push_back(tune(strategy, spaces[k], o, r));
            for (std::size_t p = 0; p < std::size(pairs); ++p) {
                const auto &a = courses[pairs[p].without], &b = courses[pairs[p].with];
                const double want = quality * (std::max)(a.back(), b.back());
                out.measurements[p](k, r) = reached(a, want) / reached(b, want);
                out.finals[p](k, r) = a.back() / b.back();
            }
        }
    if (watched_by_somebody) std::fprintf(stderr, "\r\033[K");
    return out;
}

/// The spaces [first, last) of a row: one, or all.
struct group {
    std::string name;
    tk::index size = 0;  ///< of the one space
    std::size_t first = 0, last = 0;
};

std::vector<group> groups_of(const std::vector<tk::scoring::recording>& spaces)
{
    std::vector<group> out;
    for (std::size_t k = 0; k < spaces.size(); ++k) out.push_back({spaces[k].name, spaces[k].space.size(), k, k + 1});
    if (spaces.size() > 1) out.push_back({"all", 0, 0, spaces.size()});
    return out;
}

constexpr const char* search_names[] = {"first search", "fourth search"};

/// "median [low, high]".
std::string text(const programs::middle& m, int digits = 2)
{
    char out[64];
    std::snprintf(out, sizeof out, "%.*f [%.*f, %.*f]", digits, m.median, digits, m.low, digits, m.high);
    return out;
}

void print(const std::vector<tk::scoring::recording>& spaces, const study& found)
{
    const auto groups = groups_of(spaces);
    std::printf(
        "search steps of annealing over those of the policy, to %.2f of what the worse of them ends with; "
        "the paper has %.2f\n",
        enough, paper_steps);
    std::printf("%-26s %8s  %-22s %-22s\n", "space", "size", search_names[0], search_names[1]);
    for (const auto& g : groups)
        std::printf("%-26s %8s  %-22s %-22s\n", g.name.c_str(), g.size > 0 ? std::to_string(g.size).c_str() : "",
                    text(found.steps[0].over(g.first, g.last)).c_str(),
                    text(found.steps[1].over(g.first, g.last)).c_str());

    std::printf(
        "\nmean score of the best %zu after so many steps of 128 evaluations, as a share of the best there are; "
        "geometric mean of all spaces\n",
        plan);
    for (std::size_t last = 0; last < 2; ++last) {
        std::printf("%-20s", search_names[last]);
        for (const std::size_t l : looks) std::printf(" %-22zu", l);
        std::printf("\n");
        for (std::size_t x = 0; x < explorer_count; ++x) {
            std::printf("%-20s", explorers[x]);
            for (std::size_t l = 0; l < std::size(looks); ++l)
                std::printf(" %-22s",
                            text(found.shares[x][last * std::size(looks) + l].over(0, spaces.size()), 3).c_str());
            std::printf("\n");
        }
    }

    std::printf(
        "\nmeasurements of the first over those of the second, to %.2f of the more expensive of their final costs; "
        "(final "
        "costs)\n%-26s",
        quality, "space");
    for (const auto& p : pairs)
        std::printf("  %-44s", (std::string(systems[p.without]) + " : " + systems[p.with] +
                                (p.paper > 0 ? ", paper " + tk::core::text_of(p.paper) : ""))
                                   .c_str());
    std::printf("\n");
    for (const auto& g : groups) {
        std::printf("%-26s", g.name.c_str());
        for (std::size_t p = 0; p < std::size(pairs); ++p)
            std::printf("  %-44s", (text(found.measurements[p].over(g.first, g.last)) + " (" +
                                    text(found.finals[p].over(g.first, g.last), 3) + ")")
                                       .c_str());
        std::printf("\n");
    }
}

void print_json(const settings& o, const std::vector<tk::scoring::recording>& spaces, const study& found)
{
    using nlohmann::ordered_json;
    auto steps = ordered_json::array(), shares = ordered_json::array(), comparisons = ordered_json::array();
    const auto positive = [](auto x) { return x > 0 ? ordered_json(x) : ordered_json(); };
    for (std::size_t last = 0; last < 2; ++last)
        for (std::size_t x = 0; x < explorer_count; ++x) {
            ordered_json row{{"search", search_names[last]}, {"explorer", explorers[x]}};
            for (std::size_t l = 0; l < std::size(looks); ++l)
                programs::add(row, "after_" + std::to_string(looks[l]),
                              found.shares[x][last * std::size(looks) + l].over(0, spaces.size()));
            shares.push_back(std::move(row));
        }
    for (const auto& g : groups_of(spaces)) {
        ordered_json row{{"space", g.name}, {"size", positive(g.size)}};
        programs::add(row, "first_search", found.steps[0].over(g.first, g.last));
        programs::add(row, "fourth_search", found.steps[1].over(g.first, g.last));
        steps.push_back(std::move(row));
        auto compared = ordered_json::array();
        for (std::size_t p = 0; p < std::size(pairs); ++p) {
            ordered_json of{{"first", systems[pairs[p].without]},
                            {"second", systems[pairs[p].with]},
                            {"measurements_in_paper", positive(pairs[p].paper)}};
            programs::add(of, "measurements", found.measurements[p].over(g.first, g.last));
            programs::add(of, "final_cost", found.finals[p].over(g.first, g.last));
            compared.push_back(std::move(of));
        }
        comparisons.push_back({{"space", g.name}, {"pairs", compared}});
    }
    const ordered_json out{
        {"seed", o.seed}, {"repeats", o.repeats}, {"measurements", o.measurements}, {"steps_in_paper", paper_steps},
        {"steps", steps}, {"shares", shares},     {"comparisons", comparisons}};
    std::printf("%s\n", out.dump(2).c_str());
}

void run(const settings& o)
{
    tk::require(o.repeats > 0, "--repeats is 0, want at least 1");
    tk::require(o.measurements > plan, "--measurements is too few, want more than the first plan of 64");
    const auto spaces = programs::load_spaces("bench_chameleon", o.spaces, o.only);
    for (const auto& s : spaces)
        tk::require(s.space.size() > 2 * plan,
                    "--spaces: " + s.name + " is smaller than two plans of 64, want larger ones");
    const auto found = search_all(spaces, o);
    if (o.json) print_json(o, spaces, found);
    else print(spaces, found);
}

}  // namespace

int main(int argc, char** argv)
{
    settings o;
    programs::study_app app("Chameleon's policy and sampling against annealing and the best 64, on recorded spaces.",
                            "bench_chameleon");
    app.spaces(o.spaces, o.only);
    app.repeats(o.repeats);
    app.add_option("--measurements", o.measurements, "per run, at most, and at most half of the space");
    app.seed(o.seed);
    app.json(o.json);
    return app.run(argc, argv, [&] { run(o); });
}
