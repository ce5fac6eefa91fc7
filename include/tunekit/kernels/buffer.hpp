// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Memory for packed operands: floats at a multiple of 64 bytes, zero at first.

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "tunekit/core/config.hpp"

namespace tunekit::kernels {

/// A fixed number of floats, aligned to 64 bytes. Moves, does not copy.
class buffer {
public:
    buffer() = default;

    /// `n` zeros.
    explicit buffer(std::size_t n)
        : data_(n == 0 ? nullptr : static_cast<float*>(::operator new(n * sizeof(float), alignment))), size_(n)
    {
        std::fill_n(data_, n, 0.0F);
    }

    buffer(buffer&& b) noexcept : data_(std::exchange(b.data_, nullptr)), size_(std::exchange(b.size_, 0)) {}
    buffer& operator=(buffer&& b) noexcept
    {
        std::swap(data_, b.data_);
        std::swap(size_, b.size_);
        return *this;
    }
    ~buffer()
    {
        if (data_ != nullptr) ::operator delete(data_, alignment);
    }

    [[nodiscard]] float* data() noexcept { return data_; }
    [[nodiscard]] const float* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] float& operator[](std::size_t i) noexcept { return data_[i]; }
    [[nodiscard]] const float& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    static constexpr std::align_val_t alignment{64};
    float* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tunekit::kernels
