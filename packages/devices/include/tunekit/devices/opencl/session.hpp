// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The use of one OpenCL device by one process: memory, and the seconds of what runs on the device.

#include <unistd.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/devices/detail/opencl_driver.hpp"
#include "tunekit/devices/opencl/device.hpp"
#include "tunekit/devices/operands.hpp"
#include "tunekit/devices/timing.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::measure {

namespace detail {

/// A process's use of a device: a context, and a queue that runs in order. Its first use begins OpenCL, so it can be
/// made before a fork and used after it. Device memory lives as long as the session.
///
/// Errors: opencl_failure where the library refuses a call, no_device where there is no library or no such device.
class opencl_session {
public:
    using memory = opencl_driver::handle;          ///< what `allocate` returns, a cl_mem; null is no memory
    static constexpr bool counts_waiting = false;  ///< an event says when its kernel itself began and ended

    /// Names a device, the loader library (empty: the system's) and the timing; touches neither. Throws
    /// std::invalid_argument where a setting of `how` is out of range.
    explicit opencl_session(int device = 0, std::string library = {}, device_timing how = {})
        : how_(how), path_(std::move(library)), index_(device)
    {
        how_.validate();
        require(!how_.graph, "opencl_session: graph is CUDA's, want a timing without it");
    }
    opencl_session(const opencl_session&) = delete;
    opencl_session& operator=(const opencl_session&) = delete;
    ~opencl_session()
    {
        if (!cl_) return;
        forget_events();
        for (const auto at : memory_) cl_->release_memory(at);
        if (queue_ != nullptr) cl_->release_queue(queue_);
        if (context_ != nullptr) cl_->release_context(context_);
    }

    /// The options of the timing.
    [[nodiscard]] const device_timing& timing() const noexcept { return how_; }

    /// The library, with a context of the device. Throws no_device or opencl_failure.
    const opencl_driver& cl()
    {
        if (queue_ != nullptr) return *cl_;
        if (!cl_) cl_.emplace(path_);
        place_ = find_place(*cl_, index_);
        int code = 0;
        context_ = cl_->create_context(nullptr, 1, &place_.device, nullptr, nullptr, &code);
        cl_->check(code, "clCreateContext");
        queue_ = cl_->create_queue(context_, place_.device, cl_profiling, &code);
        cl_->check(code, "clCreateCommandQueue");
        return *cl_;
    }
    /// The device's handle, a cl_device_id. Precondition: `cl()` was called.
    [[nodiscard]] opencl_driver::handle device() const noexcept { return place_.device; }
    /// The device and its platform. Precondition: `cl()` was called.
    [[nodiscard]] const opencl_place& place() const noexcept { return place_; }
    /// The handle of the device's context, a cl_context. Precondition: `cl()` was called.
    [[nodiscard]] opencl_driver::handle context() const noexcept { return context_; }

    /// Allocates `bytes` of device memory, until they are released or the session ends.
    [[nodiscard]] memory allocate(std::size_t bytes)
    {
        cl();
        int code = 0;
        const memory at = cl_->create_buffer(context_, cl_read_write, bytes != 0 ? bytes : 1, nullptr, &code);
        cl_->check(code, "clCreateBuffer of " + std::to_string(bytes) + " bytes");
        memory_.push_back(at);
        return at;
    }
    /// Releases memory of this session; nothing where it has no such memory.
    void release(memory at)
    {
        if (std::erase(memory_, at) != 0) cl_->check(cl_->release_memory(at), "clReleaseMemObject");
    }
    /// Copies `bytes` from the host to the device.
    void copy_to(memory to, const void* from, std::size_t bytes)
    {
        if (bytes == 0) return;
        cl().check(cl_->write(queue_, to, 1, 0, bytes, from, 0, nullptr, nullptr), "clEnqueueWriteBuffer");
    }
    /// Copies `bytes` from the device to the host.
    void copy_from(void* to, memory from, std::size_t bytes)
    {
        if (bytes == 0) return;
        cl().check(cl_->read(queue_, from, 1, 0, bytes, to, 0, nullptr, nullptr), "clEnqueueReadBuffer");
    }
    /// Sets `bytes` of device memory to `value`, from `offset` bytes behind `at` on. It does not wait.
    void fill(memory at, unsigned char value, std::size_t bytes, std::size_t offset = 0)
    {
        if (bytes == 0) return;
        cl().check(cl_->fill(queue_, at, &value, 1, offset, bytes, 0, nullptr, nullptr), "clEnqueueFillBuffer");
    }
    /// Waits for the device, and throws where a kernel failed.
    void finish() { cl().check(cl_->finish(queue_), "clFinish"); }

    /// Writes other memory, so that the next run finds nothing in the cache.
    void flush()
    {
        if (!cache_bytes_) cache_bytes_ = describe(cl(), place_, index_).cache_bytes;
        flush_(*this, how_.flush_bytes, *cache_bytes_);
        finish();
    }

    /// Puts a kernel into the queue. `grid` counts work-groups, `block` the work-items of each. Precondition: `cl()`
    /// was called.
    void enqueue(opencl_driver::handle kernel, const std::array<std::size_t, 3>& grid,
                 const std::array<std::size_t, 3>& block)
    {
        const std::array<std::size_t, 3> all{grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]};
        opencl_driver::handle event = nullptr;
        cl_->check(cl_->launch(queue_, kernel, 3, nullptr, all.data(), block.data(), 0, nullptr, &event),
                   "clEnqueueNDRangeKernel");
        events_.push_back(event);
    }

    /// Launches one work-group. A kernel that is not done ten seconds after it began ends this process. Returns the
    /// driver's code.
    [[nodiscard]] int one_group(opencl_driver::handle kernel, const std::array<std::size_t, 3>& block)
    {
        constexpr std::int32_t running = 1, complete = 0;
        constexpr std::uint32_t step_us = 1000, max_steps = 10000;
        opencl_driver::handle event = nullptr;
        int code = cl().launch(queue_, kernel, 3, nullptr, block.data(), block.data(), 0, nullptr, &event);
        if (code == 0) code = cl_->flush(queue_);
        std::int32_t state = running + 1;
        for (std::uint32_t steps = 0; code == 0 && state > complete; steps += state <= running ? 1 : 0) {
            if (steps == max_steps) ::_exit(1);
            ::usleep(step_us);
            code = cl_->event_info(event, cl_event_status, sizeof state, &state, nullptr);
        }
        if (event != nullptr) cl_->release_event(event);
        return code != 0 ? code : state;
    }

    /// Seconds on the device of one `launch()`, which enqueues kernels: the mean of `times` in a row. The kernels' own
    /// times, from their events, are added. The time between kernels does not count. `launch_series` chooses `times`.
    template <class Launch>
    [[nodiscard]] double seconds(std::uint32_t times, Launch&& launch)
    {
        cl();
        forget_events();
        for (std::uint32_t i = 0; i < times; ++i) launch();
        finish();
        cl_->check(cl_->wait(static_cast<std::uint32_t>(events_.size()), events_.data()), "running the kernel");
        double sum = 0;
        for (const auto event : events_) {
            const auto from = cl_->number<std::uint64_t>(cl_->event_time, event, cl_event_start);
            const auto to = cl_->number<std::uint64_t>(cl_->event_time, event, cl_event_end);
            sum += 1e-9 * static_cast<double>(to > from ? to - from : 0);
        }
        forget_events();
        return sum / static_cast<double>(times);
    }

private:
    void forget_events() noexcept
    {
        for (const auto event : events_) cl_->release_event(event);
        events_.clear();
    }

    device_timing how_;
    std::string path_;
    int index_;
    std::optional<opencl_driver> cl_{};
    opencl_place place_{};
    opencl_driver::handle context_ = nullptr, queue_ = nullptr;
    std::vector<memory> memory_{};
    std::vector<opencl_driver::handle> events_{};  ///< of the kernels enqueued since the last timing
    std::optional<std::size_t> cache_bytes_{};
    cache_flush<opencl_session> flush_{};
};

}  // namespace detail

/// The arguments of an OpenCL kernel, in its order.
using opencl_operands = device_operands<detail::opencl_session>;

}  // namespace tunekit::measure
