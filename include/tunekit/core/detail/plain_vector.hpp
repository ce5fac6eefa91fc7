// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The vector of tunekit's inner parts, which is cheap to compile.

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "tunekit/core/compiled.hpp"

namespace tunekit::core {
namespace detail {

/// The memory of a `plain_vector`: what needs no type.
class block {
public:
    block() = default;
    block(const block& other) { append(other.first_, other.bytes()); }
    block(block&& other) noexcept { swap(other); }
    block& operator=(const block& other);
    block& operator=(block&& other) noexcept;
    ~block() { ::operator delete(first_); }

    void clear() noexcept { last_ = first_; }

protected:
    [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(last_ - first_); }
    [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(limit_ - first_); }

    void swap(block& other) noexcept;

    /// n elements of `each` bytes. Throws std::bad_alloc where no memory could hold them.
    [[nodiscard]] static std::size_t bytes_of(std::size_t n, std::size_t each);

    /// Moves to memory for `n` bytes. Throws std::bad_alloc.
    void move_to(std::size_t n);
    /// The same, or to twice what it has: for a whole number of elements.
    void grow(std::size_t n) { move_to(n < 2 * room() ? 2 * room() : n); }

    /// `from` is not in this block.
    void append(const void* from, std::size_t n);

    std::byte* first_ = nullptr;
    std::byte* last_ = nullptr;
    std::byte* limit_ = nullptr;
};

}  // namespace detail

/// A std::vector of trivially copyable elements, with what tunekit's inner parts use of it. A std::vector costs a
/// program some forty functions for each type of element, this ten: all that allocates and copies is compiled once for
/// all types. Public functions take spans, and return std::vector.
template <class T>
class plain_vector : public detail::block {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

public:
    using value_type = T;

    plain_vector() = default;
    explicit plain_vector(std::size_t n, T one = T{}) { resize(n, one); }
    plain_vector(std::initializer_list<T> some) { append({some.begin(), some.size()}); }
    explicit plain_vector(std::span<const T> some) { append(some); }

    [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(first_); }
    [[nodiscard]] const T* data() const noexcept { return reinterpret_cast<const T*>(first_); }
    [[nodiscard]] T* begin() noexcept { return reinterpret_cast<T*>(first_); }
    [[nodiscard]] const T* begin() const noexcept { return reinterpret_cast<const T*>(first_); }
    [[nodiscard]] T* end() noexcept { return reinterpret_cast<T*>(last_); }
    [[nodiscard]] const T* end() const noexcept { return reinterpret_cast<const T*>(last_); }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return reinterpret_cast<T*>(first_)[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return reinterpret_cast<const T*>(first_)[i]; }
    [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] T& back() noexcept { return reinterpret_cast<T*>(last_)[-1]; }
    [[nodiscard]] const T& back() const noexcept { return reinterpret_cast<const T*>(last_)[-1]; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes() / sizeof(T); }
    [[nodiscard]] bool empty() const noexcept { return first_ == last_; }

    void push_back(T one)
    {
        if (last_ == limit_) grow(bytes() + sizeof(T));
        *end() = one;
        last_ += sizeof(T);
    }
    void pop_back() noexcept { last_ -= sizeof(T); }

    /// Makes room for `n` elements and no more.
    void reserve(std::size_t n)
    {
        if (n > room() / sizeof(T)) move_to(bytes_of(n, sizeof(T)));
    }

    void resize(std::size_t n, T one = T{})
    {
        if (n > room() / sizeof(T)) grow(bytes_of(n, sizeof(T)));
        T* const to = begin() + n;
        for (T* at = end(); at < to; ++at) *at = one;
        last_ = first_ + n * sizeof(T);
    }

    void assign(std::size_t n, T one)
    {
        clear();
        resize(n, one);
    }

    /// Precondition, here and below: `some` are not its own elements.
    void assign(std::span<const T> some)
    {
        clear();
        append(some);
    }
    void append(std::span<const T> some) { block::append(some.data(), some.size() * sizeof(T)); }

    /// Puts `one` before the element at `at`. Cost: O(elements behind it).
    void insert(const T* at, T one)
    {
        std::size_t i = size();
        const auto to = static_cast<std::size_t>(at - begin());
        for (push_back(one); i > to; --i) (*this)[i] = (*this)[i - 1];
        (*this)[to] = one;
    }

    void erase(const T* first, const T* last) noexcept
    {
        T* to = begin() + (first - begin());
        for (; last < end(); ++last) *to++ = *last;
        last_ = reinterpret_cast<std::byte*>(to);
    }

    void swap(plain_vector& other) noexcept { block::swap(other); }

    friend bool operator==(const plain_vector& a, const plain_vector& b)
    {
        return a == std::span<const T>(b.data(), b.size());
    }
    friend bool operator==(const plain_vector& a, std::span<const T> b)
    {
        std::size_t i = 0;
        while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
        return i == a.size() && i == b.size();
    }
};

}  // namespace tunekit::core

#if TUNEKIT_BODIES
namespace tunekit::core::detail {

TUNEKIT_INLINE block& block::operator=(const block& other)
{
    if (this != &other) {
        clear();
        append(other.first_, other.bytes());
    }
    return *this;
}

TUNEKIT_INLINE block& block::operator=(block&& other) noexcept
{
    block gone(std::move(other));
    swap(gone);
    return *this;
}

TUNEKIT_INLINE void block::swap(block& other) noexcept
{
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(limit_, other.limit_);
}

TUNEKIT_INLINE std::size_t block::bytes_of(std::size_t n, std::size_t each)
{
    if (n > ~std::size_t{0} / 4 / each) throw std::bad_alloc();
    return n * each;
}

TUNEKIT_INLINE void block::move_to(std::size_t n)
{
    const std::size_t used = bytes();
    auto* const there = static_cast<std::byte*>(::operator new(n));
    if (used > 0) std::memcpy(there, first_, used);
    ::operator delete(first_);
    first_ = there;
    last_ = there + used;
    limit_ = there + n;
}

TUNEKIT_INLINE void block::append(const void* from, std::size_t n)
{
    if (n == 0) return;
    if (n > room() - bytes()) grow(bytes() + n);
    std::memcpy(last_, from, n);
    last_ += n;
}

}  // namespace tunekit::core::detail
#endif  // TUNEKIT_BODIES
