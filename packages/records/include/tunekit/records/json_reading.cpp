// SPDX-License-Identifier: MIT
#include "tunekit/records/json_reading.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/program/readings.hpp"

namespace tunekit::measure {

namespace {

using json = nlohmann::json;

/// Follows a pointer through a JSON while that is read, and keeps nothing else of it. Of a member that stands twice the
/// last counts. Its functions are those that nlohmann's reader calls.
class follower {
public:
    explicit follower(const std::vector<std::string>& names) : names_(names) {}

    [[nodiscard]] std::optional<double> found() const { return found_; }

    bool null() { return value(std::nullopt); }
    bool boolean(bool) { return value(std::nullopt); }
    bool string(std::string&) { return value(std::nullopt); }
    bool binary(json::binary_t&) { return value(std::nullopt); }
    bool number_integer(std::int64_t x) { return value(static_cast<double>(x)); }
    bool number_unsigned(std::uint64_t x) { return value(static_cast<double>(x)); }
    bool number_float(double x, const std::string&) { return value(x); }
    bool start_object(std::size_t) { return enter(false); }
    bool start_array(std::size_t) { return enter(true); }
    bool end_object() { return leave(); }
    bool end_array() { return leave(); }
    bool key(std::string& name)
    {
        if (beside_ == 0) way_.back().here = name == names_[way_.size() - 1];
        return true;
    }
    static bool parse_error(std::size_t, const std::string&, const json::exception&) { return false; }

private:
    /// An array or object that the pointer goes through.
    struct place {
        bool array;
        bool here = false;     ///< whether the pointer goes through the member that was named last
        std::size_t next = 0;  ///< the index of an array's next element
    };

    /// Whether the pointer goes through the value that begins here.
    bool on_the_way()
    {
        if (beside_ > 0) return false;
        if (way_.empty()) return true;
        place& in = way_.back();
        return in.array ? std::to_string(in.next++) == names_[way_.size() - 1] : in.here;
    }

    bool value(std::optional<double> number)
    {
        if (on_the_way()) found_ = way_.size() == names_.size() ? number : std::nullopt;
        return true;
    }

    bool enter(bool array)
    {
        const bool on = on_the_way();
        if (on) found_.reset();
        if (on && way_.size() < names_.size()) way_.push_back({array});
        else ++beside_;
        return true;
    }

    bool leave()
    {
        if (beside_ > 0) --beside_;
        else way_.pop_back();
        return true;
    }

    const std::vector<std::string>& names_;
    std::vector<place> way_{};
    std::size_t beside_ = 0;  ///< the depth of what is read beside the pointer's way
    std::optional<double> found_{};
};

}  // namespace

at_pointer::at_pointer(const std::string& pointer) : pointer_(pointer)
{
    try {
        for (json::json_pointer at(pointer); !at.empty(); at.pop_back()) names_.insert(names_.begin(), at.back());
    } catch (const json::exception&) {
        invalid("at_pointer: '" + pointer + "' is not a JSON pointer, want one such as '/result/seconds'");
    }
}

double at_pointer::operator()(const finished_run& run) const
{
    const std::string& text = run.file ? *run.file : run.output;
    follower at(names_);
    if (!json::sax_parse(text, &at))
        detail::no_number("what was written is not whole JSON; it ends with " + detail::last_words(text) +
                          (run.cut ? detail::left_out(run) : std::string()));
    if (!at.found()) detail::no_number("the JSON has no number at '" + pointer_ + "', want one");
    return *at.found();
}

}  // namespace tunekit::measure
