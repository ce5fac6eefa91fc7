// SPDX-License-Identifier: MIT
#include "tunekit/records/json/json_fields.hpp"

#include <utility>

namespace tunekit::io::detail {

json_fields json_fields::at(const char* key) const
{
    if (!value_->is_object()) fail("is not an object, want one with \"" + std::string(key) + '"');
    const std::string shown = std::string(key).substr(0, 80);  // it may be the file's
    const std::string path = path_.empty() ? shown : path_ + '.' + shown;
    const auto found = value_->find(key);
    if (found == value_->end()) throw malformed{path, "is missing, want it"};
    return json_fields(*found, path);
}

json_fields json_fields::operator[](std::size_t i) const
{
    const std::string path = path_ + '[' + std::to_string(i) + ']';
    if (i >= size()) throw malformed{path, "is missing, want it"};
    return json_fields((*value_)[i], path);
}

std::size_t json_fields::size() const
{
    if (!value_->is_array()) fail("is not a list, want one");
    return value_->size();
}

double json_fields::amount(const char* unit, double most) const
{
    const double x = number();
    if (!(x >= 0 && x <= most)) fail(std::string("is out of range, want ") + unit + " of 0 or more");
    return x;
}

void json_fields::fail(std::string what) const { throw malformed{path_, std::move(what)}; }

const std::string& json_fields::text() const
{
    if (!value_->is_string()) fail("is not a text, want a string");
    return value_->get_ref<const std::string&>();
}

bool json_fields::truth() const
{
    if (!value_->is_boolean()) fail("is neither true nor false, want one");
    return value_->get<bool>();
}

double json_fields::number() const
{
    if (!value_->is_number()) fail("is not a number, want one");
    return value_->get<double>();
}

std::uint64_t json_fields::natural(std::uint64_t most) const
{
    if (!value_->is_number_unsigned()) fail("is not an index, want an integer of 0 or more");
    const auto x = value_->get<std::uint64_t>();
    if (x > most) fail("is too large, want a smaller integer");
    return x;
}

std::int64_t json_fields::integer(std::int64_t least, std::int64_t most) const
{
    if (!value_->is_number_integer()) fail("is not an integer, want one");
    const bool fits = value_->is_number_unsigned() ? std::cmp_less_equal(value_->get<std::uint64_t>(), most)
                                                   : value_->get<std::int64_t>() >= least;
    const auto x = fits ? value_->get<std::int64_t>() : 0;
    if (!fits || x > most) fail("is out of range, want a smaller integer");
    return x;
}

}  // namespace tunekit::io::detail
