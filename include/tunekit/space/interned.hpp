// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuples known by numbers: the states of a tree while it is built.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::space::detail {

[[noreturn]] inline void too_many_links()
{
    invalid("space: constraints link too many values to be counted, want smaller groups of parameters");
}

/// Tuples of 16-bit ordinals of one length, each kept once and known by its number.
class interned {
public:
    explicit interned(std::size_t length) : length_(length) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] const std::uint16_t* operator[](std::size_t i) const noexcept { return words_.data() + i * length_; }

    /// The number of the tuple.
    std::uint32_t add(const std::uint16_t* tuple)
    {
        if (2 * (size_ + 1) > slots_.size()) grow();
        std::size_t at = hash(tuple) & (slots_.size() - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
            if (std::equal(tuple, tuple + length_, (*this)[slots_[at] - 1])) return slots_[at] - 1;
        if (size_ == 0xfffffffeU) too_many_links();
        for (std::size_t i = 0; i < length_; ++i) words_.push_back(tuple[i]);
        slots_[at] = static_cast<std::uint32_t>(++size_);
        return slots_[at] - 1;
    }

private:
    [[nodiscard]] std::size_t hash(const std::uint16_t* tuple) const noexcept
    {
        std::uint64_t h = 0;
        for (std::size_t i = 0; i < length_; ++i) {
            h = (h ^ tuple[i]) * 0x9E3779B97F4A7C15U;
            h ^= h >> 32;
        }
        return static_cast<std::size_t>(h);
    }

    void grow()
    {
        slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), 0);
        for (std::size_t i = 0; i < size_; ++i) {
            std::size_t at = hash((*this)[i]) & (slots_.size() - 1);
            while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::size_t length_;
    std::size_t size_ = 0;
    std::vector<std::uint16_t> words_;
    std::vector<std::uint32_t> slots_;  // number + 1; 0 is free
};

}  // namespace tunekit::space::detail
