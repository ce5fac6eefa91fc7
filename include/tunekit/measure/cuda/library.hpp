// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA's libraries, opened when they are first needed: programs that include this start on machines without them.

#include <dlfcn.h>
#include <sys/stat.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/build/compiler.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// There is no CUDA here, or no such device. Programs end with status 3.
struct no_cuda : error {
    using error::error;
};

/// A call of the driver or the runtime that did not do its work: as a candidate's, out_of_memory or launch_error with the
/// code.
struct cuda_failure : candidate_error {
    cuda_failure(int code, std::string what)
        : candidate_error({.kind = code == 2 ? failure_kind::out_of_memory : failure_kind::launch_error,
                           .code = code,
                           .message = std::move(what)})
    {
    }
};

/// A library of CUDA's, under the first of several names that opens. Move-only; stays open, because threads of its own
/// may still run in it.
class cuda_library {
public:
    /// `path`, or where that is empty the first of `names`. Throws no_cuda: "no <what>: <reason>; <remedy>".
    cuda_library(const std::string& path, const std::vector<std::string>& names, const char* what, const char* remedy)
        : what_(what)
    {
        std::string reason;
        for (const std::string& name : path.empty() ? names : std::vector<std::string>{path}) {
            handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle_ != nullptr) return;
            const char* const why = ::dlerror();
            if (reason.empty()) reason = why != nullptr ? why : name + " does not open";
        }
        throw no_cuda("no " + what_ + ": " + reason + "; " + remedy);
    }

    /// Puts the function `name` into `to`. Throws no_cuda where the library has none.
    template <class Function>
    void find(Function*& to, const char* name) const
    {
        static_assert(std::is_function_v<Function>, "tunekit: cuda_library.find: want a pointer to a function");
        void* const found = ::dlsym(handle_, name);
        if (found == nullptr) throw no_cuda("no " + what_ + " of use: it lacks " + name + "; install a newer one");
        to = reinterpret_cast<Function*>(found);
    }

    /// Tells this file from others of its kind, by the place of a function in it.
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
            detail::add_part(all, std::to_string(s.st_mtim.tv_sec) + '.' + std::to_string(s.st_mtim.tv_nsec));
        }
        return detail::digest(all);
    }

private:
    std::string what_;
    void* handle_ = nullptr;
};

}  // namespace tunekit::measure
