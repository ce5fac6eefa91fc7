// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A value whose type its owner does not know.

#include <type_traits>
#include <utility>

#include "tunekit/core/config.hpp"

namespace tunekit::measure::detail {

/// Owns a value of any type, whose address does not change. Move-only. It has a plain pointer, because <memory> takes
/// longer to compile than what uses this.
class owned {
public:
    owned() = default;
    template <class T>
        requires(!std::is_same_v<T, owned>)
    explicit owned(T value) : held_(new T(std::move(value))), end_([](void* held) { delete static_cast<T*>(held); })
    {
    }
    owned(owned&& other) noexcept : held_(std::exchange(other.held_, nullptr)), end_(other.end_) {}
    owned& operator=(owned&& other) noexcept
    {
        std::swap(held_, other.held_);
        std::swap(end_, other.end_);
        return *this;
    }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    ~owned()
    {
        if (held_ != nullptr) end_(held_);
    }

    [[nodiscard]] void* get() const noexcept { return held_; }

private:
    void* held_ = nullptr;
    void (*end_)(void*) = nullptr;
};

}  // namespace tunekit::measure::detail
