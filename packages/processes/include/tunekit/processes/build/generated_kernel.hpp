// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels from built shared objects, for `timed`.

#include <string>
#include <type_traits>
#include <utility>

#include "tunekit/processes/build/build_cache.hpp"

namespace tunekit::measure {

/// A loaded shared object. The destructor unloads it. Move-only.
class loaded_code {
public:
    /// Loads the shared object. Throws tunekit::error with the loader's reason.
    explicit loaded_code(const std::string& path);
    /// Takes over the loaded object; `other` must not be used any more.
    loaded_code(loaded_code&& other) noexcept;
    loaded_code& operator=(loaded_code&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    loaded_code(const loaded_code&) = delete;
    loaded_code& operator=(const loaded_code&) = delete;
    ~loaded_code();

    /// The function called `name`. Precondition: it has this signature. Throws tunekit::error where it is missing.
    template <class Signature>
    [[nodiscard]] Signature* function(const std::string& name) const
    {
        static_assert(std::is_function_v<Signature>,
                      "tunekit: loaded_code.function: want a signature such as void(float*)");
        return reinterpret_cast<Signature*>(entry_of(name));
    }

    /// What `bind(function, config)` makes of the function `entry`. The code is unloaded after it is destroyed. Throws
    /// tunekit::error where there is no such function. Precondition: it has this signature.
    template <class Signature, class Bind, class Config>
    [[nodiscard]] auto bound(const std::string& entry, Bind& bind, const Config& config) &&;

private:
    [[nodiscard]] void* entry_of(const std::string& name) const;

    void* handle_;
};

namespace detail {

struct keeps_code {
    loaded_code code;
};

/// A callable that runs a kernel, and the code that it runs. The code is unloaded last.
template <class Run>
struct loaded_run : private keeps_code, public Run {
    loaded_run(loaded_code loaded, Run run) : keeps_code{std::move(loaded)}, Run(std::move(run)) {}
};

}  // namespace detail

template <class Signature, class Bind, class Config>
auto loaded_code::bound(const std::string& entry, Bind& bind, const Config& config) &&
{
    auto* const found = function<Signature>(entry);
    auto run = bind(found, config);
    return detail::loaded_run<decltype(run)>(std::move(*this), std::move(run));
}

/// The kernel of a template, for `timed`. It finds the code that was built for a configuration, loads it, and hands its
/// function to `bind`.
///
///     auto kernel = generated_kernel<void(float*)>(scale, compilers.cache(), [&](auto* run, const auto&) {
///         return [=] { run(x); };
///     });
///
/// `bind(function, config)` returns the callable that `timed` runs: of nothing or of the turn, with `restore()` where
/// it is needed. It may pack operands as the configuration asks. The code is unloaded when the callable is destroyed.
/// Only the configuration is needed to find the code, so it works in processes forked before anything was built.
///
/// Errors: tunekit::error where the code was not built, does not load, or has no such function.
template <class Signature, class Template, class Bind>
[[nodiscard]] auto generated_kernel(Template what, build_cache cache, Bind bind)
{
    return [what = std::move(what), cache = std::move(cache), bind = std::move(bind)](const auto& config) mutable {
        const std::string key = cache.key(what.source_of(config), what.entry);
        return loaded_code(cache.path(key)).template bound<Signature>(build_cache::symbol(key), bind, config);
    };
}

}  // namespace tunekit::measure
