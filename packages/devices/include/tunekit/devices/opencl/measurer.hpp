// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for the configurations of an OpenCL template. They are built in processes of their own, checked against
/// the device's limits, and run in a worker process, so that a fault ends that process only.

#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/detail/asked_in_child.hpp"
#include "tunekit/devices/detail/opencl_run.hpp"
#include "tunekit/devices/measurer.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/build/store.hpp"
#include "tunekit/processes/system/own_files.hpp"

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

    [[nodiscard]] std::optional<std::string> exceeds(const device_source::launch& l, const std::string& built) const
    {
        std::optional<opencl_resources> use;
        if (const auto code = parse_opencl_code(bytes_of(built).value_or(std::string()))) {
            const auto at = code->kernels.find(l.entry);
            if (at != code->kernels.end()) use = at->second;
        }
        return detail::exceeds(l, use, on_);
    }
    [[nodiscard]] static std::optional<std::string> exceeds(const device_source::tensor_map&)
    {
        return "OpenCL has no tensor maps";
    }

private:
    opencl_device on_;
};

/// The wall seconds that the driver takes for what is no candidate's fault: to begin in a new process, to compile a
/// harmless program that it has not seen before, and to launch it for the first time. A child process does it. Throws
/// no_device where that fails, or takes longer than ten minutes.
[[nodiscard]] inline double first_compilation(const opencl_device& on, const std::string& library)
{
    const wall_clock now;
    const double start = now();
    const auto work = [&] {
        const std::string unseen =
            std::to_string(::getpid()) + ' ' + std::to_string(start);  // drivers keep what they built
        opencl_session gpu(on.index, library);
        opencl_operands data;
        const std::string text = "__kernel void nothing(void) {}\n// " + unseen + '\n';
        gpu.cl();
        const opencl_build program(gpu.cl(), gpu.place(), gpu.context(), text, "");
        const auto [built, log] = file_of(program, text, "", compiles_at_launch(on));
        opencl_run run(gpu, built, {.launches = {{.entry = "nothing"}}}, data);
        static_cast<void>(run(0));
        ::dprintf(1, "ready\n");
        return 0;
    };
    static_cast<void>(asked_in_child(work, "no OpenCL device " + std::to_string(on.index), 600));
    return now() - start;
}

/// A measurer whose candidates are not charged for the driver: limits count from some time on that is many times its
/// `first_compilation`, for a machine that becomes busier than it was then.
template <class Inner>
class uncharged_measurer : public Inner {
public:
    uncharged_measurer(Inner inner, opencl_device on, std::string library)
        : Inner(std::move(inner)), on_(std::move(on)), library_(std::move(library))
    {
    }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        constexpr double times = 20;
        if (!uncharged_) uncharged_ = times * first_compilation(on_, library_);
        limits more = within;
        more.build_seconds += *uncharged_;
        more.run_seconds += *uncharged_;
        Inner::measure(batch, more, [&](measurement m) {
            each(std::move(m));
            more.abandon_above = within.abandon_above;  // it may have fallen
        });
    }

private:
    opencl_device on_;
    std::string library_;
    std::optional<double> uncharged_{};
};

}  // namespace detail

/// Measures the configurations of `what`, whose text is a `device_source`, on one device.
///
///     const auto device = find_opencl_device();
///     opencl_operands data;
///     opencl_builder pool({.device = device});
///     auto measure = opencl_measurer(program, std::move(pool), data, until_confident{}, {.device = device});
///
/// It builds in the pool's processes and refuses what the device cannot start. The rest runs in a worker process that
/// holds the device. Outputs are checked once, and times come from events. After a failure the worker is replaced:
/// after a bad access some drivers do not answer any more, and others end the process. `data` is copied by the fork;
/// later changes have no effect. The start of OpenCL in a new process and the driver's first compilation are not
/// charged to a candidate: at the first one a harmless program is built and launched, and limits::build_seconds and
/// run_seconds count from twenty times that time on, so an endless loop takes so much longer.
///
/// Failures:   those of `generated`; launch_error with the cl_int, crash, wrong_result, run_timeout, out_of_memory.
/// Errors:     those of `isolated`; no_device where not even the harmless program runs.
/// Threads:    as for `isolated`.
template <class Template, class Repetition>
[[nodiscard]] auto opencl_measurer(Template what, opencl_builder pool, opencl_operands& data, Repetition repeat,
                                   const opencl_options& options)
{
    const auto gpu = std::make_shared<detail::opencl_session>(options.device.index, options.library, options.timing);
    return detail::uncharged_measurer(
        detail::device_measurer<detail::opencl_run>(std::move(what), std::move(pool), data, std::move(repeat), gpu,
                                                    detail::opencl_rule(options.device), options.memory_bytes),
        options.device, options.library);
}

}  // namespace tunekit::measure
