// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/logged_view.hpp"

namespace tunekit::io::detail {

const tuning& view_of<tasks_tuner>::record(std::size_t task) const { return tuner_->record().tasks[task].record; }

std::vector<std::string> view_of<tasks_tuner>::texts(std::size_t task, index candidate) const
{
    return tuner_->space(task).texts(candidate);
}

void view_of<tasks_tuner>::name_values(const std::vector<std::string>&) const {}  // its workers' measurements have none

std::size_t view_of<tasks_tuner>::worker_of(const job& j) const { return tuner_->worker_of(j); }

void view_of<tasks_tuner>::set_workers(std::size_t n) const { tuner_->set_workers(n); }

bool view_of<tasks_tuner>::has_workers() const { return true; }

void view_of<tasks_tuner>::begin_as(const log_content::head& was) const
{
    tuner_->set_workers(was.workers);
    tuner_->set_shape(
        {.seconds = was.seconds, .slot_seconds = was.slot_seconds, .tasks = was.tasks.size(), .workers = was.workers});
}

log_content::budget view_of<tasks_tuner>::limit() const
{
    const tasks_budget& b = tuner_->limit();
    return {.trials = b.trials_per_task, .patience = b.patience, .workers_per_task = b.max_workers_per_task};
}

void view_of<tasks_tuner>::set_limit(const log_content::budget& b) const
{
    tuner_->set_limit(
        {.trials_per_task = b.trials, .patience = b.patience, .max_workers_per_task = b.workers_per_task});
}

bool view_of<tasks_tuner>::slots_open() const { return tuner_->limit().slot_seconds == 0; }

void view_of<tasks_tuner>::describe(log_content::head& out, const std::string&) const
{
    out.seconds = tuner_->limit().seconds;
    out.budget = limit();
    out.slot_seconds = tuner_->slot_seconds();
    out.workers = tuner_->workers();
    for (std::size_t k = 0; k < tuner_->tasks(); ++k) {
        out.tasks.push_back(entry_of(tuner_->name(k), tuner_->space(k)));
        out.tasks.back().flops = tuner_->flops(k);
        out.tasks.back().weight = tuner_->weight(k);
    }
}

}  // namespace tunekit::io::detail
