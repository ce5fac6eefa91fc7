// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A tuner and a tasks_tuner as a log sees them: both have tasks and workers, the first has one of each.

#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/records/log.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/tasks_tuner.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tunekit::io::detail {

template <class Space, class S, class G>
[[nodiscard]] const Space& space_of(const tuner<Space, S, G>& t, std::size_t)
{
    return t.space();
}
[[nodiscard]] inline const space::any_space& space_of(const tasks_tuner& t, std::size_t k) { return t.space(k); }

template <class Space, class S, class G>
[[nodiscard]] const tuning& record_of(const tuner<Space, S, G>& t, std::size_t)
{
    return t.record();
}
[[nodiscard]] inline const tuning& record_of(const tasks_tuner& t, std::size_t k) { return t.record().tasks[k].record; }

template <class Space, class S, class G>
[[nodiscard]] std::size_t worker_of(tuner<Space, S, G>&, const job&)
{
    return 0;
}
[[nodiscard]] inline std::size_t worker_of(tasks_tuner& t, const job& j) { return t.worker_of(j); }

template <class Space, class S, class G>
void set_workers(tuner<Space, S, G>&, std::size_t)
{
}
inline void set_workers(tasks_tuner& t, std::size_t n) { t.set_workers(n); }

/// Whether a run has so many workers and no more; a run over one space answers whoever asks.
template <class Space, class S, class G>
[[nodiscard]] bool has_workers(const tuner<Space, S, G>&)
{
    return false;
}
[[nodiscard]] inline bool has_workers(const tasks_tuner&) { return true; }

/// Makes a run as that of a log was when it began.
template <class Space, class S, class G>
void begin_as(tuner<Space, S, G>&, const log_content::head&)
{
}
inline void begin_as(tasks_tuner& t, const log_content::head& was)
{
    t.set_workers(was.workers);
    t.set_shape(
        {.seconds = was.seconds, .slot_seconds = was.slot_seconds, .tasks = was.tasks.size(), .workers = was.workers});
}

[[nodiscard]] inline log_content::budget budget_of(const budget& b)
{
    return {.trials = b.trials, .patience = b.patience};
}
[[nodiscard]] inline log_content::budget budget_of(const tasks_budget& b)
{
    return {.trials = b.trials_per_task, .patience = b.patience, .workers_per_task = b.max_workers_per_task};
}

/// The budget of a log, in which time stops nothing.
template <class Space, class S, class G>
void set_limit(tuner<Space, S, G>& t, const log_content::budget& b)
{
    t.set_limit({.trials = b.trials, .patience = b.patience});
}
inline void set_limit(tasks_tuner& t, const log_content::budget& b)
{
    t.set_limit({.trials_per_task = b.trials, .patience = b.patience, .max_workers_per_task = b.workers_per_task});
}

/// Whether a budget leaves the length of slots open.
[[nodiscard]] inline bool slots_open(const budget&) { return false; }
[[nodiscard]] inline bool slots_open(const tasks_budget& b) { return b.slot_seconds == 0; }

template <class Space>
[[nodiscard]] log_content::head::task_entry entry_of(const std::string& name, const Space& space)
{
    const auto names = space.names();
    return {.name = name,
            .size = space.size(),
            .fingerprint = space.fingerprint(),
            .parameters = {names.begin(), names.end()}};
}

/// Adds to a header what it says of tasks, slots and workers. `name` is that of the only task.
template <class Space, class S, class G>
void describe(log_content::head& out, const tuner<Space, S, G>& t, const std::string& name)
{
    out.tasks = {entry_of(name, t.space())};
}
inline void describe(log_content::head& out, const tasks_tuner& t, const std::string&)
{
    out.slot_seconds = t.slot_seconds();
    out.workers = t.workers();
    for (std::size_t k = 0; k < t.tasks(); ++k) {
        out.tasks.push_back(entry_of(t.name(k), t.space(k)));
        out.tasks.back().flops = t.flops(k);
        out.tasks.back().weight = t.weight(k);
    }
}

}  // namespace tunekit::io::detail
