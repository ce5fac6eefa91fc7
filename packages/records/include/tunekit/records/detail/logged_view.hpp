// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A tuner and a tasks_tuner as a log sees them: both have tasks and workers, the first has one of each.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/tune/tasks_tuner.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tunekit::io::detail {

/// What a log asks a run and does to it. As const as a pointer: the run changes.
class logged_view {
public:
    [[nodiscard]] virtual std::vector<job> ask(std::size_t worker, std::size_t n) const = 0;
    virtual void tell(const job& j, measure::measurement m, double stamp, std::size_t worker) const = 0;
    virtual void drop(const job& j) const = 0;
    virtual void recall(const job& j) const = 0;
    virtual void time(double stamp) const = 0;
    virtual void stop() const = 0;
    virtual void set_checks(std::size_t task, const machine_checks& seen) const = 0;
    [[nodiscard]] virtual std::uint64_t proposals() const = 0;
    [[nodiscard]] virtual double stamp() const = 0;

    [[nodiscard]] virtual const tuning& record(std::size_t task) const = 0;
    [[nodiscard]] virtual std::vector<std::string> texts(std::size_t task, index candidate) const = 0;
    virtual void name_values(const std::vector<std::string>& names) const = 0;
    /// The worker that has the job.
    [[nodiscard]] virtual std::size_t worker_of(const job& j) const = 0;
    virtual void set_workers(std::size_t n) const = 0;
    /// Whether it has so many workers and no more; a run over one space answers whoever asks.
    [[nodiscard]] virtual bool has_workers() const = 0;
    /// Makes it as the run of a log was when that began.
    virtual void begin_as(const log_content::head& was) const = 0;
    [[nodiscard]] virtual log_content::budget limit() const = 0;
    /// The budget of a log, in which time stops nothing.
    virtual void set_limit(const log_content::budget& b) const = 0;
    /// Whether its budget leaves the length of slots open.
    [[nodiscard]] virtual bool slots_open() const = 0;
    /// Adds to a header what it says of time, tasks, slots and workers. `name` is that of the only task.
    virtual void describe(log_content::head& out, const std::string& name) const = 0;

protected:
    ~logged_view() = default;
};

/// What both have in common.
template <class Tuner>
class tuner_view : public logged_view {
public:
    explicit tuner_view(Tuner& t) : tuner_(&t) {}

    [[nodiscard]] std::vector<job> ask(std::size_t worker, std::size_t n) const final { return tuner_->ask(worker, n); }
    void tell(const job& j, measure::measurement m, double stamp, std::size_t worker) const final
    {
        tuner_->tell(j, std::move(m), stamp, worker);
    }
    void drop(const job& j) const final { tuner_->drop(j); }
    void recall(const job& j) const final { tuner_->recall(j); }
    void time(double stamp) const final { tuner_->time(stamp); }
    void stop() const final { tuner_->stop(); }
    void set_checks(std::size_t task, const machine_checks& seen) const final { tuner_->set_checks(task, seen); }
    [[nodiscard]] std::uint64_t proposals() const final { return tuner_->proposals(); }
    [[nodiscard]] double stamp() const final { return tuner_->stamp(); }

protected:
    ~tuner_view() = default;

    Tuner* tuner_;
};

template <class Space>
[[nodiscard]] log_content::head::task_entry entry_of(const std::string& name, const Space& space)
{
    const auto names = space.names();
    return {.name = name,
            .size = space.size(),
            .fingerprint = space.fingerprint(),
            .parameters = {names.begin(), names.end()}};
}

template <class Tuner>
class view_of;

template <class Space, class S, class G>
class view_of<tuner<Space, S, G>> final : public tuner_view<tuner<Space, S, G>> {
public:
    using tuner_view<tuner<Space, S, G>>::tuner_view;

    [[nodiscard]] const tuning& record(std::size_t) const override { return tuner_->record(); }
    [[nodiscard]] std::vector<std::string> texts(std::size_t, index candidate) const override
    {
        return tuner_->space().texts(candidate);
    }
    void name_values(const std::vector<std::string>& names) const override { tuner_->name_values(names); }
    [[nodiscard]] std::size_t worker_of(const job&) const override { return 0; }
    void set_workers(std::size_t) const override {}
    [[nodiscard]] bool has_workers() const override { return false; }
    void begin_as(const log_content::head&) const override {}
    [[nodiscard]] log_content::budget limit() const override
    {
        return {.trials = tuner_->limit().trials, .patience = tuner_->limit().patience};
    }
    void set_limit(const log_content::budget& b) const override
    {
        tuner_->set_limit({.trials = b.trials, .patience = b.patience});
    }
    [[nodiscard]] bool slots_open() const override { return false; }
    void describe(log_content::head& out, const std::string& name) const override
    {
        out.seconds = tuner_->limit().seconds;
        out.tasks = {entry_of(name, tuner_->space())};
    }

private:
    using tuner_view<tuner<Space, S, G>>::tuner_;
};

template <>
class view_of<tasks_tuner> final : public tuner_view<tasks_tuner> {
public:
    using tuner_view::tuner_view;

    [[nodiscard]] const tuning& record(std::size_t k) const override { return tuner_->record().tasks[k].record; }
    [[nodiscard]] std::vector<std::string> texts(std::size_t task, index candidate) const override
    {
        return tuner_->space(task).texts(candidate);
    }
    void name_values(const std::vector<std::string>&) const override {}
    [[nodiscard]] std::size_t worker_of(const job& j) const override { return tuner_->worker_of(j); }
    void set_workers(std::size_t n) const override { tuner_->set_workers(n); }
    [[nodiscard]] bool has_workers() const override { return true; }
    void begin_as(const log_content::head& h) const override
    {
        tuner_->set_workers(h.workers);
        tuner_->set_shape(
            {.seconds = h.seconds, .slot_seconds = h.slot_seconds, .tasks = h.tasks.size(), .workers = h.workers});
    }
    [[nodiscard]] log_content::budget limit() const override
    {
        const tasks_budget& b = tuner_->limit();
        return {.trials = b.trials_per_task, .patience = b.patience, .workers_per_task = b.max_workers_per_task};
    }
    void set_limit(const log_content::budget& b) const override
    {
        tuner_->set_limit(
            {.trials_per_task = b.trials, .patience = b.patience, .max_workers_per_task = b.workers_per_task});
    }
    [[nodiscard]] bool slots_open() const override { return tuner_->limit().slot_seconds == 0; }
    void describe(log_content::head& out, const std::string&) const override
    {
        out.seconds = tuner_->limit().seconds;
        out.slot_seconds = tuner_->slot_seconds();
        out.workers = tuner_->workers();
        for (std::size_t k = 0; k < tuner_->tasks(); ++k) {
            out.tasks.push_back(entry_of(tuner_->name(k), tuner_->space(k)));
            out.tasks.back().flops = tuner_->flops(k);
            out.tasks.back().weight = tuner_->weight(k);
        }
    }
};

}  // namespace tunekit::io::detail
