// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels of a .cu file that a lambda launches, for `timed`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "tunekit/devices/cuda/session.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>
#endif

namespace tunekit::measure {

#if defined(__CUDACC__)

namespace detail {

/// Runs a configuration that is launched by hand.
template <class Launch>
class cuda_called {
public:
    cuda_called(cuda_session& gpu, Launch launch) : gpu_(&gpu), launch_(std::move(launch)) {}

    /// Seconds of one run. The first run, which may be checked, is launched exactly once.
    [[nodiscard]] double operator()(std::uint64_t /* turn */)
    {
        return series_(*gpu_, [this] {
            launch_();
            const cudaError_t code = ::cudaGetLastError();
            if (code != cudaSuccess)
                throw cuda_failure(static_cast<int>(code), std::string("launch: ") + ::cudaGetErrorName(code) + " (" +
                                                               std::to_string(static_cast<int>(code)) + "), " +
                                                               ::cudaGetErrorString(code));
        });
    }

private:
    cuda_session* gpu_;
    Launch launch_;
    launch_series series_{};
};

}  // namespace detail

#endif

/// A kernel for `timed` whose launches are written by hand in a .cu file, which nvcc compiles.
///
///     auto kernel = cuda_callable(gpu, [&](const auto& config) {
///         const float* x = data.device<float>(gpu, 0);
///         float* y       = data.device<float>(gpu, 1);
///         return [=] { scale<<<n / tk::get<"threads">(config), tk::get<"threads">(config)>>>(y, x); };
///     });
///     auto measure = isolated(space, timed{kernel, until_confident{}, data.check(gpu)}, device_isolation());
///
/// `prepare(config)` returns a function that launches into the default stream. It is called in the worker, where `gpu`
/// has begun CUDA. The runtime shares the session's context. Call no function of the runtime before the worker is
/// forked.
///
/// Failures:   launch_error with the runtime's code, out_of_memory; those of what `prepare` throws.
template <class Prepare>
[[nodiscard]] auto cuda_callable(cuda_session& gpu, Prepare prepare)
{
#if defined(__CUDACC__)
    return [gpu = &gpu, prepare = std::move(prepare)](const auto& config) {
        static_cast<void>(gpu->cuda());
        auto launch = prepare(config);
        static_assert(std::is_invocable_v<decltype(launch)&>,
                      "tunekit: cuda_callable: want a function of a configuration that returns what launches it");
        return detail::cuda_called<decltype(launch)>(*gpu, std::move(launch));
    };
#else
    static_cast<void>(gpu);
    static_cast<void>(prepare);
    static_assert(sizeof(Prepare) == 0,
                  "tunekit: cuda_callable: kernels are launched by <<<...>>>, want a .cu file that nvcc compiles");
#endif
}

}  // namespace tunekit::measure
