// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the measurers of all devices have in common: a worker that holds the device, behind a look at what it can
/// start.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/devices/operands.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/build/pipeline.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::measure {

/// Settings of `isolated` for a worker that uses a device. Drivers map far more than they use, so the parent watches
/// the resident memory: at most `memory_bytes` of the host's.
[[nodiscard]] inline isolated_options device_isolation(std::size_t memory_bytes = std::size_t{8} << 30)
{
    return {.memory_bytes = memory_bytes, .rule = isolated_options::memory_rule::resident};
}

namespace detail {

/// Why a device cannot start what was built of a configuration; empty where it can, so that no worker is lost.
class admission {
public:
    /// `cache` names built code by `key(source, entry)` and `path(key)`. A rule has `exceeds(launch, path)`, which is
    /// empty or one line, `exceeds(map)` in the same form, and `refusal`, the driver's code for it.
    template <class Template, class Cache, class Rule>
    admission(Template what, Cache cache, Rule rule)
        : of_(std::make_shared<parts<Template, Cache, Rule>>(
              parts<Template, Cache, Rule>{std::move(what), std::move(cache), std::move(rule)})),
          refused_([](const void* of, index which) {
              return static_cast<const parts<Template, Cache, Rule>*>(of)->refused(which);
          })
    {
    }

    [[nodiscard]] std::optional<failure> operator()(index which) const { return refused_(of_.get(), which); }

private:
    template <class Template, class Cache, class Rule>
    struct parts {
        Template what;
        Cache cache;
        Rule rule;

        [[nodiscard]] std::optional<failure> refused(index which) const
        {
            const auto config = what.space.at(which);
            const device_source source = what.text(config);
            const std::string path = cache.path(cache.key(what.source_of(config), what.entry));
            const auto refusal = [](std::string&& why) {
                return failure{failure_kind::launch_error, Rule::refusal, std::move(why)};
            };
            for (const device_source::tensor_map& m : source.maps)
                if (auto why = rule.exceeds(m)) return refusal(std::move(*why));
            for (const auto* part : {&source.prepare, &source.launches})
                for (const device_source::launch& l : *part)
                    if (auto why = rule.exceeds(l, path)) return refusal(std::move(*why));
            return std::nullopt;
        }
    };

    std::shared_ptr<const void> of_;
    std::optional<failure> (*refused_)(const void*, index);
};

/// What looks at a device after each candidate that ran: nothing.
struct no_watch {
    void ran() const noexcept {}
};

/// A measurer in front of another. It gets only what the device can start. `Watch` has `ran()`, which is called after
/// each candidate that ran; copies of one share what they have seen.
template <class Watch, measurer Inner>
class admitted_measurer {
public:
    admitted_measurer(admission may, Watch watch, Inner inner)
        : may_(std::move(may)), watch_(std::move(watch)), inner_(std::move(inner))
    {
    }

    /// What was seen of the device, of each candidate that ran.
    [[nodiscard]] const auto& conditions() const noexcept
        requires requires(const Watch& w) { w.seen(); }
    {
        return watch_.seen();
    }

    [[nodiscard]] bool measures_time() const { return measure::measures_time(inner_); }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        for (std::size_t k = 0; k < batch.size(); ++k) {
            measurement m;
            m.failed = may_(batch[k]);
            if (!m.failed) {
                auto one = inner_.measure(batch.subspan(k, 1), within);
                if (one.size() != 1) throw error("admitted_measurer: the measurer did not answer its candidate");
                watch_.ran();
                m = std::move(one.front());
            }
            each(std::move(m));
        }
    }

private:
    admission may_;
    Watch watch_;
    Inner inner_;
};

/// The same before a pool of workers, with an admission for each task.
template <class Watch>
class admitted_workers {
public:
    admitted_workers(std::vector<admission> per_task, Watch watch, isolated_workers inner)
        : may_(std::move(per_task)), watch_(std::move(watch)), inner_(std::move(inner))
    {
    }

    [[nodiscard]] const auto& conditions() const noexcept
        requires requires(const Watch& w) { w.seen(); }
    {
        return watch_.seen();
    }

    [[nodiscard]] bool measures_time() const { return measure::measures_time(inner_); }
    [[nodiscard]] std::size_t workers() const noexcept { return inner_.workers(); }
    [[nodiscard]] std::size_t room() const noexcept { return inner_.room(); }
    [[nodiscard]] double now() const noexcept { return inner_.now(); }

    void submit(const job& next)
    {
        require(next.task < may_.size(), "admitted_workers.submit: no such task");
        measurement m;
        m.failed = may_[next.task](next.candidate);
        if (m.failed) given_.push_back({.ticket = next.ticket, .measured = std::move(m)});
        else inner_.submit(next);
    }
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        auto out = std::exchange(given_, {});
        for (answer& a : inner_.collect(out.empty() ? seconds : 0)) {
            if (a.measured) watch_.ran();
            out.push_back(std::move(a));
        }
        return out;
    }
    [[nodiscard]] auto alone(std::size_t worker, std::size_t task = 0)
    {
        require(task < may_.size(), "admitted_workers.alone: no such task");
        return admitted_measurer(may_[task], watch_, inner_.alone(worker, task));
    }

private:
    std::vector<admission> may_;
    Watch watch_;
    isolated_workers inner_;
    std::vector<answer> given_{};
};

/// The kernel of a template of device sources, for `timed`: it finds the code that was built for a configuration, and
/// `Run` loads and runs it.
template <class Run, class Template, class Cache, class Session>
[[nodiscard]] auto device_kernel(Template what, Cache cache, device_operands<Session>& data, Session& gpu)
{
    return [what = std::move(what), cache = std::move(cache), data = &data, gpu = &gpu](const auto& config) {
        const std::string key = cache.key(what.source_of(config), what.entry);
        if constexpr (requires { cache.image(key); }) return Run(*gpu, cache.image(key), what.text(config), *data);
        else return Run(*gpu, cache.code(key), what.text(config), *data);
    };
}

/// What a worker does with the configurations of a template: it finds the code that was built, runs it as `repeat`
/// says, and checks the outputs.
template <class Run, class Template, class Cache, class Session, class Repetition>
[[nodiscard]] auto device_runs(const Template& what, Cache cache, device_operands<Session>& data, Repetition repeat,
                               const std::shared_ptr<Session>& gpu)
{
    // The kernel owns the session, because workers may have to be forked again.
    auto kernel = [gpu, of = device_kernel<Run>(what, std::move(cache), data, *gpu)](const auto& config) {
        return of(config);
    };
    return timed{std::move(kernel), std::move(repeat), data.check(*gpu)};
}

/// A measurer that builds in `pool` and runs what is admitted in a worker of its own, which `gpu` begins the device in.
template <class Run, class Template, class Pool, class Session, class Repetition, class Rule, class Watch = no_watch>
[[nodiscard]] auto device_measurer(Template what, Pool pool, device_operands<Session>& data, Repetition repeat,
                                   const std::shared_ptr<Session>& gpu, Rule rule, std::size_t memory_bytes,
                                   Watch watch = {})
{
    auto runs = isolated(what.space, device_runs<Run>(what, pool.cache(), data, std::move(repeat), gpu),
                         device_isolation(memory_bytes));
    admitted_measurer admitted(admission(what, pool.cache(), std::move(rule)), std::move(watch), std::move(runs));
    return generated(std::move(what), std::move(pool), std::move(admitted));
}

/// A pool that builds in `compilers` while one worker, which holds the device, runs what is admitted. A source, an
/// admission and a worker's task for each task.
template <class Source, class Pool, class Watch>
[[nodiscard]] auto device_pool(std::vector<Source> sources, Pool compilers, std::vector<admission> may,
                               std::vector<any_worker_task> tasks, Watch watch, std::size_t memory_bytes)
{
    const isolated_options alike = device_isolation(memory_bytes);
    isolated_workers runner(1, [&](std::size_t) { return std::move(tasks); },
                            {.memory_bytes = alike.memory_bytes, .rule = alike.rule});
    return pipeline(std::move(sources), std::move(compilers),
                    admitted_workers(std::move(may), std::move(watch), std::move(runner)));
}

}  // namespace detail
}  // namespace tunekit::measure
