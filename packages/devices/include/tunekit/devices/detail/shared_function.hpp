// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A function whose type is not in what holds it.

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tunekit::measure::detail {

/// A function whose type is not in what holds it; copies share it. Empty by default. <functional>, which has the like,
/// costs whoever includes it more than all of this header.
template <class>
class shared_function;

template <class R, class... Args>
class shared_function<R(Args...)> {
public:
    shared_function() = default;
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, shared_function> && std::is_invocable_r_v<R, F&, Args...>)
    shared_function(F f)  // implicit: `.verify = f`
        : to_(std::make_shared<F>(std::move(f))), call_(&call<F>)
    {
    }

    explicit operator bool() const noexcept { return call_ != nullptr; }
    /// Precondition: it is not empty.
    R operator()(Args... args) const { return call_(to_.get(), std::forward<Args>(args)...); }

private:
    template <class F>
    static R call(void* to, Args... args)
    {
        F& f = *static_cast<F*>(to);
        if constexpr (std::is_void_v<R>) f(std::forward<Args>(args)...);
        else return f(std::forward<Args>(args)...);
    }

    std::shared_ptr<void> to_{};
    R (*call_)(void*, Args...) = nullptr;
};

}  // namespace tunekit::measure::detail
