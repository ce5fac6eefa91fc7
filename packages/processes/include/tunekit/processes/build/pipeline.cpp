// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/pipeline.hpp"

#include <algorithm>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/process.hpp"

namespace tunekit::measure::detail {

void pipeline_jobs::submit(pipeline_parts& parts, const job& next)
{
    in_work w{.what = next, .submitted = parts.now()};
    measurement m{.failed = parts.hand_in(next.task, next.candidate, next.limits.build_seconds, w.key)};
    if (m.failed) given_.push_back({.ticket = next.ticket, .measured = std::move(m)});
    else building_.push_back(std::move(w));
}

std::vector<answer> pipeline_jobs::collect(pipeline_parts& parts, double seconds)
{
    const wall_clock clock;
    const double deadline = clock() + seconds;
    for (;;) {
        look_after(parts);
        if (!given_.empty()) return std::exchange(given_, {});
        if (out() == 0)
            return parts.room_to_run() > 0 ? std::vector<answer>() : parts.answers(0);  // which throws the reason
        const double moment = clock();
        if (moment >= deadline) return {};
        poll_set events;
        events.by(deadline);
        parts.watch_builds(events);
        if (parts.watch_runs(events) || running_.empty()) events.wait(moment);
        else hear(parts, building_.empty() ? deadline - moment : 1e-3);  // such runners cannot wait for compilers too
    }
}

/// Does what can be done without waiting.
void pipeline_jobs::look_after(pipeline_parts& parts)
{
    parts.advance_builds();
    for (std::size_t k = 0; k < building_.size();) {
        std::optional<build_outcome> r = parts.built(building_[k].key);
        if (!r) {
            ++k;
            continue;
        }
        in_work w = std::move(building_[k]);
        building_.erase(building_.begin() + static_cast<std::ptrdiff_t>(k));
        w.build_seconds += r->seconds;
        w.shared = r->shared;
        if (r->failed) {
            measurement m;
            m.failed = std::move(r->failed);
            m.build_seconds = w.build_seconds;
            given_.push_back({.ticket = w.what.ticket,
                              .measured = std::move(m),
                              .queued_s = (std::max)(0.0, parts.now() - w.submitted - w.build_seconds)});
        } else {
            built_.push_back(std::move(w));
        }
    }
    hand_over(parts);
    if (!running_.empty()) hear(parts, 0);
    hand_over(parts);                                  // to a runner that has just become free
    if (parts.room_to_run() == 0 && running_.empty())  // no runner is left, so the jobs are lost
        for (auto* const waiting : {&building_, &built_}) {
            for (const in_work& w : *waiting) given_.push_back({.ticket = w.what.ticket});
            waiting->clear();
        }
}

void pipeline_jobs::hand_over(pipeline_parts& parts)
{
    while (!built_.empty() && parts.room_to_run() > 0) {
        in_work w = std::move(built_.front());
        built_.pop_front();
        w.waited = (std::max)(0.0, parts.now() - w.submitted - w.build_seconds);
        parts.run(w.what);
        running_.push_back(std::move(w));
    }
}

void pipeline_jobs::hear(pipeline_parts& parts, double seconds)
{
    for (answer& a : parts.answers(seconds)) {
        const auto w =
            std::find_if(running_.begin(), running_.end(), [&](const in_work& r) { return r.what.ticket == a.ticket; });
        if (w == running_.end()) throw error("pipeline: the runners answered a job that they were not given");
        if (a.measured && a.measured->failed && w->shared) {  // another one that it was compiled with may be the cause
            parts.build_alone(w->what);
            building_.push_back(std::move(*w));
            running_.erase(w);
            continue;
        }
        if (a.measured) {
            a.measured->build_seconds += w->build_seconds;
            for (auto* const waiting : {&building_, &built_})
                for (in_work& other : *waiting) other.what.hear(w->what, *a.measured);
        }
        if (!a.within) a.within = w->what.limits;
        a.queued_s += w->waited;
        running_.erase(w);
        given_.push_back(std::move(a));
    }
}

}  // namespace tunekit::measure::detail
