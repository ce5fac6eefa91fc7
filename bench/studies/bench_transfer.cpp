// SPDX-License-Identifier: MIT
// What experience is worth: trials to 1.05 x optimum of a recorded space, cold and with what other spaces of its family
// taught: other devices, layers or sizes. And what it costs of a strategy's own time, in spaces too large to be recorded.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/program.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/experience.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr std::size_t most = 200;  ///< trials of a run

struct settings {
    std::vector<std::string> spaces, sources;
    std::string only, strategy = "combined", from = "logs", lie = "none";
    std::size_t repeats = 25, log_trials = 200, most_sources = 8;
    std::uint64_t seed = 1;
    bool json = false, versions = false, made_up = false;
};

using trials = std::vector<tk::measure::trial>;

template <class Strategy, class Measurer>
trials run(const Strategy& strategy, const tk::space::any_space& space, Measurer& measurer, std::size_t n,
           tk::random::philox& gen)
{
    return tk::tune(space, measurer, tk::recipe{strategy, tk::measure::fixed{}, {}, 1}, {.trials = n}, gen).trials();
}

template <class Strategy>
trials run(const Strategy& strategy, const tk::scoring::recording& on, std::size_t n, tk::random::philox& gen)
{
    double now = 0;
    tk::measure::replay measurer(on.rows, tk::measure::virtual_clock(now));
    return run(strategy, on.space, measurer, n, gen);
}

/// ln of the trials to 1.05 x optimum, capped; ln of the best of the first hundred over the optimum.
struct outcome {
    double to_105 = 0, after_100 = 0;
};

outcome of(const trials& all, const tk::scoring::recording& on)
{
    double best = std::numeric_limits<double>::infinity(), hundred = best;
    std::size_t reached = most;
    for (std::size_t i = 0; i < (std::min)(all.size(), most); ++i) {
        if (all[i].measured.ok()) best = (std::min)(best, all[i].measured.cost);
        if (best <= 1.05 * on.optimum) reached = (std::min)(reached, i + 1);
        if (i < 100) hundred = best;
    }
    return {std::log(static_cast<double>(reached)), std::log(hundred / on.optimum)};
}

/// What two spaces share that teach one another.
std::string family(const tk::scoring::recording& r)
{
    const std::size_t dash = r.name.rfind('-');
    return dash == std::string::npos ? r.kernel.substr(0, r.kernel.find(' ')) : r.name.substr(0, dash);
}

/// The kernel of a space, whatever its version.
std::string kernel_of(const tk::scoring::recording& r) { return r.name.substr(0, r.name.find_first_of("_-")); }

bool teaches(const tk::scoring::recording& source, const tk::scoring::recording& target, bool versions)
{
    if (versions) return kernel_of(source) == kernel_of(target) && family(source) != family(target);
    const auto mine = target.space.names(), theirs = source.space.names();
    return source.name != target.name && family(source) == family(target) &&
           std::is_permutation(mine.begin(), mine.end(), theirs.begin(), theirs.end());
}

/// A source whose costs belong to other configurations (shuffled), or whose best are its worst (inverted).
void distort(tk::experience_source& s, const std::string& lie, tk::random::philox& gen)
{
    std::vector<double> costs;
    for (const auto& r : s.results)
        if (r.ok()) costs.push_back(r.cost);
    if (lie == "none" || costs.empty()) return;
    const auto [low, high] = std::minmax_element(costs.begin(), costs.end());
    const double both = *low * *high;
    if (lie == "shuffled") tk::random::shuffle(costs, gen);
    else
        for (double& c : costs) c = both / c;
    std::size_t k = 0;
    for (auto& r : s.results)
        if (r.ok()) r.cost = costs[k++];
}

struct row {
    std::string space;
    std::size_t sources = 0;
    outcome cold, warm;             ///< means of logarithms
    double cold_s = 0, warm_s = 0;  ///< own time of a run
    std::vector<double> fewer{};    ///< of each repeat ln of cold over warm trials
    std::vector<double> behind{};   ///< of each repeat ln of warm over cold after 100
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A kernel made up, of `digits` parameters with ten values each. ln cost is a bowl with its bottom where the device has it, and
/// what neighbouring parameters do to each other.
class made_up {
public:
    made_up(std::size_t digits, std::uint64_t device) : space(space_of(digits))
    {
        auto gen = tk::random::stream(device, 0x6d616465U, digits);
        for (std::size_t j = 0; j < digits; ++j) {
            bottom_.push_back(4 + static_cast<double>(tk::random::uniform_index(3, gen)));
            steep_.push_back(0.5 + static_cast<double>(j % 4));
        }
    }

    tk::space::any_space space;

    [[nodiscard]] std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch,
                                                                const tk::measure::limits&) const
    {
        const std::size_t d = bottom_.size();
        std::vector<std::uint16_t> at(batch.size() * d);
        space.ordinals(batch, at);
        std::vector<tk::measure::measurement> out;
        for (std::size_t k = 0; k < batch.size(); ++k) {
            double sum = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double x = at[k * d + j], next = at[k * d + (j + 1) % d];
                sum += steep_[j] * (x - bottom_[j]) * (x - bottom_[j]) + (x - next) * (x - next) / 2;
            }
            out.push_back({.cost = 1e-3 * std::exp(sum / 81), .runs = 1});
        }
        return out;
    }

private:
    static tk::space::any_space space_of(std::size_t digits)
    {
        std::vector<tk::space::value_parameter> out;
        for (std::size_t j = 0; j < digits; ++j)
            out.push_back({"p" + std::to_string(j), {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}});
        return tk::space::value_product(out, {});
    }

    std::vector<double> bottom_, steep_;
};

/// Own time of runs in spaces that nobody can measure whole, cold and with the logs of three other devices.
template <class Strategy, class Tell>
void study_made_up(const Strategy& strategy, const settings& s, const Tell& tell)
{
    constexpr std::size_t sources = 3;
    for (const std::size_t digits : {std::size_t{4}, std::size_t{6}, std::size_t{9}}) {
        row out{.space = "10^" + std::to_string(digits), .sources = sources, .cold = {}, .warm = {}};
        for (std::size_t r = 0; r < s.repeats; ++r) {
            tk::experience past;
            for (std::size_t device = 1; device <= sources; ++device) {
                auto gen = tk::random::stream(s.seed, 0x6c6f6773U, r * sources + device);
                made_up on(digits, device);
                past.add(on.space, run(strategy, on.space, on, s.log_trials, gen), std::to_string(device));
            }
            made_up on(digits, 0);
            auto warm = strategy;
            warm.remember(std::move(past));
            for (const bool with : {false, true}) {
                auto gen = tk::random::stream(s.seed, 0x72756e73U, r);
                const double before = cpu_seconds();
                (void)run(with ? warm : strategy, on.space, on, most, gen);
                (with ? out.warm_s : out.cold_s) += (cpu_seconds() - before) / static_cast<double>(s.repeats);
            }
        }
        tell(out);
    }
}

void print_own_time(const row& r)
{
    std::printf("%-28s %7zu %8.3f %8.3f %7.2f\n", r.space.c_str(), r.sources, r.cold_s, r.warm_s, r.warm_s / r.cold_s);
    std::fflush(stdout);
}

/// Calls `tell` with each row as soon as there is one.
template <class Strategy, class Tell>
void study(const Strategy& strategy, const std::vector<tk::scoring::recording>& targets,
           const std::vector<tk::scoring::recording>& sources, const settings& s, const Tell& tell)
{
    std::vector<std::vector<trials>> logs(sources.size());  // one per repeat, made when first wanted
    const auto log = [&](std::size_t j, std::size_t r) -> const trials& {
        while (logs[j].size() <= r) {
            auto gen = tk::random::stream(s.seed, 0x6c6f6773U, logs[j].size() * sources.size() + j);
            logs[j].push_back(run(strategy, sources[j], s.log_trials, gen));
        }
        return logs[j][r];
    };
    for (std::size_t k = 0; k < targets.size(); ++k) {
        std::vector<std::size_t> teachers;
        for (std::size_t j = 0; j < sources.size() && teachers.size() < s.most_sources; ++j)
            if (teaches(sources[j], targets[k], s.versions)) teachers.push_back(j);
        if (teachers.empty()) continue;
        row out{.space = targets[k].name, .sources = teachers.size(), .cold = {}, .warm = {}};
        const auto repeats = static_cast<double>(s.repeats);
        for (std::size_t r = 0; r < s.repeats; ++r) {
            tk::experience past;
            auto dice = tk::random::stream(s.seed, 0x6c696573U, r);
            for (const std::size_t j : teachers) {
                tk::experience one;
                if (s.from == "logs") {
                    one.add(sources[j].space, log(j, r), sources[j].name);
                } else {
                    trials all;
                    for (tk::index i = 0; i < sources[j].rows.size(); ++i)
                        all.push_back(
                            {.candidate = i, .measured = sources[j].rows[static_cast<std::size_t>(i)].result});
                    one.add(sources[j].space, all, sources[j].name);
                }
                for (auto& source : one.sources) distort(source, s.lie, dice);
                past.merge(std::move(one));
            }
            const auto arm = [&](const Strategy& with, outcome& to, double& seconds) {
                auto gen = tk::random::stream(s.seed, 0x72756e73U, r * targets.size() + k);
                const double before = cpu_seconds();
                const outcome o = of(run(with, targets[k], most, gen), targets[k]);
                seconds += (cpu_seconds() - before) / repeats;
                to.to_105 += o.to_105 / repeats;
                to.after_100 += o.after_100 / repeats;
                return o;
            };
            const outcome cold = arm(strategy, out.cold, out.cold_s);
            auto warm = strategy;
            warm.remember(std::move(past));
            const outcome told = arm(warm, out.warm, out.warm_s);
            out.fewer.push_back(cold.to_105 - told.to_105);
            out.behind.push_back(told.after_100 - cold.after_100);
        }
        tell(out);
    }
}

/// The interval of a factor of which these are logarithms; empty for one.
std::string interval_text(const std::vector<double>& logs, int digits)
{
    if (logs.size() < 2) return {};
    const auto within = tk::stats::mean_interval(logs);
    char text[64];
    std::snprintf(text, sizeof text, "[%.*f, %.*f]", digits, std::exp(within.low), digits, std::exp(within.high));
    return text;
}

void print(const row& r)
{
    std::printf("%-28s %7zu %9.1f %9.1f %7.2f %-15s %9.3f %9.3f %s\n", r.space.c_str(), r.sources,
                std::exp(r.cold.to_105), std::exp(r.warm.to_105), std::exp(r.cold.to_105 - r.warm.to_105),
                interval_text(r.fewer, 2).c_str(), std::exp(r.cold.after_100), std::exp(r.warm.after_100),
                interval_text(r.behind, 3).c_str());
    std::fflush(stdout);
}

/// Geometric means over spaces. Repeats are independent, so that the means of each give intervals.
row mean_of(const std::vector<row>& rows)
{
    row mean{.space = "geometric mean", .sources = rows.size(), .cold = {}, .warm = {}};
    const auto n = static_cast<double>(rows.size());
    for (const row& r : rows) {
        for (auto [to, from] : {std::pair{&mean.cold, &r.cold}, std::pair{&mean.warm, &r.warm}}) {
            to->to_105 += from->to_105 / n;
            to->after_100 += from->after_100 / n;
        }
        mean.cold_s += r.cold_s / n;
        mean.warm_s += r.warm_s / n;
        for (auto [to, from] : {std::pair{&mean.fewer, &r.fewer}, std::pair{&mean.behind, &r.behind}}) {
            to->resize(from->size());
            for (std::size_t k = 0; k < from->size(); ++k) (*to)[k] += (*from)[k] / n;
        }
    }
    return mean;
}

std::vector<tk::scoring::recording> load(const std::vector<std::string>& folders, const std::string& only)
{
    std::string all;
    for (const std::string& f : folders) all += (all.empty() ? "" : ",") + f;
    return programs::load_spaces("bench_transfer", all, only);
}

void known(const std::string& option, const std::string& given, const std::vector<std::string>& words)
{
    if (std::find(words.begin(), words.end(), given) != words.end()) return;
    std::string list;
    for (const std::string& w : words) list += (list.empty() ? "" : ", ") + w;
    tk::invalid(option + " \"" + given + "\" is unknown, want one of: " + list);
}

void run_all(const settings& s)
{
    if (s.repeats == 0 || s.log_trials == 0 || s.most_sources == 0)
        tk::invalid("--repeats, --log-trials and --most-sources are counts, want >= 1");
    known("--strategy", s.strategy, {"combined", "autotvm", "autotvm-rank"});
    known("--from", s.from, {"logs", "recordings"});
    known("--lie", s.lie, {"none", "shuffled", "inverted"});
    const auto with_strategy = [&](const auto& use) {
        if (s.strategy == "combined") use(tk::recipes::combined().strategy);
        else if (s.strategy == "autotvm") use(tk::recipes::autotvm_reg().strategy);
        else use(tk::recipes::autotvm_rank().strategy);
    };
    if (s.made_up) {
        std::printf("%-28s %7s %8s %8s %7s\n", "configurations", "sources", "cold s", "warm s", "times");
        with_strategy([&](const auto& strategy) { study_made_up(strategy, s, print_own_time); });
        return;
    }
    tk::require(!s.spaces.empty(), "no recorded spaces were given, want --spaces DIR or --made-up");
    const auto targets = load(s.spaces, s.only);
    const auto sources = load(s.sources.empty() ? s.spaces : s.sources, "");
    std::vector<row> rows;
    const auto tell = [&](const row& r) {
        rows.push_back(r);
        if (!s.json) print(r);
    };
    if (!s.json)
        std::printf("%-28s %7s %9s %9s %7s %-15s %9s %9s %s\n", "space", "sources", "cold", "warm", "fewer", "[95 %]",
                    "cold 100", "warm 100", "ratio [95 %]");
    with_strategy([&](const auto& strategy) { study(strategy, targets, sources, s, tell); });
    const row mean = mean_of(rows);
    if (!rows.empty())  // not in the table, which is the same twice
        std::fprintf(stderr, "bench_transfer: own time of a run: %.2f s cold, %.2f s warm, x%.2f\n", mean.cold_s,
                     mean.warm_s, mean.warm_s / mean.cold_s);
    if (!s.json) {
        if (!rows.empty()) print(mean);
        return;
    }
    auto list = nlohmann::ordered_json::array();
    for (const row& r : rows)
        list.push_back({{"space", r.space},
                        {"sources", r.sources},
                        {"cold_to_105", std::exp(r.cold.to_105)},
                        {"warm_to_105", std::exp(r.warm.to_105)},
                        {"cold_after_100", std::exp(r.cold.after_100)},
                        {"warm_after_100", std::exp(r.warm.after_100)}});
    const nlohmann::ordered_json out{{"seed", s.seed},
                                     {"repeats", s.repeats},
                                     {"strategy", s.strategy},
                                     {"from", s.from},
                                     {"lie", s.lie},
                                     {"versions", s.versions},
                                     {"log_trials", s.log_trials},
                                     {"most_sources", s.most_sources},
                                     {"rows", std::move(list)}};
    std::printf("%s\n", out.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app(
        "Trials to 1.05 x optimum of recorded spaces (at most 200), and best / optimum after 100: cold and with the "
        "experience of other spaces of the same family (the name before its last '-') and parameters. Geometric means "
        "over the repeats, with Student's intervals of what changes.",
        "bench_transfer");
    app.add_option("--spaces", s.spaces, "folders of recorded spaces, separated by commas; may be repeated");
    app.add_option("--sources", s.sources, "the same of those that teach; by default --spaces");
    app.add_option("--only", s.only, "spaces whose name contains this");
    app.add_option("--strategy", s.strategy, "combined, autotvm or autotvm-rank");
    app.add_option("--from", s.from, "logs: runs of the strategy; recordings: all configurations");
    app.add_option("--lie", s.lie, "none, shuffled or inverted: what is done to the costs of the sources");
    app.add_flag(
        "--versions", s.versions,
        "a space learns from other versions of its kernel, the name before its first '_' or '-', instead of its "
        "family");
    app.add_flag("--made-up", s.made_up,
                 "without --spaces: the own time of a run of 200 trials in made-up spaces of 10^4, 10^6 and 10^9 "
                 "configurations, cold and with three sources");
    app.add_option("--log-trials", s.log_trials, "of each log");
    app.add_option("--most-sources", s.most_sources, "of a space, the first by name");
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.json(s.json);
    return app.run(argc, argv, [&] { run_all(s); });
}
