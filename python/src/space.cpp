// SPDX-License-Identifier: MIT
#include "space.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "values.hpp"

namespace nb = nanobind;
namespace tk = tunekit;

namespace python {

namespace {

/// The name of a parameter with its values, or with one of them.
using pair_of = std::pair<std::string, nb::object>;

pair_of parts(nb::handle pair)
{
    const auto two = nb::cast<nb::tuple>(pair);
    return {text_of(two[0]), nb::borrow(two[1])};
}

grid grid_of(const nb::list& parameters, const std::vector<std::string>& constraints)
{
    std::vector<tk::space::value_parameter> all;
    for (nb::handle p : parameters) {
        auto [name, values] = parts(p);
        auto& to = all.emplace_back();
        for (nb::handle v : nb::cast<nb::list>(values)) to.values.push_back(value_of(name, v));
        to.name = std::move(name);
    }
    const nb::gil_scoped_release free;
    return grid(tk::space::value_product(std::move(all), constraints));
}

/// The configurations whose values of the parameters `of` are allowed: a byte for each of their combinations, the last
/// parameter the fastest.
grid kept(const grid& from, const std::vector<std::size_t>& of, const nb::bytes& allowed)
{
    const std::string_view yes(allowed.c_str(), allowed.size());
    const nb::gil_scoped_release free;
    std::vector<index> left;
    std::vector<std::uint16_t> row(from.dimensions());
    for (index i = 0; i < from.size(); ++i) {
        from.ordinals(std::span(&i, 1), row);
        std::size_t at = 0;
        for (const std::size_t j : of) at = at * from.cardinalities()[j] + row[j];
        if (yes.at(at) != 0) left.push_back(from.in_product(i));
    }
    tk::require(!left.empty(), "space: no configuration fulfils all constraints, want at least one that does");
    return from.keeping(std::move(left));
}

/// The configurations of a list alone, each a row of positions as `ordinals` gives them.
grid listed(const grid& from, const std::vector<std::vector<std::uint16_t>>& rows)
{
    const nb::gil_scoped_release free;
    tk::require(!rows.empty(), "space: the list has no configurations, want at least one");
    std::vector<index> left;
    left.reserve(rows.size());
    for (const auto& row : rows) left.push_back(from.in_product(from.index_of_ordinals(row).value()));
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    return from.keeping(std::move(left));
}

/// The position of each parameter's value among those that it was given.
std::vector<std::uint16_t> ordinals(const grid& g, index i)
{
    static_cast<void>(g.in_product(i));  // is it there
    std::vector<std::uint16_t> row(g.dimensions());
    g.ordinals(std::span(&i, 1), row);
    return row;
}

/// The index of a configuration, as a list of names and values.
index index_of(const grid& g, const nb::list& configuration)
{
    std::vector<std::pair<std::string, tk::space::value>> values;
    for (nb::handle p : configuration) {
        auto [name, v] = parts(p);
        auto one = value_of(name, v);
        values.emplace_back(std::move(name), std::move(one));
    }
    const auto there = g.product().index_of(g.product().of(values));  // has said which value is wrong
    const auto i = g.of_product(there.value());
    tk::require(i.has_value(), "space: of: " + g.product().text(there.value()) +
                                   " breaks a constraint, want a configuration of the space");
    return *i;
}

}  // namespace

void bind_space(nb::module_& m)
{
    nb::class_<grid>(m, "Grid")
        .def(nb::new_(&grid_of))
        .def("kept", &kept)
        .def("listed", &listed)
        .def("size", &grid::size)
        .def("ordinals", &ordinals)
        .def("index_of", &index_of)
        .def("fingerprint", &grid::fingerprint);
}

}  // namespace python
