// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of NVRTC processes that turns generated CUDA C++ into machine code of one architecture.

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/measure/cuda/nvrtc.hpp"
#include "tunekit/measure/detail/build_pool.hpp"
#include "tunekit/measure/detail/code_cache.hpp"

namespace tunekit::measure {

/// Settings of `nvrtc_builder`.
struct nvrtc_options {
    std::string architecture = "sm_80";  ///< of the device that runs the code: cuda_device::architecture()
    std::vector<std::string> flags{"--std=c++17"};
    std::string
        directory{};  ///< of the cache, made where it is missing; empty: a temporary one, which ends with the builder
    std::size_t processes = 0;  ///< compilers at a time; 0: one less than there are processors, at least 1
    std::string library{};      ///< path of libnvrtc; empty: the newest one found
};

/// The names of cubins in a cache, built or not. A value: kernels in worker processes carry a copy and find their code
/// with it. A key is a digest of the text, the entry point, architecture, flags and the compiler's version and file.
class cubin_cache : public detail::code_cache {
public:
    cubin_cache(std::string directory, std::string compiler, const std::string& architecture,
                std::vector<std::string> flags)
        : code_cache(std::move(directory), ".cubin", std::move(compiler), with(architecture, std::move(flags)))
    {
    }

    /// The bytes of the cubin with this key; empty where it is missing, incomplete or not ours.
    [[nodiscard]] std::string cubin(std::string_view key) const { return code(key); }

private:
    static std::vector<std::string> with(const std::string& architecture, std::vector<std::string> flags)
    {
        flags.insert(flags.begin(), "--gpu-architecture=" + architecture);
        return flags;
    }
};

namespace detail {

/// NVRTC in forked processes: what `nvrtc_builder` starts.
class nvrtc_toolchain {
public:
    static constexpr const char* suffix = ".cubin";

    nvrtc_toolchain(const std::string& directory, const nvrtc_options& options)
        : compiler_(options.library), cache_(directory, compiler_.identity(), options.architecture, options.flags)
    {
        const std::string& asked = options.architecture;
        const int number = asked.starts_with("sm_") ? std::atoi(asked.c_str() + 3) : 0;
        const std::vector<int> known = compiler_.architectures();
        if (number > 0 && (known.empty() || std::find(known.begin(), known.end(), number) != known.end())) {
            // What the library does once per process is done before the forks, not after each.
            static_cast<void>(compiler_.compile("__global__ void nothing() {}", cache_.options_of({})));
            return;
        }
        std::string list;
        for (const int k : known) list += (list.empty() ? "sm_" : ", sm_") + std::to_string(k);
        invalid("nvrtc_builder: NVRTC " + compiler_.version() + " does not compile for '" + asked + "', want one of " +
                list);
    }

    [[nodiscard]] const cubin_cache& cache() const noexcept { return cache_; }
    [[nodiscard]] const nvrtc& compiler() const noexcept { return compiler_; }
    [[nodiscard]] static std::size_t together() { return 1; }
    [[nodiscard]] static bool alike(const source&, const source&) { return false; }

    [[nodiscard]] compilation start(const std::vector<build_job>& unit, const std::string& stem,
                                    const std::string& /* scratch */) const
    {
        return compilation([this, &what = unit.front().what, file = stem + suffix] {
            const nvrtc::outcome built = compiler_.compile(what.text, cache_.options_of(what));
            if (built.good) write_file(file, built.cubin);
            for (std::size_t at = 0; at < built.log.size();) {
                const ssize_t put = ::write(1, built.log.data() + at, built.log.size() - at);
                if (put <= 0) break;
                at += static_cast<std::size_t>(put);
            }
            return built.good ? 0 : 1;
        });
    }

    /// The library has compiled when this was made, so what fails for reasons of the machine's is writing.
    [[nodiscard]] static bool blames_machine(const compilation& process)
    {
        return process.text().find("tunekit: builder: cannot write") != std::string::npos;
    }
    /// A source that compiles.
    [[nodiscard]] static source harmless(const source& /* like */)
    {
        return {"extern \"C\" __global__ void kernel() {}\n"};
    }

    static failure refused(const compilation& process)
    {
        const std::size_t at = process.text().find("error:");
        return refusal(process, at == std::string::npos ? 0 : process.text().rfind('\n', at) + 1);  // npos + 1 is 0
    }

private:
    nvrtc compiler_;
    cubin_cache cache_;
};

}  // namespace detail

/// Compiles CUDA C++ with NVRTC, each source once and in a process of its own.
///
///     nvrtc_builder pool({.architecture = "sm_90", .directory = "cache"});
///     auto measure = generated(program, std::move(pool), std::move(runs));
///
/// No device is needed and the driver is not touched. The library is opened here and the processes are forked from this
/// one, so a compilation costs what a fork does beside the compiler's time. A source defines `extern "C" __global__`
/// its entry point and includes nothing, unless flags say where to look (--include-path=...).
///
/// Failures:   build_error with the compiler's words from its first error on, build_timeout.
/// Errors:     no_cuda where there is no NVRTC; std::invalid_argument for an architecture it does not know.
class nvrtc_builder : public build_pool<detail::nvrtc_toolchain> {
public:
    explicit nvrtc_builder(nvrtc_options options = {}) : build_pool(options.directory, options.processes, options) {}

    /// The version of the library, such as "13.0".
    [[nodiscard]] std::string version() const { return tools().compiler().version(); }
};

}  // namespace tunekit::measure
