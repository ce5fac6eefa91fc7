// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Buffers for a kernel's outputs that detect writes outside them.

#include <sys/mman.h>
#include <unistd.h>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

/// The bytes between the end of a buffer and the end of its last page, filled with a pattern. A view.
struct canary {
    unsigned char* bytes = nullptr;
    std::size_t size = 0;

    static constexpr unsigned char pattern = 0xC5;

    /// The first byte that was overwritten, counted from the end of the buffer; `size` where none was.
    [[nodiscard]] std::size_t first_damaged() const noexcept
    {
        const volatile unsigned char* const seen = bytes;  // another process writes here
        std::size_t i = 0;
        while (i < size && seen[i] == pattern) ++i;
        return i;
    }

    [[nodiscard]] bool intact() const noexcept { return first_damaged() == size; }
    void restore() const noexcept { std::memset(bytes, pattern, size); }
};

/// A buffer of `n` elements in pages of its own, zero at first and shared with processes forked later: what a worker
/// writes, its parent reads.
///
///     measure::guarded_buffer<float> c(m * n);
///     auto measure = measure::isolated(space, timed{kernel, until_stable{}, check}, {.canaries = {c.canary()}});
///
/// The pages before and after cannot be touched, so writing far outside is a crash there and then; what lies between
/// the last element and the end of its page is a canary that `isolated` looks at after every candidate. The first
/// element is aligned to a page. All pages are present from the start. Move-only; views stay valid when it moves.
/// Throws:     tunekit::error where the system gives no memory, std::invalid_argument for 0 elements.
template <class T>
class guarded_buffer {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "tunekit: guarded_buffer: elements cross processes, want a trivially copyable type");

public:
    explicit guarded_buffer(std::size_t n) : size_(n)
    {
        require(n > 0, "guarded_buffer: 0 elements, want >= 1");
        require(n <= (std::numeric_limits<std::size_t>::max)() / 4 / sizeof(T),
                "guarded_buffer: the size overflows, want less");
        const std::size_t page = page_bytes();
        const std::size_t inner = (n * sizeof(T) + page - 1) / page * page;
        void* const at = ::mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw error("guarded_buffer: the system gives no memory of this size");
        whole_ = static_cast<unsigned char*>(at);
        mapped_ = inner + 2 * page;
        if (::mprotect(whole_ + page, inner, PROT_READ | PROT_WRITE) != 0) {
            ::munmap(whole_, mapped_);
            throw error("guarded_buffer: the system gives no access to its own pages");
        }
        std::memset(whole_ + page, 0, inner);
        canary().restore();
    }

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
        if (whole_ != nullptr) ::munmap(whole_, mapped_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(whole_ + page_bytes()); }
    [[nodiscard]] std::span<T> span() const noexcept { return {data(), size_}; }

    /// The bytes after the last element; none where the elements fill their last page.
    [[nodiscard]] measure::canary canary() const noexcept
    {
        unsigned char* const end = whole_ + page_bytes() + size_ * sizeof(T);
        return {end, static_cast<std::size_t>(whole_ + mapped_ - page_bytes() - end)};
    }

    /// Forbids writing, in this process and in processes forked later. Use it for references and inputs.
    void protect() const
    {
        if (::mprotect(whole_ + page_bytes(), mapped_ - 2 * page_bytes(), PROT_READ) != 0)
            throw error("guarded_buffer: the system refuses to protect its pages");
    }

private:
    static std::size_t page_bytes() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

    unsigned char* whole_ = nullptr;  ///< the page before the first element
    std::size_t mapped_ = 0;          ///< bytes, both guard pages included
    std::size_t size_ = 0;
};

}  // namespace tunekit::measure
