// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for the configurations of a CUDA template: built by NVRTC, checked against the device's limits, run in a
/// worker process that CUDA faults cannot leave.

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/build/generated.hpp"
#include "tunekit/measure/cuda/clocks.hpp"
#include "tunekit/measure/cuda/kernel.hpp"
#include "tunekit/measure/isolated.hpp"

namespace tunekit::measure {

/// The measurer that `cuda_admitted` returns. It stands in front of another one.
template <class Template, measurer Inner>
class cuda_admitted_measurer {
public:
    cuda_admitted_measurer(Template what, cubin_cache cache, cuda_device on, Inner inner, const std::string& nvml)
        : what_(std::move(what)),
          cache_(std::move(cache)),
          on_(std::move(on)),
          inner_(std::move(inner)),
          clocks_(on_.bus, nvml)
    {
    }

    /// The clock rates and throttling, read after each candidate that ran.
    [[nodiscard]] const cuda_conditions& conditions() const noexcept { return seen_; }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        std::vector<measurement> out;
        for (std::size_t k = 0; k < batch.size(); ++k) {
            measurement m;
            if (auto why = refused(batch[k])) {
                m.failed = failure{failure_kind::launch_error, detail::cuda_driver::out_of_resources, std::move(*why)};
                out.push_back(std::move(m));
                continue;
            }
            auto one = inner_.measure(batch.subspan(k, 1), within);
            if (one.size() != 1) throw error("cuda_admitted: the measurer did not answer its candidate");
            out.push_back(std::move(one.front()));
            clocks_.look(seen_);
        }
        return out;
    }

private:
    std::optional<std::string> refused(index which) const
    {
        const auto config = what_.space.at(which);
        const cuda_source source = what_.text(config);
        const std::string cubin = cache_.path(cache_.key(what_.source_of(config), what_.entry));
        for (const auto* part : {&source.prepare, &source.launches})
            for (const cuda_launch& l : *part)
                if (auto why = exceeds(l, cubin_resources(cubin, l.entry), on_)) return why;
        return std::nullopt;
    }

    Template what_;
    cubin_cache cache_;
    cuda_device on_;
    Inner inner_;
    cuda_clocks clocks_;
    cuda_conditions seen_{};
};

/// Lets `inner` measure only configurations that device `on` can start, by the resources in the cubins. The others fail
/// as launch_error with the code that the driver would give (701), without the loss of a worker. It also watches the
/// device's clocks.
template <class Template, measurer Inner>
[[nodiscard]] cuda_admitted_measurer<Template, Inner> cuda_admitted(Template what, cubin_cache cache, cuda_device on,
                                                                    Inner inner, const std::string& nvml = {})
{
    return {std::move(what), std::move(cache), std::move(on), std::move(inner), nvml};
}

/// Settings of `cuda_measurer`.
struct cuda_options {
    cuda_device device{};  ///< from find_cuda_device
    std::string driver{};  ///< libcuda; empty: the system's
    std::string nvml{};    ///< libnvidia-ml; empty: the system's
    cuda_session_options timing{};
    std::size_t memory_bytes = std::size_t{8} << 30;  ///< host memory that a worker may make resident
};

/// Settings of `isolated` for a CUDA worker. Its address space is far larger than what it uses, so the parent watches
/// the resident memory.
[[nodiscard]] inline isolated_options cuda_isolation(std::size_t memory_bytes = std::size_t{8} << 30)
{
    return {.memory_bytes = memory_bytes, .rule = memory_rule::resident};
}

/// Measures the configurations of `what`, whose text is a `cuda_source`, on one device.
///
///     nvrtc_builder pool({.architecture = device.architecture()});
///     auto measure = cuda_measurer(program, std::move(pool), data, until_confident{}, {.device = device});
///
/// Compiles in the pool's processes, refuses what the device cannot start, runs the rest in a worker process that holds
/// the device, checks outputs once and times by events. After a fault, which CUDA does not forget, the worker is
/// replaced. `data` is copied by the fork; later changes are not seen. limits::run_seconds includes the start of CUDA
/// in a new worker, a second or so: give it 3 at least.
///
/// Failures:   those of `generated`; launch_error with the CUresult (illegal address: 700), wrong_result, run_timeout,
///             out_of_memory.
/// Errors:     those of `isolated`. Threads: as for `isolated`.
template <class Template, class Repetition>
[[nodiscard]] auto cuda_measurer(Template what, nvrtc_builder pool, cuda_operands& data, Repetition repeat,
                                 const cuda_options& options)
{
    cuda_session gpu(options.device.index, options.driver, options.timing);
    auto runs = isolated(what.space,
                         timed{cuda_kernel(what, pool.cache(), data, gpu), std::move(repeat), cuda_check{&data, &gpu}},
                         cuda_isolation(options.memory_bytes));
    auto admitted = cuda_admitted(what, pool.cache(), options.device, std::move(runs), options.nvml);
    return generated(std::move(what), std::move(pool), std::move(admitted));
}

}  // namespace tunekit::measure
