// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Buffers for a kernel's outputs that detect writes outside them.

#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/system/memory.hpp"

namespace tunekit::measure {

/// The bytes between the end of a buffer and the end of its last page, filled with a pattern. A view.
struct canary {
    unsigned char* bytes = nullptr;  ///< the first byte after the buffer
    std::size_t size = 0;            ///< bytes up to the end of the page; may be 0

    static constexpr unsigned char pattern = 0xC5;  ///< the value of each byte until something else writes there

    /// The first byte that was overwritten, counted from the end of the buffer; `size` where none was.
    [[nodiscard]] std::size_t first_damaged() const noexcept
    {
        const volatile unsigned char* const seen = bytes;  // another process writes here
        std::size_t i = 0;
        while (i < size && seen[i] == pattern) ++i;
        return i;
    }

    /// Whether every byte still has the pattern; true where there is no byte.
    [[nodiscard]] bool intact() const noexcept { return first_damaged() == size; }
    /// Writes the pattern into every byte again.
    void restore() const noexcept { std::memset(bytes, pattern, size); }
};

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
    explicit guarded_buffer(std::size_t n) : size_(n)
    {
        require(n > 0, "guarded_buffer: 0 elements, want >= 1");
        require(n <= (std::numeric_limits<std::size_t>::max)() / 4 / sizeof(T),
                "guarded_buffer: the size overflows, want less");
        const std::size_t page = system::detail::page_bytes();
        const std::size_t inner = (n * sizeof(T) + page - 1) / page * page;
        void* const at = system::detail::map_pages(inner + 2 * page);
        if (at == nullptr) throw error("guarded_buffer: the system gives no memory of this size");
        whole_ = static_cast<unsigned char*>(at);
        mapped_ = inner + 2 * page;
        if (!system::detail::protect_pages(whole_ + page, inner, system::detail::access::write)) {
            system::detail::unmap_pages(whole_, mapped_);
            throw error("guarded_buffer: the system gives no access to its own pages");
        }
        std::memset(whole_ + page, 0, inner);
        canary().restore();
    }

    /// Takes over the pages of `other`, which is empty afterwards.
    guarded_buffer(guarded_buffer&& other) noexcept
        : whole_(std::exchange(other.whole_, nullptr)), mapped_(other.mapped_), size_(std::exchange(other.size_, 0))
    {
    }
    guarded_buffer& operator=(guarded_buffer&& other) noexcept
    {
        std::swap(whole_, other.whole_);
        std::swap(mapped_, other.mapped_);
        std::swap(size_, other.size_);
        return *this;
    }
    guarded_buffer(const guarded_buffer&) = delete;
    guarded_buffer& operator=(const guarded_buffer&) = delete;
    ~guarded_buffer()
    {
        if (whole_ != nullptr) system::detail::unmap_pages(whole_, mapped_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The first element, at the beginning of a page. Not for a buffer that was moved from.
    [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(whole_ + system::detail::page_bytes()); }
    /// A view of all elements, valid as long as the pages are.
    [[nodiscard]] std::span<T> span() const noexcept { return {data(), size_}; }

    /// The bytes after the last element; none where the elements fill their last page.
    [[nodiscard]] measure::canary canary() const noexcept
    {
        unsigned char* const end = whole_ + system::detail::page_bytes() + size_ * sizeof(T);
        return {end, static_cast<std::size_t>(whole_ + mapped_ - system::detail::page_bytes() - end)};
    }

    /// Forbids writing, in this process and in processes forked later. Use it for references and inputs. Throws
    /// tunekit::error where the system refuses.
    void protect() const
    {
        const std::size_t page = system::detail::page_bytes();
        if (!system::detail::protect_pages(whole_ + page, mapped_ - 2 * page, system::detail::access::read))
            throw error("guarded_buffer: the system refuses to protect its pages");
    }

private:
    unsigned char* whole_ = nullptr;  ///< the page before the first element
    std::size_t mapped_ = 0;          ///< bytes, both guard pages included
    std::size_t size_ = 0;
};

}  // namespace tunekit::measure
