// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of NVRTC processes that turns generated CUDA C++ into machine code of one architecture.

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/devices/cuda/nvrtc.hpp"
#include "tunekit/devices/detail/code_cache.hpp"
#include "tunekit/processes/build/build_pool.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure {

namespace detail {

/// The names of cubins in a cache, built or not. A value: kernels in worker processes carry a copy and find their code
/// with it. A key is a digest of the text, the entry point, architecture, flags and the compiler's version and file.
class cubin_cache : public code_cache {
public:
    /// Names cubins in `directory`. `compiler` is a text that identifies the compiler; it is a part of every key.
    cubin_cache(std::string directory, std::string compiler, const std::string& architecture,
                std::vector<std::string> flags)
        : code_cache(std::move(directory), ".cubin", std::move(compiler), with(architecture, std::move(flags)))
    {
    }

    /// The cubin and PTX with this key; empty where they are missing, incomplete or another user's.
    [[nodiscard]] cuda_image image(std::string_view key) const { return cuda_image::of(code(key)); }
    /// What `kernel` in the cubin with this key takes of a device; empty where there is none, or it cannot be read.
    [[nodiscard]] std::optional<cuda_resources> resources(std::string_view key, const std::string& kernel) const
    {
        return cubin_resources(path(key), kernel);
    }
    /// The bytes of the cubin with this key; empty where it is missing, incomplete or another user's.
    [[nodiscard]] std::string cubin(std::string_view key) const { return image(key).cubin; }

private:
    static std::vector<std::string> with(const std::string& architecture, std::vector<std::string> flags)
    {
        flags.insert(flags.begin(), "--gpu-architecture=" + architecture);
        return flags;
    }
};

inline constexpr const char* nvrtc_mark = "--tunekit-nvrtc";  ///< the first argument of a program started to compile
inline constexpr const char* name_mark = "--tunekit-name=";   ///< begins an option that names a kernel

/// Compiles `text` into `file`, and writes the compiler's messages to descriptor 1. Returns an exit status. Only for a
/// process that does nothing else: this one sees no devices from now on.
inline int compile_into(const nvrtc& compiler, const std::string& text, std::vector<std::string> options,
                        const std::string& file)
{
    std::vector<std::string> names;
    std::erase_if(options, [&](const std::string& o) {
        if (!o.starts_with(name_mark)) return false;
        names.push_back(o.substr(std::strlen(name_mark)));
        return true;
    });
    // NVRTC 13 calls cuInit, which takes 0.2 s of each compilation on an H100.
    ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    nvrtc::outcome built = compiler.compile(text, options, names);
    if (built.good) write_file(file, cuda_image{std::move(built.cubin), std::move(built.ptx)}.text());
    for (std::size_t at = 0; at < built.log.size();) {
        const ssize_t put = ::write(1, built.log.data() + at, built.log.size() - at);
        if (put <= 0) break;
        at += static_cast<std::size_t>(put);
    }
    return built.good ? 0 : 1;
}

/// `asked`, or where that is newer than all that the compiler knows, the newest of those. Its PTX runs on later
/// devices. Throws std::invalid_argument for any other that it does not know.
inline std::string known_architecture(const nvrtc& compiler, const std::string& asked)
{
    const int number = asked.starts_with("sm_") ? std::atoi(asked.c_str() + 3) : 0;
    const std::vector<int> known = compiler.architectures();
    if (asked == "sm_90a" && std::atoi(compiler.version().c_str()) == 11)
        return "sm_90";  // it has no name for the rest
    if (number > 0 && (known.empty() || std::find(known.begin(), known.end(), number) != known.end())) return asked;
    const auto newest = std::max_element(known.begin(), known.end());
    if (newest != known.end() && number > *newest) return "sm_" + std::to_string(*newest);
    std::string list;
    for (const int k : known) list += (list.empty() ? "sm_" : ", sm_") + std::to_string(k);
    invalid("nvrtc_builder: NVRTC " + compiler.version() + " does not compile for '" + asked + "', want one of " +
            list + (number > 0 && number < 75 ? "; NVRTC 12 compiles for sm_50 to sm_72, NVRTC 11 for sm_35 too" : ""));
}

/// NVRTC in processes of their own. `nvrtc_builder` starts them.
class nvrtc_toolchain {
public:
    static constexpr const char* suffix = ".cubin";

    nvrtc_toolchain(const std::string& directory, const auto& options)
        : compiler_(options.library),
          library_(options.library),
          program_(options.program == self ? own_path() : options.program),
          cache_(
              directory, compiler_.identity(), known_architecture(compiler_, options.architecture),
              with_includes(options.flags, options.includes.empty() ? compiler_.include_folders() : options.includes))
    {
    }

    [[nodiscard]] const cubin_cache& cache() const noexcept { return cache_; }
    [[nodiscard]] const nvrtc& compiler() const noexcept { return compiler_; }
    [[nodiscard]] static std::size_t together() { return 1; }
    [[nodiscard]] static bool alike(const source&, const source&) { return false; }

    [[nodiscard]] child_process start(const std::vector<build_job>& unit, const std::string& stem,
                                      const std::string& scratch) const
    {
        const source& what = unit.front().what;
        if (program_.empty())
            return child_process([this, &what, file = stem + suffix] {
                return compile_into(compiler_, what.text, options_of(what), file);
            });
        write_file(stem + ".cpp", what.text);
        std::vector<std::string> command{program_, nvrtc_mark, library_, stem + ".cpp", stem + suffix};
        for (std::string& option : options_of(what)) command.push_back(std::move(option));
        return child_process(command, scratch);
    }

    /// Whether it ended without the compiler's verdict: no file, no library, no such program.
    [[nodiscard]] static bool blames_machine(const child_process& process)
    {
        const int status = process.status();  // a variable: macOS's macros take its address
        return WIFEXITED(status) && WEXITSTATUS(status) >= 126;
    }
    /// A source that certainly compiles.
    [[nodiscard]] static source harmless(const source& /* like */)
    {
        return {"extern \"C\" __global__ void kernel() {}\n"};
    }

    static failure refused(const child_process& process)
    {
        const std::string text = process.text();
        const std::size_t at = text.find("error:");
        failure out = refusal(process, at == std::string::npos ? 0 : text.rfind('\n', at) + 1);  // npos + 1 is 0
        if (text.find("open source file") != std::string::npos)  // "cannot" in NVRTC 11 and 12, "could not" in 13
            out.message +=
                "; headers are looked for in the toolkit beside NVRTC, name others in nvrtc_builder::options::includes";
        return out;
    }

private:
    /// Those of the compiler, and the names of kernels.
    [[nodiscard]] std::vector<std::string> options_of(const source& what) const
    {
        std::vector<std::string> out = cache_.options_of(what);
        for (const std::string& name : what.names) out.push_back(name_mark + name);
        return out;
    }
    static std::vector<std::string> with_includes(std::vector<std::string> flags,
                                                  const std::vector<std::string>& includes)
    {
        for (const std::string& folder : includes) flags.push_back("--include-path=" + folder);
        return flags;
    }

    static constexpr const char* self = "/proc/self/exe";

    /// The path of this program. A shell starts it, and in the shell "/proc/self/exe" would be the shell.
    static std::string own_path()
    {
        char path[4096];
        const ssize_t n = ::readlink(self, path, sizeof path);
        if (n <= 0 || static_cast<std::size_t>(n) == sizeof path)
            throw error("nvrtc_builder: the path of this program cannot be read");
        return {path, static_cast<std::size_t>(n)};
    }

    nvrtc compiler_;
    std::string library_;
    std::string program_;
    cubin_cache cache_;
};

}  // namespace detail

/// Compiles CUDA C++ with NVRTC, each source once and in a process of its own.
///
///     nvrtc_builder pool({.architecture = "sm_90", .directory = "cache"});
///     auto measure = generated(program, std::move(pool), std::move(runs));
///
/// No device is needed. The library is opened here and the processes are forked from this one, so a compilation costs a
/// fork and the compiler's time. Nothing is compiled here: NVRTC 13 begins CUDA where there is a driver, and CUDA does
/// not survive the fork of a worker. Or programs are started, as `options::program` says. PTX is kept together
/// with the machine code. Where the architecture is newer than all that the library knows, it compiles for the newest
/// of those: the driver makes a device's own code from PTX. A source defines its entry point as
/// `extern "C" __global__`. What it includes is found in the toolkit that NVRTC belongs to (`options::includes`),
/// and its contents are a part of the key.
///
/// Failures:   build_error with the compiler's messages from its first error on, build_timeout.
/// Errors:     no_device where there is no NVRTC; std::invalid_argument for an architecture it does not know.
class nvrtc_builder : public build_pool<detail::nvrtc_toolchain> {
public:
    /// What is compiled for, and how.
    struct options {
        std::string architecture = "sm_80";  ///< of the device that runs the code: cuda_device::architecture()
        std::vector<std::string> flags{"--std=c++17"};  ///< of every compilation, before those of the source
        /// Where headers are looked for behind the folders of `flags`; empty: those of the toolkit beside NVRTC.
        std::vector<std::string> includes{};
        std::string
            directory{};  ///< of the cache, made where it is missing; empty: a temporary one, removed with the builder
        std::size_t processes = 0;  ///< compilers at a time; 0: one less than there are processors, at least 1
        std::string library{};      ///< path of libnvrtc; empty: the newest one found
        /// The program that is started for each source, for example "/proc/self/exe". Its main calls `serve`.
        /// Empty: this process is forked instead. That is faster, and not safe where the library keeps threads or
        /// locks.
        std::string program{};
    };

    /// Opens the library and the cache. Throws no_device, std::invalid_argument as said above, and tunekit::error where
    /// the directory cannot be used.
    explicit nvrtc_builder(const options& how) : build_pool(how.directory, how.processes, how) {}
    /// The same with the defaults.
    nvrtc_builder() : nvrtc_builder(options{}) {}

    /// Compiles and does not return, where this process was started to compile; else does nothing. Call it first in the
    /// main of `options::program`.
    ///
    ///     int main(int argc, char** argv)
    ///     {
    ///         tk::measure::nvrtc_builder::serve(argc, argv);
    ///         tk::measure::nvrtc_builder pool({.program = "/proc/self/exe"});
    ///     }
    ///
    /// The library is opened again each time, which takes about 0.1 s.
    static void serve(int argc, char** argv)
    {
        if (argc < 5 || std::strcmp(argv[1], detail::nvrtc_mark) != 0) return;
        int status = 126;
        try {
            const std::vector<std::string> asked(argv + 5, argv + argc);
            status = detail::compile_into(detail::nvrtc(argv[2]), detail::bytes_of(argv[3]).value_or(std::string()),
                                          asked, argv[4]);
        } catch (const std::exception& e) {
            ::dprintf(2, "error: %s\n", e.what());
        }
        detail::end_process(status);
    }

    /// The version of the library, such as "13.0".
    [[nodiscard]] std::string version() const { return tools().compiler().version(); }

    /// The architectures that the library compiles for: 80 stands for sm_80; empty where it does not say.
    [[nodiscard]] std::vector<int> architectures() const { return tools().compiler().architectures(); }
};

}  // namespace tunekit::measure
