// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Copies of a buffer for successive runs, so that no run finds its data in a cache.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/caches.hpp"

namespace tunekit::measure {

/// A ring of equal buffers. There are so many that the caches have lost one before it is used again.
///
///     rotating<float> input(n);
///     input.fill(values);
///     timed{[&](const auto& config) {
///         return [&, config](std::uint64_t turn) { kernel(config, input.at(turn)); };
///     }, until_confident{}}
///
/// Unlike `cache::cold` it needs no flush: runs follow each other without a pause, and short ones can be batched. It is
/// what a kernel meets in the middle of a larger program: other data each time, while its own code and small tables are
/// still in the caches. The checked run of `timed` is turn 0. The first element of each copy is aligned to 64 bytes.
/// All pages are present from the start. Move-only; views stay valid when it moves.
///
/// Throws:     std::invalid_argument for 0 elements, std::bad_alloc.
/// Cost:       memory: `total` bytes and one copy more.
template <class T>
class rotating {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && alignof(T) <= 64,
                  "tunekit: rotating: elements are filled as bytes are, want a trivially copyable type");

public:
    /// Makes copies of `n` elements each, zero at first: as many as reach `total` bytes, and one more. Where `total` is
    /// 0, it is `beyond_caches()`.
    explicit rotating(std::size_t n, std::size_t total = 0) : size_(n)
    {
        require(n > 0, "rotating: 0 elements, want >= 1");
        require(n <= (std::numeric_limits<std::size_t>::max)() / 4 / sizeof(T),
                "rotating: more elements than memory can hold");
        stride_ = (n * sizeof(T) + 63) / 64 * 64;
        const std::size_t bytes = total != 0 ? total : beyond_caches();
        copies_ = (bytes + stride_ - 1) / stride_ + 1;
        bytes_.resize(copies_ * stride_ + 63);
        first_ = bytes_.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64) % 64;
    }

    rotating(rotating&&) noexcept = default;
    rotating& operator=(rotating&&) noexcept = default;
    rotating(const rotating&) = delete;
    rotating& operator=(const rotating&) = delete;
    ~rotating() = default;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }      ///< number of elements of each copy
    [[nodiscard]] std::size_t copies() const noexcept { return copies_; }  ///< number of copies, at least 2

    /// The copy for run `turn`: 0, 1, 2, ... and from the start again.
    [[nodiscard]] std::span<T> at(std::uint64_t turn) const noexcept
    {
        unsigned char* const copy = first_ + static_cast<std::size_t>(turn % copies_) * stride_;
        return {reinterpret_cast<T*>(copy), size_};
    }

    /// Writes `content` into every copy. Throws std::invalid_argument where it has another size.
    void fill(std::span<const T> content)
    {
        require(content.size() == size_, "rotating.fill: content of another size than the copies");
        for (std::size_t k = 0; k < copies_; ++k) std::copy(content.begin(), content.end(), at(k).begin());
    }

private:
    std::size_t size_ = 0;
    std::size_t stride_ = 0;  ///< bytes from copy to copy
    std::size_t copies_ = 0;
    std::vector<unsigned char> bytes_{};
    unsigned char* first_ = nullptr;  ///< the first aligned byte of `bytes_`
};

}  // namespace tunekit::measure
