// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The values of a parameter, with their type and without it, and constraints: what a grid is built from.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit::space::detail {

/// The most values that one parameter may have: ordinals are 16 bits wide.
inline constexpr std::size_t most_values = 65535;

/// The most parameters of a space. More than 63 need constraints, or have one value each: a space has at most 2^63
/// configurations.
inline constexpr std::size_t most_parameters = 16384;

/// Throws std::invalid_argument unless there are so many, and one at least.
void check_parameter_count(std::size_t parameters);

/// Name, texts and numbers of a parameter's values, in their order.
struct axis {
    std::string name;
    std::vector<std::string> texts;     ///< one per value
    std::size_t columns = 1;            ///< numbers per value
    core::plain_vector<float> numbers;  ///< values x columns, row-major
    std::size_t pairs = 0;  ///< how many ways two entries of a value can trade places; 0 unless a permutation
    core::plain_vector<std::uint16_t> swapped;  ///< values x pairs: the ordinal after the trade, else the value's own
};

/// A condition on some parameters, known to a grid by their positions. What it points to is used during construction
/// only.
struct condition {
    std::string (*text)(const void* context) = nullptr;  ///< what error messages call it
    std::span<const std::size_t> scope{};                ///< the positions of the parameters that it depends on
    const void* context = nullptr;
    /// `row`: ordinals by position; those in scope are set.
    bool (*holds)(const void* context, const std::uint16_t* row) = nullptr;
    bool names_itself = false;  ///< its exceptions do
};

/// Throws std::invalid_argument("tunekit: space: parameter '<name>': <what>").
[[noreturn, gnu::cold]] void invalid_parameter(std::string_view name, std::string_view what);

/// Throws std::invalid_argument, naming the parameter, unless `values` is in [1, most_values].
void check_value_count(std::string_view name, std::uint64_t values);

/// Puts the ordinals 0 ... n - 1 into the order in which `less(values, a, b)` is never true of a later and an earlier
/// one; equal ones keep theirs. One function for values of every type: whoever includes a product pays for each that is
/// not.
[[nodiscard]] core::plain_vector<std::uint16_t> ascending(std::size_t n, const void* values,
                                                          bool (*less)(const void*, std::uint16_t, std::uint16_t));

/// At least one and at most 65535 different values of a regular type, in the order of their ordinals.
template <class T>
class value_list {
    static_assert(std::regular<T>,
                  "tunekit: a parameter's value must be copyable, default constructible and comparable by ==");

public:
    value_list() = default;

    /// Throws std::invalid_argument, naming parameter `name`, unless the values are as said.
    value_list(std::string_view name, std::vector<T> values) : values_(std::move(values))
    {
        check_value_count(name, values_.size());
        const std::size_t n = values_.size();
        std::size_t twice = n;
        if constexpr (std::totally_ordered<T>) {
            order_ = ascending(n, &values_, [](const void* list, std::uint16_t a, std::uint16_t b) {
                const auto& of = *static_cast<const std::vector<T>*>(list);
                return static_cast<bool>(of[a] < of[b]);
            });
            for (std::size_t i = 1; i < n && twice == n; ++i)
                if (!(values_[order_[i - 1]] < values_[order_[i]])) twice = order_[i];
        } else {
            for (std::size_t i = 1; i < n && twice == n; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    if (values_[i] == values_[j]) twice = i;
        }
        if (twice < n)
            invalid({"space: parameter '", name, "': value ", text_of<T>(values_[twice]).substr(0, 80),
                     " is there twice, want it once"});
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] decltype(auto) operator[](std::size_t ordinal) const { return values_[ordinal]; }
    [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
    [[nodiscard]] auto end() const noexcept { return values_.end(); }

    /// The ordinal of `value`. O(log values) where T has an order, O(values) else.
    [[nodiscard]] std::optional<std::uint16_t> find(const T& value) const
    {
        if constexpr (std::totally_ordered<T>) {
            std::size_t low = 0;  // the first that is not less
            for (std::size_t n = order_.size(); n > 0;) {
                const std::size_t half = n / 2;
                if (values_[order_[low + half]] < value) {
                    low += half + 1;
                    n -= half + 1;
                } else {
                    n = half;
                }
            }
            if (low < order_.size() && values_[order_[low]] == value) return order_[low];
        } else {
            for (std::size_t i = 0; i < values_.size(); ++i)
                if (values_[i] == value) return static_cast<std::uint16_t>(i);
        }
        return std::nullopt;
    }

private:
    std::vector<T> values_;
    core::plain_vector<std::uint16_t> order_;  // ordinals by ascending value; empty where T has no order
};

template <class T>
concept numeric_sequence =
    sequence<T> && !std::is_convertible_v<const T&, std::string_view> && std::is_arithmetic_v<typename T::value_type>;

/// The axis of some values: their texts, and their numbers as they are, entry by entry for sequences of one length, the
/// ordinal for anything else.
template <class T>
[[nodiscard]] axis axis_of(std::string_view name, const value_list<T>& values)
{
    axis out;
    out.name = name;
    if constexpr (has_words<T>())  // else the product says so: there the message is short
        for (std::size_t i = 0; i < values.size(); ++i) out.texts.push_back(text_of<T>(values[i]));
    if constexpr (numeric_sequence<T>) {
        const auto length = values[0].end() - values[0].begin();
        bool equal = length > 0;
        for (const T& v : values) equal = equal && v.end() - v.begin() == length;
        if (equal) {
            out.columns = static_cast<std::size_t>(length);
            for (const T& v : values)
                for (const auto& entry : v) out.numbers.push_back(static_cast<float>(entry));
            return out;
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_arithmetic_v<T>) out.numbers.push_back(static_cast<float>(values[i]));
        else out.numbers.push_back(static_cast<float>(i));
    }
    return out;
}

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE void invalid_parameter(std::string_view name, std::string_view what)
{
    invalid({"space: parameter '", name, "': ", what});
}

TUNEKIT_INLINE void check_parameter_count(std::size_t parameters)
{
    if (parameters == 0) invalid("space: has no parameters, want at least one");
    if (parameters > most_parameters)
        invalid("space: has " + std::to_string(parameters) + " parameters, want at most " +
                std::to_string(most_parameters));
}

TUNEKIT_INLINE void check_value_count(std::string_view name, std::uint64_t values)
{
    if (values == 0) invalid_parameter(name, "has no values, want at least one");
    if (values <= most_values) return;
    invalid({"space: parameter '", name, "': has ", values == ~std::uint64_t{0} ? "too many" : std::to_string(values),
             " values, want at most 65535"});
}

TUNEKIT_INLINE core::plain_vector<std::uint16_t> ascending(std::size_t n, const void* values,
                                                           bool (*less)(const void*, std::uint16_t, std::uint16_t))
{
    core::plain_vector<std::uint16_t> order(n), other(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint16_t>(i);
    for (std::size_t width = 1; width < n; width *= 2) {  // merges runs of that width
        for (std::size_t begin = 0; begin < n; begin += 2 * width) {
            const std::size_t middle = begin + width < n ? begin + width : n;
            const std::size_t end = begin + 2 * width < n ? begin + 2 * width : n;
            for (std::size_t a = begin, b = middle, to = begin; to < end; ++to)
                other[to] = b == end || (a < middle && !less(values, order[b], order[a])) ? order[a++] : order[b++];
        }
        order.swap(other);
    }
    return order;
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
