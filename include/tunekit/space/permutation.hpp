// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parameters for loop nests: the order of the loops, and an annotation of each loop.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/parameter.hpp"

namespace tunekit::space {

/// Positions [first, last) of a permutation.
struct positions {
    std::size_t first = 0;  ///< the first position
    std::size_t last = 0;   ///< one after the last
};

namespace detail {

/// Some orders of `entries` entries, one after another: position by position the entry that is there.
struct order_list {
    std::size_t entries = 0;
    std::vector<std::uint16_t> all{};

    [[nodiscard]] std::size_t size() const noexcept { return all.size() / entries; }
    [[nodiscard]] const std::uint16_t* operator[](std::size_t i) const noexcept { return all.data() + i * entries; }

    /// Whether order `i` comes before (-1), is (0) or comes after (1) `other`, lexicographically.
    [[nodiscard]] int compare(std::size_t i, const std::uint16_t* other) const noexcept
    {
        const std::uint16_t* order = (*this)[i];
        for (std::size_t p = 0; p < entries; ++p)
            if (order[p] != other[p]) return order[p] < other[p] ? -1 : 1;
        return 0;
    }
};

/// The orders of `entries` in which only those at `range` change places, ascending.
[[nodiscard]] order_list orders_within(std::string_view name, std::size_t entries, positions range);

/// Numbers and trades of a parameter whose values are these orders.
void describe_orders(axis& about, const order_list& orders);

/// A parameter whose values are orders of `base`, given as positions in it; numbers are those positions.
template <fixed_string Name, class T>
[[nodiscard]] auto permuted(const std::vector<T>& base, const order_list& orders)
{
    std::vector<std::vector<T>> values(orders.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t p = 0; p < orders.entries; ++p) values[i].push_back(base[orders[i][p]]);
    auto out = make_named<Name>(std::move(values));
    describe_orders(out.about, orders);
    return out;
}

}  // namespace detail

/// A parameter with all orders of the given entries, which must differ. A value is a std::vector<T>.
///
///     permutation<"order">({axis::m, axis::n, axis::k})
///     permutation<"order">({axis::n, axis::m, axis::k, axis::c}, positions{1, 3})    // only entries 1 and 2 change places
///     permutation<"order">({{axis::m, axis::n, axis::k}, {axis::n, axis::m, axis::k}})   // these two
///
/// Order:   lexicographic by position in the given list, which comes first.
/// Numbers: the position of each entry in the given list (in the first order, where orders are given).
/// Throws:  std::invalid_argument if entries repeat, positions are outside the list, given orders are not orders of
///          the same entries, or there are more than 65535 orders.
/// Source:  TVM, autotvm.task.space.ReorderSpace, policies `all`, `interval` and `candidate`.
template <detail::fixed_string Name, class T>
[[nodiscard]] auto permutation(std::initializer_list<T> entries, positions range)
{
    return detail::permuted<Name>(detail::owned(entries), detail::orders_within(Name.view(), entries.size(), range));
}

template <detail::fixed_string Name, class T>
[[nodiscard]] auto permutation(std::initializer_list<T> entries)
{
    return permutation<Name>(entries, positions{0, entries.size()});
}

template <detail::fixed_string Name, class T>
[[nodiscard]] auto permutation(const std::vector<std::vector<T>>& given)
{
    detail::check_value_count(Name.view(), given.size());
    const std::vector<T>& base = given.front();
    if (base.empty()) detail::invalid_parameter(Name.view(), "permutation of nothing, want at least one entry");
    detail::order_list orders{base.size()};
    for (const auto& value : given) {
        std::vector<bool> used(base.size());
        bool fits = value.size() == base.size();
        for (std::size_t k = 0; k < value.size() && fits; ++k) {
            std::size_t at = 0;
            while (at < base.size() && (used[at] || !(base[at] == value[k]))) ++at;
            fits = at < base.size();
            if (!fits) break;
            used[at] = true;
            orders.all.push_back(static_cast<std::uint16_t>(at));
        }
        if (!fits)
            invalid({"space: parameter '", Name.view(), "': '", text_of(value), "' is not an order of '", text_of(base),
                     "'"});
    }
    return detail::permuted<Name>(base, orders);
}

template <detail::fixed_string Name, class T>
[[nodiscard]] auto permutation(std::initializer_list<std::initializer_list<T>> given)
{
    std::vector<decltype(detail::owned(std::initializer_list<T>{}))> orders;
    for (const auto& order : given) orders.push_back(detail::owned(order));
    return permutation<Name>(orders);
}

/// The annotations of a loop in a loop nest.
enum class note : std::uint8_t {
    none,
    vectorise,
    unroll,
    block_x,
    block_y,
    block_z,
    thread_x,
    thread_y,
    thread_z,
    virtual_thread,
    fuse
};

/// The name of a note, as it is written in configurations.
[[nodiscard]] std::string to_text(note n);

namespace detail {

inline constexpr std::size_t note_kinds = 11;

/// The ways to note one of `notes` at each of `axes` loops.
[[nodiscard]] std::vector<std::vector<note>> annotations(std::string_view name, int axes,
                                                         std::initializer_list<note> notes);

}  // namespace detail

/// A parameter that gives one of `notes` to each of `axes` loops, at most one of them `vectorise`. A value is a
/// std::vector<note>.
///
///     annotation<"inner">(2, {note::none, note::unroll, note::vectorise})
///
/// Order:   the first loop varies slowest, notes in the given order.
/// Numbers: per loop a one-hot code of 11 columns, in the order of `note`.
/// Throws:  std::invalid_argument if there are no loops, no notes, or more than 65535 ways.
/// Source:  TVM, autotvm.task.space.AnnotateSpace, policies `try_unroll`, `try_vec` and `try_unroll_vec`.
template <detail::fixed_string Name>
[[nodiscard]] auto annotation(int axes, std::initializer_list<note> notes)
{
    auto out = detail::make_named<Name>(detail::annotations(Name.view(), axes, notes));
    out.about.columns = detail::note_kinds * static_cast<std::size_t>(axes);
    out.about.numbers.clear();
    for (const auto& value : out.values)
        for (const note n : value)
            for (std::size_t kind = 0; kind < detail::note_kinds; ++kind)
                out.about.numbers.push_back(static_cast<std::size_t>(n) == kind ? 1.0F : 0.0F);
    return out;
}

}  // namespace tunekit::space

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE order_list orders_within(std::string_view name, std::size_t entries, positions range)
{
    if (entries == 0) invalid_parameter(name, "permutation of nothing, want at least one entry");
    if (range.first > range.last || range.last > entries)
        invalid({"space: parameter '", name, "': positions [", std::to_string(range.first), ", ",
                 std::to_string(range.last), "), want them within the ", std::to_string(entries), " entries"});
    std::uint64_t ways = 1;
    for (std::uint64_t k = 2; k <= range.last - range.first && ways <= most_values; ++k) ways *= k;
    check_value_count(name, ways > most_values ? ~std::uint64_t{0} : ways);
    std::vector<std::uint16_t> order;
    for (std::size_t i = 0; i < entries; ++i) order.push_back(static_cast<std::uint16_t>(i));
    order_list out{entries};
    for (;;) {
        out.all.insert(out.all.end(), order.begin(), order.end());
        // The next one: the last ascent takes the least greater entry behind it, what follows turns round.
        std::size_t ascent = range.last;
        while (ascent > range.first + 1 && order[ascent - 2] >= order[ascent - 1]) --ascent;
        if (ascent <= range.first + 1) return out;
        std::size_t greater = range.last - 1;
        while (order[greater] < order[ascent - 2]) --greater;
        std::swap(order[ascent - 2], order[greater]);
        for (std::size_t a = ascent - 1, b = range.last - 1; a < b; ++a, --b) std::swap(order[a], order[b]);
    }
}

TUNEKIT_INLINE void describe_orders(axis& about, const order_list& orders)
{
    about.columns = orders.entries;
    about.numbers.clear();
    for (const std::uint16_t p : orders.all) about.numbers.push_back(static_cast<float>(p));
    // What every trade of two entries leads to, by binary search among the sorted orders.
    const core::plain_vector<std::uint16_t> sorted =
        ascending(orders.size(), &orders, [](const void* list, std::uint16_t a, std::uint16_t b) {
            const auto& of = *static_cast<const order_list*>(list);
            return of.compare(a, of[b]) < 0;
        });
    const auto find = [&](const std::uint16_t* order, std::uint16_t otherwise) {
        std::size_t low = 0;
        for (std::size_t n = sorted.size(); n > 1;) {
            const std::size_t half = n / 2;
            if (orders.compare(sorted[low + half], order) <= 0) low += half;
            n -= half;
        }
        return orders.compare(sorted[low], order) == 0 ? sorted[low] : otherwise;
    };
    about.pairs = orders.entries * (orders.entries - 1) / 2;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        std::vector<std::uint16_t> order(orders[i], orders[i] + orders.entries);
        for (std::size_t a = 0; a < order.size(); ++a)
            for (std::size_t b = a + 1; b < order.size(); ++b) {
                std::swap(order[a], order[b]);
                about.swapped.push_back(find(order.data(), static_cast<std::uint16_t>(i)));
                std::swap(order[a], order[b]);
            }
    }
}

TUNEKIT_INLINE std::vector<std::vector<note>> annotations(std::string_view name, int axes,
                                                          std::initializer_list<note> notes)
{
    if (axes < 1)
        invalid({"space: parameter '", name, "': annotation of ", std::to_string(axes), " loops, want at least 1"});
    std::vector<std::vector<note>> out{{}};
    for (int axis = 0; axis < axes; ++axis) {
        std::vector<std::vector<note>> longer;
        for (const auto& begun : out) {
            bool vectorised = false;
            for (const note n : begun) vectorised = vectorised || n == note::vectorise;
            for (const note n : notes) {
                if (n == note::vectorise && vectorised) continue;
                longer.push_back(begun);
                longer.back().push_back(n);
                check_value_count(name, longer.size());
            }
        }
        out = std::move(longer);
    }
    return out;
}

}  // namespace tunekit::space::detail
namespace tunekit::space {

TUNEKIT_INLINE std::string to_text(note n)
{
    constexpr std::string_view texts[] = {"none",        "vec",        "unroll",      "blockIdx.x",
                                          "blockIdx.y",  "blockIdx.z", "threadIdx.x", "threadIdx.y",
                                          "threadIdx.z", "vthread",    "fuse"};
    return std::string(texts[static_cast<std::size_t>(n)]);
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
