// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer and a pool for the configurations of a CUDA template. They are built by NVRTC, checked against the
/// device's limits, and run in a worker process, so that a CUDA fault ends that process only.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda/clocks.hpp"
#include "tunekit/devices/cuda/kernel.hpp"
#include "tunekit/devices/detail/tensor_map.hpp"
#include "tunekit/devices/measurer.hpp"

namespace tunekit::measure {

namespace detail {

/// What one CUDA device can start, by the resources in cubins.
class cuda_rule {
public:
    static constexpr int refusal = cuda_driver::out_of_resources;

    explicit cuda_rule(cuda_device on) : on_(std::move(on)) {}

    [[nodiscard]] std::optional<std::string> exceeds(const device_source::launch& l, const std::string& cubin) const
    {
        const cuda_image image = cuda_image::of(bytes_of(cubin).value_or(std::string()));
        return detail::exceeds(l, cubin_resources(cubin, image.lowered(l.entry)), on_);
    }
    [[nodiscard]] std::optional<std::string> exceeds(const device_source::tensor_map& m) const
    {
        if (on_.major < 9) return "tensor maps want compute capability 9.0, not " + std::to_string(on_.major) + ".x";
        return refused(m);
    }

private:
    cuda_device on_;
};

/// Reads a device's clocks after each candidate. Copies share what they have seen.
class cuda_watch {
public:
    cuda_watch(const std::string& bus, const std::string& nvml) : of_(std::make_shared<state>(bus, nvml)) {}
    void ran() const { of_->clocks.look(of_->seen); }
    [[nodiscard]] const cuda_conditions& seen() const noexcept { return of_->seen; }

private:
    struct state {
        state(const std::string& bus, const std::string& nvml) : clocks(bus, nvml) {}
        cuda_clocks clocks;
        cuda_conditions seen{};
    };
    std::shared_ptr<state> of_;
};

}  // namespace detail

/// Settings of `cuda_measurer` and `cuda_pool`.
struct cuda_options {
    cuda_device device{};                             ///< from find_cuda_device
    std::string driver{};                             ///< libcuda; empty: the system's
    std::string nvml{};                               ///< libnvidia-ml; empty: the system's
    device_timing timing{};                           ///< the caches, and how many launches are timed together
    std::size_t memory_bytes = std::size_t{8} << 30;  ///< host memory that a worker may make resident
};

/// Measures the configurations of `what`, whose text is a `device_source`, on one device.
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
    return detail::device_measurer<detail::cuda_run>(std::move(what), std::move(pool), data, std::move(repeat), gpu,
                                                     detail::cuda_rule(options.device), options.memory_bytes,
                                                     detail::cuda_watch(options.device.bus, options.nvml));
}

/// The same as a pool: the compilers work while the device runs what they have built, so that a search waits for the
/// slower of the two and not for both. It has one worker, the device; `room()` is as many jobs as there are compilers,
/// and one. Take it wherever compiling takes longer than running, which with NVRTC is the rule.
///
///     auto pool  = cuda_pool(program, nvrtc_builder({.architecture = device.architecture()}), data, until_confident{},
///                            {.device = device});
///     auto found = tune(program.space, pool, recipes::combined(), {.seconds = 60}, gen);
///
/// `running().conditions()` are the clocks seen.
///
/// Failures:   as those of `cuda_measurer`.
/// Errors:     those of `isolated_workers` and `pipeline`.
/// Threads:    as for `pipeline`.
template <class Template, class Repetition>
[[nodiscard]] auto cuda_pool(Template what, nvrtc_builder compilers, cuda_operands& data, Repetition repeat,
                             const cuda_options& options)
{
    const auto gpu = std::make_shared<cuda_session>(options.device.index, options.driver, options.timing);
    std::vector<any_worker_task> tasks;
    tasks.push_back(worker_task{
        what.space, detail::device_runs<detail::cuda_run>(what, compilers.cache(), data, std::move(repeat), gpu)});
    std::vector<detail::admission> may{detail::admission(what, compilers.cache(), detail::cuda_rule(options.device))};
    std::vector<Template> sources;
    sources.push_back(std::move(what));
    return detail::device_pool(std::move(sources), std::move(compilers), std::move(may), std::move(tasks),
                               detail::cuda_watch(options.device.bus, options.nvml), options.memory_bytes);
}

}  // namespace tunekit::measure
