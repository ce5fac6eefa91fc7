// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// JSON of others within bounds, also where memory does not suffice. Needs nlohmann-json.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io::detail {

/// How deep brackets may be nested: what reads, copies and writes JSON calls itself for each.
inline constexpr int max_json_depth = 64;

/// How many members an object may have that is kept in the order of its text: each is looked for among those before it.
inline constexpr std::size_t max_ordered_members = 4096;

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
inline void make_object(nlohmann::ordered_json& to, std::size_t members)
{
    if (members > max_ordered_members)
        throw json_fields::malformed{"configuration", "has an object of more than " +
                                                          std::to_string(max_ordered_members) + " members, want less"};
    to = nlohmann::ordered_json::object();
    to.get_ref<nlohmann::ordered_json::object_t&>().reserve(members);  // else it would grow by copies
}

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

/// Takes a parser's events and makes a document of them.
class json_builder {
public:
    using json = nlohmann::json;

    /// The order is kept of objects that are a member of this name.
    json_builder(json_document& out, std::string_view ordered) : out_(&out), ordered_(ordered) {}

    bool null() { return scalar(nullptr); }
    bool boolean(bool x) { return scalar(x); }
    bool number_integer(json::number_integer_t x) { return scalar(x); }
    bool number_unsigned(json::number_unsigned_t x) { return scalar(x); }
    bool number_float(json::number_float_t x, const std::string&) { return scalar(x); }
    bool string(std::string& x) { return scalar(std::move(x)); }
    bool binary(json::binary_t&) { return false; }  // no text has it
    bool start_object(std::size_t) { return open(json::object()); }
    bool start_array(std::size_t) { return open(json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name)
    {
        level& in = open_.back();
        if (in.value->contains(name)) throw json_fields::malformed{name.substr(0, 80), "stands twice, want it once"};
        if (in.order != nullptr) in.order->push_back(name);
        name_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t byte, const std::string&, const json::exception& e)
    {
        if (dynamic_cast<const json::parse_error*>(&e) != nullptr) failed_at_ = byte;
        return false;
    }
    /// The byte at which the text ceases to be JSON, from 1; 0 where it does not, or where a number is too large.
    [[nodiscard]] std::size_t failed_at() const { return failed_at_; }

private:
    struct level {
        json* value;
        std::vector<std::string>* order;
    };

    /// Where the next value goes. It stays there until it is whole: an array grows by whole values only.
    json& place()
    {
        if (open_.empty()) return out_->value;
        json& in = *open_.back().value;
        if (in.is_object()) return in[name_];
        in.push_back(nullptr);
        return in.back();
    }
    template <class T>
    bool scalar(T&& x)
    {
        place() = std::forward<T>(x);
        return true;
    }
    bool open(json&& empty)
    {
        if (open_.size() >= max_json_depth)
            throw json_fields::malformed{"", "is nested deeper than " + std::to_string(max_json_depth) + ", want less"};
        const bool named = !open_.empty() && open_.back().value->is_object() && name_ == ordered_;
        json& made = place();
        made = std::move(empty);
        open_.push_back({&made, named && made.is_object() ? &out_->orders[&made] : nullptr});
        return true;
    }
    bool close()
    {
        open_.pop_back();
        return true;
    }

    json_document* out_;
    std::string_view ordered_;
    std::vector<level> open_;
    std::string name_;
    std::size_t failed_at_ = 0;
};

/// The JSON value that the whole of `text` is. Throws json_fields::malformed where it is not JSON, nests deeper than
/// `max_json_depth` or names a member of an object twice, of which no reader could say which one counts. The order is
/// kept of objects that are a member called `ordered`: those are nowhere else than where their object has them.
[[nodiscard]] inline json_document bounded_json(std::string_view text, std::string_view ordered = {})
{
    json_document out;
    json_builder take(out, ordered);
    if (!nlohmann::json::sax_parse(text, &take)) throw json_fields::malformed{"", "is not JSON, want an object"};
    return out;
}

}  // namespace tunekit::io::detail
