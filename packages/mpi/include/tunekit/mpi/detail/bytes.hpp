// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Numbers, texts and blocks as bytes, and back.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi::detail {

/// Writes numbers and texts as bytes. All ranks must be of one kind of machine as to the order and size of numbers.
class writer {
public:
    template <class T>
        requires std::is_arithmetic_v<T>
    writer& number(T x)
    {
        const auto* const p = reinterpret_cast<const unsigned char*>(&x);
        bytes_.insert(bytes_.end(), p, p + sizeof x);
        return *this;
    }
    writer& text(const std::string& s)
    {
        const std::size_t n = s.size() < max_text ? s.size() : max_text;
        number(std::uint64_t{n});
        bytes_.insert(bytes_.end(), s.begin(), s.begin() + static_cast<std::ptrdiff_t>(n));
        return *this;
    }
    writer& block(std::span<const unsigned char> b)
    {
        number(std::uint64_t{b.size()});
        bytes_.insert(bytes_.end(), b.begin(), b.end());
        return *this;
    }
    [[nodiscard]] std::vector<unsigned char> bytes() && { return std::move(bytes_); }

private:
    std::vector<unsigned char> bytes_{};
};

/// Reads what `writer` wrote. A value that is missing reads as 0, or empty, and `whole` is false from then on.
class reader {
public:
    explicit reader(std::span<const unsigned char> bytes) : left_(bytes) {}

    template <class T>
    T number()
    {
        T x{};
        if (left_.size() < sizeof x) {
            short_ = true;
            return x;
        }
        std::memcpy(&x, left_.data(), sizeof x);
        left_ = left_.subspan(sizeof x);
        return x;
    }
    std::string text()
    {
        const std::span<const unsigned char> b = next(max_text);
        return {b.begin(), b.end()};
    }
    std::vector<unsigned char> block()
    {
        const std::span<const unsigned char> b = next(max_code);
        return {b.begin(), b.end()};
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }
    /// Whether everything was there, and nothing more.
    [[nodiscard]] bool whole() const noexcept { return !short_ && left_.empty(); }

private:
    std::span<const unsigned char> next(std::size_t most)
    {
        const auto n = number<std::uint64_t>();
        if (n > left_.size() || n > most) {
            short_ = true;
            return {};
        }
        const std::span<const unsigned char> out = left_.first(static_cast<std::size_t>(n));
        left_ = left_.subspan(static_cast<std::size_t>(n));
        return out;
    }

    std::span<const unsigned char> left_;
    bool short_ = false;
};

}  // namespace tunekit::mpi::detail
