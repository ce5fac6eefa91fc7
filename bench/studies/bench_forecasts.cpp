// SPDX-License-Identifier: MIT
// Forecasts of tuning curves: how often their 90 % intervals hold what came, how wide they are, and what schedules make
// of them. Searches of recorded spaces are cut at some trials and forecast from there.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/oracle.hpp"
#include "bench/studies/support/stopping.hpp"
#include "bench/studies/support/study_app.hpp"
#include "bench/studies/support/tuning_curves.hpp"
#include "tools/support/program.hpp"
#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/schedule/ansor.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"

namespace tk = tunekit;
namespace curve = tunekit::curve;
using programs::tuning_curve;
using generator = tk::random::philox;

namespace {

struct settings {
    std::vector<std::string> spaces, strategies{"random", "annealing", "autotvm", "adatune", "combined"};
    std::string by = "method";
    std::size_t repeats = 5, networks = 0, tasks = 12;
    std::uint64_t seed = 1;
    bool json = false, stopping = false;
};

constexpr std::size_t cuts[] = {20, 50, 100, 200};
constexpr std::size_t ahead[] = {8, 20, 50, 100};
constexpr std::size_t longest = 300;

using forecaster = std::function<curve::forecast(std::span<const double>, double, generator&)>;

/// The last value, give or take what the last three slots brought: root mean square of their gains. Slots are as long
/// as the forecast, or a third of the curve where it is too short; gains of slots of other lengths are scaled as a
/// random walk's.
curve::forecast last_value(std::span<const double> best, double horizon, generator&)
{
    const std::size_t n = best.size(), want = static_cast<std::size_t>(horizon) - n;
    const std::size_t slot = (std::max)(std::size_t{1}, (std::min)(want, (n - 1) / 3));
    double squares = 0;
    std::size_t slots = 0;
    for (; slots < 3 && n > (slots + 1) * slot; ++slots) {
        const double gain = best[n - 1 - slots * slot] - best[n - 1 - (slots + 1) * slot];
        squares += gain * gain;
    }
    const double last = best.back();
    const double sd =
        slots == 0
            ? 0
            : std::sqrt(squares / static_cast<double>(slots) * static_cast<double>(want) / static_cast<double>(slot));
    return {.last = last,
            .mean = last,
            .sd = sd,
            .basis = curve::basis::fallback,
            .low = last,
            .high = last + 1.6448536269514722 * sd};
}

/// Log power by least squares on the last segment; residuals drawn with replacement, fitted again, and one more added
/// to what that curve reaches. No prediction falls below the last value.
curve::forecast residual_bootstrap(std::span<const double> best, double horizon, generator& gen)
{
    using family = curve::log_power;
    const curve::segment part = curve::last_segment(best);
    const double last = best.back(), peak = 1.25 * last, at = horizon - static_cast<double>(part.first);
    std::vector<double> y = part.y;
    for (double& v : y) v /= peak;
    if (y.size() < 5 || y.back() - y.front() < 1e-9) return last_value(best, horizon, gen);
    const auto box = family::box(1.5);
    const curve::observations data(part.x, y);
    const auto fit = curve::fit<family>(data, box);
    if (!fit.usable) return last_value(best, horizon, gen);
    std::vector<double> fitted, residuals, predictions;
    for (std::size_t i = 0; i < y.size(); ++i) {
        fitted.push_back(curve::value<family>(fit.parameters, part.x[i]));
        residuals.push_back(y[i] - fitted[i]);
    }
    const auto any = [&] {
        return residuals[static_cast<std::size_t>(tk::random::uniform_index(residuals.size(), gen))];
    };
    for (int i = 0; i < 100; ++i) {
        for (std::size_t j = 0; j < y.size(); ++j) y[j] = fitted[j] + any();
        const auto again = curve::fit<family>(curve::observations(part.x, y), box);
        if (again.usable)
            predictions.push_back((std::max)(last, peak * (curve::value<family>(again.parameters, at) + any())));
    }
    if (predictions.empty()) return last_value(best, horizon, gen);
    return {.last = last,
            .mean = tk::stats::mean(predictions),
            .sd = std::sqrt(tk::stats::variance(predictions)),
            .basis = curve::basis::posterior,
            .low = tk::stats::quantile(predictions, 0.05),
            .high = tk::stats::quantile(predictions, 0.95)};
}

template <class Belief>
forecaster by(const Belief& belief)
{
    return [belief](std::span<const double> best, double horizon, generator& gen) {
        return belief.predict(best, horizon, 0, gen);
    };
}

std::vector<std::pair<std::string, forecaster>> methods()
{
    return {{"last value", last_value},
            {"least squares, bootstrap", residual_bootstrap},
            {"belief", by(curve::belief<>{})},
            {"belief, distinct values", by(curve::belief<>{{.scale_by_distinct = true}})},
            {"improvements", by(curve::improvement_process{})}};
}

/// One forecast beside what came; all relative to the last value.
struct row {
    std::size_t curve = 0, trials = 0, ahead = 0;
    double low = 0, high = 0, mean = 0, came = 0;

    [[nodiscard]] bool covered() const
    {
        return low <= came * (1 + 1e-12) + 1e-12 && came <= high * (1 + 1e-12) + 1e-12;
    }
    [[nodiscard]] double score() const
    {
        return high - low +
               20 * ((std::max)(0.0, low - came) + (std::max)(0.0, came - high));  // 2 / alpha, alpha = 0.1
    }
};

std::vector<row> forecast_all(const std::vector<tuning_curve>& curves, const forecaster& method, std::uint64_t seed)
{
    std::vector<row> out;
    for (std::size_t c = 0; c < curves.size(); ++c)
        for (const std::size_t n : cuts)
            for (const std::size_t m : ahead) {
                const auto& best = curves[c].best;
                if (best.size() < n + m || !(best[n - 1] > 0)) continue;
                auto gen = tk::random::stream(seed, 0x666f7265U, out.size());
                const auto f = method(std::span<const double>(best).first(n), static_cast<double>(n + m), gen);
                const double last = best[n - 1];
                out.push_back(
                    {c, n, m, f.low / last - 1, f.high / last - 1, f.mean / last - 1, best[n + m - 1] / last - 1});
            }
    return out;
}

/// What is told of a group of forecasts.
struct summary {
    std::string method, group;
    std::size_t forecasts = 0;
    double coverage = 0, width = 0, score = 0;
    tk::stats::interval coverage_range;  ///< 95 %, curves drawn anew
    double relative_score = 0;           ///< geometric mean over spaces of the score over that of the last value
    double bias = 0, error = 0;          ///< of the mean: mean and root mean square
    double ranks = 0;                    ///< Spearman: the expected gain with the one that came
};

/// Mean scores by space.
std::map<std::string, double> by_space(const std::vector<row>& rows, const std::vector<tuning_curve>& curves)
{
    std::map<std::string, double> sum, count;
    for (const auto& r : rows) {
        sum[curves[r.curve].space] += r.score();
        count[curves[r.curve].space] += 1;
    }
    for (auto& [space, s] : sum) s /= count[space];
    return sum;
}

summary summarise(const std::string& method, const std::string& group, const std::vector<row>& rows,
                  const std::vector<row>& baseline, const std::vector<tuning_curve>& curves, std::uint64_t seed)
{
    summary out{.method = method, .group = group, .forecasts = rows.size(), .coverage_range = {}};
    const auto n = static_cast<double>(rows.size());
    std::map<std::size_t, std::pair<double, double>> of_curve;  // covered, forecasts
    std::vector<double> means, came;
    for (const auto& r : rows) {
        out.coverage += (r.covered() ? 1 : 0) / n;
        out.width += (r.high - r.low) / n;
        out.score += r.score() / n;
        out.bias += (r.mean - r.came) / n;
        out.error += (r.mean - r.came) * (r.mean - r.came) / n;
        of_curve[r.curve].first += r.covered() ? 1 : 0;
        of_curve[r.curve].second += 1;
        means.push_back(r.mean);
        came.push_back(r.came);
    }
    out.error = std::sqrt(out.error);
    out.ranks = tk::stats::spearman(means, came);
    std::vector<std::pair<double, double>> counts;
    for (const auto& [c, covered] : of_curve) counts.push_back(covered);
    auto gen = tk::random::stream(seed, 0x626f6f74U, 0);
    out.coverage_range = tk::stats::bootstrap_interval(
        counts.size(),
        [&](std::span<const std::uint32_t> drawn) {
            double covered = 0, all = 0;
            for (const auto i : drawn) {
                covered += counts[i].first;
                all += counts[i].second;
            }
            return covered / all;
        },
        {}, gen);
    auto of_space = by_space(rows, curves), of_baseline = by_space(baseline, curves);
    for (const auto& [space, s] : of_space)
        out.relative_score += std::log(s / of_baseline[space]) / static_cast<double>(of_space.size());
    out.relative_score = std::exp(out.relative_score);
    return out;
}

std::vector<summary> coverage(const settings& s, const std::vector<tuning_curve>& curves)
{
    std::vector<summary> out;
    std::map<std::string, std::vector<row>> baseline;
    const auto group = [&](const row& r) -> std::string {
        if (s.by == "space") return curves[r.curve].space;
        if (s.by == "strategy") return curves[r.curve].strategy;
        if (s.by == "trials") return "after " + std::to_string(r.trials);
        if (s.by == "ahead") return std::to_string(r.ahead) + " ahead";
        return "all";
    };
    for (const auto& [name, method] : methods()) {
        std::map<std::string, std::vector<row>> groups;
        for (const auto& r : forecast_all(curves, method, s.seed)) groups[group(r)].push_back(r);
        if (baseline.empty()) baseline = groups;
        for (const auto& [g, rows] : groups) out.push_back(summarise(name, g, rows, baseline[g], curves, s.seed));
    }
    return out;
}

/// What the schedules made of networks of curves: the area under the model's latency over that of the best order.
struct regret {
    std::string schedule;
    double area = 0;                   ///< mean over networks
    tk::stats::interval to_reference;  ///< 95 % of the mean ratio to the first schedule's area, networks drawn anew
    double ratio = 1;
};

constexpr std::size_t slot_trials = 8;

/// Slots of 8 trials, the first to every task; `give` slots in all. A task after m slots costs weight / best.
std::vector<programs::slot_curve> slot_curves(const std::vector<const tuning_curve*>& of,
                                              const std::vector<double>& weights)
{
    std::vector<programs::slot_curve> out;
    for (std::size_t k = 0; k < of.size(); ++k) {
        programs::slot_curve c;
        for (std::size_t n = slot_trials; n <= of[k]->best.size(); n += slot_trials)
            c.push_back(weights[k] / of[k]->best[n - 1]);
        out.push_back(std::move(c));
    }
    return out;
}

/// The order in which a schedule gives slots; a trial lasts a second.
std::vector<std::size_t> order_of(const tk::schedule::any_schedule& schedule,
                                  const std::vector<const tuning_curve*>& of, const std::vector<double>& weights,
                                  std::size_t slots, generator& gen)
{
    std::vector<std::vector<tk::curve::curve_point>> points(of.size());
    std::vector<tk::schedule::task_view> views;
    for (std::size_t k = 0; k < of.size(); ++k) {
        for (std::size_t i = 0; i < of[k]->best.size(); ++i)
            points[k].push_back({i + 1, static_cast<double>(i + 1), 1 / of[k]->best[i]});
        views.push_back({.flops = 1,
                         .weight = weights[k],
                         .curve = std::span(points[k]).first(slot_trials),
                         .slots = 1,
                         .seconds = static_cast<double>(slot_trials)});
    }
    auto state = schedule.start(views, {.slot_seconds = static_cast<double>(slot_trials), .tasks = of.size()});
    std::vector<std::size_t> order;
    while (order.size() < slots) {
        const std::size_t k = schedule.select(state, views, gen);
        auto& v = views[k];
        const std::size_t n = v.curve.size() + slot_trials;
        const double before = v.curve.back().best_cost;
        v.curve = std::span(points[k]).first(n);
        v.seconds = static_cast<double>(n);
        ++v.slots;
        v.active = n + slot_trials <= points[k].size();
        schedule.update(state, k, {static_cast<double>(slot_trials), slot_trials, before, v.curve.back().best_cost});
        order.push_back(k);
    }
    return order;
}

std::vector<regret> schedule_networks(const settings& s, const std::vector<tuning_curve>& curves)
{
    std::map<std::string, std::vector<const tuning_curve*>> of_strategy;
    for (const auto& c : curves)
        if (c.best.size() == longest && c.best[slot_trials - 1] > 0) of_strategy[c.strategy].push_back(&c);
    tk::require(!of_strategy.empty(), "--networks needs curves of 300 trials, want spaces with as many configurations");
    std::vector<std::pair<std::string, tk::schedule::any_schedule>> all;
    const auto add = [&](const char* name, auto schedule) {
        all.emplace_back(name, tk::schedule::any_schedule(std::move(schedule)));
    };
    const auto with = [](auto belief, auto bandit, curve::gain gain) {
        return tk::schedule::by_belief{belief, bandit, {.reward = gain}};
    };
    using enum curve::gain;
    add("round robin", tk::schedule::round_robin{});
    add("ansor", tk::schedule::ansor{});
    add("belief, ucb", with(curve::belief<>{}, tk::bandit::ucb::scale_free(), of_expected_improvement));
    add("distinct, ucb",
        with(curve::belief<>{{.scale_by_distinct = true}}, tk::bandit::ucb::scale_free(), of_expected_improvement));
    add("improvements, ucb", with(curve::improvement_process{}, tk::bandit::ucb::scale_free(), expected));
    add("belief, greedy", with(curve::belief<>{}, tk::bandit::epsilon_greedy{}, of_expected_improvement));
    add("distinct, greedy",
        with(curve::belief<>{{.scale_by_distinct = true}}, tk::bandit::epsilon_greedy{}, of_expected_improvement));
    add("improvements, greedy", with(curve::improvement_process{}, tk::bandit::epsilon_greedy{}, expected));

    std::vector<std::vector<double>> areas(all.size());
    for (std::size_t network = 0; network < s.networks; ++network) {
        auto gen = tk::random::stream(s.seed, 0x6e657477U, network);
        const auto& pool =
            std::next(of_strategy.begin(), static_cast<std::ptrdiff_t>(network % of_strategy.size()))->second;
        std::vector<const tuning_curve*> of;
        std::vector<double> weights;
        for (std::size_t k = 0; k < s.tasks; ++k) {
            of.push_back(pool[static_cast<std::size_t>(tk::random::uniform_index(pool.size(), gen))]);
            weights.push_back(of[k]->best[slot_trials - 1] *
                              std::exp(3 * tk::random::uniform_01(gen)));  // shares of the start's latency within e^3
        }
        const auto tasks = slot_curves(of, weights);
        const std::size_t slots = s.tasks * (longest / slot_trials) / 3;
        double floor = 0;
        for (const auto& c : tasks) floor += c.back();
        auto best = programs::area_optimal_order(tasks);
        best.resize(slots);
        const double base = floor * static_cast<double>(slots), least = programs::latency_area(tasks, best) - base;
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto own = tk::random::stream(s.seed, 0x73636865U, network);
            areas[i].push_back(
                (programs::latency_area(tasks, order_of(all[i].second, of, weights, slots, own)) - base) / least);
        }
    }
    std::vector<regret> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto gen = tk::random::stream(s.seed, 0x626f6f74U, 1);
        const auto ratio = [&](std::span<const std::uint32_t> drawn) {
            double a = 0, b = 0;
            for (const auto j : drawn) {
                a += std::log(areas[i][j]);
                b += std::log(areas[0][j]);
            }
            return std::exp((a - b) / static_cast<double>(drawn.size()));
        };
        std::vector<std::uint32_t> each(s.networks);
        for (std::size_t j = 0; j < each.size(); ++j) each[j] = static_cast<std::uint32_t>(j);
        out.push_back({all[i].first, tk::stats::mean(areas[i]),
                       tk::stats::bootstrap_interval(s.networks, ratio, {}, gen), ratio(each)});
    }
    return out;
}

void print(const std::vector<summary>& rows, const std::vector<regret>& schedules)
{
    std::printf("%-26s %-24s %9s %22s %9s %9s %9s %8s %8s %6s\n", "method", "of", "forecasts", "in the 90 % interval",
                "width %", "score %", "relative", "bias %", "rmse %", "ranks");
    for (const auto& r : rows)
        std::printf("%-26s %-24s %9zu %7.1f (%5.1f, %5.1f) %9.2f %9.2f %9.3f %+8.2f %8.2f %6.3f\n", r.method.c_str(),
                    r.group.c_str(), r.forecasts, 100 * r.coverage, 100 * r.coverage_range.low,
                    100 * r.coverage_range.high, 100 * r.width, 100 * r.score, r.relative_score, 100 * r.bias,
                    100 * r.error, r.ranks);
    if (schedules.empty()) return;
    std::printf("\n%-26s %14s %26s\n", "schedule", "area / best", "to round robin");
    for (const auto& r : schedules)
        std::printf("%-26s %14.2f %9.3f (%.3f, %.3f)\n", r.schedule.c_str(), r.area, r.ratio, r.to_reference.low,
                    r.to_reference.high);
}

void print_json(const settings& s, const std::vector<summary>& rows, const std::vector<regret>& schedules)
{
    auto all = nlohmann::ordered_json::array(), orders = nlohmann::ordered_json::array();
    for (const auto& r : rows)
        all.push_back({{"method", r.method},
                       {"of", r.group},
                       {"forecasts", r.forecasts},
                       {"coverage", r.coverage},
                       {"coverage_low", r.coverage_range.low},
                       {"coverage_high", r.coverage_range.high},
                       {"width", r.width},
                       {"interval_score", r.score},
                       {"relative_score", r.relative_score},
                       {"bias", r.bias},
                       {"rms_error", r.error},
                       {"rank_correlation", r.ranks}});
    for (const auto& r : schedules)
        orders.push_back({{"schedule", r.schedule},
                          {"area_over_optimal", r.area},
                          {"to_round_robin", r.ratio},
                          {"to_round_robin_low", r.to_reference.low},
                          {"to_round_robin_high", r.to_reference.high}});
    std::printf(
        "%s\n",
        nlohmann::ordered_json{
            {"seed", s.seed}, {"repeats", s.repeats}, {"rows", all}, {"networks", s.networks}, {"schedules", orders}}
            .dump(2)
            .c_str());
}

/// Forecasts of the share of a call that more trials save, and rules that stop by them.
void study_stopping(const settings& s)
{
    tk::require(!s.json, "--json has no form for --stopping, want one of the two");
    constexpr double worths[] = {0.1, 1, 10, 100};
    std::vector<tuning_curve> curves;
    for (const auto& path : programs::recorded_spaces(s.spaces))
        programs::search_space(curves, path, s.strategies, s.repeats, 400, s.seed, 1);
    for (const auto& [name, forecast] : programs::share_forecasts())
        programs::print_calibration(name, programs::promises_of(curves, forecast, cuts, ahead));
    programs::print_stopping(curves, worths, s.seed);
}

void run(const settings& s)
{
    tk::require(s.repeats > 0 && s.tasks > 0, "--repeats and --tasks are counts, want >= 1");
    for (const auto& name : s.strategies) (void)programs::find(programs::strategies(), "strategy", name);
    if (s.stopping) return study_stopping(s);
    std::vector<tuning_curve> curves;
    for (const auto& path : programs::recorded_spaces(s.spaces))
        programs::search_space(curves, path, s.strategies, s.repeats, longest, s.seed);
    const auto rows = coverage(s, curves);
    const auto schedules = s.networks > 0 ? schedule_networks(s, curves) : std::vector<regret>{};
    if (s.json) print_json(s, rows, schedules);
    else print(rows, schedules);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Holds forecasts of tuning curves against what came, on searches of recorded spaces.",
                            "bench_forecasts");
    app.add_option("--spaces", s.spaces, "folders of recorded spaces: NAME.params, NAME.csv.gz")->required();
    app.add_option("--strategy", s.strategies, "searches: " + programs::list(programs::strategies()))->delimiter(',');
    app.repeats(s.repeats, "searches of each strategy and space");
    app.seed(s.seed);
    app.add_option("--by", s.by, "rows of the table: method, space, strategy, trials or ahead")
        ->check(CLI::IsMember({"method", "space", "strategy", "trials", "ahead"}));
    app.add_option("--networks", s.networks, "networks of such curves to schedule, too");
    app.add_option("--tasks", s.tasks, "curves in a network");
    app.add_flag("--stopping", s.stopping,
                 "instead: what is promised of more trials against what came, and what rules of stopping lose");
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
