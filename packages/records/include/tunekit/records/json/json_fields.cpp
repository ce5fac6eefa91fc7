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
    const auto x = get<double>();
    if (!(x >= 0 && x <= most)) fail(std::string("is out of range, want ") + unit + " of 0 or more");
    return x;
}

void json_fields::fail(std::string what) const { throw malformed{path_, std::move(what)}; }

}  // namespace tunekit::io::detail
