// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of builders and runners: compilers work while candidates run.

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
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/build/build_pool.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/isolated_workers.hpp"

namespace tunekit::measure {

namespace detail {

/// The builder, the runners and the templates of a pipeline, of any types.
struct pipeline_parts {
    virtual ~pipeline_parts() = default;

    /// Hands the source of a configuration, under `key`, to the compilers; where the template throws, the failure.
    virtual std::optional<failure> hand_in(std::size_t task, index candidate, double seconds, std::string& key) = 0;
    /// Builds a configuration once more, on its own, and lets the runners forget its failure.
    virtual void build_alone(const job& what) = 0;
    virtual void advance_builds() = 0;
    virtual std::optional<build_outcome> built(const std::string& key) = 0;
    virtual void watch_builds(poll_set& events) const = 0;
    virtual void run(const job& what) = 0;
    virtual std::vector<answer> answers(double seconds) = 0;
    [[nodiscard]] virtual std::size_t room_to_run() const = 0;
    [[nodiscard]] virtual double now() const = 0;
    /// False where the runners cannot be waited for together with something else.
    virtual bool watch_runs(poll_set& events) const = 0;
};

/// The jobs of a pipeline on their way. It is moved with the pipeline, so each call is told the parts.
class pipeline_jobs {
public:
    [[nodiscard]] std::size_t out() const noexcept { return building_.size() + built_.size() + running_.size(); }
    [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }
    [[nodiscard]] bool idle() const noexcept { return out() == 0 && given_.empty(); }
    void submit(pipeline_parts& parts, const job& next);
    [[nodiscard]] std::vector<answer> collect(pipeline_parts& parts, double seconds);

private:
    struct in_work {
        job what;
        std::string key{};
        bool shared = false;  ///< built together with others
        double submitted = 0;
        double build_seconds = 0;
        double waited = 0;  ///< seconds before it went to a runner in which no compiler had it
    };

    void look_after(pipeline_parts& parts);
    void hand_over(pipeline_parts& parts);
    void hear(pipeline_parts& parts, double seconds);

    std::deque<in_work> building_{}, built_{}, running_{};
    std::vector<answer> given_{};
};

}  // namespace detail

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

    /// Whether its costs are times (`measure::measures_time`).
    [[nodiscard]] bool measures_time() const { return measure::measures_time(runners_); }
    [[nodiscard]] std::size_t workers() const noexcept { return runners_.workers(); }
    /// The number of jobs that may be submitted now: those that run and `ahead` more, less those that are out.
    [[nodiscard]] std::size_t room() const noexcept
    {
        const std::size_t runs = runners_.room() + jobs_.running();
        const std::size_t places = runs == 0 ? 0 : runs + ahead_;
        return places > jobs_.out() ? places - jobs_.out() : 0;
    }
    /// Seconds, by the clock of the runners.
    [[nodiscard]] double now() const noexcept { return runners_.now(); }

    /// Makes the source of a job and hands it to the compilers; where the template throws, the job has failed as
    /// `invalid`. Throws std::invalid_argument where there is no room, or no template for its task.
    void submit(const job& next)
    {
        require(room() > 0, "pipeline.submit: no room, want a call of room() before");
        require(next.task < templates_.size(), "pipeline.submit: no template for this task, want one for each");
        parts of(*this);
        jobs_.submit(of, next);
    }

    /// Serves compilers and runners, and returns the answers known; it waits for the first one for at most `seconds`.
    /// Throws what the runners throw where none of them is left.
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        parts of(*this);
        return jobs_.collect(of, seconds);
    }

    /// A streaming measurer on one runner, for use while nothing else is out. It builds what is not built yet before it
    /// runs anything of a batch; limits are read when a run begins. `measure` throws std::invalid_argument while jobs
    /// are out. `more` is what else the runners' `alone` takes.
    template <class... More>
    [[nodiscard]] auto alone(std::size_t worker, std::size_t task = 0, More... more)
        requires requires(Runners& r) { r.alone(worker, task, more...); }
    {
        require(task < templates_.size(), "pipeline.alone: no template for this task, want one for each");
        auto runner = runners_.alone(worker, task, more...);
        return lone_runner<decltype(runner)>(*this, std::move(runner), task);
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
            require(pool_->jobs_.idle(), "pipeline.alone: jobs are out, want them collected before");
            const std::vector<detail::build_outcome> built = pool_->build(task_, batch, within.build_seconds);
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

    struct parts final : detail::pipeline_parts {
        pipeline& its;

        explicit parts(pipeline& of) noexcept : its(of) {}
        std::optional<failure> hand_in(std::size_t task, index candidate, double seconds, std::string& key) override
        {
            return its.hand_in(task, candidate, seconds, key);
        }
        void build_alone(const job& what) override
        {
            const Template& t = its.templates_[what.task];
            its.compilers_.submit_alone(t.source_of(t.space.at(what.candidate)), t.entry, what.limits.build_seconds);
            if constexpr (requires { its.runners_.forget(what.candidate, what.task); })
                its.runners_.forget(what.candidate, what.task);
        }
        void advance_builds() override { its.compilers_.advance(); }
        std::optional<detail::build_outcome> built(const std::string& key) override
        {
            return its.compilers_.result(key);
        }
        void watch_builds(detail::poll_set& events) const override { its.compilers_.watch(events); }
        void run(const job& what) override { its.runners_.submit(what); }
        std::vector<answer> answers(double seconds) override { return its.runners_.collect(seconds); }
        [[nodiscard]] std::size_t room_to_run() const override { return its.runners_.room(); }
        [[nodiscard]] double now() const override { return its.now(); }
        bool watch_runs(detail::poll_set& events) const override
        {
            if constexpr (std::is_same_v<Runners, isolated_workers>) detail::pool_access::watch(its.runners_, events);
            return std::is_same_v<Runners, isolated_workers>;
        }
    };

    static std::vector<Template> one(Template what)
    {
        std::vector<Template> out;
        out.push_back(std::move(what));
        return out;
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
    [[nodiscard]] std::vector<detail::build_outcome> build(std::size_t task, std::span<const index> batch,
                                                           double seconds)
    {
        std::vector<detail::build_outcome> out(batch.size());
        std::vector<std::string> keys(batch.size());
        for (std::size_t k = 0; k < out.size(); ++k) out[k].failed = hand_in(task, batch[k], seconds, keys[k]);
        for (std::size_t k = 0; k < out.size(); ++k)
            if (!out[k].failed) out[k] = compilers_.wait(keys[k]);
        return out;
    }

    std::vector<Template> templates_;
    Builder compilers_;
    Runners runners_;
    std::size_t ahead_;
    detail::pipeline_jobs jobs_{};
};

}  // namespace tunekit::measure
