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
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/measure/build/generated.hpp"
#include "tunekit/measure/isolated.hpp"
#include "tunekit/measure/timed.hpp"

namespace tunekit::measure {

/// Settings of `isolated` for a worker that uses a device. Drivers map far more than they use, so the parent watches
/// the resident memory: at most `memory_bytes` of the host's.
[[nodiscard]] inline isolated_options device_isolation(std::size_t memory_bytes = std::size_t{8} << 30)
{
    return {.memory_bytes = memory_bytes, .rule = memory_rule::resident};
}

namespace detail {

/// A measurer in front of another. Where a rule refuses the built code of a candidate, the candidate fails as
/// launch_error, and no worker is lost.
///
/// `cache` names built code by `key(source, entry)` and `path(key)`. A rule has `exceeds(launch, path)`, which is empty
/// or one line; `refusal`, the driver's code for it; and `ran()`, which is called after each candidate that ran.
template <class Template, class Cache, class Rule, measurer Inner>
class admitted_measurer {
public:
    /// Takes over the parts. `what` gives a `device_source` for each configuration.
    admitted_measurer(Template what, Cache cache, Rule rule, Inner inner)
        : what_(std::move(what)), cache_(std::move(cache)), rule_(std::move(rule)), inner_(std::move(inner))
    {
    }

    /// What the rule has seen of the device, of each candidate that ran.
    [[nodiscard]] const auto& conditions() const noexcept
        requires requires(const Rule& r) { r.seen(); }
    {
        return rule_.seen();
    }

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
            if (auto why = refused(batch[k])) {
                m.failed = failure{failure_kind::launch_error, Rule::refusal, std::move(*why)};
                each(std::move(m));
                continue;
            }
            auto one = inner_.measure(batch.subspan(k, 1), within);
            if (one.size() != 1) throw error("admitted_measurer: the measurer did not answer its candidate");
            rule_.ran();
            each(std::move(one.front()));
        }
    }

private:
    std::optional<std::string> refused(index which) const
    {
        const auto config = what_.space.at(which);
        const device_source source = what_.text(config);
        const std::string path = cache_.path(cache_.key(what_.source_of(config), what_.entry));
        for (const auto* part : {&source.prepare, &source.launches})
            for (const device_launch& l : *part)
                if (auto why = rule_.exceeds(l, path)) return why;
        return std::nullopt;
    }

    Template what_;
    Cache cache_;
    Rule rule_;
    Inner inner_;
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

/// A measurer that builds in `pool` and runs what `rule` admits in a worker of its own, which `gpu` begins the device
/// in.
template <class Run, class Template, class Pool, class Session, class Repetition, class Rule>
[[nodiscard]] auto device_measurer(Template what, Pool pool, device_operands<Session>& data, Repetition repeat,
                                   const std::shared_ptr<Session>& gpu, Rule rule, std::size_t memory_bytes)
{
    // The kernel that `isolated` keeps owns the session, because children may have to be forked again.
    auto kernel = [gpu, of = device_kernel<Run>(what, pool.cache(), data, *gpu)](const auto& config) {
        return of(config);
    };
    auto runs =
        isolated(what.space, timed{std::move(kernel), std::move(repeat), device_check<Session>{&data, gpu.get()}},
                 device_isolation(memory_bytes));
    admitted_measurer admitted(what, pool.cache(), std::move(rule), std::move(runs));
    return generated(std::move(what), std::move(pool), std::move(admitted));
}

}  // namespace detail
}  // namespace tunekit::measure
