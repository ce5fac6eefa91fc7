// SPDX-License-Identifier: MIT
#pragma once

// What a variable of Kokkos may be, and the space of the variables that a call asks for.

#include <string.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/kokkos_tuner/untuned.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/space/value_product.hpp"

namespace kokkos_tuner {

using cell = kt_value;

/// A variable as it was declared: the host's set may be gone when it asks for a value.
struct variable {
    std::string name;
    kt_value_type type = kt_int64;
    std::vector<cell> cells{};      ///< what it may be; none: it is not tuned
    std::uint64_t fingerprint = 0;  ///< of name and cells

    [[nodiscard]] bool tile() const { return name.find("_tile_size_") != std::string::npos; }
};

/// By the host's numbers of them.
using declared_variables = std::map<std::size_t, variable>;

constexpr std::size_t max_cells = 4096;

inline double number(const cell& c, kt_value_type type)
{
    return type == kt_double ? c.double_value : static_cast<double>(c.int_value);
}

inline std::string text_of(const cell& c, kt_value_type type)
{
    if (type == kt_string) return std::string(c.string_value, ::strnlen(c.string_value, sizeof c.string_value));
    return type == kt_double ? tunekit::core::text_of(c.double_value) : tunekit::core::text_of(c.int_value);
}

inline tunekit::space::value value_of(const cell& c, kt_value_type type)
{
    if (type == kt_string) return text_of(c, type);
    return type == kt_double ? tunekit::space::value(c.double_value) : tunekit::space::value(c.int_value);
}

inline cell cell_of(const tunekit::space::value& v)
{
    cell c{};
    if (const auto* const text = std::get_if<std::string>(&v))
        std::memcpy(c.string_value, text->data(), (std::min)(text->size(), sizeof c.string_value - 1));
    else if (const auto* const x = std::get_if<double>(&v)) c.double_value = *x;
    else c.int_value = std::get<std::int64_t>(v);
    return c;
}

/// The cells of a set.
inline std::vector<cell> cells_of(const kt_set_of_values& set, kt_value_type type)
{
    std::vector<cell> out;
    if (set.size > max_cells || set.values.int_value == nullptr) return out;
    for (std::size_t k = 0; k < set.size; ++k) {
        cell c{};
        if (type == kt_int64) c.int_value = set.values.int_value[k];
        else if (type == kt_double) c.double_value = set.values.double_value[k];
        else std::memcpy(c.string_value, set.values.string_value[k], sizeof c.string_value);
        out.push_back(c);
    }
    return out;
}

/// The cells of a range of numbers.
inline std::vector<cell> cells_of(const kt_range_of_values& r, kt_value_type type)
{
    std::vector<cell> out;
    const double low = number(r.lower, type), high = number(r.upper, type), step = number(r.step, type);
    if (!(step > 0) || !(high >= low) || !(std::isfinite(low) && (high - low) / step < max_cells)) return out;
    // Built-in tuners put a step into each of their cells: what is taken of an open end is the middle of its step.
    const double first = type == kt_double && r.open_lower ? low + 0.5 * step : r.open_lower ? low + step : low;
    for (std::size_t k = 0; out.size() < max_cells; ++k) {
        const double x = first + static_cast<double>(k) * step;
        if (x > high + 1e-9 * step || (r.open_upper && x > high - 1e-9 * step)) break;
        cell c{};
        if (type == kt_double) c.double_value = x;
        else c.int_value = static_cast<std::int64_t>(std::llround(x));
        out.push_back(c);
    }
    return out;
}

/// The variable as it was declared, each candidate once. One candidate is no choice.
inline variable variable_of(const char* name, const kt_variable& info)
{
    variable v{.name = name, .type = info.type};
    std::vector<cell> all;
    if (info.quantity == kt_set) all = cells_of(info.candidates.set, v.type);
    else if (info.quantity == kt_range && v.type != kt_string) all = cells_of(info.candidates.range, v.type);
    std::set<std::string> seen;
    for (const cell& c : all)
        if (seen.insert(text_of(c, v.type)).second) v.cells.push_back(c);
    if (v.cells.size() < 2) v.cells.clear();
    std::uint64_t h = 0;
    for (const char x : v.name) h = tunekit::core::mixed(h, static_cast<unsigned char>(x));
    for (const std::string& text : seen)
        for (const char x : text + ' ') h = tunekit::core::mixed(h, static_cast<unsigned char>(x));
    v.fingerprint = h;
    return v;
}

/// The variable as the kernel's device has it: what has no effect there keeps one value.
inline variable tuned_on(const variable& declared, device_type on)
{
    variable v = declared;
    if (v.type != kt_double) return v;
    if (without_effect(v.name, on)) v.cells.resize(1);
    if (smallest_untuned(v.name, on)) v.cells = host_teams();
    return v;
}

/// The cell nearest to a number.
inline std::size_t nearest(const variable& v, double to)
{
    std::size_t best = 0;
    for (std::size_t k = 0; k < v.cells.size(); ++k)
        if (std::abs(number(v.cells[k], v.type) - to) < std::abs(number(v.cells[best], v.type) - to)) best = k;
    return best;
}

/// The cell that Kokkos takes untuned of the variable at `place` of `of`: what the host has preset, or what its rules give where
/// the preset says nothing.
inline std::size_t untuned(const variable& v, const cell& preset, std::size_t place, std::size_t of, device_type on)
{
    if (v.type == kt_string) {
        const auto same = [&](const cell& c) { return text_of(c, v.type) == text_of(preset, v.type); };
        const auto at = std::find_if(v.cells.begin(), v.cells.end(), same);
        return at == v.cells.end() ? 0 : static_cast<std::size_t>(at - v.cells.begin());
    }
    if (v.type == kt_double && smallest_untuned(v.name, on)) return v.cells.size() - 1;
    return nearest(v, v.tile() ? untuned_tile(place, of, on) : number(preset, v.type));
}

/// What a call asks for.
struct request {
    std::string key;                            ///< names and values of its inputs, and names of what it asks for
    std::vector<variable> asked;                ///< as its device has them
    const kt_variable_value* preset = nullptr;  ///< a value for each of them
    device_type on = device_type::none;
    bool by_time = true;  ///< what is small in the end; else a goal's value
};

/// The request of a call that began on `on`; none where something was not declared, or has no candidates. What is reached is no
/// input: its value is the answer of the call before.
inline std::optional<request> request_of(const declared_variables& declared, std::size_t inputs,
                                         const kt_variable_value* in, std::size_t outputs, const kt_variable_value* out,
                                         const std::optional<kt_goal>& goal, device_type on)
{
    request r{.key = {}, .asked = {}, .preset = out, .on = on, .by_time = !goal};
    if (goal) r.key = (goal->direction == kt_minimize ? "least " : "most ") + declared.at(goal->id).name + ' ';
    for (std::size_t k = 0; k < inputs; ++k) {
        const auto v = declared.find(in[k].id);
        if ((goal && goal->id == in[k].id) || v == declared.end() || in[k].declared == nullptr) continue;
        r.key += v->second.name + '=' + text_of(in[k].value, in[k].declared->type) + ' ';
    }
    for (std::size_t k = 0; k < outputs; ++k) {
        const auto v = declared.find(out[k].id);
        if (v == declared.end() || v->second.cells.empty()) return std::nullopt;
        r.asked.push_back(tuned_on(v->second, on));
        r.key += v->second.name + ' ';
    }
    r.key.pop_back();
    return r;
}

/// The space of what is asked for.
inline tunekit::space::value_product space_of(const request& r)
{
    std::vector<tunekit::space::value_parameter> parameters;
    for (const variable& v : r.asked) {
        auto& values = parameters.emplace_back(tunekit::space::value_parameter{v.name, {}}).values;
        for (const cell& c : v.cells) values.push_back(value_of(c, v.type));
    }
    return {std::move(parameters), {}};
}

/// Its configuration that Kokkos takes untuned.
inline tunekit::space::value_product::config untuned_of(const request& r)
{
    tunekit::space::value_product::config out;
    for (std::size_t k = 0; k < r.asked.size(); ++k) {
        const variable& v = r.asked[k];
        out.push_back(value_of(v.cells[untuned(v, r.preset[k].value, k, r.asked.size(), r.on)], v.type));
    }
    return out;
}

}  // namespace kokkos_tuner
