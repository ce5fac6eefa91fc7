// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels from built OpenCL programs, for `timed`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/detail/launch_limits.hpp"
#include "tunekit/devices/detail/opencl_code.hpp"
#include "tunekit/devices/measurer.hpp"
#include "tunekit/devices/opencl/builder.hpp"
#include "tunekit/devices/opencl/session.hpp"

namespace tunekit::measure {

namespace detail {

/// The first limit of `on` that the launch exceeds, in one line; else empty. `use` has the resources of the
/// kernel; where they are not known, only the launch is checked.
[[nodiscard]] inline std::optional<std::string> exceeds(const device_source::launch& how,
                                                        const std::optional<opencl_resources>& use,
                                                        const opencl_device& on)
{
    return exceeds(how, use ? use->shared_bytes : 0, on.limits(use ? use->max_threads : 0));
}

/// Runs one configuration: a program and its launches. Move-only. The destructor releases them.
class opencl_run {
public:
    /// Loads what was built and runs the launches of `source.prepare`. Throws opencl_failure, and candidate_error where
    /// `built` is no program or has no such kernel.
    opencl_run(opencl_session& gpu, const std::string& built, const device_source& source, opencl_operands& data)
        : gpu_(&gpu)
    {
        const auto code = parse_opencl_code(built);
        if (!code) throw candidate_error({failure_kind::launch_error, 0, "what was built is not a program any more"});
        const opencl_driver& cl = gpu.cl();
        const auto device = gpu.device();
        parts_.cl = &cl;
        parts_.program = program_of(*code, gpu);
        const std::string options = code->options.value_or("");
        cl.check(cl.build(parts_.program, 1, &device, options.c_str(), nullptr, nullptr), "clBuildProgram");
        const auto arguments = data.arguments(gpu, static_cast<std::size_t>(source.scratch_floats) * sizeof(float));
        std::vector<step> before;
        for (const device_source::launch& l : source.prepare) before.push_back(step_of(l, *code, arguments));
        for (const device_source::launch& l : source.launches) steps_.push_back(step_of(l, *code, arguments));
        if (before.empty()) return;
        static_cast<void>(gpu.seconds(1, [&] { start(before); }));
    }

    /// The seconds of one run. The first run, which may be checked, is launched exactly once.
    [[nodiscard]] double operator()(std::uint64_t /* turn */)
    {
        return series_(*gpu_, [this] { start(steps_); });
    }

private:
    struct step {
        opencl_driver::handle kernel = nullptr;
        std::array<std::size_t, 3> grid{}, block{};
    };

    /// What the destructor releases.
    struct owned_parts {
        const opencl_driver* cl = nullptr;
        opencl_driver::handle program = nullptr;
        std::vector<opencl_driver::handle> kernels{};

        owned_parts() = default;
        owned_parts(owned_parts&& other) noexcept
            : cl(other.cl), program(std::exchange(other.program, nullptr)), kernels(std::move(other.kernels))
        {
        }
        owned_parts& operator=(owned_parts&&) = delete;
        ~owned_parts()
        {
            if (program == nullptr) return;
            for (const auto kernel : kernels) cl->release_kernel(kernel);
            cl->release_program(program);
        }
    };

    [[nodiscard]] static opencl_driver::handle program_of(const opencl_code& code, opencl_session& gpu)
    {
        const opencl_driver& cl = gpu.cl();
        const auto device = gpu.device();
        int status = 0, result = 0;
        if (code.options) {
            const char* text = code.binary.c_str();
            const auto out = cl.program_of_source(gpu.context(), 1, &text, nullptr, &result);
            cl.check(result, "clCreateProgramWithSource");
            return out;
        }
        const auto* binary = reinterpret_cast<const unsigned char*>(code.binary.data());
        const std::size_t size = code.binary.size();
        const auto out = cl.program_of_binary(gpu.context(), 1, &device, &size, &binary, &status, &result);
        cl.check(result != 0 ? result : status, "clCreateProgramWithBinary");
        return out;
    }

    [[nodiscard]] step step_of(const device_source::launch& how, const opencl_code& code,
                               const std::vector<opencl_operands::argument>& arguments)
    {
        const opencl_driver& cl = gpu_->cl();
        if (code.kernels.find(how.entry) == code.kernels.end())
            throw candidate_error({failure_kind::launch_error, 0,
                                   "the program has no kernel '" + how.entry + "', want the entry of each launch"});
        step s;
        for (std::size_t k = 0; k < 3; ++k) {
            if (how.grid[k] < 1 || how.block[k] < 1)
                throw candidate_error({failure_kind::launch_error, 0, how.entry + ": an empty grid or work-group"});
            s.grid[k] = static_cast<std::size_t>(how.grid[k]);
            s.block[k] = static_cast<std::size_t>(how.block[k]);
        }
        int result = 0;
        s.kernel = cl.create_kernel(parts_.program, how.entry.c_str(), &result);
        cl.check(result, "clCreateKernel " + how.entry);
        parts_.kernels.push_back(s.kernel);
        std::uint32_t at = 0;
        for (const auto& a : arguments) {
            cl.check(cl.set_argument(s.kernel, at, a.size, a.at),
                     "argument " + std::to_string(at) + " of " + how.entry);
            ++at;
        }
        if (how.shared_bytes > 0)
            cl.check(cl.set_argument(s.kernel, at, static_cast<std::size_t>(how.shared_bytes), nullptr),
                     "local memory of " + how.entry);
        return s;
    }

    void start(const std::vector<step>& steps)
    {
        for (const step& s : steps) gpu_->enqueue(s.kernel, s.grid, s.block);
    }

    opencl_session* gpu_;
    owned_parts parts_{};
    std::vector<step> steps_{};
    launch_series series_{};
};

}  // namespace detail
}  // namespace tunekit::measure
