// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool that builds and runs the configurations of a `kernel_problem`, on a device or on the processor.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/kernel_problem.hpp"
#include "tunekit/devices/library.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The device of a kernel.
struct kernel_device {
    std::string name;             ///< as its driver gives it; of C the processor's
    std::int64_t threads = 1024;  ///< the most of a block
    std::string architecture{};   ///< such as "sm_90"; CUDA alone
};

/// Where and how the configurations of a problem are built and run.
struct kernel_options {
    int device = 0;                ///< its number, as its driver counts them; of no meaning for C
    std::string driver{};          ///< libcuda or libOpenCL; empty: the system's
    std::string nvrtc{};           ///< libnvrtc; empty: the newest one found
    std::string compiler = "c++";  ///< of C and C++
    std::size_t compilers = 0;     ///< that run at a time; 0: one less than there are processors, at least 1
    std::string directory{};       ///< of what is built; empty: a temporary one, removed at the end
    std::size_t memory_bytes = std::size_t{8} << 30;  ///< host memory that a worker may make resident
    /// The command of a program whose main calls `serve_kernel`; it runs the kernels. Empty: this process forks, which
    /// it can while it runs no threads.
    std::vector<std::string> worker{};
};

/// The device that options name. Throws no_device where there is none; for C never.
[[nodiscard]] kernel_device find_kernel_device(kernel_language language, const kernel_options& how = {});

/// Builds and runs the configurations of a problem. A `pool`: compilers work, one for each free processor, while one
/// worker process runs what they have built, on the device.
///
/// Of each configuration: arrays that change get their first content, it is launched once, and its arrays are compared
/// with the answers; they get their first content again, and it is timed. A crash, an illegal address, an endless loop,
/// a wrong element and a write behind an array's end are one failed trial each. Compilers that are at work when the
/// pool is destroyed are killed.
///
/// Failures:   invalid, build_error, build_timeout, launch_error, crash, wrong_result, damaged_canary, run_timeout,
///             out_of_memory, bad_cost.
/// Errors:     no_device where there is no device or compiler; std::invalid_argument for what is wrong in the problem
///             before anything is built: a name that the text does not have, a number of arguments that the function
///             does not take, a name in an expression that is no parameter.
/// Threads:    one at a time. It forks: with other threads running, see kernel_options::worker.
class kernel_pool {
public:
    /// The space gives names, and the texts of a configuration's values; it is copied.
    template <space::described Space>
    kernel_pool(kernel_problem what, const Space& space, const kernel_options& how = {})
        : kernel_pool(
              std::move(what), std::vector<std::string>(space.names().begin(), space.names().end()),
              [space](index i) { return space.texts(i); }, how)
    {
    }
    /// The same with the texts of a configuration's values as a function.
    kernel_pool(kernel_problem what, std::vector<std::string> names,
                std::function<std::vector<std::string>(index)> texts, const kernel_options& how = {});
    kernel_pool(kernel_pool&&) noexcept;             ///< takes over the processes
    kernel_pool& operator=(kernel_pool&&) noexcept;  ///< takes over the processes
    ~kernel_pool();

    [[nodiscard]] const kernel_device& device() const noexcept;  ///< the device of the kernels

    /// Whether its costs are times; not where a function of C says its cost.
    [[nodiscard]] bool measures_time() const noexcept;
    [[nodiscard]] std::size_t workers() const noexcept;         ///< 1: the device
    [[nodiscard]] std::size_t room() const noexcept;            ///< jobs that may be submitted now
    [[nodiscard]] double now() const noexcept;                  ///< seconds
    void submit(const job& next);                               ///< hands a job to the compilers
    [[nodiscard]] std::vector<answer> collect(double seconds);  ///< the answers known, waiting for one at most so long

    /// A measurer for use while nothing else is out, such as a race.
    class alone_measurer {
    public:
        /// Measures the batch in its order.
        [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within);

    private:
        friend kernel_pool;
        explicit alone_measurer(kernel_pool& pool) noexcept : pool_(&pool) {}
        kernel_pool* pool_;
    };
    /// The measurer on the device. Worker and task are 0.
    [[nodiscard]] alone_measurer alone(std::size_t worker = 0, std::size_t task = 0);

    /// The arrays after the last run that was compared; they change when the next one runs.
    [[nodiscard]] kernel_arrays arrays() const;

private:
    struct state;
    std::unique_ptr<state> its_;
};

/// What one configuration gave.
struct kernel_run {
    measurement measured{};                            ///< its cost and its times, or why it failed
    std::vector<std::vector<unsigned char>> arrays{};  ///< after one launch, one for each argument; empty for a value
};

/// Builds and runs one configuration, given by the names of its parameters and the texts of their values.
[[nodiscard]] kernel_run run_kernel(kernel_problem what, const std::vector<std::pair<std::string, std::string>>& values,
                                    const kernel_options& how = {}, const limits& within = {});

/// Serves as a pool's worker and does not return, where the arguments ask for it; else does nothing. Call it first in
/// the main of `kernel_options::worker`, before any threads.
void serve_kernel(int argc, char** argv);

}  // namespace tunekit::measure
