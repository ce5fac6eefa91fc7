// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reading JSON that others wrote: every access knows its path, so that what is missing or wrong can be named. Needs
/// nlohmann-json.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace tunekit::io::detail {

/// A JSON value and the path that led to it: "config.entity[2][0]". Precondition: the value outlives it.
class json_fields {
public:
    /// Thrown by every access that does not find what it wants; readers turn it into an io::problem.
    struct malformed {
        std::string field;
        std::string what;
    };

    explicit json_fields(const nlohmann::json& value, std::string path = {}) : value_(&value), path_(std::move(path)) {}

    [[nodiscard]] const nlohmann::json& value() const noexcept { return *value_; }

    /// The member of that name.
    [[nodiscard]] json_fields at(const char* key) const;

    /// The element of that number.
    [[nodiscard]] json_fields operator[](std::size_t i) const;

    /// The number of elements.
    [[nodiscard]] std::size_t size() const;

    /// The value as a string, a truth or a number, if that is what it is and `T` has it.
    template <class T>
    [[nodiscard]] T get() const
    {
        if constexpr (std::same_as<T, std::string>) {
            if (!value_->is_string()) fail("is not a text, want a string");
        } else if constexpr (std::same_as<T, bool>) {
            if (!value_->is_boolean()) fail("is neither true nor false, want one");
        } else if constexpr (std::floating_point<T>) {
            if (!value_->is_number()) fail("is not a number, want one");
        } else if constexpr (std::unsigned_integral<T>) {
            if (!value_->is_number_unsigned()) fail("is not an index, want an integer of 0 or more");
            if (!std::in_range<T>(value_->template get<std::uint64_t>())) fail("is too large, want a smaller integer");
        } else {
            if (!value_->is_number_integer()) fail("is not an integer, want one");
            const bool fits = value_->is_number_unsigned() ? std::in_range<T>(value_->template get<std::uint64_t>())
                                                           : std::in_range<T>(value_->template get<std::int64_t>());
            if (!fits) fail("is out of range, want a smaller integer");
        }
        return value_->template get<T>();
    }

    /// A finite number from 0 to `most`; `unit` is what is wanted: "seconds".
    [[nodiscard]] double amount(const char* unit, double most = (std::numeric_limits<double>::max)()) const;

    [[noreturn]] void fail(std::string what) const;

private:
    const nlohmann::json* value_;
    std::string path_;
};

}  // namespace tunekit::io::detail
