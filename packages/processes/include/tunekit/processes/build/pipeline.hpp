// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of builders and runners: compilers work while candidates run.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/isolated_workers.hpp"

namespace tunekit::measure {

/// A pool that builds each job before it runs it. The processes of a builder compile the jobs. A built job goes to a
/// pool of runners as soon as one is free.
///
///     const auto cores = share_cores(1, 1);
///     builder compilers({.processes = 1, .cores = cores.spared});
///     auto kernel = generated_kernel<void(float*)>(scale, compilers.cache(), bind);
///     isolated_workers runners(1, [&](std::size_t) { return worker_task{scale.space, timed{kernel, until_confident{}, check}}; },
///                              {.cores = cores.workers});
///     pipeline pool(scale, std::move(compilers), std::move(runners));
///
/// So builds overlap with measuring, and at most as many candidates run as there are runners: one on each device. Build
/// the runners before anything large, as always; they need the name of the cache only. For several tasks give a
/// template for each, in the order of job::task. `answer::worker` is the runner. `answer::queued_s` are the seconds in
/// which neither a compiler nor a runner had the job.
///
/// Failures:   invalid (the template threw), build_error, build_timeout; then those of the runners.
/// Errors:     those of the builder and of the runners; std::invalid_argument from `submit` for a task without a
///             template.
/// Cost:       that of its parts.
/// Threads:    one at a time; as the runners.
template <class Template, pool Runners = isolated_workers, class Builder = builder>
class pipeline {
public:
    /// Its settings.
    struct options {
        std::size_t ahead =
            0;  ///< jobs beyond those that run: in compilation, or built and waiting; 0: one per compiler
    };

    /// Takes over a template for each task, in the order of job::task, a builder and a pool of runners. Throws
    /// std::invalid_argument where there is no template.
    pipeline(std::vector<Template> per_task, Builder compilers, Runners runners, options how = {})
        : templates_(std::move(per_task)),
          compilers_(std::move(compilers)),
          runners_(std::move(runners)),
          ahead_(how.ahead != 0 ? how.ahead : compilers_.processes())
    {
        require(!templates_.empty(), "pipeline: no template, want that of one task or more");
    }
    /// Takes over the template of the only task, a builder and a pool of runners.
    pipeline(Template what, Builder compilers, Runners runners, options how = {})
        : pipeline(one(std::move(what)), std::move(compilers), std::move(runners), how)
    {
    }

    /// The builder, for example to read what it has compiled.
    [[nodiscard]] const Builder& building() const noexcept { return compilers_; }
    /// The pool that runs what was built. Submit nothing to it directly.
    [[nodiscard]] Runners& running() noexcept { return runners_; }

    [[nodiscard]] std::size_t workers() const noexcept { return runners_.workers(); }
    /// The number of jobs that may be submitted now: those that run and `ahead` more, less those that are out.
    [[nodiscard]] std::size_t room() const noexcept
    {
        const std::size_t runs = runners_.room() + running_.size();
        const std::size_t places = runs == 0 ? 0 : runs + ahead_;
        const std::size_t out = building_.size() + built_.size() + running_.size();
        return places > out ? places - out : 0;
    }
    /// Seconds, by the clock of the runners.
    [[nodiscard]] double now() const noexcept { return runners_.now(); }

    /// Makes the source of a job and hands it to the compilers; where the template throws, the job has failed as
    /// `invalid`. Throws std::invalid_argument where there is no room, or no template for its task.
    void submit(const job& next)
    {
        require(room() > 0, "pipeline.submit: no room, want a call of room() before");
        require(next.task < templates_.size(), "pipeline.submit: no template for this task, want one for each");
        in_work w{.what = next, .submitted = now()};
        measurement m{.failed = hand_in(next.task, next.candidate, next.limits.build_seconds, w.key)};
        if (m.failed) given_.push_back({.ticket = next.ticket, .measured = std::move(m)});
        else building_.push_back(std::move(w));
    }

    /// Serves compilers and runners, and returns the answers known; it waits for the first one for at most `seconds`.
    /// Throws what the runners throw where none of them is left.
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        const wall_clock clock;
        const double deadline = clock() + seconds;
        for (;;) {
            look_after();
            if (!given_.empty()) return std::exchange(given_, {});
            if (building_.empty() && built_.empty() && running_.empty())
                return runners_.room() > 0 ? std::vector<answer>() : runners_.collect(0);  // which throws the reason
            const double moment = clock();
            if (moment >= deadline) return {};
            if constexpr (std::is_same_v<Runners, isolated_workers>) {
                detail::poll_set events;
                events.by(deadline);
                compilers_.watch(events);
                detail::pool_access::watch(runners_, events);
                events.wait(moment);
            } else if (running_.empty()) {
                detail::poll_set events;
                events.by(deadline);
                compilers_.watch(events);
                events.wait(moment);
            } else {  // runners of another kind cannot wait for compilers too
                hear(building_.empty() ? deadline - moment : 1e-3);
            }
        }
    }

    /// A streaming measurer on one runner, for use while nothing else is out. It builds what is not built yet before it
    /// runs anything of a batch; limits are read when a run begins. `measure` throws std::invalid_argument while jobs
    /// are out.
    [[nodiscard]] auto alone(std::size_t worker, std::size_t task = 0)
        requires requires(Runners& r) { r.alone(worker, task); }
    {
        require(task < templates_.size(), "pipeline.alone: no template for this task, want one for each");
        return lone_runner<decltype(runners_.alone(worker, task))>(*this, runners_.alone(worker, task), task);
    }

private:
    template <measurer Runner>
    class lone_runner {
    public:
        lone_runner(pipeline& pool, Runner runner, std::size_t task)
            : pool_(&pool), runner_(std::move(runner)), task_(task)
        {
        }

        [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
        {
            return detail::collected(*this, batch, within);
        }
        template <class Each>
        void measure(std::span<const index> batch, const limits& within, Each&& each)
        {
            require(pool_->idle(), "pipeline.alone: jobs are out, want them collected before");
            const std::vector<typename Builder::outcome> built = pool_->build(task_, batch, within.build_seconds);
            for (std::size_t k = 0; k < batch.size(); ++k) {
                measurement m{.failed = built[k].failed};
                if (!m.failed) m = std::move(runner_.measure(batch.subspan(k, 1), within).front());
                m.build_seconds += built[k].seconds;
                each(std::move(m));
            }
        }

    private:
        pipeline* pool_;
        Runner runner_;
        std::size_t task_;
    };

    struct in_work {
        job what;
        std::string key{};
        bool shared = false;  ///< built together with others
        double submitted = 0;
        double build_seconds = 0;
        double waited = 0;  ///< seconds before it went to a runner in which no compiler had it
    };

    static std::vector<Template> one(Template what)
    {
        std::vector<Template> out;
        out.push_back(std::move(what));
        return out;
    }

    [[nodiscard]] bool idle() const noexcept
    {
        return building_.empty() && built_.empty() && running_.empty() && given_.empty();
    }

    /// Hands the source of a configuration, under `key`, to the compilers; where the template throws, the failure.
    std::optional<failure> hand_in(std::size_t task, index candidate, double seconds, std::string& key)
    {
        const Template& t = templates_[task];
        try {
            const source text = t.source_of(t.space.at(candidate));
            key = compilers_.cache().key(text, t.entry);
            compilers_.submit({text}, t.entry, seconds);
            return std::nullopt;
        } catch (const error&) {
            throw;  // a fault of the builder, not of the candidate
        } catch (const std::exception& e) {
            return failure{failure_kind::invalid, 0, std::string("threw: ") + e.what()};
        }
    }

    /// Waits until all of a batch are built.
    [[nodiscard]] std::vector<typename Builder::outcome> build(std::size_t task, std::span<const index> batch,
                                                               double seconds)
    {
        std::vector<typename Builder::outcome> out(batch.size());
        std::vector<std::string> keys(batch.size());
        for (std::size_t k = 0; k < out.size(); ++k) out[k].failed = hand_in(task, batch[k], seconds, keys[k]);
        for (std::size_t k = 0; k < out.size(); ++k)
            if (!out[k].failed) out[k] = compilers_.wait(keys[k]);
        return out;
    }

    /// Does what can be done without waiting.
    void look_after()
    {
        compilers_.advance();
        for (std::size_t k = 0; k < building_.size();) {
            std::optional<typename Builder::outcome> r = compilers_.result(building_[k].key);
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
                                  .queued_s = (std::max)(0.0, now() - w.submitted - w.build_seconds)});
            } else {
                built_.push_back(std::move(w));
            }
        }
        hand_over();
        if (!running_.empty()) hear(0);
        hand_over();                                   // to a runner that has just become free
        if (runners_.room() == 0 && running_.empty())  // no runner is left, so the jobs are lost
            for (auto* const waiting : {&building_, &built_}) {
                for (const in_work& w : *waiting) given_.push_back({.ticket = w.what.ticket});
                waiting->clear();
            }
    }

    void hand_over()
    {
        while (!built_.empty() && runners_.room() > 0) {
            in_work w = std::move(built_.front());
            built_.pop_front();
            w.waited = (std::max)(0.0, now() - w.submitted - w.build_seconds);
            runners_.submit(w.what);
            running_.push_back(std::move(w));
        }
    }

    void hear(double seconds)
    {
        for (answer& a : runners_.collect(seconds)) {
            const auto w = std::find_if(running_.begin(), running_.end(),
                                        [&](const in_work& r) { return r.what.ticket == a.ticket; });
            if (w == running_.end()) throw error("pipeline: the runners answered a job that they were not given");
            if (a.measured && a.measured->failed && w->shared) {
                build_alone(std::move(*w));
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

    /// Builds a failed job once more, on its own, so that it runs again. Another one that it was compiled with may have
    /// been the cause.
    void build_alone(in_work w)
    {
        const Template& t = templates_[w.what.task];
        compilers_.submit_alone(t.source_of(t.space.at(w.what.candidate)), t.entry, w.what.limits.build_seconds);
        if constexpr (requires { runners_.forget(w.what.candidate, w.what.task); })
            runners_.forget(w.what.candidate, w.what.task);
        building_.push_back(std::move(w));
    }

    std::vector<Template> templates_;
    Builder compilers_;
    Runners runners_;
    std::size_t ahead_;
    std::deque<in_work> building_{}, built_{}, running_{};
    std::vector<answer> given_{};
};

}  // namespace tunekit::measure
