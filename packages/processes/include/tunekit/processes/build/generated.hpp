// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for configurations whose code must be built first.

#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/processes/build/source_template.hpp"

namespace tunekit::measure {

namespace detail {

/// The measurer that `generated` returns. It owns the builder and the measurer behind it.
template <class Template, measurer Inner, class Pool = builder>
class generated_measurer {
public:
    /// Takes over the three parts; see `generated`.
    generated_measurer(Template what, Pool pool, Inner inner)
        : what_(std::move(what)), pool_(std::move(pool)), inner_(std::move(inner))
    {
    }

    /// The builder, for example to read what it has compiled.
    [[nodiscard]] const Pool& building() const noexcept { return pool_; }
    /// The measurer that runs what was built.
    [[nodiscard]] const Inner& running() const noexcept { return inner_; }

    [[nodiscard]] bool measures_time() const { return measure::measures_time(inner_); }

    /// Builds a batch and measures it, in its order.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }

    /// Measures a batch and calls `each(measurement)` per candidate, in order, as soon as it is known.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        std::vector<std::string> keys;
        std::vector<source> sources;
        std::vector<std::optional<failure>> invalid(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            keys.emplace_back();
            try {
                source s = what_.source_of(what_.space.at(batch[i]));
                keys.back() = pool_.cache().key(s, what_.entry);
                sources.push_back(std::move(s));
            } catch (const std::exception& e) {
                invalid[i] = failure{failure_kind::invalid, 0, std::string("threw: ") + e.what()};
            }
        }
        pool_.submit(sources, what_.entry, within.build_seconds);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            measurement m;
            if (invalid[i]) {
                m.failed = std::move(invalid[i]);
            } else {
                const auto built = pool_.wait(keys[i]);
                if (built.failed) {
                    m.failed = built.failed;
                } else {
                    m = run(batch.subspan(i, 1), within);
                    if constexpr (builds_alone)
                        if (m.failed && built.shared) m = run_alone(batch.subspan(i, 1), keys[i], within, m);
                }
                m.build_seconds += built.seconds;
            }
            each(std::move(m));
        }
    }

private:
    /// Whether the pool can build one source alone. A pool that never compiles two together may lack this.
    static constexpr bool builds_alone =
        requires(Pool& pool, const source& s) { pool.submit_alone(s, std::string_view(), 1.0); };

    measurement run(std::span<const index> one, const limits& within)
    {
        pool_.advance();
        auto m = inner_.measure(one, within);
        if (m.size() != 1) throw error("generated: the measurer did not answer its candidate");
        return std::move(m.front());
    }

    /// Builds one configuration alone and runs it again. A macro or a constructor of another one in its translation
    /// unit may have been the cause.
    measurement run_alone(std::span<const index> one, const std::string& key, const limits& within,
                          const measurement& before)
    {
        pool_.submit_alone(what_.source_of(what_.space.at(one.front())), what_.entry, within.build_seconds);
        const auto built = pool_.wait(key);
        measurement m;
        m.failed = built.failed;
        if (!built.failed) {
            if constexpr (requires { inner_.forget(one.front()); }) inner_.forget(one.front());
            m = run(one, within);
        }
        m.run_seconds += before.run_seconds;
        m.build_seconds += before.build_seconds + built.seconds;
        return m;
    }

    Template what_;
    Pool pool_;
    Inner inner_;
};

}  // namespace detail

/// Measures the configurations of a template whose code must be built. It compiles a batch in the processes of `pool`
/// (a `builder`, an `nvrtc_builder` or an `opencl_builder`). `inner` measures each configuration as soon as it is
/// built, while later ones are still compiled.
///
///     builder pool;
///     auto kernel  = generated_kernel<void(float*)>(scale, pool.cache(), bind);
///     auto runs    = isolated(scale.space, timed{kernel, until_confident{}, check});
///     auto measure = generated(scale, std::move(pool), std::move(runs));
///
/// Build the isolated part before anything large, as always; it needs the name of the cache only. By default
/// builder::options::processes leaves one processor to the kernel. A configuration that was compiled together with
/// others and fails is compiled alone and run once more. `inner` learns of it by `forget(index)`, where it has that.
///
/// Failures:   invalid (the template threw), build_error, build_timeout; then those of `inner`.
/// Errors:     tunekit::error where compilers cannot be started, or nothing can be written into the cache.
template <class Template, class Pool, measurer Inner>
[[nodiscard]] detail::generated_measurer<Template, Inner, Pool> generated(Template what, Pool pool, Inner inner)
{
    return {std::move(what), std::move(pool), std::move(inner)};
}

}  // namespace tunekit::measure
