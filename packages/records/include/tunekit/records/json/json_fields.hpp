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
        if constexpr (std::same_as<T, std::string>) return text();
        else if constexpr (std::same_as<T, bool>) return truth();
        else if constexpr (std::floating_point<T>) return static_cast<T>(number());
        else if constexpr (std::unsigned_integral<T>) return static_cast<T>(natural((std::numeric_limits<T>::max)()));
        else return static_cast<T>(integer((std::numeric_limits<T>::min)(), (std::numeric_limits<T>::max)()));
    }

    /// A finite number from 0 to `most`; `unit` is what is wanted: "seconds".
    [[nodiscard]] double amount(const char* unit, double most = (std::numeric_limits<double>::max)()) const;

    [[noreturn]] void fail(std::string what) const;

private:
    [[nodiscard]] const std::string& text() const;
    [[nodiscard]] bool truth() const;
    [[nodiscard]] double number() const;
    [[nodiscard]] std::uint64_t natural(std::uint64_t most) const;
    [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;

    const nlohmann::json* value_;
    std::string path_;
};

}  // namespace tunekit::io::detail
