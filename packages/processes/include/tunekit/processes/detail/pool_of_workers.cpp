// SPDX-License-Identifier: MIT

// How `isolated_workers` hands out jobs and reads answers.
#include "tunekit/processes/isolated_workers.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/spawned_zygote.hpp"
#include "tunekit/processes/share_cores.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::measure {

detail::lone_worker::lone_worker(isolated_workers& pool, std::size_t worker, std::size_t task) noexcept
    : pool_(&pool), worker_(worker), task_(task)
{
}

isolated_workers::isolated_workers(std::size_t n, detail::served_program program, const options& how)
    : program_(std::move(program))
{
    const auto cores = cores_of(n, how);
    for (std::size_t k = 0; k < n; ++k) {  // they start at the same time
        auto hold = hold_of({}, how, cores[k]);
        auto started = detail::start_served(*program_, k, hold);
        add({std::move(started), std::move(hold)}, program_->tasks.size());
    }
    try {
        for (const station& s : stations_) detail::await_hello(*program_, s.link.control());
    } catch (...) {
        for (station& s : stations_) s.link.end();  // some may never answer
        throw;
    }
}

std::size_t isolated_workers::room() const noexcept
{
    const std::size_t places = alive();
    return places > out_ ? places - out_ : 0;
}

void isolated_workers::submit(const job& next)
{
    require(room() > 0, "isolated_workers.submit: no room, want a call of room() before");
    require(next.task < task_count_, "isolated_workers.submit: no such task, want one of those that `make` returns");
    ++out_;
    const detail::order order{.task = next.task, .candidate = next.candidate, .within = next.limits};
    if (const measurement* const known = bad_.find(order)) {
        give_out({.ticket = next.ticket, .measured = *known});
        return;
    }
    station& s = *std::find_if(stations_.begin(), stations_.end(),
                               [](const station& one) { return !one.busy && !one.link.gone(); });  // there is room
    s.busy = true;
    s.name = next.ticket;
    s.order = order;
    s.began = now();
    s.link.begin(order);
}

std::vector<answer> isolated_workers::collect(double seconds)
{
    const double start = wall_clock{}();
    for (;;) {
        look_after();
        if (!given_.empty()) return std::exchange(given_, {});
        if (out_ == 0) {
            if (alive() == 0) throw error("isolated_workers: every worker is lost; " + why_lost());
            return {};
        }
        detail::poll_set events;
        watch(events);
        events.by(start + seconds);
        const double moment = wall_clock{}();
        if (moment >= start + seconds) return {};
        events.wait(moment);
    }
}

detail::lone_worker isolated_workers::alone(std::size_t worker, std::size_t task)
{
    require(worker < workers(), "isolated_workers.alone: no such worker, want one below workers()");
    require(task < task_count_, "isolated_workers.alone: no such task, want one of those that `make` returns");
    return {*this, worker, task};
}

std::vector<std::vector<int>> isolated_workers::cores_of(std::size_t n, const options& how)
{
    require(n >= 1, "isolated_workers: 0 workers, want >= 1");
    const std::vector<int> allowed = detail::allowed_cores();
    if (!how.pinned || (allowed.empty() && how.cores.empty())) return std::vector<std::vector<int>>(n);
    if (how.cores.empty()) return detail::share_cores(n, 0, allowed).workers;
    detail::check_cores(how.cores, n, allowed);
    return how.cores;
}

detail::worker_hold isolated_workers::hold_of(const std::vector<any_worker_task>& tasks, const options& how,
                                              const std::vector<int>& cores)
{
    detail::worker_hold out{.memory_bytes = how.memory_bytes,
                            .watched = how.rule == isolated_options::memory_rule::resident,
                            .cores = cores,
                            .enclosed = how.enclosed,
                            .confined = how.confined};
    for (const any_worker_task& t : tasks)
        out.canaries.insert(out.canaries.end(), t.canaries().begin(), t.canaries().end());
    return out;
}

detail::worker_link isolated_workers::fork(std::vector<any_worker_task>& tasks, detail::worker_hold hold)
{
    auto children = detail::fork_zygote({&tasks, detail::measure_task}, hold, "isolated_workers");
    return {std::move(children), std::move(hold)};
}

void isolated_workers::add(detail::worker_link link, std::size_t tasks)
{
    require(tasks >= 1, "isolated_workers: `make` returned no task, want one or more");
    require(stations_.empty() || tasks == task_count_,
            "isolated_workers: `make` returned another number of tasks than for the worker before, want the same");
    task_count_ = tasks;
    stations_.push_back({.link = std::move(link)});
}

void isolated_workers::watch(detail::poll_set& events) const
{
    for (const station& s : stations_)
        if (s.busy) s.link.watch(events);
}

void isolated_workers::revive(std::size_t k) noexcept
{
    try {
        const detail::worker_hold& hold = stations_[k].link.hold();
        if (program_) {
            auto started = detail::start_served(*program_, k, hold);
            detail::await_hello(*program_, started.control);
            stations_[k].link = {std::move(started), hold};
        } else {
            stations_[k].link = fork(*tasks_[k], hold);
        }
    } catch (const std::exception&) {  // it stays lost; `why_gone` keeps the first reason
    }
}

std::size_t isolated_workers::alive() const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(stations_.begin(), stations_.end(), [](const station& s) { return !s.link.gone(); }));
}

std::string isolated_workers::why_lost() const
{
    return stations_.empty() ? std::string("the pool had no worker") : stations_.back().link.why_gone();
}

void isolated_workers::give_out(answer a)
{
    --out_;
    given_.push_back(std::move(a));
}

void isolated_workers::look_after()
{
    for (std::size_t k = 0; k < stations_.size(); ++k) {
        station& s = stations_[k];
        if (!s.busy || !s.link.advance()) continue;
        s.busy = false;
        answer a{.ticket = s.name, .measured = s.link.take(), .worker = k, .ran_s = now() - s.began};
        if (a.measured) bad_.note(s.order, *a.measured);
        give_out(std::move(a));
        if (s.link.gone()) revive(k);
    }
}

measurement isolated_workers::measure_alone(std::size_t worker, const detail::order& next)
{
    require(out_ == 0, "isolated_workers.alone: jobs are out, want them collected before");
    if (const measurement* const known = bad_.find(next)) return *known;
    detail::worker_link& link = stations_[worker].link;
    if (link.gone()) throw error("isolated_workers.alone: the worker is lost; " + link.why_gone());
    link.begin(next);
    link.await();
    std::optional<measurement> m = link.take();
    if (!m) throw error("isolated_workers.alone: the worker was lost; " + link.why_gone());
    bad_.note(next, *m);
    return *std::move(m);
}

std::vector<measurement> detail::lone_worker::measure(std::span<const index> batch, const limits& within)
{
    std::vector<measurement> out;
    out.reserve(batch.size());
    for (const index i : batch)
        out.push_back(pool_->measure_alone(worker_, {.task = task_, .candidate = i, .within = within}));
    return out;
}

}  // namespace tunekit::measure
