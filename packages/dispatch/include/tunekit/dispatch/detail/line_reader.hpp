// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads a file of this floor line by line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/detail/words.hpp"
#include "tunekit/io/field.hpp"
#include "tunekit/io/text.hpp"

namespace tunekit::dispatch::detail {

[[nodiscard]] inline std::string joined(const std::vector<std::string>& fields)
{
    std::string out;
    for (const std::string& f : fields) out += (out.empty() ? "" : " ") + as_word(f);
    return out;
}

/// The lines of a file, one after another. A line that does not fit throws tunekit::error with the file and the line.
class line_reader {
public:
    line_reader(std::string_view body, std::string what) : lines_(io::lines(body)), what_(std::move(what)) {}

    [[nodiscard]] bool done() const { return at_ == lines_.size(); }
    [[nodiscard]] std::string_view next()
    {
        if (done()) throw error(what_ + ": ends too early; write it again");
        return lines_[at_++];
    }
    [[nodiscard]] std::string_view peek() const { return done() ? std::string_view() : lines_[at_]; }
    [[noreturn]] void refuse(const std::string& why) const
    {
        throw error(what_ + ", line " + std::to_string(at_) + ": " + why);
    }
    /// The next line after `key` and a blank. Refuses a line with another key.
    [[nodiscard]] std::string_view after(std::string_view key)
    {
        const std::string_view line = next();
        if (line.substr(0, key.size()) != key || (line.size() > key.size() && line[key.size()] != ' '))
            refuse("is not `" + std::string(key) + "`");
        return line.substr((std::min)(line.size(), key.size() + 1));
    }
    [[nodiscard]] std::vector<std::string> fields(std::string_view of) const
    {
        std::vector<std::string> out;
        for (const std::string_view word : io::words(of)) {
            auto one = from_word(word);
            if (!one) refuse("`" + std::string(word.substr(0, 80)) + "` is no field");
            out.push_back(*std::move(one));
        }
        return out;
    }
    template <class T>
    [[nodiscard]] T number(std::string_view of) const
    {
        const auto x = io::number<T>(of);
        if (!x) refuse("`" + std::string(of.substr(0, 80)) + "` is no such number");
        return *x;
    }
    [[nodiscard]] std::string word(std::string_view of) const
    {
        const auto all = fields(of);
        if (all.size() != 1) refuse("wants one field");
        return all.front();
    }
    [[nodiscard]] std::uint64_t hex(std::string_view of) const
    {
        const auto x = io::from_hex(of);
        if (!x) refuse("is no fingerprint");
        return *x;
    }

private:
    std::vector<std::string_view> lines_;
    std::string what_;
    std::size_t at_ = 0;
};

/// Reads the first line of one of our files. Refuses any other.
inline void check_first(line_reader& in, std::string_view magic)
{
    if (in.next() != magic) in.refuse("is no file of `" + std::string(magic) + "`; name another one");
}

}  // namespace tunekit::dispatch::detail
