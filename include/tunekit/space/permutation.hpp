// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Orders of loops, and what is noted at each loop.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/space/parameter.hpp"

namespace tunekit::space {

/// Positions [first, last) of a permutation.
struct interval {
    std::size_t first = 0;
    std::size_t last = 0;
};

namespace detail {

/// n! where it is at most most_values, else all ones.
[[nodiscard]] constexpr std::uint64_t factorial(std::uint64_t n)
{
    std::uint64_t product = 1;
    for (std::uint64_t i = 2; i <= n; ++i) {
        product *= i;
        if (product > most_values) return ~std::uint64_t{0};
    }
    return product;
}

/// A parameter whose values are orders of `base`, given as positions in it; numbers are those positions.
template <fixed_string Name, class T>
[[nodiscard]] auto permuted(const std::vector<T>& base, const std::vector<std::vector<std::uint16_t>>& orders)
{
    std::vector<std::vector<T>> values;
    for (const auto& order : orders) {
        auto& value = values.emplace_back();
        for (const std::uint16_t p : order) value.push_back(base[p]);
    }
    auto out = make_named<Name>(std::move(values));
    axis& about = out.about;
    about.columns = base.size();
    about.numbers.clear();
    for (const auto& order : orders)
        for (const std::uint16_t p : order) about.numbers.push_back(static_cast<float>(p));
    // What every trade of two entries leads to, by binary search among the sorted orders.
    std::vector<std::uint16_t> sorted(orders.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::uint16_t>(i);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint16_t a, std::uint16_t b) { return orders[a] < orders[b]; });
    about.pairs = base.size() * (base.size() - 1) / 2;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        auto order = orders[i];
        for (std::size_t a = 0; a < order.size(); ++a)
            for (std::size_t b = a + 1; b < order.size(); ++b) {
                std::swap(order[a], order[b]);
                const auto at = std::lower_bound(sorted.begin(), sorted.end(), order,
                                                 [&](std::uint16_t x, const auto& v) { return orders[x] < v; });
                const bool there = at != sorted.end() && orders[*at] == order;
                about.swapped.push_back(there ? *at : static_cast<std::uint16_t>(i));
                std::swap(order[a], order[b]);
            }
    }
    return out;
}

template <fixed_string Name, class T>
[[nodiscard]] auto permuted_within(const std::vector<T>& base, interval range)
{
    const std::string name(Name.view());
    require(!base.empty(), "space: parameter '" + name + "': permutation of nothing, want at least one entry");
    require(range.first <= range.last && range.last <= base.size(),
            "space: parameter '" + name + "': interval [" + std::to_string(range.first) + ", " + std::to_string(range.last) +
                "), want it within the " + std::to_string(base.size()) + " entries");
    check_value_count(name, factorial(range.last - range.first));
    std::vector<std::uint16_t> order(base.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    std::vector<std::vector<std::uint16_t>> orders;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(range.last);
    do orders.push_back(order);
    while (std::next_permutation(first, last));
    return permuted<Name>(base, orders);
}

}  // namespace detail

/// All orders of the given entries, all different; a value is a std::vector<T>.
///
///     permutation<"order">({axis::m, axis::n, axis::k})
///     permutation<"order">({axis::n, axis::m, axis::k, axis::c}, interval{1, 3})     // only entries 1 and 2 change places
///     permutation<"order">({{axis::m, axis::n, axis::k}, {axis::n, axis::m, axis::k}})   // these two
///
/// Order:   lexicographic by position in the given list, which comes first.
/// Numbers: the position of each entry in the given list (in the first order, where orders are given).
/// Throws:  std::invalid_argument where entries repeat, an interval is outside, given orders are not orders of the same entries,
///          or there are more than 65535.
/// Source:  TVM, autotvm.task.space.ReorderSpace, policies `all`, `interval` and `candidate`.
template <fixed_string Name, class T>
[[nodiscard]] auto permutation(std::initializer_list<T> entries)
{
    return detail::permuted_within<Name>(detail::owned(entries), {0, entries.size()});
}

template <fixed_string Name, class T>
[[nodiscard]] auto permutation(std::initializer_list<T> entries, interval range)
{
    return detail::permuted_within<Name>(detail::owned(entries), range);
}

template <fixed_string Name, class T>
[[nodiscard]] auto permutation(const std::vector<std::vector<T>>& given)
{
    const std::string name(Name.view());
    check_value_count(name, given.size());
    const std::vector<T>& base = given.front();
    std::vector<std::vector<std::uint16_t>> orders;
    for (const auto& value : given) {
        auto& order = orders.emplace_back();
        std::vector<bool> used(base.size());
        for (const T& entry : value) {
            std::size_t at = 0;
            while (at < base.size() && (used[at] || !(base[at] == entry))) ++at;
            if (at == base.size()) break;
            used[at] = true;
            order.push_back(static_cast<std::uint16_t>(at));
        }
        require(order.size() == base.size() && value.size() == base.size(),
                "space: parameter '" + name + "': '" + text_of(value) + "' is no order of '" + text_of(base) + "'");
    }
    return detail::permuted<Name>(base, orders);
}

template <fixed_string Name, class T>
[[nodiscard]] auto permutation(std::initializer_list<std::initializer_list<T>> given)
{
    std::vector<decltype(detail::owned(std::initializer_list<T>{}))> orders;
    for (const auto& order : given) orders.push_back(detail::owned(order));
    return permutation<Name>(orders);
}

/// What a loop nest can note at a loop.
enum class note : std::uint8_t {
    none, vectorise, unroll, block_x, block_y, block_z, thread_x, thread_y, thread_z, virtual_thread, fuse
};

[[nodiscard]] inline std::string to_text(note n)
{
    constexpr std::string_view texts[] = {"none",     "vec",         "unroll",      "blockIdx.x", "blockIdx.y", "blockIdx.z",
                                          "threadIdx.x", "threadIdx.y", "threadIdx.z", "vthread",    "fuse"};
    return std::string(texts[static_cast<std::size_t>(n)]);
}

/// One of `notes` at each of `axes` loops, at most one of them `vectorise`; a value is a std::vector<note>.
///
///     annotation<"inner">(2, {note::none, note::unroll, note::vectorise})
///
/// Order:   the first loop varies slowest, notes in the given order.
/// Numbers: an 11-way one-hot per loop, in the order of `note`.
/// Throws:  std::invalid_argument where there are no loops, no notes, or more than 65535 ways.
/// Source:  TVM, autotvm.task.space.AnnotateSpace, policies `try_unroll`, `try_vec` and `try_unroll_vec`.
template <fixed_string Name>
[[nodiscard]] auto annotation(int axes, std::initializer_list<note> notes)
{
    const std::string name(Name.view());
    require(axes >= 1, "space: parameter '" + name + "': annotation of " + std::to_string(axes) + " loops, want at least 1");
    std::vector<std::vector<note>> values;
    std::vector<note> value;
    const auto fill = [&](const auto& self) -> void {
        if (value.size() == static_cast<std::size_t>(axes)) {
            values.push_back(value);
            check_value_count(name, values.size());
            return;
        }
        for (const note n : notes) {
            if (n == note::vectorise && std::find(value.begin(), value.end(), note::vectorise) != value.end()) continue;
            value.push_back(n);
            self(self);
            value.pop_back();
        }
    };
    fill(fill);
    auto out = detail::make_named<Name>(std::move(values));
    constexpr std::size_t kinds = 11;
    out.about.columns = kinds * static_cast<std::size_t>(axes);
    out.about.numbers.clear();
    for (const auto& v : out.values)
        for (const note n : v)
            for (std::size_t kind = 0; kind < kinds; ++kind)
                out.about.numbers.push_back(static_cast<std::size_t>(n) == kind ? 1.0F : 0.0F);
    return out;
}

}  // namespace tunekit::space
