// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Libraries of devices, opened at first use. Programs that include this also start on machines without them.

#include <dlfcn.h>
#include <sys/stat.h>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/system/files.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure {

/// The error that there is no such device here, or no driver or library for it. tunekit's programs then end with
/// status 3.
struct no_device : error {
    using error::error;  ///< takes the message: what is missing, and the remedy
};

namespace detail {

/// The error of a driver or runtime call that failed. For a candidate it is the failure out_of_memory or launch_error,
/// with the code.
struct cuda_failure : candidate_error {
    /// A CUresult or cudaError that is not 0, and one line about the call. Code 2 is out_of_memory.
    cuda_failure(int code, std::string what)
        : candidate_error({.kind = code == 2 ? failure_kind::out_of_memory : failure_kind::launch_error,
                           .code = code,
                           .message = std::move(what)})
    {
    }
};

/// The name of an error code that a candidate may meet; "OpenCL error" for any other.
[[nodiscard]] constexpr const char* opencl_name(int code) noexcept
{
    constexpr std::pair<int, const char*> names[] = {{-1, "CL_DEVICE_NOT_FOUND"},
                                                     {-2, "CL_DEVICE_NOT_AVAILABLE"},
                                                     {-3, "CL_COMPILER_NOT_AVAILABLE"},
                                                     {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
                                                     {-5, "CL_OUT_OF_RESOURCES"},
                                                     {-6, "CL_OUT_OF_HOST_MEMORY"},
                                                     {-11, "CL_BUILD_PROGRAM_FAILURE"},
                                                     {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
                                                     {-30, "CL_INVALID_VALUE"},
                                                     {-42, "CL_INVALID_BINARY"},
                                                     {-43, "CL_INVALID_BUILD_OPTIONS"},
                                                     {-44, "CL_INVALID_PROGRAM"},
                                                     {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
                                                     {-46, "CL_INVALID_KERNEL_NAME"},
                                                     {-49, "CL_INVALID_ARG_INDEX"},
                                                     {-50, "CL_INVALID_ARG_VALUE"},
                                                     {-51, "CL_INVALID_ARG_SIZE"},
                                                     {-52, "CL_INVALID_KERNEL_ARGS"},
                                                     {-54, "CL_INVALID_WORK_GROUP_SIZE"},
                                                     {-55, "CL_INVALID_WORK_ITEM_SIZE"},
                                                     {-61, "CL_INVALID_BUFFER_SIZE"},
                                                     {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
                                                     {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
    for (const auto& [number, name] : names)
        if (number == code) return name;
    return "OpenCL error";
}

/// The error of a call that failed. For a candidate it is the failure out_of_memory or launch_error, with the cl_int.
struct opencl_failure : candidate_error {
    /// A cl_int that is not 0, and what was being done. Codes -4 and -6 are out_of_memory.
    opencl_failure(int code, std::string_view doing)
        : candidate_error(
              {.kind = code == -4 || code == -6 ? failure_kind::out_of_memory : failure_kind::launch_error,
               .code = code,
               .message = std::string(doing) + ": " + opencl_name(code) + " (" + std::to_string(code) + ')'})
    {
    }
};

}  // namespace detail

/// A shared library, opened by the first of several names that works. Move-only. It stays open, because its own threads
/// may still run in it.
class device_library {
public:
    /// Opens `path`, or where that is empty the first of `names` that works. Throws no_device: "no <what>: <reason>;
    /// <remedy>".
    device_library(const std::string& path, const std::vector<std::string>& names, const char* what, const char* remedy)
        : what_(what)
    {
        std::string reason;
        for (const std::string& name : path.empty() ? names : std::vector<std::string>{path}) {
            handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle_ != nullptr) return;
            const char* const why = ::dlerror();
            if (reason.empty()) reason = why != nullptr ? why : name + " does not open";
        }
        throw no_device("no " + what_ + ": " + reason + "; " + remedy);
    }

    /// A function of the library, which becomes a pointer of the type that it is put into.
    struct symbol {
        void* at;  ///< its address

        /// The address as a pointer to a function of that type.
        template <class Function>
            requires std::is_function_v<Function>
        operator Function*() const noexcept
        {
            return reinterpret_cast<Function*>(at);
        }
    };

    /// The function `name`. Throws no_device where the library has none.
    [[nodiscard]] symbol find(const char* name) const
    {
        const symbol found = find_newer(name);
        if (found.at == nullptr) throw no_device("no " + what_ + " of use: it lacks " + name + "; install a newer one");
        return found;
    }
    /// The same for a function that older versions lack and few callers need: there it is null.
    [[nodiscard]] symbol find_newer(const char* name) const { return {::dlsym(handle_, name)}; }

    /// The folder of the library file, links followed, from the place of a function in it; empty where that is not
    /// known.
    template <class Function>
    [[nodiscard]] static std::string folder(Function* of)
    {
        Dl_info where{};
        if (::dladdr(reinterpret_cast<void*>(of), &where) == 0 || where.dli_fname == nullptr) return {};
        char* const whole = ::realpath(where.dli_fname, nullptr);
        std::string out = whole == nullptr ? "" : whole;
        std::free(whole);
        return out.substr(0, (std::min)(out.rfind('/'), out.size()));
    }

    /// A text that identifies this library file among others of its kind, from the place of a function in it.
    template <class Function>
    [[nodiscard]] static std::string identity(Function* of)
    {
        Dl_info where{};
        struct stat s{};
        std::string all;
        if (::dladdr(reinterpret_cast<void*>(of), &where) != 0 && where.dli_fname != nullptr &&
            ::stat(where.dli_fname, &s) == 0) {
            detail::add_part(all, where.dli_fname);
            detail::add_part(all, std::to_string(s.st_size));
            detail::add_part(all, system::time_of_change(s));
        }
        return detail::digest(all);
    }

private:
    std::string what_;
    void* handle_ = nullptr;
};

}  // namespace tunekit::measure
