// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// JSON objects as text, on one line.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tunekit::io::detail {

/// Writes one JSON object, member by member. Numbers keep every bit; what JSON cannot say (NaN, infinities) becomes
/// null.
class json_line {
public:
    json_line& member(std::string_view key, double x) { return begin(key), number(x), *this; }
    json_line& member(std::string_view key, std::uint64_t x) { return begin(key), integer(x), *this; }
    json_line& member(std::string_view key, std::int64_t x) { return begin(key), integer(x), *this; }
    json_line& member(std::string_view key, bool x) { return begin(key), text_ += x ? "true" : "false", *this; }
    json_line& member(std::string_view key, std::string_view x) { return begin(key), quoted(x), *this; }
    json_line& member(std::string_view key, const char* x)
    {
        return member(key, std::string_view(x));
    }  // or it would be a bool
    json_line& member(std::string_view key, const std::vector<double>& xs)
    {
        return list(key, xs, [this](double x) { number(x); });
    }
    json_line& member(std::string_view key, const std::vector<std::string>& xs)
    {
        return list(key, xs, [this](const std::string& x) { quoted(x); });
    }
    json_line& member(std::string_view key, const std::vector<std::vector<std::string>>& xs)
    {
        return list(key, xs, [this](const auto& x) { items(x, [this](const std::string& y) { quoted(y); }); });
    }
    /// `json` is JSON text already.
    json_line& member_json(std::string_view key, std::string_view json) { return begin(key), text_ += json, *this; }

    [[nodiscard]] std::string text() const { return text_.empty() ? "{}" : text_ + '}'; }

private:
    template <class T, class Add>
    json_line& list(std::string_view key, const std::vector<T>& xs, Add&& add)
    {
        begin(key);
        items(xs, add);
        return *this;
    }
    template <class T, class Add>
    void items(const std::vector<T>& xs, Add&& add)
    {
        text_ += '[';
        for (std::size_t i = 0; i < xs.size(); ++i) {
            if (i != 0) text_ += ',';
            add(xs[i]);
        }
        text_ += ']';
    }
    void begin(std::string_view key)
    {
        text_ += text_.empty() ? '{' : ',';
        quoted(key);
        text_ += ':';
    }
    void number(double x)
    {
        if (!std::isfinite(x)) {
            text_ += "null";
            return;
        }
        if (x == 0 && std::signbit(x)) {
            text_ += "-0.0";  // "-0" would be read as an integer, without its sign
            return;
        }
        char buffer[32];
        text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    }
    template <class Integer>
    void integer(Integer x)
    {
        char buffer[24];
        text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    }
    void quoted(std::string_view s)
    {
        static constexpr char hex[] = "0123456789abcdef";
        text_ += '"';
        for (const char c : s) {
            const auto u = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                text_ += '\\';
                text_ += c;
            } else if (u < 0x20 ||
                       u >= 0x7f) {  // foreign bytes as Latin-1: a compiler's message must not make a line unreadable
                text_ += "\\u00";
                text_ += hex[u >> 4];
                text_ += hex[u & 15];
            } else {
                text_ += c;
            }
        }
        text_ += '"';
    }

    std::string text_;
};

}  // namespace tunekit::io::detail
