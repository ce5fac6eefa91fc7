// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// JSON of others within bounds, also where memory does not suffice. Needs nlohmann-json.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tunekit::io::detail {

/// How deep brackets may be nested: what reads, copies and writes JSON calls itself for each.
inline constexpr int max_json_depth = 64;

/// Empties `value` from its leaves up. The destructor of nlohmann-json allocates memory for what is not empty, and ends
/// the program that has none.
template <class Json>
void empty_json(Json& value) noexcept
{
    if (auto* const members = value.template get_ptr<typename Json::object_t*>()) {
        for (auto& [name, x] : *members) empty_json(x);
        members->clear();
    } else if (auto* const elements = value.template get_ptr<typename Json::array_t*>()) {
        for (Json& x : *elements) empty_json(x);
        elements->clear();
    }
}

/// A JSON value that needs no memory to be destroyed.
class json_document {
public:
    json_document() : value(nullptr) {}
    json_document(json_document&&) noexcept = default;
    json_document& operator=(json_document&&) = delete;
    ~json_document() { empty_json(value); }

    nlohmann::json value;
    /// The names of an object's members as they stood in the text, of those objects for which that was asked.
    std::map<const nlohmann::json*, std::vector<std::string>> orders;
};

/// Makes `to` an object with room for so many members.
inline void make_object(nlohmann::json& to, std::size_t) { to = nlohmann::json::object(); }
void make_object(nlohmann::ordered_json& to, std::size_t members);

/// Makes `to` a copy of `from`. Where memory does not suffice, `to` is a part of it, to be emptied before it is
/// destroyed.
template <class Json>
void copy_json(Json& to, const nlohmann::json& from)
{
    if (from.is_array()) {
        to = Json::array();
        for (const auto& x : from) {
            to.push_back(nullptr);
            copy_json(to.back(), x);
        }
    } else if (from.is_object()) {
        make_object(to, from.size());
        for (const auto& [name, x] : from.items()) copy_json(to[name], x);
    } else {
        to = Json(from);
    }
}

/// What `bounded_json` keeps and refuses besides.
struct json_rules {
    std::string_view ordered{};   ///< the order is kept of objects that are a member called so, and of no others
    bool exact_integers = false;  ///< an integer beyond 64 bits is refused; else it is the nearest double
};

/// The JSON value that the whole of `text` is. Throws json_fields::malformed where it is not JSON, nests deeper than
/// `max_json_depth` or names a member of an object twice, of which no reader could say which one counts.
[[nodiscard]] json_document bounded_json(std::string_view text, const json_rules& rules = {});

/// The byte at which `text` ceases to be JSON, from 1; 0 where it does not, or where a number is too large. Throws as
/// `bounded_json` for what it would not take.
[[nodiscard]] std::size_t end_of_json(std::string_view text);

}  // namespace tunekit::io::detail
