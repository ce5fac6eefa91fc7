// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Memory for packed operands: elements at a multiple of 64 bytes, zero at first, in large pages where the memory is
/// large.

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "tunekit/core/config.hpp"
#include "tunekit/processes/system/memory.hpp"

namespace tunekit::kernels {

/// A fixed number of elements, aligned to 64 bytes. It can be moved, not copied.
///
/// A buffer of 4 MiB or more is aligned to 2 MiB, and asks Linux for pages of that size. Linux may refuse. With them,
/// operands larger than the second-level cache are read without a page walk every 4 KiB.
template <class T = float>
class buffer {
public:
    buffer() = default;

    /// Makes a buffer of `n` zeros.
    explicit buffer(std::size_t n) : data_(allocate(n)), size_(n) { std::fill_n(data_, n, T{}); }

    buffer(buffer&& b) noexcept : data_(std::exchange(b.data_, nullptr)), size_(std::exchange(b.size_, 0)) {}
    buffer& operator=(buffer&& b) noexcept
    {
        std::swap(data_, b.data_);
        std::swap(size_, b.size_);
        return *this;
    }
    ~buffer()
    {
        if (data_ != nullptr) ::operator delete(data_, alignment(size_));
    }

    /// The first element; nullptr of an empty buffer.
    [[nodiscard]] T* data() noexcept { return data_; }
    /// The first element; nullptr of an empty buffer.
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Element i. Precondition: i < size().
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
    /// Element i. Precondition: i < size().
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    static constexpr std::size_t page = std::size_t{1} << 21;

    [[nodiscard]] static constexpr std::align_val_t alignment(std::size_t n) noexcept
    {
        return std::align_val_t{n * sizeof(T) >= 2 * page ? page : 64};
    }

    [[nodiscard]] static T* allocate(std::size_t n)
    {
        if (n == 0) return nullptr;
        const auto align = alignment(n);
        const std::size_t unit = static_cast<std::size_t>(align), bytes = (n * sizeof(T) + unit - 1) / unit * unit;
        void* const memory = ::operator new(bytes, align);
        if (unit == page) system::prefer_large_pages(memory, bytes);
        return static_cast<T*>(memory);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tunekit::kernels
