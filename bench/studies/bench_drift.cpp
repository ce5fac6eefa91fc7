// SPDX-License-Identifier: MIT
// Kernels that change while they are tuned, simulated: after how many calls a context settles, after how many timed calls it notices a
// change, and what is lost from then on.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/study_app.hpp"
#include "packages/online/tests/support/changing_kernel.hpp"
#include "tunekit/core/error.hpp"

namespace tk = tunekit;
using drifting::changing_kernel;

namespace {

struct settings {
    std::vector<double> noise{0.05, 0.2};
    std::vector<double> defaults{1.8, 10};
    std::uint64_t calls = 100000;
    std::size_t repeats = 6;
    std::uint64_t seed = 1;
    bool json = false;
};

/// What changes, and who is to be faster than before.
struct change {
    std::string name;
    std::function<void(changing_kernel&, tk::index winner)> make;
};

std::vector<change> changes()
{
    const auto winner = [](double by) {
        return [by](changing_kernel& k, tk::index i) {
            k.which = i;
            k.one = by;
        };
    };
    const auto family = [](double by) { return [by](changing_kernel& k, tk::index) { k.vectors = by; }; };
    return {{"nothing", [](changing_kernel&, tk::index) {}},
            {"winner 1.2", winner(1.2)},
            {"winner 2.5", winner(2.5)},
            {"winner 20", winner(20)},
            {"family 2.5", family(2.5)},
            {"family 20", family(20)},
            {"all 2", [](changing_kernel& k, tk::index) { k.all = 2; }}};
}

/// Mean and worst of all seeds.
struct number {
    double sum = 0, worst = 0, n = 0;

    void add(double x)
    {
        sum += x;
        worst = n == 0 ? x : (std::max)(worst, x);
        ++n;
    }
    [[nodiscard]] double mean() const { return n > 0 ? sum / n : 0; }
};

struct row {
    std::string change;
    double noise = 0, slow = 0;
    number settled;             ///< calls until it settled
    number noticed;             ///< timed calls of the winner until its times were seen to have risen, where they were
    std::size_t unnoticed = 0;  ///< seeds in which they never were
    number over_oracle;         ///< time from the change on, over that of the fastest
    number spent;               ///< share of that time by which calls took longer than the winner's
    std::size_t reopened = 0;   ///< seeds in which it tuned again
};

row study(const settings& s, const change& what, double noise, double slow)
{
    row out{.change = what.name,
            .noise = noise,
            .slow = slow,
            .settled = {},
            .noticed = {},
            .over_oracle = {},
            .spent = {}};
    for (std::size_t k = 0; k < s.repeats; ++k) {
        const std::uint64_t seed = s.seed + k;
        changing_kernel kernel{.noise = noise, .slow_default = slow, .gen = tk::random::philox(seed)};
        drifting::context t = drifting::begun(kernel, seed);
        std::uint64_t n = 0;
        for (; !t.settled() && n < s.calls; ++n) drifting::calls(t, kernel, 1);
        out.settled.add(static_cast<double>(n));
        // The whole search, so that what is lost later is lost to the change.
        drifting::calls(t, kernel, 10 * s.calls);
        if (!t.settled()) continue;
        const auto before = t.status();
        what.make(kernel, before.best);
        const drifting::passed after = drifting::calls(t, kernel, s.calls);
        const auto now = t.status();
        const bool seen = now.alarms > before.alarms || now.reopened > before.reopened;
        if (seen) out.noticed.add(static_cast<double>(after.until_alarm));
        out.unnoticed += !seen;
        out.over_oracle.add(after.over_oracle);
        out.spent.add(after.not_by_winner);
        out.reopened += now.reopened > before.reopened;
    }
    return out;
}

void print(const settings& s, const std::vector<row>& rows)
{
    std::printf("%-11s %6s %8s %15s %15s %9s %17s %21s %9s\n", "changes", "noise", "default", "settled, worst",
                "noticed, worst", "never", "over oracle, worst", "not by winner, worst", "reopened");
    for (const row& r : rows)
        std::printf("%-11s %5.0f%% %7.1fx %7.0f %7.0f %7.0f %7.0f %5zu/%-3zu %9.4f %8.4f %10.4f%% %8.4f%% %5zu/%-3zu\n",
                    r.change.c_str(), 100 * r.noise, r.slow, r.settled.mean(), r.settled.worst, r.noticed.mean(),
                    r.noticed.worst, r.unnoticed, s.repeats, r.over_oracle.mean(), r.over_oracle.worst,
                    100 * r.spent.mean(), 100 * r.spent.worst, r.reopened, s.repeats);
}

void run(const settings& s)
{
    if (s.repeats == 0 || s.calls == 0) tk::invalid("--repeats and --calls are counts, want >= 1");
    for (const double x : s.noise)
        if (!(x >= 0 && x < 1))
            tk::invalid("--noise has a number outside [0, 1[, want standard deviations of logarithms");
    for (const double x : s.defaults)
        if (!(x >= 1 && x < 1e6))
            tk::invalid("--defaults has a number below 1 or above 10^6, want times of the fastest's");
    std::vector<row> rows;
    for (const change& what : changes())
        for (const double noise : s.noise)
            for (const double slow : s.defaults) rows.push_back(study(s, what, noise, slow));
    if (!s.json) return print(s, rows);
    nlohmann::ordered_json scores = nlohmann::ordered_json::array();
    const auto both = [](const number& n) { return nlohmann::ordered_json{{"mean", n.mean()}, {"worst", n.worst}}; };
    for (const row& r : rows)
        scores.push_back({{"changes", r.change},
                          {"noise", r.noise},
                          {"default", r.slow},
                          {"settled_calls", both(r.settled)},
                          {"noticed_timed_calls", both(r.noticed)},
                          {"never_noticed", r.unnoticed},
                          {"over_oracle", both(r.over_oracle)},
                          {"not_by_winner", both(r.spent)},
                          {"reopened", r.reopened}});
    std::printf("%s\n",
                nlohmann::ordered_json{{"seed", s.seed}, {"repeats", s.repeats}, {"calls", s.calls}, {"scores", scores}}
                    .dump(2)
                    .c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Simulates kernels that become slower while they are tuned.", "bench_drift");
    app.add_option("--noise", s.noise, "standard deviations of the logarithm of a time, separated by commas")
        ->delimiter(',');
    app.add_option("--defaults", s.defaults, "the default's time over the fastest's, separated by commas")
        ->delimiter(',');
    app.add_option("--calls", s.calls, "calls after the change; ten times as many come before it");
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
