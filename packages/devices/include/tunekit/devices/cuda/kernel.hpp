// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels from cubins, for `timed`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda/builder.hpp"
#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/detail/launch_limits.hpp"
#include "tunekit/devices/detail/tensor_map.hpp"
#include "tunekit/devices/measurer.hpp"

namespace tunekit::measure {

namespace detail {

/// The first limit of `on` that the launch `how` exceeds, in one line; empty where `on` can start it. `use` holds the
/// kernel's resources from its cubin; where they are not known, only the launch is checked.
[[nodiscard]] inline std::optional<std::string> exceeds(const device_source::launch& how,
                                                        const std::optional<cuda_resources>& use, const cuda_device& on)
{
    constexpr std::int64_t most = (std::numeric_limits<std::int32_t>::max)();
    const launch_limits allowed{
        .grid = {most, 65535, 65535},
        .block = {1024, 1024, 64},
        .threads = on.threads,
        .shared_bytes = static_cast<std::int64_t>(how.shared_bytes > 0 ? on.max_shared_bytes : on.shared_bytes)};
    if (auto why = exceeds(how, use ? static_cast<std::int64_t>(use->shared_bytes) : 0, allowed)) return why;
    if (!use) return std::nullopt;
    if (use->max_threads != 0 && how.threads() > use->max_threads)
        return too_many(how, "threads per block by its launch bounds are", how.threads(), use->max_threads);
    const std::int64_t warps = (how.threads() + 31) / 32;
    const std::int64_t registers = warps * 32 * ((use->registers + 7) / 8 * 8);  // given to whole warps, by eights
    if (registers > on.registers) return too_many(how, "registers per block are", registers, on.registers);
    return std::nullopt;
}

/// Runs one configuration: a loaded module and its launches. Move-only. The destructor unloads the module.
class cuda_run {
public:
    /// Loads `image` and runs the launches of `source.prepare`. Throws cuda_failure, or candidate_error where a launch
    /// exceeds what a driver call can express.
    cuda_run(cuda_session& gpu, const cuda_image& image, const device_source& source, cuda_operands& data) : gpu_(&gpu)
    {
        const auto scratch = static_cast<std::size_t>(source.scratch_floats) * sizeof(float);
        for (const auto& a : data.arguments(gpu, scratch)) arguments_.push_back(a.at);
        const cuda_driver& cuda = gpu.cuda();
        for (const auto& m : source.maps) maps_.push_back(encoded(cuda, m, data.device<void>(gpu, m.argument)));
        for (cuda_tensor_map& m : maps_) arguments_.push_back(&m);
        int code = cuda.module_load(&module_, image.cubin.c_str());
        if (code == cuda_driver::no_binary_for_device && !image.ptx.empty())
            code = cuda.module_load(&module_, image.ptx.c_str());  // compiled by the driver
        if (code == cuda_driver::newer_ptx)
            throw cuda_failure(code, cuda.told(code, "cuModuleLoadData") +
                                         "; the driver is older than NVRTC: update it, or name an older "
                                         "nvrtc_builder::options::library");
        cuda.check(code, "cuModuleLoadData");
        try {
            for (const device_source::constant& c : source.constants) fill(c);
            std::vector<step> before;
            for (const device_source::launch& l : source.prepare) before.push_back(step_of(l, image));
            for (const device_source::launch& l : source.launches) steps_.push_back(step_of(l, image));
            for (const step& s : before) start(s);
            if (!before.empty()) gpu.finish();
        } catch (...) {
            cuda.module_unload(module_);
            throw;
        }
    }
    /// Takes over the module of `other`, which must not run any more.
    cuda_run(cuda_run&& other) noexcept
        : gpu_(other.gpu_),
          module_(std::exchange(other.module_, nullptr)),
          maps_(std::move(other.maps_)),
          arguments_(std::move(other.arguments_)),
          steps_(std::move(other.steps_)),
          series_(other.series_)
    {
    }
    cuda_run& operator=(cuda_run&&) = delete;
    cuda_run(const cuda_run&) = delete;
    cuda_run& operator=(const cuda_run&) = delete;
    ~cuda_run()
    {
        if (module_ != nullptr) gpu_->cuda().module_unload(module_);
    }

    /// The seconds of one run. The first run, which may be checked, is launched exactly once.
    [[nodiscard]] double operator()(std::uint64_t /* turn */)
    {
        return series_(*gpu_, [this] {
            for (const step& s : steps_) start(s);
        });
    }

    /// Runs it `times` in a row, and waits for the device.
    void repeat(std::uint32_t times)
    {
        for (std::uint32_t k = 0; k < times; ++k)
            for (const step& s : steps_) start(s);
        gpu_->finish();
    }

    /// The registers of a thread of its last launch; NaN where the driver does not tell.
    [[nodiscard]] double registers() const
    {
        constexpr int number_of_registers = 4;  // CU_FUNC_ATTRIBUTE_NUM_REGS
        int n = 0;
        const int code = gpu_->cuda().function_attribute(&n, number_of_registers, steps_.back().function);
        return code == 0 ? n : std::numeric_limits<double>::quiet_NaN();
    }

private:
    struct step {
        cuda_driver::handle function = nullptr;
        std::array<unsigned, 3> grid{}, block{};
        unsigned shared_bytes = 0;
    };

    void fill(const device_source::constant& c)
    {
        cuda_driver::address at = 0;
        std::size_t size = 0;
        const cuda_driver& cuda = gpu_->cuda();
        cuda.check(cuda.module_global(&at, &size, module_, c.symbol.c_str()), "cuModuleGetGlobal " + c.symbol);
        if (size < c.bytes.size())
            throw candidate_error({failure_kind::launch_error, 0,
                                   "constant memory " + c.symbol + " has " + std::to_string(size) + " bytes, want " +
                                       std::to_string(c.bytes.size()) + " or more"});
        gpu_->copy_to(at, c.bytes.data(), c.bytes.size());
    }

    [[nodiscard]] step step_of(const device_source::launch& how, const cuda_image& image) const
    {
        constexpr int most_dynamic_shared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        const cuda_driver& cuda = gpu_->cuda();
        step s{.shared_bytes = static_cast<unsigned>(how.shared_bytes)};
        for (std::size_t k = 0; k < 3; ++k) {
            if (how.grid[k] < 1 || how.block[k] < 1 || how.grid[k] > (std::numeric_limits<std::int32_t>::max)() ||
                how.block[k] > 1024)
                throw candidate_error({failure_kind::launch_error, 1, how.entry + ": a grid or block of no such size"});
            s.grid[k] = static_cast<unsigned>(how.grid[k]);
            s.block[k] = static_cast<unsigned>(how.block[k]);
        }
        cuda.check(cuda.module_function(&s.function, module_, image.lowered(how.entry).c_str()),
                   "cuModuleGetFunction " + how.entry);
        if (how.shared_bytes > 0)  // more than 48 KiB, fixed and dynamic together, must be requested
            cuda.check(cuda.function_set(s.function, most_dynamic_shared, static_cast<int>(how.shared_bytes)),
                       "asking for " + std::to_string(how.shared_bytes) + " bytes of shared memory");
        return s;
    }

    void start(const step& s)
    {
        const cuda_driver& cuda = gpu_->cuda();
        cuda.check(cuda.launch(s.function, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2],
                               s.shared_bytes, gpu_->stream(), arguments_.data(), nullptr),
                   "cuLaunchKernel");
    }

    cuda_session* gpu_;
    cuda_driver::handle module_ = nullptr;
    std::vector<cuda_tensor_map> maps_{};
    std::vector<void*> arguments_{};  ///< of the operands, scratch memory and `maps_`
    std::vector<step> steps_{};
    launch_series series_{};
};

}  // namespace detail

/// The kernel of a template of `device_source`s in CUDA C++, for `timed`. It finds the code that was built for a
/// configuration, loads it, and returns the device's seconds.
///
///     timed{cuda_kernel(program, cubins, data, gpu), until_confident{}, data.check(gpu)}
///
/// Refers to `data` and `gpu`. Only the configuration is needed to find the code, so it works in processes forked
/// before anything was built.
template <class Template>
[[nodiscard]] auto cuda_kernel(Template what, detail::cubin_cache cache, cuda_operands& data, cuda_session& gpu)
{
    return detail::device_kernel<detail::cuda_run>(std::move(what), std::move(cache), data, gpu);
}

}  // namespace tunekit::measure
