// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A value whose type is hidden behind an interface.

#include <type_traits>
#include <utility>

#include "tunekit/core/config.hpp"

namespace tunekit::core {

/// Owns an object of a type derived from `Base`. A copy owns a copy of the object. The type-erased classes of tunekit
/// use it, so that they stay values. It is empty only after a move.
/// Precondition: Base has a virtual destructor.
template <class Base>
class polymorphic {
public:
    /// Holds a `Derived` made from `args`, which is brace-initialised.
    template <class Derived, class... Args>
    [[nodiscard]] static polymorphic make(Args&&... args)
    {
        static_assert(std::has_virtual_destructor_v<Base>);
        return polymorphic(new Derived{std::forward<Args>(args)...},
                           [](const Base& b) -> Base* { return new Derived(static_cast<const Derived&>(b)); });
    }

    /// Copies or moves the object.
    polymorphic(const polymorphic& other)
        : held_(other.held_ == nullptr ? nullptr : other.copy_(*other.held_)), copy_(other.copy_)
    {
    }
    /// Copies or moves the object.
    polymorphic(polymorphic&& other) noexcept : held_(std::exchange(other.held_, nullptr)), copy_(other.copy_) {}
    polymorphic& operator=(polymorphic other) noexcept
    {
        std::swap(held_, other.held_);
        std::swap(copy_, other.copy_);
        return *this;
    }
    ~polymorphic() { delete held_; }

    /// The object. Precondition: not empty.
    [[nodiscard]] Base* operator->() noexcept { return held_; }
    /// The object. Precondition: not empty.
    [[nodiscard]] const Base* operator->() const noexcept { return held_; }

private:
    using copier = Base* (*)(const Base&);

    polymorphic(Base* held, copier copy) noexcept : held_(held), copy_(copy) {}

    // A plain pointer: <memory> takes longer to read than all of a space's parameters.
    Base* held_;
    copier copy_;
};

}  // namespace tunekit::core
