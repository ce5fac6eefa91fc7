// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// NVRTC, CUDA's compiler as a library, and what it makes: machine code of one architecture, and PTX for other devices.

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/library.hpp"

namespace tunekit::measure {

namespace detail {

/// A cubin and its PTX. In a file the PTX follows the cubin, and a last line says how long it is. Readers of ELF files
/// ignore what follows one.
struct cuda_image {
    std::string cubin{};  ///< machine code of one architecture, an ELF file
    std::string ptx{};    ///< what the driver of a later device compiles; else empty

    /// The content of a file: cubin, PTX and the line with its length.
    [[nodiscard]] std::string text() const
    {
        char line[line_size + 1];
        std::snprintf(line, sizeof line, "\nptx %016zu\n", ptx.size());
        return cubin + ptx + line;
    }

    /// The image in a file's content. A text without that line is all cubin.
    [[nodiscard]] static cuda_image of(std::string_view text)
    {
        const std::string last(text.substr(text.size() < line_size ? 0 : text.size() - line_size));
        std::size_t size = 0;
        int read = 0;
        const bool ours = std::sscanf(last.c_str(), "\nptx %16zu\n%n", &size, &read) == 1 && read == line_size &&
                          last.size() == line_size && size <= text.size() - line_size;
        if (!ours) return {std::string(text), {}};
        const std::size_t cubin = text.size() - line_size - size;
        return {std::string(text.substr(0, cubin)), std::string(text.substr(cubin, size))};
    }

    /// The name in machine code of the kernel that an expression names; the expression itself where it has no other.
    [[nodiscard]] std::string lowered(const std::string& expression) const
    {
        const std::string line = name_line(expression);
        const std::size_t at = ptx.find(line);
        if (at == std::string::npos) return expression;
        const std::size_t from = at + line.size();
        return ptx.substr(from, ptx.find('\n', from) - from);
    }
    /// The comment of PTX behind which stands the name in machine code.
    [[nodiscard]] static std::string name_line(const std::string& expression)
    {
        return "\n//tunekit " + expression + " is ";
    }

    friend bool operator==(const cuda_image&, const cuda_image&) = default;

private:
    static constexpr int line_size = 22;
};

/// The opened NVRTC library. Its few types are declared here, so that no toolkit is needed to compile this. Move-only.
class nvrtc {
    device_library library_;  // before the functions, which are found in it

public:
    /// The result of a compilation.
    struct outcome {
        bool good = false;    ///< whether there is machine code
        std::string cubin{};  ///< an ELF file; empty unless good
        std::string ptx{};    ///< what the driver of any later device can compile; empty unless good
        std::string log{};    ///< the compiler's messages, warnings included
    };

    /// Opens `path`, or where that is empty the newest libnvrtc found. Throws no_device where it is missing.
    explicit nvrtc(const std::string& path = {})
        : library_(path,
                   {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so",
                    "/usr/local/cuda/lib64/libnvrtc.so"},
                   "NVRTC",
                   "install the CUDA toolkit (libnvrtc), add its folder to LD_LIBRARY_PATH, or name the library")
    {
    }

    /// The version, such as "13.0".
    [[nodiscard]] std::string version() const
    {
        int major = 0, minor = 0;
        version_(&major, &minor);
        return std::to_string(major) + '.' + std::to_string(minor);
    }

    /// A text that identifies version and file: two different ones have the same only by chance.
    [[nodiscard]] std::string identity() const { return version() + ' ' + device_library::identity(version_); }

    /// The folders of the toolkit's headers that belong to this library: `include` beside or above its folder, or that
    /// of a cuda_runtime there, else that of the system's toolkit, and within it `cccl`, which has <cuda/std/...> from
    /// version 13 on. Empty without a toolkit.
    [[nodiscard]] std::vector<std::string> include_folders() const
    {
        std::vector<std::string> places;
        for (std::string folder = device_library::folder(version_); folder.size() > 1 && places.size() < 6;) {
            folder.erase((std::min)(folder.rfind('/'), folder.size()));
            places.push_back(folder + "/include");
            places.push_back(folder +
                             "/cuda_runtime/include");  // beside cuda_nvrtc, where a package manager split CUDA 12
        }
        for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
            if (const char* const value = std::getenv(name)) places.push_back(std::string(value) + "/include");
        places.insert(places.end(), {"/usr/local/cuda/include", "/usr/include"});
        for (const std::string& place : places) {
            if (::access((place + "/cuda_fp16.h").c_str(), R_OK) != 0) continue;
            std::vector<std::string> out{place};
            if (::access((place + "/cccl").c_str(), R_OK) == 0) out.push_back(place + "/cccl");
            return out;
        }
        return {};
    }

    /// The architectures that it can compile for: 80 stands for sm_80; empty where it does not say.
    [[nodiscard]] std::vector<int> architectures() const
    {
        int n = 0;
        if (arch_count_(&n) != 0 || n <= 0) return {};
        std::vector<int> out(static_cast<std::size_t>(n));
        if (archs_(out.data()) != 0) out.clear();
        return out;
    }

    /// Compiles `text` with options such as --gpu-architecture=sm_80. It is slow, may never end, and with NVRTC 13
    /// begins CUDA in this process where there is a driver, so run it in a process of its own, as `nvrtc_builder` does.
    /// `names` are expressions that name kernels; the image knows their names in machine code.
    [[nodiscard]] outcome compile(const std::string& text, const std::vector<std::string>& options,
                                  const std::vector<std::string>& names = {}) const
    {
        outcome out;
        program p = nullptr;
        if (const int code = create_(&p, text.c_str(), "generated", 0, nullptr, nullptr); code != 0) {
            out.log = explain_(code);
            return out;
        }
        if (!names.empty()) {
            int (*const add)(program, const char*) = library_.find("nvrtcAddNameExpression");
            for (const std::string& name : names) static_cast<void>(add(p, name.c_str()));
        }
        std::vector<const char*> words;
        for (const std::string& o : options) words.push_back(o.c_str());
        const int code = compile_(p, static_cast<int>(words.size()), words.data());
        out.log = read(p, log_size_, log_);
        while (!out.log.empty() && (out.log.back() == '\0' || out.log.back() == '\n')) out.log.pop_back();
        if (code != 0 && out.log.empty()) out.log = explain_(code);
        if (code == 0) out.cubin = read(p, cubin_size_, cubin_);
        if (code == 0) out.ptx = read(p, ptx_size_, ptx_);
        while (!out.ptx.empty() && out.ptx.back() == '\0') out.ptx.pop_back();
        for (const std::string& name : names) {
            if (code != 0) break;
            int (*const lowered)(program, const char*, const char**) = library_.find("nvrtcGetLoweredName");
            const char* found = nullptr;
            if (lowered(p, name.c_str(), &found) == 0 && found != nullptr)
                out.ptx += cuda_image::name_line(name) + found + '\n';
        }
        out.good = code == 0 && !out.cubin.empty();
        if (code == 0 && !out.good) out.log = "no machine code came out; want --gpu-architecture=sm_NN";
        destroy_(&p);
        return out;
    }

private:
    using program = void*;  // nvrtcProgram; results are nvrtcResult, an int that is 0 for success

    static std::string read(program p, int (*size)(program, std::size_t*), int (*get)(program, char*))
    {
        std::size_t n = 0;
        if (size(p, &n) != 0) return {};
        std::string out(n, '\0');
        return get(p, out.data()) == 0 ? out : std::string();
    }

    int (*version_)(int*, int*) = library_.find("nvrtcVersion");
    const char* (*explain_)(int) = library_.find("nvrtcGetErrorString");
    int (*create_)(program*, const char*, const char*, int, const char* const*,
                   const char* const*) = library_.find("nvrtcCreateProgram");
    int (*compile_)(program, int, const char* const*) = library_.find("nvrtcCompileProgram");
    int (*destroy_)(program*) = library_.find("nvrtcDestroyProgram");
    int (*log_size_)(program, std::size_t*) = library_.find("nvrtcGetProgramLogSize");
    int (*log_)(program, char*) = library_.find("nvrtcGetProgramLog");
    int (*cubin_size_)(program, std::size_t*) = library_.find("nvrtcGetCUBINSize");
    int (*cubin_)(program, char*) = library_.find("nvrtcGetCUBIN");
    int (*ptx_size_)(program, std::size_t*) = library_.find("nvrtcGetPTXSize");
    int (*ptx_)(program, char*) = library_.find("nvrtcGetPTX");
    int (*arch_count_)(int*) = library_.find("nvrtcGetNumSupportedArchs");
    int (*archs_)(int*) = library_.find("nvrtcGetSupportedArchs");
};

}  // namespace detail
}  // namespace tunekit::measure
