// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Buffers for a kernel's outputs that detect writes outside them.

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

/// The bytes between the end of a buffer and the end of its last page, filled with a pattern. A view.
struct canary {
    unsigned char* bytes = nullptr;  ///< the first byte after the buffer
    std::size_t size = 0;            ///< bytes up to the end of the page; may be 0

    static constexpr unsigned char pattern = 0xC5;  ///< the value of each byte until something else writes there

    /// The first byte that was overwritten, counted from the end of the buffer; `size` where none was.
    [[nodiscard]] std::size_t first_damaged() const noexcept;

    /// Whether every byte still has the pattern; true where there is no byte.
    [[nodiscard]] bool intact() const noexcept { return first_damaged() == size; }
    /// Writes the pattern into every byte again.
    void restore() const noexcept;
};

namespace detail {

/// The pages of a `guarded_buffer`, zero, between two that cannot be touched. Move-only.
class guarded_pages {
public:
    /// Maps what holds `bytes`. Throws tunekit::error where the system gives no memory.
    explicit guarded_pages(std::size_t bytes);
    guarded_pages(guarded_pages&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), bytes_(other.bytes_), inner_(other.inner_)
    {
    }
    guarded_pages& operator=(guarded_pages&& other) noexcept
    {
        std::swap(first_, other.first_);
        std::swap(bytes_, other.bytes_);
        std::swap(inner_, other.inner_);
        return *this;
    }
    guarded_pages(const guarded_pages&) = delete;
    guarded_pages& operator=(const guarded_pages&) = delete;
    ~guarded_pages();

    [[nodiscard]] unsigned char* first() const noexcept { return first_; }
    [[nodiscard]] measure::canary canary() const noexcept { return {first_ + bytes_, inner_ - bytes_}; }
    /// Forbids writing. Throws tunekit::error where the system refuses.
    void protect() const;

private:
    unsigned char* first_ = nullptr;  ///< the page after the first guard
    std::size_t bytes_ = 0;           ///< of the buffer
    std::size_t inner_ = 0;           ///< of the pages that hold it
};

}  // namespace detail

/// A buffer of `n` elements in pages of its own. It is zero at first, and shared with processes forked later: the
/// parent reads what a worker writes.
///
///     measure::guarded_buffer<float> c(m * n);
///     auto measure = measure::isolated(space, timed{kernel, until_stable{}, check}, {.canaries = {c.canary()}});
///
/// The pages before and after cannot be touched, so writing far outside crashes at once. The bytes between the last
/// element and the end of its page are a canary, which `isolated` checks after every candidate. The first element is
/// aligned to a page. All pages are present from the start. Move-only; views stay valid when it moves.
template <class T>
class guarded_buffer {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "tunekit: guarded_buffer: elements cross processes, want a trivially copyable type");

public:
    /// Maps pages for `n` elements, which are zero. Throws tunekit::error where the system gives no memory, and
    /// std::invalid_argument for 0 elements or a size that overflows.
    explicit guarded_buffer(std::size_t n) : pages_(bytes_of(n)), size_(n) {}

    /// Takes over the pages of `other`, which is empty afterwards.
    guarded_buffer(guarded_buffer&& other) noexcept
        : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0))
    {
    }
    guarded_buffer& operator=(guarded_buffer&& other) noexcept
    {
        std::swap(pages_, other.pages_);
        std::swap(size_, other.size_);
        return *this;
    }
    guarded_buffer(const guarded_buffer&) = delete;
    guarded_buffer& operator=(const guarded_buffer&) = delete;
    ~guarded_buffer() = default;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The first element, at the beginning of a page. Not for a buffer that was moved from.
    [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(pages_.first()); }
    /// A view of all elements, valid as long as the pages are.
    [[nodiscard]] std::span<T> span() const noexcept { return {data(), size_}; }

    /// The bytes after the last element; none where the elements fill their last page.
    [[nodiscard]] measure::canary canary() const noexcept { return pages_.canary(); }

    /// Forbids writing, in this process and in processes forked later. Use it for references and inputs. Throws
    /// tunekit::error where the system refuses.
    void protect() const { pages_.protect(); }

private:
    static std::size_t bytes_of(std::size_t n)
    {
        require(n > 0, "guarded_buffer: 0 elements, want >= 1");
        require(n <= (std::numeric_limits<std::size_t>::max)() / 4 / sizeof(T),
                "guarded_buffer: the size overflows, want less");
        return n * sizeof(T);
    }

    detail::guarded_pages pages_;
    std::size_t size_ = 0;
};

}  // namespace tunekit::measure
