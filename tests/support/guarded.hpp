// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

/// Which end of a `guarded` touches a page without access. The other end is up to a page away from one: run a kernel once with each.
enum class guard { behind, before };

/// Elements beside a page without access, on the side asked for.
template <class T>
class basic_guarded {
public:
    explicit basic_guarded(std::size_t n, guard side = guard::behind) : size_(n)
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t bytes = (n * sizeof(T) + page - 1) / page * page;
        total_ = bytes + 2 * page;
        base_ = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base_ == MAP_FAILED) throw std::bad_alloc();
        auto* const first = static_cast<std::byte*>(base_);
        mprotect(first, page, PROT_NONE);
        mprotect(first + page + bytes, page, PROT_NONE);
        data_ = reinterpret_cast<T*>(first + page + (side == guard::behind ? bytes - n * sizeof(T) : 0));
    }
    basic_guarded(const basic_guarded&) = delete;
    basic_guarded& operator=(const basic_guarded&) = delete;
    ~basic_guarded() { munmap(base_, total_); }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::span<T> span() const { return {data_, size_}; }
    void fill(T v) const { std::fill_n(data_, size_, v); }

private:
    std::size_t size_, total_ = 0;
    void* base_ = nullptr;
    T* data_ = nullptr;
};

using guarded = basic_guarded<float>;
