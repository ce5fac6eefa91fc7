// SPDX-License-Identifier: MIT
// Recorded spaces, replayed as an application that runs while it is tuned: what tuning costs and gains against the default alone,
// the oracle, measuring everything first, and annealing as APEX does it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/study_app.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/online/context.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/stats/bootstrap.hpp"

namespace tk = tunekit;

namespace {

std::size_t bytes_held = 0;  ///< by everything that was allocated

void* allocated(std::size_t n)
{
    auto* const at = static_cast<std::size_t*>(std::malloc(n + 16));
    if (at == nullptr) throw std::bad_alloc();
    *at = n;
    bytes_held += n;
    return at + 2;
}
void freed(void* p) noexcept
{
    if (p == nullptr) return;
    auto* const at = static_cast<std::size_t*>(p) - 2;
    bytes_held -= *at;
    std::free(at);
}

}  // namespace

void* operator new(std::size_t n) { return allocated(n); }
void operator delete(void* p) noexcept { freed(p); }
void operator delete(void* p, std::size_t) noexcept { freed(p); }

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct settings {
    std::string spaces, only, strategies = "widening";
    std::vector<std::uint64_t> calls{1000, 10000, 100000, 1000000};
    std::vector<double> defaults{0.1, 0.5, 0.9};
    std::size_t repeats = 7;
    std::uint64_t seed = 1;
    tk::online::options online;
    bool json = false;
};

/// A space whose configurations are their indices.
struct indexed_space : tk::space::any_space {
    using config = tk::index;
    using any_space::any_space;
    [[nodiscard]] static config at(tk::index i) { return i; }
    [[nodiscard]] std::optional<tk::index> index_of(config i) const
    {
        return i < size() ? std::optional(i) : std::nullopt;
    }
};

/// A kernel as it was recorded: each call takes one of the recorded repeats, at random.
struct application {
    std::string name;
    indexed_space space;
    std::vector<std::vector<double>> times;  ///< of each configuration; none: refused
    std::vector<double> cost;                ///< their median; +inf: refused
    std::vector<tk::index> by_cost;          ///< those that run, fastest first

    [[nodiscard]] double oracle() const { return cost[by_cost.front()]; }
    [[nodiscard]] tk::index at_quantile(double q) const
    {
        return by_cost[static_cast<std::size_t>(q * static_cast<double>(by_cost.size() - 1))];
    }
    template <class G>
    [[nodiscard]] double draw(tk::index i, G& gen) const
    {
        const auto& of = times[i];
        return of.empty() ? infinite : of[tk::random::uniform_index(of.size(), gen)];
    }
};

/// A sample of a space, which may have 10^16 configurations, becomes a list of those that were recorded.
indexed_space space_of(const tk::io::recorded_space& recorded)
{
    if (recorded.sample) return indexed_space(tk::io::listed_space_of(recorded));
    return indexed_space(tk::io::space_of(recorded));
}

std::vector<application> load(const settings& s)
{
    std::vector<application> out;
    for (const auto folder : tk::io::split(s.spaces, ',')) {
        const std::string path(folder);
        for (const auto& name : tk::scoring::recorded_names(path)) {
            if (name.find(s.only) == std::string::npos) continue;
            const auto recorded = tk::io::read_recorded_space(path + '/' + name);
            application a{.name = name, .space = space_of(recorded), .times = {}, .cost = {}, .by_cost = {}};
            const auto table = recorded.sample ? tk::io::table_of(recorded) : tk::io::table_of(recorded, a.space);
            for (const auto& row : table.rows) {
                const bool runs = row.result.ok() && row.result.cost > 0;
                a.times.push_back(!runs                        ? std::vector<double>{}
                                  : row.result.batches.empty() ? std::vector{row.result.cost}
                                                               : row.result.batches);
                a.cost.push_back(runs ? row.result.cost : infinite);
                if (runs) a.by_cost.push_back(a.cost.size() - 1);
            }
            if (a.by_cost.empty()) continue;
            std::sort(a.by_cost.begin(), a.by_cost.end(),
                      [&](tk::index x, tk::index y) { return a.cost[x] < a.cost[y]; });
            out.push_back(std::move(a));
        }
    }
    if (out.empty())
        tk::invalid("--spaces \"" + s.spaces + "\" holds no such recorded space, want NAME.params and NAME.csv.gz");
    return out;
}

/// The calls of a context until it has settled.
struct settling {
    bool settled = false;
    std::uint64_t calls = 0;   ///< until then, or all
    std::uint64_t timed = 0;   ///< of these: timed
    std::uint64_t racing = 0;  ///< of these: from the race's beginning on
};

/// Seconds that have passed. A call is charged the recorded median, so that luck in what is timed saves nothing; a
/// configuration that is refused costs a call of the default instead.
struct ledger {
    const application& of;
    tk::index untuned;
    std::span<const std::uint64_t> marks;
    std::vector<double> total{};  ///< after so many calls
    double now = 0, above = 0;    ///< above: the largest excess over the default alone, as a share of it
    std::uint64_t calls = 0;
    std::optional<settling> until_settled{};  ///< where there is such a thing

    void add(tk::index i, std::uint64_t n = 1)
    {
        const double each = std::isfinite(of.cost[i]) ? of.cost[i] : of.cost[untuned];
        while (n > 0 && !over()) {
            const std::uint64_t some = (std::min)(n, marks[total.size()] - calls);
            now += each * static_cast<double>(some);
            calls += some;
            n -= some;
            above = (std::max)(above, now / (static_cast<double>(calls) * of.cost[untuned]) - 1);
            if (calls == marks[total.size()]) total.push_back(now);
        }
    }
    [[nodiscard]] bool over() const { return total.size() == marks.size(); }
};

using tk::random::philox;

template <class Strategy>
void tune_online(ledger& to, const settings& s, const Strategy& strategy, philox& gen)
{
    using parts = tk::online::parts<Strategy>;
    const auto how =
        std::make_shared<const tk::online::setup<indexed_space, parts>>(tk::online::setup<indexed_space, parts>{
            .space = to.of.space, .untuned = to.untuned, .options = s.online, .parts = {strategy}});
    tk::online::context<indexed_space, parts> t(how, gen());
    settling& so_far = to.until_settled.emplace();
    while (!to.over()) {
        const tk::index i = t.next();
        to.add(i);
        if (!so_far.settled) {
            ++so_far.calls;
            so_far.timed += t.wants_time();
            so_far.racing += t.phase() == tk::online::phase::racing;
        }
        if (t.wants_time()) t.report(to.of.draw(i, gen));
        so_far.settled = so_far.settled || t.settled();
    }
}

/// Each configuration `runs` times, in any order, then the fastest by its mean.
void measure_all(ledger& to, std::size_t runs, philox& gen)
{
    std::vector<tk::index> order(to.of.cost.size());
    std::iota(order.begin(), order.end(), tk::index{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[tk::random::uniform_index(i, gen)]);
    tk::index best = to.untuned;
    double cost = infinite;
    for (const tk::index i : order) {
        double sum = 0;
        for (std::size_t k = 0; k < (to.of.times[i].empty() ? 1 : runs); ++k) {
            to.add(i);
            sum += to.of.draw(i, gen);
        }
        if (to.over()) return;
        if (sum < cost) {
            cost = sum;
            best = i;
        }
    }
    to.add(best, std::numeric_limits<std::uint64_t>::max());
}

/// Annealing as APEX has it (src/apex/simulated_annealing.cpp, 2025-01): from the default; every variable moves at once by up to a
/// quarter of its values, less as it cools; the mean of 5 calls; the product of all sizes in steps, but 100 to 500; back to the
/// best after each tenth without a better one. What is no configuration is drawn again, at no cost.
void anneal(ledger& to, philox& gen)
{
    const auto& space = to.of.space;
    const std::size_t d = space.dimensions();
    const auto sizes = space.cardinalities();
    double product = 1;
    for (const auto n : sizes) product *= n;
    const std::size_t steps = static_cast<std::size_t>(std::clamp(product, 100.0, 500.0)), restart = steps / 10;
    constexpr std::size_t window = 5;
    std::vector<std::uint16_t> current(d), next(d), best(d);
    space.ordinals({&to.untuned, 1}, current);
    best = next = current;
    double cost = infinite, best_cost = infinite, heat = 0;
    tk::index best_index = to.untuned;
    std::size_t since = 0;
    for (std::size_t k = 1; k < steps && !to.over(); ++k) {
        std::optional<tk::index> i;
        while (!i) {
            for (std::size_t j = 0; j < d; ++j) {
                const double reach = static_cast<double>(sizes[j] / 2) / 2;
                const int move = static_cast<int>((2 * tk::random::uniform_01(gen) - 1) * reach * (1 - heat));
                const int at = current[j] + move;
                next[j] = static_cast<std::uint16_t>(at < 0 || at >= sizes[j] ? current[j] : at);
            }
            i = space.index_of_ordinals(next);
        }
        double sum = 0;
        for (std::size_t r = 0; r < (to.of.times[*i].empty() ? 1 : window); ++r) {
            to.add(*i);
            sum += to.of.draw(*i, gen);
        }
        const double mean = sum / window;
        heat = static_cast<double>(k) / static_cast<double>(steps);
        if (mean < cost || (std::isfinite(mean) && std::exp(-(mean - cost) / heat) >= tk::random::uniform_01(gen))) {
            current = next;
            cost = mean;
        }
        if (mean < best_cost) {
            best_cost = mean;
            best = next;
            best_index = *i;
            since = 1;
        }
        if (since % restart == 0) {
            current = best;
            cost = best_cost;
            since = 1;
        }
        ++since;
    }
    to.add(best_index, std::numeric_limits<std::uint64_t>::max());
}

struct policy {
    std::string name;
    std::function<void(ledger&, philox&)> run;
};

std::vector<policy> policies(const settings& s)
{
    std::vector<policy> out;
    const auto known = programs::strategies();
    for (const std::string_view name : tk::io::split(s.strategies, ',')) {
        const std::string title = "online " + std::string(name);
        if (name == "widening") {
            out.push_back({title, [&s](ledger& to, philox& gen) { tune_online(to, s, tk::online::widening{}, gen); }});
        } else {
            const auto& strategy = programs::find(known, "strategy", name);
            out.push_back({title, [&s, strategy](ledger& to, philox& gen) { tune_online(to, s, strategy, gen); }});
        }
    }
    out.push_back({"exhaustive, once", [](ledger& to, philox& gen) { measure_all(to, 1, gen); }});
    out.push_back({"exhaustive, thrice", [](ledger& to, philox& gen) { measure_all(to, 3, gen); }});
    out.push_back({"annealing of APEX", [](ledger& to, philox& gen) { anneal(to, gen); }});
    out.push_back(
        {"default alone", [](ledger& to, philox&) { to.add(to.untuned, std::numeric_limits<std::uint64_t>::max()); }});
    return out;
}

/// One policy on one space from one default: each repeat's totals, in calls of the oracle.
struct cell {
    std::vector<std::vector<double>> total;  ///< by repeat, by mark; times the oracle
    double above = 0;                        ///< worst of all repeats
    std::vector<settling> settled;           ///< by repeat, where there is such a thing
};

struct number {
    double value = 0, low = 0, high = 0;
};

template <class Of>
number over_seeds(std::size_t repeats, const Of& of)
{
    std::vector<std::uint32_t> all(repeats);
    std::iota(all.begin(), all.end(), 0U);
    auto gen = philox(1);
    const auto within = tk::stats::bootstrap_interval(
        repeats, [&](std::span<const std::uint32_t> some) { return of(some); }, {.resamples = 200}, gen);
    return {of(std::span<const std::uint32_t>(all)), within.low, within.high};
}

double mean_total(const cell& c, std::size_t mark, std::span<const std::uint32_t> some)
{
    double sum = 0;
    for (const std::uint32_t k : some) sum += c.total[k][mark];
    return sum / static_cast<double>(some.size());
}

/// What is said of one policy with one default after so many calls.
struct row {
    std::string policy;
    double quantile = 0;
    std::uint64_t calls = 0;
    number total;      ///< time over the oracle's: geometric mean over spaces
    double worst = 0;  ///< the same of the worst space
    std::string worst_of;
    number less_loss;  ///< the loss against the oracle, over that of the first policy: geometric mean over spaces
    double above = 0;  ///< most above the default alone, at any moment, on any space
};

void print(const std::vector<row>& rows)
{
    std::printf("%-22s %7s %9s %24s %18s %24s %9s\n", "policy", "default", "calls", "time, oracle = 1", "worst space",
                "loss, first policy = 1", "above");
    for (const row& r : rows)
        std::printf("%-22s %6.0f%% %9llu %9.3f [%.3f, %.3f] %9.3f %8s %9.2f [%.2f, %.2f] %8.2f%%\n", r.policy.c_str(),
                    100 * r.quantile, static_cast<unsigned long long>(r.calls), r.total.value, r.total.low,
                    r.total.high, r.worst, r.worst_of.c_str(), r.less_loss.value, r.less_loss.low, r.less_loss.high,
                    100 * r.above);
}

/// When the contexts of one policy with one default settled.
struct settled_row {
    std::string policy;
    double quantile = 0;
    std::size_t contexts = 0, settled = 0;
    double calls = 0, timed = 0, racing = 0;  ///< of those that settled: geometric mean, and the means of their shares
    double worst = 0;                         ///< the most calls of those that settled
    std::string worst_of;
};

settled_row settled_of(const std::vector<cell>& cells, const std::vector<application>& spaces)
{
    settled_row out;
    double logs = 0;
    for (std::size_t k = 0; k < cells.size(); ++k)
        for (const settling& s : cells[k].settled) {
            ++out.contexts;
            if (!s.settled) continue;
            ++out.settled;
            const auto calls = static_cast<double>(s.calls);
            logs += std::log(calls);
            out.timed += static_cast<double>(s.timed) / calls;
            out.racing += static_cast<double>(s.racing) / calls;
            if (calls > out.worst) {
                out.worst = calls;
                out.worst_of = spaces[k].name;
            }
        }
    const auto n = static_cast<double>((std::max)(out.settled, std::size_t{1}));
    out.calls = std::exp(logs / n);
    out.timed /= n;
    out.racing /= n;
    return out;
}

void print(const settled_row& r)
{
    std::printf(
        "%s, default %.0f%%: %zu of %zu contexts settled, after %.0f calls (geometric mean), %.1f%% of them timed, "
        "%.1f%% racing; worst %.0f, %s\n",
        r.policy.c_str(), 100 * r.quantile, r.settled, r.contexts, r.calls, 100 * r.timed, 100 * r.racing, r.worst,
        r.worst_of.c_str());
}

/// What our own part costs on this machine, with the first space.
struct own_cost {
    double settled_ns = 0, timed_us = 0, untimed_ns = 0;
    std::size_t open_bytes = 0, settled_bytes = 0;
};

own_cost measure_own(const application& on, const settings& s)
{
    using setup = tk::online::setup<indexed_space>;
    const auto how = std::make_shared<const setup>(
        setup{.space = on.space, .untuned = on.at_quantile(0.5), .options = s.online, .parts = {}});
    own_cost out;
    tk::measure::wall_clock now;
    philox gen(s.seed);
    const std::size_t before = bytes_held;
    auto t = std::make_unique<tk::online::context<indexed_space>>(how);
    double timed = 0, timed_n = 0;
    for (std::uint64_t n = 0; n < 10000000 && !t->settled(); ++n) {
        const double began = now();
        const tk::index i = t->next();
        const double middle = now();
        const bool wants = t->wants_time();
        const double seconds = wants ? on.draw(i, gen) : 0;
        const double again = now();
        if (wants) {
            t->report(seconds);
            timed += middle - began + (now() - again);
            ++timed_n;
            out.open_bytes = (std::max)(out.open_bytes, bytes_held - before);
        }
    }
    out.timed_us = 1e6 * timed / timed_n;
    out.settled_bytes = bytes_held - before;
    constexpr std::uint64_t many = 20000000;
    tk::index sum = 0;
    double best = infinite;
    for (int round = 0; round < 5; ++round) {
        const double began = now();
        for (std::uint64_t n = 0; n < many; ++n) {
            sum += t->next();
            tk::measure::keep(sum);
            t->report(1e-3);
        }
        best = (std::min)(best, (now() - began) / static_cast<double>(many));
    }
    out.settled_ns = 1e9 * best;
    return out;
}

void run(settings& s)
{
    if (s.repeats == 0 || s.calls.empty() || s.defaults.empty())
        tk::invalid("--repeats, --calls and --defaults are counts, want >= 1");
    for (const double q : s.defaults)
        if (!(q >= 0 && q <= 1)) tk::invalid("--defaults has a number outside [0, 1], want quantiles");
    std::sort(s.calls.begin(), s.calls.end());
    s.calls.erase(std::unique(s.calls.begin(), s.calls.end()), s.calls.end());
    if (s.calls.front() == 0) tk::invalid("--calls has a 0, want counts >= 1");
    s.online.validate();
    const auto all = policies(s);
    const auto spaces = load(s);
    const own_cost own = measure_own(spaces.front(), s);
    std::vector<row> rows;
    std::vector<settled_row> settled;
    nlohmann::ordered_json by_space = nlohmann::ordered_json::array();
    std::vector<std::uint32_t> every(s.repeats);
    std::iota(every.begin(), every.end(), 0U);
    for (const double q : s.defaults) {
        std::vector<std::vector<cell>> cells(all.size());
        for (std::size_t p = 0; p < all.size(); ++p)
            for (const application& on : spaces) {
                cell c;
                for (std::size_t repeat = 0; repeat < s.repeats; ++repeat) {
                    ledger to{.of = on, .untuned = on.at_quantile(q), .marks = s.calls};
                    auto gen = tk::random::stream(s.seed, 0x6f6e6c69U, repeat);
                    all[p].run(to, gen);
                    for (std::size_t m = 0; m < s.calls.size(); ++m)
                        to.total[m] /= static_cast<double>(s.calls[m]) * on.oracle();
                    c.above = (std::max)(c.above, to.above);
                    if (to.until_settled) c.settled.push_back(*to.until_settled);
                    c.total.push_back(std::move(to.total));
                }
                cells[p].push_back(std::move(c));
            }
        for (std::size_t p = 0; p < all.size(); ++p) {
            settled_row when = settled_of(cells[p], spaces);
            when.policy = all[p].name;
            when.quantile = q;
            if (when.contexts > 0) settled.push_back(std::move(when));
        }
        for (std::size_t p = 0; p < all.size(); ++p)
            for (std::size_t m = 0; m < s.calls.size(); ++m) {
                row r{.policy = all[p].name,
                      .quantile = q,
                      .calls = s.calls[m],
                      .total = {},
                      .worst_of = {},
                      .less_loss = {}};
                const auto geometric = [&](const auto& of) {
                    return over_seeds(s.repeats, [&](std::span<const std::uint32_t> some) {
                        double sum = 0;
                        for (std::size_t k = 0; k < spaces.size(); ++k) sum += std::log(of(k, some));
                        return std::exp(sum / static_cast<double>(spaces.size()));
                    });
                };
                r.total = geometric([&](std::size_t k, auto some) { return mean_total(cells[p][k], m, some); });
                r.less_loss = geometric([&](std::size_t k, auto some) {
                    return (std::max)(1e-9, mean_total(cells[p][k], m, some) - 1) /
                           (std::max)(1e-9, mean_total(cells[0][k], m, some) - 1);
                });
                for (std::size_t k = 0; k < spaces.size(); ++k) {
                    const double t = mean_total(cells[p][k], m, every);
                    if (t > r.worst) {
                        r.worst = t;
                        r.worst_of = spaces[k].name;
                    }
                    r.above = (std::max)(r.above, cells[p][k].above);
                    if (s.json)
                        by_space.push_back({{"policy", all[p].name},
                                            {"default", q},
                                            {"space", spaces[k].name},
                                            {"calls", s.calls[m]},
                                            {"time", t},
                                            {"above", cells[p][k].above}});
                }
                rows.push_back(std::move(r));
            }
    }
    if (s.json) {
        nlohmann::ordered_json scores = nlohmann::ordered_json::array();
        const auto with_interval = [](const number& n) {
            return nlohmann::ordered_json{{"value", n.value}, {"low", n.low}, {"high", n.high}};
        };
        for (const row& r : rows)
            scores.push_back({{"policy", r.policy},
                              {"default", r.quantile},
                              {"calls", r.calls},
                              {"time", with_interval(r.total)},
                              {"worst_time", r.worst},
                              {"worst_space", r.worst_of},
                              {"loss", with_interval(r.less_loss)},
                              {"above", r.above}});
        nlohmann::ordered_json when = nlohmann::ordered_json::array();
        for (const settled_row& r : settled)
            when.push_back({{"policy", r.policy},
                            {"default", r.quantile},
                            {"contexts", r.contexts},
                            {"settled", r.settled},
                            {"calls", r.calls},
                            {"timed", r.timed},
                            {"racing", r.racing},
                            {"worst_calls", r.worst},
                            {"worst_space", r.worst_of}});
        const nlohmann::ordered_json cost{{"settled_ns", own.settled_ns},
                                          {"timed_us", own.timed_us},
                                          {"open_bytes", own.open_bytes},
                                          {"settled_bytes", own.settled_bytes}};
        std::printf("%s\n", nlohmann::ordered_json{{"seed", s.seed},
                                                   {"repeats", s.repeats},
                                                   {"own", cost},
                                                   {"rows", by_space},
                                                   {"scores", scores},
                                                   {"settled", when}}
                                .dump(2)
                                .c_str());
        return;
    }
    std::printf("%zu spaces, %zu seeds each\n", spaces.size(), s.repeats);
    print(rows);
    for (const settled_row& r : settled) print(r);
    std::printf("own cost on %s: %.1f ns a settled call, %.2f us a timed call, %zu bytes open, %zu settled\n",
                spaces.front().name.c_str(), own.settled_ns, own.timed_us, own.open_bytes, own.settled_bytes);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Replays recorded spaces as an application that is tuned while it runs.", "bench_online");
    app.spaces(s.spaces, s.only);
    app.add_option("--strategy", s.strategies,
                   "names, separated by commas: widening, " + programs::list(programs::strategies()));
    app.add_option("--calls", s.calls, "after how many calls, separated by commas")->delimiter(',');
    app.add_option("--defaults", s.defaults, "the default: quantiles of the configurations that run, fastest first")
        ->delimiter(',');
    app.add_option("--regret", s.online.regret, "share of the default's time that tuning may cost");
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
