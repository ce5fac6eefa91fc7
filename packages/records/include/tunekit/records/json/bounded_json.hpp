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
void empty_json(nlohmann::json& value) noexcept;
void empty_json(nlohmann::ordered_json& value) noexcept;

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
void make_object(nlohmann::ordered_json& to, std::size_t members);

/// Makes `to` a copy of `from`. Where memory does not suffice, `to` is a part of it, to be emptied before it is
/// destroyed.
void copy_json(nlohmann::json& to, const nlohmann::json& from);
void copy_json(nlohmann::ordered_json& to, const nlohmann::json& from);

/// The JSON value that the whole of `text` is. Throws json_fields::malformed where it is not JSON, nests deeper than
/// `max_json_depth` or names a member of an object twice, of which no reader could say which one counts. The order is
/// kept of objects that are a member called `ordered`: those are nowhere else than where their object has them.
[[nodiscard]] json_document bounded_json(std::string_view text, std::string_view ordered = {});

/// The byte at which `text` ceases to be JSON, from 1; 0 where it does not, or where a number is too large. Throws as
/// `bounded_json` for what it would not take.
[[nodiscard]] std::size_t end_of_json(std::string_view text);

}  // namespace tunekit::io::detail
