// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The ask-and-tell interface of a run over several tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/tune/detail/offers.hpp"
#include "tunekit/tune/detail/slots.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tunekit {

/// A `tuner` for several tasks. A worker asks for jobs. Each worker works on a separate slot. When that slot has
/// ended, the schedule chooses the next one. Several workers may be on one task.
///
///     tk::tasks_tuner t(tasks, tk::recipes::combined(), {.seconds = 600}, 2, gen);
///     for (const job& next : t.ask(worker, 1))   // next.task says whose space next.candidate is in
///         t.tell(next, measure_one(next), stamp);
///
/// A run begins with a warm-up that all schedules share. In declaration order, every task gets slots until all of its
/// `begin_with` configurations went out and it has a verified configuration and a trial of its own, or it has ended.
/// Such a slot ends once all three are so. Then the schedule chooses. After its length, a slot ends for its worker as
/// soon as that worker asks, or has no job out. The schedule hears of a slot when its last job is answered. A slot that
/// tries nothing ends its task, unless other workers have jobs of the task out. In that case the slot does not count,
/// and the worker gets another task.
///
/// The budget's seconds are those of the stamps. The seconds of a slot and of a task are those of workers: from the
/// worker's previous answer, or the slot's beginning, to this answer. A slot's gain is the gain of its trials.
///
/// The members have the meaning that they have in `tuner`. So do the rules for dropped, lost and late jobs, and the
/// errors.
///
/// Errors:     those of `tuner`; std::invalid_argument for no tasks, two of one name, or no workers; tunekit::error for
///             a worker that does not exist, or a schedule that chooses a task that is not active.
/// Randomness: one 64-bit key per task, then one for the schedule, are drawn from `gen` first, in declaration order.
///             With one job out per task (one worker, or max_workers_per_task = 1), a task's proposals depend on its
///             own stream and measurements only, so comparisons of schedules are exact.
/// Source:     Zhang et al. (2021), DynaTune, ICLR, algorithm 1.
/// Departures: the warm-up's last slot is cut short; a budget may end in the warm-up, leaving latencies of +inf.
class tasks_tuner {
public:
    /// Begins a run of `tasks` by the recipe `how`, which has a schedule, for workers 0 to `workers` - 1.
    template <class P, generator G>
    tasks_tuner(std::span<const task> tasks, const P& how, tasks_budget limit, std::size_t workers, G& gen)
        : tasks_tuner(tasks, how, how.schedule, limit, workers, gen)
    {
    }

    /// The same with `schedule` in place of the recipe's. `how` may then be a strategy, which has no schedule.
    template <class P, class Schedule, generator G>
    tasks_tuner(std::span<const task> tasks, const P& how, const Schedule& schedule, tasks_budget limit,
                std::size_t workers, G& gen)
        : tasks_tuner(tasks, limit, workers, gen, detail::as_recipe(how), schedule::any_schedule(schedule))
    {
    }

    /// Tells a result of task `k` that is known before the run, as `tuner::know` does; not one of the task's
    /// begin_with. A task needs a trial of its own all the same before the schedule chooses.
    bool know(std::size_t k, index candidate, measure::measurement m);

    /// Up to `n` jobs of one task and one proposal for `worker`. If it is empty, wait while anything is out;
    /// otherwise the run has ended.
    [[nodiscard]] std::vector<job> ask(std::size_t worker, std::size_t n);
    /// The same for worker 0.
    [[nodiscard]] std::vector<job> ask(std::size_t n) { return ask(0, n); }
    /// The next job of worker 0.
    [[nodiscard]] std::optional<job> ask();

    /// Reports the measurement of a job, at `stamp`.
    void tell(const job& j, measure::measurement m, double stamp) { tell(j, std::move(m), stamp, worker_of(j)); }

    /// The same if another worker measured the job than the one that asked for it.
    void tell(const job& j, measure::measurement m, double stamp, std::size_t worker);

    /// The worker that asked for a job.
    [[nodiscard]] std::size_t worker_of(const job& j) const { return slots_.entry(j).worker; }

    /// Sets the number of workers to `n`. Workers that leave give up their slots. Jobs that they have out may still be
    /// told. The schedule still assumes the number that the run began with. Throws std::invalid_argument for 0.
    void set_workers(std::size_t n);

    /// Sets what the schedule is told about the run when it starts, the length of slots included. By default that is
    /// what the run began with. A resumed run sets the original values.
    void set_shape(const schedule::run_shape& shape) noexcept;

    /// The budget in force.
    [[nodiscard]] const tasks_budget& limit() const noexcept { return limit_; }
    /// Replaces the budget. Tasks, and a run, that the old one has stopped go on if the new one allows it. Slots
    /// keep their length.
    void set_limit(const tasks_budget& limit);

    /// Reports that time passed without an answer.
    void time(double stamp);

    /// Gives up a job that was lost with what measured it.
    void drop(const job& j) { take_back(j, true); }
    /// Takes back a job that nobody lost: it goes out again, unmarked.
    void recall(const job& j) { take_back(j, false); }

    /// What the strategy expects of ln cost of a job that is out; empty if it has no model, or none yet.
    [[nodiscard]] std::optional<stats::prediction> expected(const job& j) const
    {
        return detail::expectation(works_.at(j.task), space(j.task), j.candidate);
    }

    /// The limits of each candidate, as the recipe has them.
    [[nodiscard]] const candidate_limits& limits() const noexcept { return works_.front().limits; }

    /// Sets what is known of the machine while it measured task `k` (`tuning::checks`).
    void set_checks(std::size_t k, const machine_checks& seen) { plan_.tasks.at(k).record.set_checks(seen); }

    /// Ends the run. Jobs that are out may still be told.
    void stop();

    /// Whether the run is over: nothing is out, and nothing will go out again.
    [[nodiscard]] bool over() const { return plan_.stopped != stop_reason::running && outstanding() == 0; }

    [[nodiscard]] std::size_t outstanding() const noexcept;
    [[nodiscard]] stop_reason stopped() const noexcept { return plan_.stopped; }
    [[nodiscard]] std::uint64_t late() const noexcept;  ///< answers that came too late to count
    [[nodiscard]] const plan& record() const& noexcept { return plan_; }
    [[nodiscard]] plan record() && { return std::move(plan_); }
    [[nodiscard]] std::size_t workers() const noexcept { return workers_; }
    [[nodiscard]] std::size_t tasks() const noexcept { return works_.size(); }  ///< the number of tasks
    /// The name of task k, in declaration order.
    [[nodiscard]] const std::string& name(std::size_t k) const { return names_.at(k); }
    /// The space of task k. Throws std::out_of_range if there is no such task.
    [[nodiscard]] const space::any_space& space(std::size_t k) const { return works_.at(k).space; }
    /// The work of one call of task k.
    [[nodiscard]] double flops(std::size_t k) const { return views_.at(k).flops; }
    /// The number of calls of task k in the model.
    [[nodiscard]] double weight(std::size_t k) const { return views_.at(k).weight; }
    [[nodiscard]] std::size_t ahead() const noexcept { return ahead_; }  ///< configurations per request, by the recipe
    [[nodiscard]] double slot_seconds() const noexcept { return slot_seconds_; }  ///< the length of a slot
    [[nodiscard]] double stamp() const noexcept { return plan_.seconds; }         ///< the run's time, in seconds
    /// A number that changes with every `ask` that changed a strategy's state or sent a worker to another task. An
    /// empty `ask` may change it too.
    [[nodiscard]] std::uint64_t proposals() const noexcept;

private:
    struct work : detail::run<space::any_space, search::any_strategy, random::philox> {
        work(const space::any_space& on, const search::any_strategy& how, const candidate_limits& each,
             const budget& limit, const random::philox& from)
            : run(on, how, each, limit, from), space(on)
        {
        }
        tunekit::space::any_space space;
        std::uint64_t running = 0;  // slots
        std::size_t first = 0;      // the number of its begin_with configurations; what is carried comes after them
        bool waits = false;         // its strategy proposed nothing, and is asked again only after an answer
    };

    template <generator G, class S, class R, class D>
    tasks_tuner(std::span<const task> tasks, const tasks_budget& limit, std::size_t workers, G& gen,
                const recipe<S, R, D>& how, schedule::any_schedule chooser)
        : limit_(limit),
          ahead_(how.ahead),
          slot_seconds_(limit.slot((std::max)(tasks.size(), std::size_t{1}), how.slots_per_task)),
          schedule_(std::move(chooser)),
          shape_{.seconds = limit.seconds, .slot_seconds = slot_seconds_, .tasks = tasks.size(), .workers = workers},
          workers_(workers),
          slots_(workers),
          offers_(how.carry)
    {
        detail::check(how);
        detail::check(limit);
        require(!tasks.empty(), "tune_tasks: there are no tasks, want at least one");
        require(workers > 0, "tune_tasks: there are no workers, want at least one");
        for (std::size_t k = 0; k < tasks.size(); ++k)
            for (std::size_t j = 0; j < k; ++j)
                require(tasks[j].name() != tasks[k].name(),
                        "tune_tasks: two tasks are named " + tasks[k].name() + ", want distinct names");
        plan_.tasks.resize(tasks.size());
        const search::any_strategy strategy(how.strategy);
        for (const task& t : tasks) {
            works_.emplace_back(t.space(), strategy, how.limits, detail::of_a_task(limit),
                                random::philox(random::bits(gen)));
            works_.back().first = works_.back().books.begin_with(t.known());
            views_.push_back({.flops = t.flops(), .weight = t.weight()});
            names_.push_back(t.name());
            offers_.add(t.space());
        }
        schedule_gen_ = random::philox(random::bits(gen));
        decide();
    }

    [[nodiscard]] tuning& record_of(std::size_t k) { return plan_.tasks[k].record; }

    /// Up to `n` jobs of task `k`: what other tasks found, and a proposal.
    [[nodiscard]] std::vector<job> jobs_of(std::size_t k, std::size_t n);

    [[nodiscard]] static job local(job j, const detail::slots::sent& e);

    [[nodiscard]] bool active(std::size_t k) const { return plan_.tasks[k].record.stopped() == stop_reason::running; }

    /// Whether task `k` has a verified configuration, a trial of its own for its curve, and nothing left to begin with.
    [[nodiscard]] bool warm(std::size_t k) const
    {
        const tuning& r = plan_.tasks[k].record;
        return works_[k].books.begun() >= works_[k].first && r.found() && !r.trials().empty();
    }

    /// Whether a worker may be sent to task `k` now.
    [[nodiscard]] bool open_to(std::size_t k) const;

    [[nodiscard]] bool ended(const detail::slot& s) const;

    void decide();

    void end(stop_reason why);

    /// The task of the next slot, if there is one.
    [[nodiscard]] std::optional<std::size_t> choose();

    /// Takes a worker off its slot, if it is on one. The slot closes if none of its jobs is out.
    void leave(std::size_t worker);

    void take_back(const job& j, bool lost);

    /// Counts a job of a slot as answered or dropped.
    void back(detail::slots::sent& e);

    /// Ends a slot, and tells the schedule.
    void close(detail::slot& s);

    [[nodiscard]] double latency() const;

    tasks_budget limit_;
    std::size_t ahead_;
    double slot_seconds_;
    schedule::any_schedule schedule_;
    std::optional<schedule::any_schedule::state> state_;
    random::philox schedule_gen_{0};
    std::vector<work> works_;
    std::vector<schedule::task_view> views_;
    std::vector<std::string> names_;
    schedule::run_shape shape_;
    std::size_t workers_;
    std::uint64_t moves_ = 0;
    detail::slots slots_;
    detail::offers offers_;
    plan plan_;
};

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

TUNEKIT_INLINE bool tasks_tuner::know(std::size_t k, index candidate, measure::measurement m)
{
    require(k < works_.size(),
            "tasks_tuner: know has task " + std::to_string(k) + " of " + std::to_string(works_.size()));
    if (!slots_.untouched()) throw error("tasks_tuner: know comes too late, want it before the first ask");
    return works_[k].know(space(k), record_of(k), candidate, std::move(m));
}

TUNEKIT_INLINE std::optional<job> tasks_tuner::ask()
{
    std::vector<job> one = ask(0, 1);
    if (one.empty()) return std::nullopt;
    return one.front();
}

TUNEKIT_INLINE std::vector<job> tasks_tuner::ask(std::size_t worker, std::size_t n)
{
    if (worker >= workers_)
        throw error("tasks_tuner: worker " + std::to_string(worker) + " asks, of " + std::to_string(workers_));
    decide();
    if (plan_.stopped != stop_reason::running || n == 0) return {};
    if (const detail::slot* const s = slots_.of(worker); s != nullptr && ended(*s)) {
        ++moves_;
        leave(worker);
    }
    for (;;) {
        if (slots_.of(worker) == nullptr) {
            const auto chosen = choose();
            if (!chosen) return {};
            ++moves_;
            ++works_[*chosen].running;
            slots_.open(worker, {.task = *chosen,
                                 .began = plan_.seconds,
                                 .best_before = record_of(*chosen).best_cost(),
                                 .warm_up = !warm(*chosen)});
        }
        const std::size_t k = slots_.of(worker)->task;
        std::vector<job> jobs = jobs_of(k, n);
        if (!jobs.empty()) {
            slots_.send(worker, jobs);
            return jobs;
        }
        works_[k].waits = active(k);
        leave(worker);
    }
}

TUNEKIT_INLINE std::vector<job> tasks_tuner::jobs_of(std::size_t k, std::size_t n)
{
    work& w = works_[k];
    const std::size_t carried = active(k) ? offers_.begin(k, n, w.space, record_of(k), w.books) : 0;
    std::vector<job> jobs = w.ask(w.space, record_of(k), n);
    std::size_t own = jobs.size();
    if (carried > 0) {
        for (job& j : jobs) j.carried = true;
        const std::vector<job> proposed = w.ask(w.space, record_of(k), n - jobs.size());
        own = proposed.size();
        jobs.insert(jobs.end(), proposed.begin(), proposed.end());
    }
    offers_.proposed(k, own);
    return jobs;
}

TUNEKIT_INLINE void tasks_tuner::tell(const job& j, measure::measurement m, double stamp, std::size_t worker)
{
    if (worker >= slots_.workers())
        throw error("tasks_tuner: worker " + std::to_string(worker) + " answers, of " +
                    std::to_string(slots_.workers()));
    detail::ledger::check_answer(m, stamp);
    auto& e = slots_.entry(j);
    detail::slot& s = slots_.of(e);
    const double now = (std::max)(stamp, plan_.seconds);
    const double took = slots_.took(worker, s, now);
    const double cost = m.cost;
    const bool good = m.ok();
    const bool counts =
        works_[s.task].tell(space(s.task), record_of(s.task), local(j, e), std::move(m), took, 0, worker);
    plan_.seconds = now;
    slots_.answered(worker, now);
    if (counts) offers_.hear(s.task, space(s.task), record_of(s.task));
    if (counts && s.open) {
        s.seconds += took;
        ++s.trials;
        if (good && record_of(s.task).trials().back().measured.ok()) s.own_best = (std::min)(s.own_best, cost);
    }
    back(e);
}

TUNEKIT_INLINE void tasks_tuner::set_workers(std::size_t n)
{
    require(n > 0, "tasks_tuner.set_workers: 0 workers, want at least one");
    for (std::size_t w = n; w < workers_; ++w) leave(w);
    workers_ = n;
    slots_.grow(n);
}

TUNEKIT_INLINE void tasks_tuner::set_shape(const schedule::run_shape& shape) noexcept
{
    shape_ = shape;
    slot_seconds_ = shape.slot_seconds;
}

TUNEKIT_INLINE void tasks_tuner::set_limit(const tasks_budget& limit)
{
    detail::check(limit);
    const bool out_of_time = plan_.stopped == stop_reason::seconds;
    const bool longer = out_of_time && limit.seconds != limit_.seconds;
    limit_ = limit;
    bool alive = false;
    for (std::size_t k = 0; k < works_.size(); ++k) {
        works_[k].books.set_limit(detail::of_a_task(limit), record_of(k));
        alive = alive || active(k);
    }
    if (longer || (alive && !out_of_time && plan_.stopped != stop_reason::asked)) plan_.stopped = stop_reason::running;
    decide();
}

TUNEKIT_INLINE void tasks_tuner::time(double stamp)
{
    detail::ledger::check_stamp(stamp);
    plan_.seconds = (std::max)(stamp, plan_.seconds);
}

TUNEKIT_INLINE void tasks_tuner::take_back(const job& j, bool lost)
{
    auto& e = slots_.entry(j);
    detail::slot& s = slots_.of(e);
    if (works_[s.task].drop(space(s.task), record_of(s.task), local(j, e), lost) && s.open) ++s.trials;
    back(e);
}

TUNEKIT_INLINE void tasks_tuner::stop()
{
    if (plan_.stopped == stop_reason::running) end(stop_reason::asked);
}

TUNEKIT_INLINE std::size_t tasks_tuner::outstanding() const noexcept
{
    std::size_t n = 0;
    for (const auto& w : works_) n += w.books.out();
    return n;
}

TUNEKIT_INLINE std::uint64_t tasks_tuner::late() const noexcept
{
    std::uint64_t n = 0;
    for (const auto& w : works_) n += w.books.late();
    return n;
}

TUNEKIT_INLINE std::uint64_t tasks_tuner::proposals() const noexcept
{
    std::uint64_t n = moves_;
    for (const auto& w : works_) n += w.proposals;
    return n;
}

TUNEKIT_INLINE job tasks_tuner::local(job j, const detail::slots::sent& e)
{
    j.ticket = e.local;
    j.carried = e.carried;
    return j;
}

TUNEKIT_INLINE bool tasks_tuner::open_to(std::size_t k) const
{
    return active(k) && !works_[k].waits && works_[k].running < limit_.max_workers_per_task;
}

TUNEKIT_INLINE bool tasks_tuner::ended(const detail::slot& s) const
{
    return plan_.stopped != stop_reason::running || !active(s.task) || plan_.seconds - s.began >= slot_seconds_ ||
           (s.warm_up && warm(s.task));
}

TUNEKIT_INLINE void tasks_tuner::decide()
{
    if (plan_.stopped != stop_reason::running) return;
    if (plan_.seconds >= limit_.seconds) end(stop_reason::seconds);
    else if (limit_.trials_per_task == 0) end(stop_reason::trials);
}

TUNEKIT_INLINE void tasks_tuner::end(stop_reason why)
{
    plan_.stopped = why;
    for (std::size_t w = 0; w < slots_.workers(); ++w) leave(w);
}

TUNEKIT_INLINE std::optional<std::size_t> tasks_tuner::choose()
{
    std::optional<std::size_t> cold;
    bool warming = false;
    for (std::size_t k = 0; k < works_.size(); ++k) {
        if (!active(k) || warm(k)) continue;
        warming = true;
        if (open_to(k) && (!cold || works_[k].running < works_[*cold].running)) cold = k;
    }
    if (warming) return cold;
    bool any = false;
    bool alive = false;
    for (std::size_t k = 0; k < works_.size(); ++k) {
        auto& v = views_[k];
        const tuning& r = plan_.tasks[k].record;
        v.curve = r.curve();
        v.running = works_[k].running;
        v.slots = plan_.tasks[k].slots + v.running;
        v.seconds = r.seconds();
        v.active = open_to(k);
        any = any || v.active;
        alive = alive || active(k);
    }
    if (!alive) {
        plan_.stopped = stop_reason::exhausted;  // or the reason of the first task that has configurations left
        for (const auto& t : plan_.tasks)
            if (plan_.stopped == stop_reason::exhausted) plan_.stopped = t.record.stopped();
        return std::nullopt;
    }
    for (const detail::slot& s : slots_.recent())
        if (s.open) views_[s.task].seconds -= s.seconds;
    if (!state_) state_ = schedule_.start(views_, shape_);
    if (!any) return std::nullopt;
    const std::size_t k = schedule_.select(*state_, views_, schedule_gen_);
    if (k >= works_.size() || !views_[k].active)
        throw error("tune_tasks: the schedule chose a task that is not active");
    return k;
}

TUNEKIT_INLINE void tasks_tuner::leave(std::size_t worker)
{
    if (slots_.of(worker) == nullptr) return;
    detail::slot& s = slots_.leave(worker);
    if (s.out == 0) close(s);
}

TUNEKIT_INLINE void tasks_tuner::back(detail::slots::sent& e)
{
    detail::slot& s = slots_.of(e);
    works_[s.task].waits = false;
    if (!slots_.back(e)) return;
    decide();
    if (!s.open) return;
    if (!s.held) close(s);
    else if (ended(s)) leave(e.worker);
}

TUNEKIT_INLINE void tasks_tuner::close(detail::slot& s)
{
    work& w = works_[s.task];
    slots_.close(s);
    --w.running;
    const bool none_of_it = s.trials == 0 && w.waits;
    if (!none_of_it) {
        ++plan_.tasks[s.task].slots;
        plan_.slots.push_back({.task = s.task, .ended = plan_.seconds, .model_latency = latency()});
    }
    if (s.warm_up || !state_) return;
    schedule_.update(*state_, s.task,
                     {.seconds = workers_ == 1 ? plan_.seconds - s.began : s.seconds,
                      .trials = s.trials,
                      .best_cost_before = s.best_before,
                      .best_cost_after = (std::min)(s.best_before, s.own_best)});
}

TUNEKIT_INLINE double tasks_tuner::latency() const
{
    double sum = 0;
    for (std::size_t k = 0; k < works_.size(); ++k) sum += views_[k].weight * plan_.tasks[k].record.best_cost();
    return sum;
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
