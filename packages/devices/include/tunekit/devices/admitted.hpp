// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer that lets another one measure only what a device can start.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// A measurer in front of another. Where a rule refuses the built code of a candidate, the candidate fails as launch_error,
/// and no worker is lost.
///
/// `cache` names built code by `key(source, entry)` and `path(key)`. A rule has `exceeds(launch, path)`, which is empty or
/// one line; `refusal`, the driver's code for it; and `ran()`, which is called after each candidate that ran.
template <class Template, class Cache, class Rule, measurer Inner>
class admitted_measurer {
public:
    /// Takes over the parts. `what` gives a `device_source` for each configuration.
    admitted_measurer(Template what, Cache cache, Rule rule, Inner inner)
        : what_(std::move(what)), cache_(std::move(cache)), rule_(std::move(rule)), inner_(std::move(inner))
    {
    }

    /// The rule, for example to read what it has seen.
    [[nodiscard]] const Rule& rule() const noexcept { return rule_; }

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

}  // namespace tunekit::measure
