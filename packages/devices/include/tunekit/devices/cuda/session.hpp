// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The use of one CUDA device by one process: memory, and the seconds of what runs on the device.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda/device.hpp"
#include "tunekit/devices/detail/cuda_driver.hpp"
#include "tunekit/devices/operands.hpp"
#include "tunekit/devices/timing.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::measure {

/// A process's use of a device. Its first use begins CUDA, so it can be made before a fork and used after it.
///
///     cuda_session gpu(0);    // touches nothing; the worker begins CUDA
///     auto runs = isolated(space, timed{cuda_kernel(program, cubins, data, gpu), until_confident{}});
///
/// It uses the device's primary context, which the runtime's `<<<...>>>` shares. Device memory lives as long as the
/// session.
///
/// Errors: candidate_error where the driver refuses a call, no_device where there is no driver or no such device.
class cuda_session {
public:
    using memory = detail::cuda_driver::address;  ///< what `allocate` returns, a CUdeviceptr; 0 is no memory
    static constexpr bool counts_waiting = true;  ///< the first event is recorded before the first launch arrives

    /// Names a device, a driver library (empty: the system's) and the timing; touches neither. Throws
    /// std::invalid_argument where a setting of `how` is out of range.
    explicit cuda_session(int device = 0, std::string driver = {}, device_timing how = {})
        : how_(how), path_(std::move(driver)), index_(device)
    {
        how_.validate();
    }
    cuda_session(const cuda_session&) = delete;
    cuda_session& operator=(const cuda_session&) = delete;
    ~cuda_session()
    {
        if (!cuda_ || !open_) return;
        if (stream_ != nullptr) cuda_->graphs().stream_destroy(stream_);
        for (const auto event : {from_, to_})
            if (event != nullptr) cuda_->event_destroy(event);
        for (const auto at : memory_) cuda_->release(at);
        cuda_->context_release(device_);
    }

    /// The options of the timing.
    [[nodiscard]] const device_timing& timing() const noexcept { return how_; }

    /// The driver, with the device's context current. Throws no_device or candidate_error.
    const detail::cuda_driver& cuda()
    {
        if (open_) return *cuda_;
        if (!cuda_) cuda_.emplace(path_);
        const int n = detail::begin_cuda(*cuda_);
        if (index_ < 0 || index_ >= n)
            throw no_device("no CUDA device " + std::to_string(index_) + ": want 0 to " + std::to_string(n - 1));
        cuda_->check(cuda_->device_get(&device_, index_), "cuDeviceGet");
        detail::cuda_driver::handle context = nullptr;
        if (const int code = cuda_->context_retain(&context, device_); code == detail::cuda_driver::device_unavailable)
            throw detail::cuda_failure(
                code, cuda_->told(code, "cuDevicePrimaryCtxRetain") +
                          "; another process holds the device, whose compute mode is exclusive: end that "
                          "one, or nvidia-smi -c DEFAULT");
        else cuda_->check(code, "cuDevicePrimaryCtxRetain");
        open_ = true;
        cuda_->check(cuda_->context_set(context), "cuCtxSetCurrent");
        cuda_->check(cuda_->event_create(&from_, 0), "cuEventCreate");
        cuda_->check(cuda_->event_create(&to_, 0), "cuEventCreate");
        return *cuda_;
    }

    /// Allocates `bytes` of device memory, until they are released or the session ends.
    [[nodiscard]] memory allocate(std::size_t bytes)
    {
        memory at = 0;
        cuda().check(cuda_->allocate(&at, bytes != 0 ? bytes : 1), "cuMemAlloc of " + std::to_string(bytes) + " bytes");
        memory_.push_back(at);
        return at;
    }
    /// Releases memory of this session; nothing where it has no such memory.
    void release(memory at)
    {
        if (std::erase(memory_, at) != 0) cuda().check(cuda_->release(at), "cuMemFree");
    }
    /// Copies `bytes` from the host to the device.
    void copy_to(memory to, const void* from, std::size_t bytes)
    {
        if (bytes != 0) cuda().check(cuda_->copy_to(to, from, bytes), "cuMemcpyHtoD");
    }
    /// Copies `bytes` from the device to the host.
    void copy_from(void* to, memory from, std::size_t bytes)
    {
        if (bytes != 0) cuda().check(cuda_->copy_from(to, from, bytes), "cuMemcpyDtoH");
    }
    /// Sets `bytes` of device memory to `value`, from `offset` bytes behind `at` on. It does not wait.
    void fill(memory at, unsigned char value, std::size_t bytes, std::size_t offset = 0)
    {
        if (bytes != 0) cuda().check(cuda_->fill(at + offset, value, bytes, nullptr), "cuMemsetD8Async");
    }
    /// Waits for the device, and throws where a kernel failed.
    void finish() { cuda().check(cuda_->context_synchronize(), "cuCtxSynchronize"); }

    /// Writes other memory, so that the next run finds nothing in the cache.
    void flush()
    {
        if (!cache_bytes_) cache_bytes_ = detail::describe(cuda(), index_).cache_bytes;
        flush_(*this, how_.flush_bytes, *cache_bytes_);
    }

    /// Where launches belong: the default stream, or while a graph is recorded the one that records it.
    [[nodiscard]] detail::cuda_driver::handle stream() const noexcept { return recording_ ? stream_ : nullptr; }

    /// Seconds on the device of one `launch()`, which puts work into `stream()`: the mean of `times` in a row, between
    /// two events. `launch_series` chooses `times`, and what runs before.
    template <class Launch>
    [[nodiscard]] double seconds(std::uint32_t times, Launch&& launch)
    {
        const auto all = [&] {
            for (std::uint32_t i = 0; i < times; ++i) launch();
        };
        cuda();
        const std::optional<recorded> graph = how_.graph ? std::optional(record(all)) : std::nullopt;
        cuda_->check(cuda_->event_record(from_, stream_), "cuEventRecord");
        if (graph) cuda_->check(cuda_->graphs().launch(graph->made, stream_), "cuGraphLaunch");
        else all();
        cuda_->check(cuda_->event_record(to_, stream_), "cuEventRecord");
        cuda_->check(cuda_->event_synchronize(to_), "running the kernel");
        float milliseconds = 0;
        cuda_->check(cuda_->event_elapsed(&milliseconds, from_, to_), "cuEventElapsedTime");
        return 1e-3 * static_cast<double>(milliseconds) / static_cast<double>(times);
    }

private:
    /// A graph that can be launched.
    struct recorded {
        const detail::cuda_driver* cuda;
        detail::cuda_driver::handle graph = nullptr, made = nullptr;
        recorded(recorded&& other) noexcept
            : cuda(other.cuda), graph(std::exchange(other.graph, nullptr)), made(std::exchange(other.made, nullptr))
        {
        }
        explicit recorded(const detail::cuda_driver& by) : cuda(&by) {}
        ~recorded()
        {
            if (made != nullptr) cuda->graphs().unmake(made);
            if (graph != nullptr) cuda->graphs().destroy(graph);
        }
    };

    /// The graph of what `launch()` starts. Its stream waits for the default one, and that for it.
    template <class Launch>
    [[nodiscard]] recorded record(Launch&& launch)
    {
        constexpr int by_this_thread = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        const auto call = cuda_->graphs();
        if (stream_ == nullptr) cuda_->check(call.stream_create(&stream_, 0), "cuStreamCreate");
        recorded out(*cuda_);
        cuda_->check(call.begin(stream_, by_this_thread), "cuStreamBeginCapture");
        recording_ = true;
        try {
            launch();
        } catch (...) {
            recording_ = false;
            call.end(stream_, &out.graph);
            throw;
        }
        recording_ = false;
        cuda_->check(call.end(stream_, &out.graph), "cuStreamEndCapture");
        cuda_->check(call.make(&out.made, out.graph, 0), "cuGraphInstantiate");
        return out;
    }

    device_timing how_;
    std::string path_;
    int index_;
    std::optional<detail::cuda_driver> cuda_{};
    detail::cuda_driver::device device_ = 0;
    bool open_ = false;
    detail::cuda_driver::handle from_ = nullptr, to_ = nullptr;  ///< events
    detail::cuda_driver::handle stream_ = nullptr;               ///< of graphs, once there was one
    bool recording_ = false;
    std::vector<memory> memory_{};
    std::optional<std::size_t> cache_bytes_{};
    detail::cache_flush<cuda_session> flush_{};
};

/// The arguments of a CUDA kernel, in its order.
using cuda_operands = device_operands<cuda_session>;

}  // namespace tunekit::measure
