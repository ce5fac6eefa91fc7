// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for the configurations of an OpenCL template. They are built in processes of their own, checked against the
/// device's limits, and run in a worker process, so that a fault ends that process only.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tunekit/devices/measurer.hpp"
#include "tunekit/devices/opencl/kernel.hpp"
#include "tunekit/measure/build/store.hpp"

namespace tunekit::measure {

/// Settings of `opencl_measurer`.
struct opencl_options {
    opencl_device device{};                           ///< from find_opencl_device
    std::string library{};                            ///< libOpenCL; empty: the system's
    device_timing timing{};                           ///< the caches, and how many launches are timed together
    std::size_t memory_bytes = std::size_t{8} << 30;  ///< host memory that a worker may make resident
};

namespace detail {

/// What one OpenCL device can start, by the resources that the driver reported for the kernels that it built.
class opencl_rule {
public:
    static constexpr int refusal = -5;  // CL_OUT_OF_RESOURCES

    explicit opencl_rule(opencl_device on) : on_(std::move(on)) {}

    [[nodiscard]] std::optional<std::string> exceeds(const opencl_launch& l, const std::string& built) const
    {
        std::optional<opencl_resources> use;
        if (const auto code = parse_opencl_code(bytes_of(built).value_or(std::string()))) {
            const auto at = code->kernels.find(l.entry);
            if (at != code->kernels.end()) use = at->second;
        }
        return detail::exceeds(l, use, on_);
    }
    void ran() noexcept {}

private:
    opencl_device on_;
};

}  // namespace detail

/// Measures the configurations of `what`, whose text is an `opencl_source`, on one device.
///
///     const auto device = find_opencl_device();
///     opencl_operands data;
///     opencl_builder pool({.device = device});
///     auto measure = opencl_measurer(program, std::move(pool), data, until_confident{}, {.device = device});
///
/// It builds in the pool's processes and refuses what the device cannot start. The rest runs in a worker process that holds
/// the device. Outputs are checked once, and times come from events. After a failure the worker is replaced: after a bad
/// access some drivers do not answer any more, and others end the process. `data` is copied by the fork; later changes have
/// no effect. limits::run_seconds includes the start of OpenCL in a new worker, and what the driver compiles at the first
/// launch: with PoCL a second or more.
///
/// Failures:   those of `generated`; launch_error with the cl_int, crash, wrong_result, run_timeout, out_of_memory.
/// Errors:     those of `isolated`.
/// Threads:    as for `isolated`.
template <class Template, class Repetition>
[[nodiscard]] auto opencl_measurer(Template what, opencl_builder pool, opencl_operands& data, Repetition repeat,
                                   const opencl_options& options)
{
    const auto gpu = std::make_shared<opencl_session>(options.device.index, options.library, options.timing);
    return detail::device_measurer<detail::opencl_run>(std::move(what), std::move(pool), data, std::move(repeat), gpu,
                                                       detail::opencl_rule(options.device), options.memory_bytes);
}

}  // namespace tunekit::measure
