// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Libraries of devices, opened at first use. Programs that include this also start on machines without them.

#include <dlfcn.h>
#include <sys/stat.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/detail/system/files.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/build/compiler.hpp"

namespace tunekit::measure {

/// The error that there is no such device here, or no driver for it. tunekit's programs then end with status 3.
struct no_device : error {
    using error::error;  ///< takes the message: what is missing, and the remedy
};

/// A shared library, opened by the first of several names that works; `Missing` is the error where none does. Move-only.
/// It stays open, because its own threads may still run in it.
template <class Missing>
class device_library {
public:
    /// Opens `path`, or where that is empty the first of `names` that works. Throws Missing: "no <what>: <reason>; <remedy>".
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
        throw Missing("no " + what_ + ": " + reason + "; " + remedy);
    }

    /// Stores the function `name` in `to`. Throws Missing where the library has none.
    template <class Function>
    void find(Function*& to, const char* name) const
    {
        static_assert(std::is_function_v<Function>, "tunekit: device_library.find: want a pointer to a function");
        void* const found = ::dlsym(handle_, name);
        if (found == nullptr) throw Missing("no " + what_ + " of use: it lacks " + name + "; install a newer one");
        to = reinterpret_cast<Function*>(found);
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
            detail::add_part(all, core::detail::system::time_of_change(s));
        }
        return detail::digest(all);
    }

private:
    std::string what_;
    void* handle_ = nullptr;
};

}  // namespace tunekit::measure
