// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Ansor's gradient schedule.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Ansor's tag of similar operators: the kind and the magnitude of the work, floor(log_1.618(flops + 1)).
[[nodiscard]] std::string similarity_tag(std::string_view kind, double flops);

/// Gives the next slot to the task whose weighted latency falls fastest, estimated from its past and from the rates of
/// similar tasks.
///
/// With g_i the best cost, t_i the slots, H_i the best cost after each slot of task i (g_i for each slot under way,
/// which is assumed to improve nothing) and f = sum_i w_i g_i:
///
///     backward_i = (H_i[t_i] - H_i[t_i - W]) / W      0 while there are not W + 1 slots
///     forward_i  = min(g_i - g_i / t_i, beta flops_i / max_j (flops_j / g_j)) - g_i      j over i's group, if it has others
///     gradient_i = w_i (alpha backward_i + (1 - alpha) forward_i)
///
/// The most negative gradient wins; ties go to the lower i. If all are equal, the choice is a uniform draw. A task
/// leaves its group when its rate falls below the group's best over beta and it had 5 slots more than any other member.
/// A task without a valid trial has cost 1e10 s, as in the source.
///
/// Randomness: one `uniform_index`, only where all gradients are equal. Cost: O(K^2) with groups, else O(K).
/// Source:     Zheng et al. (2020), Ansor, OSDI, section 6; TVM 0.8 `auto_scheduler/task_scheduler.py`; Zhang et al.
///             (2021), app. C.
/// Departures: finished tasks cannot win a tie. The extra epsilon-greedy step of the paper, absent from its code, is
///             `epsilon`. The source has one worker, so slots under way are ours. Only slots that ended count when a
///             task may leave its group.
struct ansor {
    double alpha = 0.2;               ///< weight of the past, in [0, 1]
    double beta = 2;                  ///< a task is assumed to reach the best rate of similar tasks / beta; > 0
    std::size_t window = 3;           ///< W, slots; > 0
    double epsilon = 0;               ///< probability of a uniform choice, in [0, 1]
    std::vector<std::string> tags{};  ///< one per task, or none at all; equal non-empty tags make a group

    struct state {
        std::vector<std::vector<double>> history;  ///< K; best cost after each slot seen, oldest first
        std::vector<std::string> tags;             ///< K; empty: in no group
        std::vector<std::uint8_t> tuned;           ///< K; whether a slot of the task ended since the last choice

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view> tasks, const run_shape&) const;

    /// The gradient of task `k`, in seconds per slot. `select` takes the least.
    [[nodiscard]] double gradient(const state& s, std::span<const task_view> tasks, std::size_t k) const;

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G& gen) const
    {
        for (std::size_t k = 0; k < tasks.size(); ++k)
            if (std::exchange(s.tuned[k], std::uint8_t{0}) != 0) leave_group(s, tasks, k);
        const auto any = [&] {
            return tunekit::random::choose_where(tasks.size(), [&](std::size_t k) { return tasks[k].active; }, gen);
        };
        if (epsilon > 0 && tunekit::random::uniform_01(gen) < epsilon) return any();
        std::size_t active = 0;
        std::size_t best = 0;
        double steepest = 0;
        double flattest = 0;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            if (!tasks[k].active) continue;
            const double d = gradient(s, tasks, k);
            if (active == 0 || d < steepest) {
                steepest = d;
                best = k;
            }
            flattest = active == 0 ? d : (std::fmax)(flattest, d);
            ++active;
        }
        return active > 1 && steepest == flattest ? any() : best;
    }

    void update(state& s, std::size_t k, const slot& last) const;

private:
    [[nodiscard]] static double finite(double cost) { return cost < 1e10 ? cost : 1e10; }
    [[nodiscard]] static double cost_of(const task_view& t);

    /// Highest flops_j / g_j of k's group, 0 where it has no other member.
    [[nodiscard]] static double best_rate(const state& s, std::span<const task_view> tasks, std::size_t k);

    /// A task that got far more slots than its likes and still lags has shown that it is not like them.
    void leave_group(state& s, std::span<const task_view> tasks, std::size_t k) const;
};

}  // namespace tunekit::schedule

#if TUNEKIT_BODIES
namespace tunekit::schedule {

TUNEKIT_INLINE std::string similarity_tag(std::string_view kind, double flops)
{
    return std::string(kind) +
           std::to_string(static_cast<long long>(std::floor(std::log(flops + 1) / std::log(1.618))));
}

TUNEKIT_INLINE ansor::state ansor::start(std::span<const task_view> tasks, const run_shape&) const
{
    require(alpha >= 0 && alpha <= 1, "schedule::ansor: alpha is out of range, want 0 to 1");
    require(beta > 0, "schedule::ansor: beta is not positive, want > 0");
    require(window > 0, "schedule::ansor: window is 0, want >= 1");
    require(epsilon >= 0 && epsilon <= 1, "schedule::ansor: epsilon is out of range, want 0 to 1");
    require(tags.empty() || tags.size() == tasks.size(),
            "schedule::ansor: tags are not one per task, want " + std::to_string(tasks.size()) + " or none");
    state s{std::vector<std::vector<double>>(tasks.size()), tags, std::vector<std::uint8_t>(tasks.size())};
    s.tags.resize(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k)  // the slots of the warm-up: one point, repeated
        s.history[k].assign(tasks[k].slots, cost_of(tasks[k]));
    return s;
}

TUNEKIT_INLINE double ansor::gradient(const state& s, std::span<const task_view> tasks, std::size_t k) const
{
    const auto& ended = s.history[k];
    const double g = cost_of(tasks[k]);
    const std::size_t slots = ended.size() + static_cast<std::size_t>(tasks[k].running);
    const auto cost_after = [&](std::size_t i) { return i < ended.size() ? ended[i] : g; };
    const double rounds = slots == 0 ? 1 : static_cast<double>(slots);
    const double backward =
        slots > window ? (cost_after(slots - 1) - cost_after(slots - 1 - window)) / static_cast<double>(window) : 0;
    double reachable = g - g / rounds;
    if (const double rate = best_rate(s, tasks, k); rate > 0)
        reachable = (std::fmin)(reachable, beta * tasks[k].flops / rate);
    const double forward = (std::fmin)(reachable - g, 0.0);
    return tasks[k].weight * (alpha * backward + (1 - alpha) * forward);
}

TUNEKIT_INLINE void ansor::update(state& s, std::size_t k, const slot& last) const
{
    auto& h = s.history[k];
    const double after = finite(last.best_cost_after);  // of its own trials; another slot may have found better by now
    h.push_back(h.empty() ? after : (std::fmin)(h.back(), after));
    s.tuned[k] = 1;
}

TUNEKIT_INLINE double ansor::cost_of(const task_view& t)
{
    return t.curve.empty() ? 1e10 : finite(t.curve.back().best_cost);
}

TUNEKIT_INLINE double ansor::best_rate(const state& s, std::span<const task_view> tasks, std::size_t k)
{
    double rate = 0;
    std::size_t members = 0;
    for (std::size_t j = 0; j < tasks.size(); ++j) {
        if (s.tags[k].empty() || s.tags[j] != s.tags[k]) continue;
        ++members;
        rate = (std::fmax)(rate, tasks[j].flops / cost_of(tasks[j]));
    }
    return members > 1 ? rate : 0;
}

TUNEKIT_INLINE void ansor::leave_group(state& s, std::span<const task_view> tasks, std::size_t k) const
{
    const double rate = best_rate(s, tasks, k);
    if (rate == 0 || tasks[k].flops / cost_of(tasks[k]) >= rate / beta) return;
    std::size_t others = 0;
    for (std::size_t j = 0; j < tasks.size(); ++j)
        if (j != k && s.tags[j] == s.tags[k] && s.history[j].size() > others) others = s.history[j].size();
    if (s.history[k].size() > 5 + others) s.tags[k].clear();
}

}  // namespace tunekit::schedule
#endif  // TUNEKIT_BODIES
