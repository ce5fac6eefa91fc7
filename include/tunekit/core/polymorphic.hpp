// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A value whose type is known only behind an interface.

#include <memory>
#include <type_traits>
#include <utility>

#include "tunekit/core/config.hpp"

namespace tunekit::core {

/// Owns an object of a type derived from `Base` and copies it with itself: the type-erased edges of tunekit are made of
/// this, so that what they hold stays a value. Empty only after a move.
/// Precondition: Base has a virtual destructor.
template <class Base>
class polymorphic {
public:
    /// Holds a `Derived` made from `args`, which is brace-initialised.
    template <class Derived, class... Args>
    [[nodiscard]] static polymorphic make(Args&&... args)
    {
        static_assert(std::has_virtual_destructor_v<Base>);
        polymorphic p;
        p.held_.reset(new Derived{std::forward<Args>(args)...});
        p.copy_ = [](const Base& b) { return std::unique_ptr<Base>(new Derived(static_cast<const Derived&>(b))); };
        return p;
    }

    polymorphic(const polymorphic& other) : held_(other.held_ ? other.copy_(*other.held_) : nullptr), copy_(other.copy_) {}
    polymorphic(polymorphic&&) noexcept = default;
    polymorphic& operator=(polymorphic other) noexcept
    {
        held_.swap(other.held_);
        std::swap(copy_, other.copy_);
        return *this;
    }
    ~polymorphic() = default;

    [[nodiscard]] Base* operator->() noexcept { return held_.get(); }
    [[nodiscard]] const Base* operator->() const noexcept { return held_.get(); }

private:
    polymorphic() = default;

    std::unique_ptr<Base> held_;
    std::unique_ptr<Base> (*copy_)(const Base&) = nullptr;
};

}  // namespace tunekit::core
