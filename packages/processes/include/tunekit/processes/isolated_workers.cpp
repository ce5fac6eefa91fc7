// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated_workers.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/bad_candidates.hpp"
#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/spawned_zygote.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/detail/worker_link.hpp"

namespace tunekit::measure {

namespace detail {

measurement measure_task(void* self, std::size_t task, index candidate, const limits& within)
{
    auto& tasks = *static_cast<std::vector<any_worker_task>*>(self);
    return tasks[task].measure(candidate, within);
}

}  // namespace detail

struct isolated_workers::state {
    struct station {
        detail::worker_link link;
        bool busy = false;
        ticket name{};
        detail::order order{};
        double began = 0;
    };

    std::vector<std::unique_ptr<std::vector<any_worker_task>>> tasks{};  ///< those of each worker, with their buffers
    std::size_t task_count = 0;
    std::vector<station> stations{};
    std::vector<answer> given{};
    detail::bad_candidates bad{};
    std::size_t out = 0;                              ///< jobs neither answered nor in `given`
    std::optional<detail::served_program> program{};  ///< the program that workers run; empty: they are forked
    double start = wall_clock{}();

    [[nodiscard]] double now() const noexcept { return wall_clock{}() - start; }

    [[nodiscard]] std::size_t alive() const noexcept
    {
        return static_cast<std::size_t>(
            std::count_if(stations.begin(), stations.end(), [](const station& s) { return !s.link.gone(); }));
    }

    [[nodiscard]] std::size_t room() const noexcept
    {
        const std::size_t places = alive();
        return places > out ? places - out : 0;
    }

    void watch(detail::poll_set& events) const
    {
        for (const station& s : stations)
            if (s.busy) s.link.watch(events);
    }

    static std::vector<std::vector<int>> cores_of(std::size_t n, const options& how)
    {
        require(n >= 1, "isolated_workers: 0 workers, want >= 1");
        const std::vector<int> allowed = detail::allowed_cores();
        if (!how.pinned || (allowed.empty() && how.cores.empty())) return std::vector<std::vector<int>>(n);
        if (how.cores.empty()) return detail::share_cores(n, 0, allowed).workers;
        detail::check_cores(how.cores, n, allowed);
        return how.cores;
    }

    static detail::worker_hold hold_of(const std::vector<any_worker_task>& of, const options& how,
                                       const std::vector<int>& cores)
    {
        detail::worker_hold hold{.memory_bytes = how.memory_bytes,
                                 .watched = how.rule == isolated_options::memory_rule::resident,
                                 .cores = cores,
                                 .enclosed = how.enclosed,
                                 .confined = how.confined};
        for (const any_worker_task& t : of)
            hold.canaries.insert(hold.canaries.end(), t.canaries().begin(), t.canaries().end());
        return hold;
    }

    static detail::worker_link fork(std::vector<any_worker_task>& of, detail::worker_hold hold)
    {
        auto children = detail::fork_zygote({&of, detail::measure_task}, hold, "isolated_workers");
        return {std::move(children), std::move(hold)};
    }

    void add(detail::worker_link link, std::size_t count)
    {
        require(count >= 1, "isolated_workers: `make` returned no task, want one or more");
        require(stations.empty() || count == task_count,
                "isolated_workers: `make` returned another number of tasks than for the worker before, want the same");
        task_count = count;
        stations.push_back({.link = std::move(link)});
    }

    /// Forks a worker again where something ended its children; it stays lost where that fails.
    void revive(std::size_t k) noexcept
    {
        try {
            const detail::worker_hold& hold = stations[k].link.hold();
            if (program) {
                auto started = detail::start_served(*program, k, hold);
                detail::await_hello(*program, started.control);
                stations[k].link = {std::move(started), hold};
            } else {
                stations[k].link = fork(*tasks[k], hold);
            }
        } catch (const std::exception&) {  // it stays lost; `why_gone` keeps the first reason
        }
    }

    void give_out(answer a)
    {
        --out;
        given.push_back(std::move(a));
    }

    /// Reads what every worker has sent, without waiting.
    void look_after()
    {
        for (std::size_t k = 0; k < stations.size(); ++k) {
            station& s = stations[k];
            if (!s.busy || !s.link.advance()) continue;
            s.busy = false;
            answer a{.ticket = s.name, .measured = s.link.take(), .worker = k, .ran_s = now() - s.began};
            if (a.measured) bad.note(s.order, *a.measured);
            give_out(std::move(a));
            if (s.link.gone()) revive(k);
        }
    }

    /// Measures one candidate on one worker, and waits for it.
    measurement measure_alone(std::size_t worker, const detail::order& next)
    {
        require(out == 0, "isolated_workers.alone: jobs are out, want them collected before");
        if (const measurement* const known = bad.find(next)) return *known;
        detail::worker_link& link = stations[worker].link;
        if (link.gone()) throw error("isolated_workers.alone: the worker is lost; " + link.why_gone());
        link.begin(next);
        link.await();
        std::optional<measurement> m = link.take();
        if (!m) throw error("isolated_workers.alone: the worker was lost; " + link.why_gone());
        bad.note(next, *m);
        return *std::move(m);
    }
};

isolated_workers::state& isolated_workers::its() const noexcept { return *static_cast<state*>(state_.get()); }

isolated_workers::isolated_workers(std::size_t n, detail::task_maker make, const options& how) : state_(state{})
{
    state& s = its();
    const auto cores = state::cores_of(n, how);
    for (std::size_t k = 0; k < n; ++k) {
        auto tasks = std::make_unique<std::vector<any_worker_task>>(make.call(make.make, k));
        s.add(state::fork(*tasks, state::hold_of(*tasks, how, cores[k])), tasks->size());
        s.tasks.push_back(std::move(tasks));
    }
}

isolated_workers::isolated_workers(std::size_t n, detail::served_program program, const options& how)
    : state_(state{.program = std::move(program)})
{
    state& s = its();
    const auto cores = state::cores_of(n, how);
    for (std::size_t k = 0; k < n; ++k) {  // they start at the same time
        auto hold = state::hold_of({}, how, cores[k]);
        auto started = detail::start_served(*s.program, k, hold);
        s.add({std::move(started), std::move(hold)}, s.program->tasks.size());
    }
    try {
        for (const state::station& one : s.stations) detail::await_hello(*s.program, one.link.control());
    } catch (...) {
        for (state::station& one : s.stations) one.link.end();  // some may never answer
        throw;
    }
}

std::size_t isolated_workers::workers() const noexcept { return its().stations.size(); }

std::size_t isolated_workers::room() const noexcept { return its().room(); }

bool isolated_workers::measures_time() const noexcept
{
    const state& s = its();
    const auto all = [](const auto& tasks, auto&& times) { return std::all_of(tasks.begin(), tasks.end(), times); };
    if (s.program) return all(s.program->tasks, [](const task_identity& t) { return t.times != 0; });
    return !s.tasks.empty() && all(*s.tasks.front(), [](const any_worker_task& t) { return t.measures_time(); });
}

double isolated_workers::now() const noexcept { return its().now(); }

void isolated_workers::forget(index candidate, std::size_t task)
{
    its().bad.forget({.task = task, .candidate = candidate});
}

void isolated_workers::submit(const job& next)
{
    state& s = its();
    require(s.room() > 0, "isolated_workers.submit: no room, want a call of room() before");
    require(next.task < s.task_count, "isolated_workers.submit: no such task, want one of those that `make` returns");
    ++s.out;
    const detail::order order{.task = next.task, .candidate = next.candidate, .within = next.limits};
    if (const measurement* const known = s.bad.find(order)) {
        s.give_out({.ticket = next.ticket, .measured = *known});
        return;
    }
    state::station& free = *std::find_if(s.stations.begin(), s.stations.end(), [](const state::station& one) {
        return !one.busy && !one.link.gone();
    });  // there is room
    free.busy = true;
    free.name = next.ticket;
    free.order = order;
    free.began = s.now();
    free.link.begin(order);
}

std::vector<answer> isolated_workers::collect(double seconds)
{
    state& s = its();
    const double start = wall_clock{}();
    for (;;) {
        s.look_after();
        if (!s.given.empty()) return std::exchange(s.given, {});
        if (s.out == 0) {
            if (s.alive() == 0)
                throw error("isolated_workers: every worker is lost; " + s.stations.back().link.why_gone());
            return {};
        }
        detail::poll_set events;
        s.watch(events);
        events.by(start + seconds);
        const double moment = wall_clock{}();
        if (moment >= start + seconds) return {};
        events.wait(moment);
    }
}

detail::lone_worker isolated_workers::alone(std::size_t worker, std::size_t task, bool fresh)
{
    require(worker < workers(), "isolated_workers.alone: no such worker, want one below workers()");
    require(task < its().task_count, "isolated_workers.alone: no such task, want one of those that `make` returns");
    if (detail::worker_link& link = its().stations[worker].link; fresh && !link.gone()) link.renew();
    return {*this, worker, task};
}

namespace detail {

void pool_access::watch(const isolated_workers& pool, poll_set& events) { pool.its().watch(events); }

lone_worker::lone_worker(isolated_workers& pool, std::size_t worker, std::size_t task) noexcept
    : pool_(&pool), worker_(worker), task_(task)
{
}

std::vector<measurement> lone_worker::measure(std::span<const index> batch, const limits& within)
{
    std::vector<measurement> out;
    out.reserve(batch.size());
    for (const index i : batch)
        out.push_back(pool_->its().measure_alone(worker_, {.task = task_, .candidate = i, .within = within}));
    return out;
}

}  // namespace detail

}  // namespace tunekit::measure
