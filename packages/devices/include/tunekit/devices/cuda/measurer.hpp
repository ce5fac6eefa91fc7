// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for the configurations of a CUDA template. They are built by NVRTC, checked against the device's limits,
/// and run in a worker process, so that a CUDA fault ends that process only.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tunekit/devices/cuda/clocks.hpp"
#include "tunekit/devices/cuda/kernel.hpp"
#include "tunekit/devices/measurer.hpp"

namespace tunekit::measure {

namespace detail {

/// What one CUDA device can start, by the resources in cubins. It reads the device's clocks.
class cuda_rule {
public:
    static constexpr int refusal = cuda_driver::out_of_resources;

    cuda_rule(cuda_device on, const std::string& nvml) : on_(std::move(on)), clocks_(on_.bus, nvml) {}

    [[nodiscard]] std::optional<std::string> exceeds(const cuda_launch& l, const std::string& cubin) const
    {
        return detail::exceeds(l, cubin_resources(cubin, l.entry), on_);
    }
    void ran() { clocks_.look(seen_); }
    [[nodiscard]] const cuda_conditions& seen() const noexcept { return seen_; }

private:
    cuda_device on_;
    cuda_clocks clocks_;
    cuda_conditions seen_{};
};

}  // namespace detail

/// A measurer in front of `inner`, which gets only what device `on` can start, by the resources in the cubins. The rest
/// fails as launch_error with the code that the driver would give (701), and no worker is lost. It reads the device's
/// clocks after each run, for its `conditions()`; `nvml` is libnvidia-ml, empty: the system's.
template <class Template, measurer Inner>
[[nodiscard]] auto cuda_admitted(Template what, cubin_cache cache, cuda_device on, Inner inner,
                                 const std::string& nvml = {})
{
    return detail::admitted_measurer(std::move(what), std::move(cache), detail::cuda_rule(std::move(on), nvml),
                                     std::move(inner));
}

/// Settings of `cuda_measurer`.
struct cuda_options {
    cuda_device device{};                             ///< from find_cuda_device
    std::string driver{};                             ///< libcuda; empty: the system's
    std::string nvml{};                               ///< libnvidia-ml; empty: the system's
    device_timing timing{};                           ///< the caches, and how many launches are timed together
    std::size_t memory_bytes = std::size_t{8} << 30;  ///< host memory that a worker may make resident
};

/// Measures the configurations of `what`, whose text is a `cuda_source`, on one device.
///
///     nvrtc_builder pool({.architecture = device.architecture()});
///     auto measure = cuda_measurer(program, std::move(pool), data, until_confident{}, {.device = device});
///
/// It compiles in the pool's processes and refuses what the device cannot start. The rest runs in a worker process that
/// holds the device. Outputs are checked once, and times come from events. After a fault a process cannot use CUDA any
/// more, so the worker is replaced. `data` is copied by the fork; later changes have no effect. limits::run_seconds
/// includes the start of CUDA in a new worker, about a second: give it at least 3.
///
/// Failures:   those of `generated`; launch_error with the CUresult (illegal address: 700), wrong_result, run_timeout,
///             out_of_memory.
/// Errors:     those of `isolated`.
/// Threads:    as for `isolated`.
template <class Template, class Repetition>
[[nodiscard]] auto cuda_measurer(Template what, nvrtc_builder pool, cuda_operands& data, Repetition repeat,
                                 const cuda_options& options)
{
    const auto gpu = std::make_shared<cuda_session>(options.device.index, options.driver, options.timing);
    return detail::device_measurer<cuda_run>(std::move(what), std::move(pool), data, std::move(repeat), gpu,
                                             detail::cuda_rule(options.device, options.nvml), options.memory_bytes);
}

}  // namespace tunekit::measure
