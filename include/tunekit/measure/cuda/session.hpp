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

#include "tunekit/measure/cuda/device.hpp"
#include "tunekit/measure/detail/cuda_driver.hpp"
#include "tunekit/measure/timed.hpp"

namespace tunekit::measure {

/// An address in a device's memory: CUdeviceptr.
using cuda_address = detail::cuda_driver::address;

/// Options for timing on a device, in addition to the repetition policy.
struct cuda_session_options {
    cache state = cache::warm;    ///< of the second-level cache; cold: other memory is written before each run, untimed
    std::size_t flush_bytes = 0;  ///< written before a cold run; 0: twice the second-level cache
    double min_seconds = 1e-4;    ///< a warm run is launched often enough between two events to last about as long
    std::uint32_t max_launches = 1000;  ///< of a warm run, at most

    friend bool operator==(const cuda_session_options&, const cuda_session_options&) = default;
};

/// A process's use of a device. The first use begins it, so that it may be made before a fork and used after it.
///
///     cuda_session gpu(0);    // touches nothing; the worker begins CUDA
///     auto runs = isolated(space, timed{cuda_kernel(program, cubins, data, gpu), until_confident{}});
///
/// The device's primary context is used, which the runtime's `<<<...>>>` share. Device memory lives as long as the
/// session. Errors: cuda_failure from what the driver refuses, no_cuda where there is no driver or no such device.
class cuda_session {
public:
    explicit cuda_session(int device = 0, std::string driver = {}, cuda_session_options how = {})
        : how_(how), path_(std::move(driver)), index_(device)
    {
        require(how_.min_seconds >= 0, "cuda_session: min_seconds is negative or NaN, want >= 0");
        require(how_.max_launches > 0, "cuda_session: max_launches is 0, want >= 1");
    }
    cuda_session(const cuda_session&) = delete;
    cuda_session& operator=(const cuda_session&) = delete;
    ~cuda_session()
    {
        if (!cuda_ || !open_) return;
        for (const auto event : {from_, to_})
            if (event != nullptr) cuda_->event_destroy(event);
        for (const auto at : memory_) cuda_->release(at);
        cuda_->context_release(device_);
    }

    [[nodiscard]] const cuda_session_options& timing() const noexcept { return how_; }

    /// The driver, with the device's context current. Throws no_cuda or cuda_failure.
    const detail::cuda_driver& cuda()
    {
        if (open_) return *cuda_;
        if (!cuda_) cuda_.emplace(path_);
        const int n = detail::begin_cuda(*cuda_);
        if (index_ < 0 || index_ >= n)
            throw no_cuda("no CUDA device " + std::to_string(index_) + ": want 0 to " + std::to_string(n - 1));
        cuda_->check(cuda_->device_get(&device_, index_), "cuDeviceGet");
        detail::cuda_driver::handle context = nullptr;
        cuda_->check(cuda_->context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
        open_ = true;
        cuda_->check(cuda_->context_set(context), "cuCtxSetCurrent");
        cuda_->check(cuda_->event_create(&from_, 0), "cuEventCreate");
        cuda_->check(cuda_->event_create(&to_, 0), "cuEventCreate");
        return *cuda_;
    }

    /// Allocates `bytes` of device memory, until they are released or the session ends.
    [[nodiscard]] cuda_address allocate(std::size_t bytes)
    {
        cuda_address at = 0;
        cuda().check(cuda_->allocate(&at, bytes != 0 ? bytes : 1), "cuMemAlloc of " + std::to_string(bytes) + " bytes");
        memory_.push_back(at);
        return at;
    }
    /// Releases memory of this session.
    void release(cuda_address at)
    {
        if (std::erase(memory_, at) != 0) cuda().check(cuda_->release(at), "cuMemFree");
    }
    void copy_to(cuda_address to, const void* from, std::size_t bytes)
    {
        if (bytes != 0) cuda().check(cuda_->copy_to(to, from, bytes), "cuMemcpyHtoD");
    }
    void copy_from(void* to, cuda_address from, std::size_t bytes)
    {
        if (bytes != 0) cuda().check(cuda_->copy_from(to, from, bytes), "cuMemcpyDtoH");
    }
    void fill(cuda_address at, unsigned char value, std::size_t bytes)
    {
        if (bytes != 0) cuda().check(cuda_->fill(at, value, bytes, nullptr), "cuMemsetD8Async");
    }
    /// Waits for the device, and throws where a kernel failed.
    void finish() { cuda().check(cuda_->context_synchronize(), "cuCtxSynchronize"); }

    /// Seconds on the device of one `launch()`, which puts work into the default stream: mean of `times` in a row.
    /// Before that, outside the timed window, the cache is flushed where it is to be cold. Where it is to be warm and
    /// `times` is more than 1, one launch keeps the device busy until the others are in its queue.
    template <class Launch>
    [[nodiscard]] double seconds(std::uint32_t times, Launch&& launch)
    {
        cuda();
        if (how_.state == cache::cold) {
            flush();
        } else if (times > 1) {
            launch();
        }
        cuda_->check(cuda_->event_record(from_, nullptr), "cuEventRecord");
        for (std::uint32_t i = 0; i < times; ++i) launch();
        cuda_->check(cuda_->event_record(to_, nullptr), "cuEventRecord");
        cuda_->check(cuda_->event_synchronize(to_), "running the kernel");
        float milliseconds = 0;
        cuda_->check(cuda_->event_elapsed(&milliseconds, from_, to_), "cuEventElapsedTime");
        return 1e-3 * static_cast<double>(milliseconds) / static_cast<double>(times);
    }

    /// The number of launches that make a run of `one` seconds last as long as the timing wants.
    [[nodiscard]] std::uint32_t launches(double one) const noexcept
    {
        if (how_.state == cache::cold || one >= how_.min_seconds) return 1;
        const double n = one > 0 ? how_.min_seconds / one : static_cast<double>(how_.max_launches);
        return n < static_cast<double>(how_.max_launches) ? static_cast<std::uint32_t>(n) + 1 : how_.max_launches;
    }

private:
    void flush()
    {
        if (flushed_ == 0) {
            flushed_ = how_.flush_bytes != 0 ? how_.flush_bytes : 2 * detail::describe(*cuda_, index_).cache_bytes;
            if (flushed_ == 0) flushed_ = std::size_t{64} << 20;
            flush_ = allocate(flushed_);
        }
        fill(flush_, ++pattern_, flushed_);
    }

    cuda_session_options how_;
    std::string path_;
    int index_;
    std::optional<detail::cuda_driver> cuda_{};
    detail::cuda_driver::device device_ = 0;
    bool open_ = false;
    detail::cuda_driver::handle from_ = nullptr, to_ = nullptr;  ///< events
    std::vector<cuda_address> memory_{};
    cuda_address flush_ = 0;
    std::size_t flushed_ = 0;
    unsigned char pattern_ = 0;
};

}  // namespace tunekit::measure
