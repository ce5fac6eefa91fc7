// SPDX-License-Identifier: MIT
#include "tunekit/records/json/bounded_json.hpp"

#include <utility>

#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io::detail {

namespace {

/// Takes a parser's events and makes a document of them.
class json_builder {
public:
    using json = nlohmann::json;

    json_builder(json_document& out, const json_rules& rules) : out_(&out), rules_(rules) {}

    bool null() { return scalar(nullptr); }
    bool boolean(bool x) { return scalar(x); }
    bool number_integer(json::number_integer_t x) { return scalar(x); }
    bool number_unsigned(json::number_unsigned_t x) { return scalar(x); }
    bool number_float(json::number_float_t x, const std::string& as_written)
    {
        if (rules_.exact_integers && as_written.find_first_of(".eE") == std::string::npos)
            throw json_fields::malformed{name_.substr(0, 80),
                                         as_written.substr(0, 80) + " is beyond 64 bits, want a smaller integer"};
        return scalar(x);
    }
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
    std::size_t failed_at() const { return failed_at_; }

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
        const bool named = !open_.empty() && open_.back().value->is_object() && name_ == rules_.ordered;
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
    json_rules rules_;
    std::vector<level> open_;
    std::string name_;
    std::size_t failed_at_ = 0;
};

}  // namespace

void make_object(nlohmann::ordered_json& to, std::size_t members)
{
    constexpr std::size_t most = 4096;  // each is looked for among those before it
    if (members > most)
        throw json_fields::malformed{"configuration",
                                     "has an object of more than " + std::to_string(most) + " members, want less"};
    to = nlohmann::ordered_json::object();
    to.get_ref<nlohmann::ordered_json::object_t&>().reserve(members);  // else it would grow by copies
}

json_document bounded_json(std::string_view text, const json_rules& rules)
{
    json_document out;
    json_builder take(out, rules);
    if (!nlohmann::json::sax_parse(text, &take)) throw json_fields::malformed{"", "is not JSON, want an object"};
    return out;
}

std::size_t end_of_json(std::string_view text)
{
    json_document ignored;
    json_builder take(ignored, {});
    return nlohmann::json::sax_parse(text, &take) ? 0 : take.failed_at();
}

}  // namespace tunekit::io::detail
