// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of processes in which an OpenCL driver turns generated OpenCL C into the binaries of one device.

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/detail/code_cache.hpp"
#include "tunekit/devices/detail/opencl_code.hpp"
#include "tunekit/devices/opencl/device.hpp"
#include "tunekit/processes/build/build_pool.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure {

namespace detail {

/// Whether a driver compiles for a work-group not when a program is built, but at the first launch with it, and keeps
/// what it compiled of a text in a folder of the user. PoCL does; its device is the processor of the compilers.
[[nodiscard]] inline bool compiles_at_launch(const opencl_device& on)
{
    return on.version.find("PoCL") != on.version.npos;
}

/// A program, built or refused. It is released with this, the context is not.
struct opencl_build {
    const opencl_driver& cl;
    opencl_place at;
    opencl_driver::handle program = nullptr;
    std::string log{};  ///< where it does not compile

    /// Builds `text` for a device in a context of it. Throws opencl_failure.
    opencl_build(const opencl_driver& with, const opencl_place& on, opencl_driver::handle context,
                 const std::string& text, const std::string& options)
        : cl(with), at(on)
    {
        int code = 0;
        const char* words = text.c_str();
        program = cl.program_of_source(context, 1, &words, nullptr, &code);
        cl.check(code, "clCreateProgramWithSource");
        code = cl.build(program, 1, &at.device, options.c_str(), nullptr, nullptr);
        if (code == 0) return;
        std::size_t size = 0;
        if (cl.build_info(program, at.device, cl_build_log, 0, nullptr, &size) == 0 && size > 1) {
            log.resize(size);
            cl.build_info(program, at.device, cl_build_log, size, log.data(), nullptr);
            while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
        }
        if (log.empty()) log = std::string("clBuildProgram: ") + opencl_name(code);
    }
    opencl_build(const opencl_build&) = delete;
    opencl_build& operator=(const opencl_build&) = delete;
    ~opencl_build() { cl.release_program(program); }
};

/// The file's content of what was built from `text`, and the log. The content is empty where the program does
/// not compile; it has the text in place of a binary where `as_text`. Throws no_device or opencl_failure.
inline std::pair<std::string, std::string> file_of(const opencl_build& built, const std::string& text,
                                                   const std::string& options, bool as_text)
{
    const auto& [cl, at, program, log] = built;
    if (!log.empty()) return {{}, log};
    opencl_code out;
    std::uint32_t n = 0;
    cl.check(cl.create_kernels(program, 0, nullptr, &n), "clCreateKernelsInProgram");
    std::vector<opencl_driver::handle> kernels(n);
    if (n != 0) cl.check(cl.create_kernels(program, n, kernels.data(), nullptr), "clCreateKernelsInProgram");
    for (const auto kernel : kernels) {
        std::size_t threads = 0;
        std::uint64_t shared = 0, own = 0;
        cl.check(cl.kernel_group_info(kernel, at.device, cl_kernel_group_size, sizeof threads, &threads, nullptr),
                 "clGetKernelWorkGroupInfo");
        cl.check(cl.kernel_group_info(kernel, at.device, cl_kernel_local_bytes, sizeof shared, &shared, nullptr),
                 "clGetKernelWorkGroupInfo");
        if (cl.kernel_group_info(kernel, at.device, cl_kernel_private_bytes, sizeof own, &own, nullptr) != 0) own = 0;
        out.kernels[cl.text(cl.kernel_info, kernel, cl_kernel_name)] = {
            static_cast<std::int64_t>(threads), static_cast<std::int64_t>(shared), static_cast<std::int64_t>(own)};
        cl.release_kernel(kernel);
    }
    if (as_text) {
        out.binary = text;
        out.options = options;
        return {out.text(), {}};
    }
    const auto size = cl.number<std::size_t>(cl.program_info, program, cl_program_binary_sizes);
    out.binary.resize(size);
    char* binary = out.binary.data();
    cl.check(cl.program_info(program, cl_program_binaries, sizeof binary, &binary, nullptr), "clGetProgramInfo");
    return {out.text(), {}};
}

/// A driver's compiler in forked processes. `opencl_builder` starts them. This process does not use OpenCL.
class opencl_toolchain {
public:
    static constexpr const char* suffix = ".clbin";

    opencl_toolchain(const std::string& directory, const auto& options)
        : library_(options.library),
          device_(options.device.index),
          at_launch_(compiles_at_launch(options.device)),
          cache_(directory, suffix, options.device.name + ' ' + options.device.version, options.flags)
    {
        require(!options.device.name.empty(), "opencl_builder: no device is named, want that of find_opencl_device");
    }

    [[nodiscard]] const code_cache& cache() const noexcept { return cache_; }
    [[nodiscard]] static std::size_t together() { return 1; }
    [[nodiscard]] static bool alike(const source&, const source&) { return false; }

    [[nodiscard]] child_process start(const std::vector<build_job>& unit, const std::string& stem,
                                      const std::string& /* scratch */) const
    {
        return child_process([this, &what = unit.front().what, file = stem + suffix] {
            std::string options;
            for (const std::string& o : cache_.options_of(what)) options += (options.empty() ? "" : " ") + o;
            const opencl_driver cl(library_);
            const opencl_place at = find_place(cl, device_);
            int code = 0;
            const auto context = cl.create_context(nullptr, 1, &at.device, nullptr, nullptr, &code);
            cl.check(code, "clCreateContext");
            const opencl_build program(cl, at, context, what.text, options);
            const auto [built, log] = file_of(program, what.text, options, at_launch_);
            if (!built.empty()) write_file(file, built);
            std::string_view rest = log;
            while (!rest.empty()) {
                const ssize_t put = ::write(1, rest.data(), rest.size());
                if (put <= 0) break;
                rest.remove_prefix(static_cast<std::size_t>(put));
            }
            return built.empty() ? 1 : 0;
        });
    }

    /// Whether it ended without the compiler's verdict: no file, no library, no device any more.
    [[nodiscard]] static bool blames_machine(const child_process& process)
    {
        return process.text().find("error: tunekit: ") != std::string::npos;
    }
    /// A source that certainly compiles.
    [[nodiscard]] static source harmless(const source& /* like */) { return {"__kernel void nothing(void) {}\n"}; }

    static failure refused(const child_process& process)
    {
        const std::string text = process.text();
        const std::size_t at = text.find("error:");
        return refusal(process, at == std::string::npos ? 0 : text.rfind('\n', at) + 1);  // npos + 1 is 0
    }

private:
    std::string library_;
    int device_;
    bool at_launch_;
    code_cache cache_;
};

}  // namespace detail

/// Compiles OpenCL C for one device, each source once and in a process of its own. Each process begins the driver's
/// compiler, because a process that uses OpenCL cannot be forked. PoCL compiles at a kernel's first launch: there the
/// code is the text, of which it keeps what it has compiled.
///
///     opencl_builder pool({.device = find_opencl_device(), .directory = "cache"});
///
/// Failures:   build_error with the build log from its first error on, build_timeout.
/// Errors:     std::invalid_argument where no device is named; later tunekit::error where not even an empty program is
///             built.
class opencl_builder : public build_pool<detail::opencl_toolchain> {
public:
    /// What is built for, and how.
    struct options {
        opencl_device device{};            ///< from find_opencl_device
        std::vector<std::string> flags{};  ///< of clBuildProgram, such as "-cl-fast-relaxed-math"
        std::string
            directory{};  ///< of the cache, made where it is missing; empty: a temporary one, removed with the builder
        std::size_t processes = 0;  ///< compilers at a time; 0: one less than there are processors, at least 1
        std::string library{};      ///< libOpenCL; empty: the system's
    };

    /// Opens the cache; starts no process and does not use OpenCL. Throws std::invalid_argument where `options::device`
    /// has no name, and tunekit::error where the directory cannot be used.
    explicit opencl_builder(const options& how) : build_pool(how.directory, how.processes, how) {}
};

}  // namespace tunekit::measure
