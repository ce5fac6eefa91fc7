// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/sealed_file.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "tunekit/processes/files/text.hpp"

namespace tunekit::io {

std::string escaped(std::string_view field, std::string_view also)
{
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : field) {
        const auto u = static_cast<unsigned char>(c);
        if (u >= 0x20 && u < 0x7f && c != '%' && also.find(c) == std::string_view::npos) {
            out += c;
        } else {
            out += '%';
            out += digits[u >> 4];
            out += digits[u & 15];
        }
    }
    return out;
}

std::string in_hex(std::uint64_t x)
{
    char buffer[20];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x, 16).ptr);
}

namespace detail {

std::optional<std::string> unescaped(std::string_view written)
{
    std::string out;
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (written[i] != '%') {
            out += written[i];
            continue;
        }
        unsigned value = 0;
        const std::string_view two = written.substr(i + 1, 2);
        const auto [at, failed] = std::from_chars(two.data(), two.data() + two.size(), value, 16);
        if (two.size() != 2 || failed != std::errc{} || at != two.data() + 2) return std::nullopt;
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

std::optional<std::uint64_t> from_hex(std::string_view written)
{
    std::uint64_t x = 0;
    const auto [at, failed] = std::from_chars(written.data(), written.data() + written.size(), x, 16);
    if (failed != std::errc{} || at != written.data() + written.size()) return std::nullopt;
    return x;
}

std::string with_end(std::string text)
{
    const std::string check = in_hex(fnv1a(text));
    return std::move(text) + "end " + check + '\n';
}

}  // namespace detail

std::string sealed_line::text() const
{
    std::string out;
    for (const std::string& field : fields) out += escaped(field) + '\t';
    return out + in_hex(detail::fnv1a(out));
}

std::optional<sealed_line> sealed_line::of(std::string_view text)
{
    const std::size_t last = text.rfind('\t');
    if (last == std::string_view::npos || text.substr(last + 1) != in_hex(detail::fnv1a(text.substr(0, last + 1))))
        return std::nullopt;
    sealed_line out;
    for (const std::string_view field : split(text.substr(0, last), '\t')) {
        auto one = detail::unescaped(field);
        if (!one) return std::nullopt;
        out.fields.push_back(*std::move(one));
    }
    return out;
}

void sealed_writer::put_word(std::string_view word)
{
    text_ += word.empty() ? "%" : escaped(word, " |");
    text_ += ' ';
}

sealed_reader::sealed_reader(std::string_view text, std::string what, std::string_view magic) : what_(std::move(what))
{
    lines_ = lines(body_of(text));
    if (next() != magic) refuse("is not a file of `" + std::string(magic) + "`; name another one");
}

std::string_view sealed_reader::next()
{
    if (done()) throw error(what_ + ": ends too early; write it again");
    return lines_[at_++];
}

std::string_view sealed_reader::after(std::string_view key)
{
    const std::string_view line = next();
    if (line.substr(0, key.size()) != key || (line.size() > key.size() && line[key.size()] != ' '))
        refuse("is not `" + std::string(key) + "`");
    return line.substr((std::min)(line.size(), key.size() + 1));
}

[[noreturn]] void sealed_reader::refuse(const std::string& why) const
{
    throw error(what_ + ", line " + std::to_string(at_) + ": " + why);
}

std::vector<std::string> sealed_reader::fields(std::string_view line) const
{
    std::vector<std::string> out;
    for (const std::string_view word : words(line)) {
        auto one = word == "%" ? std::string() : detail::unescaped(word);
        if (!one) refuse('`' + std::string(word.substr(0, 80)) + "` is not a field");
        out.push_back(*std::move(one));
    }
    return out;
}

std::string sealed_reader::field(std::string_view line) const
{
    auto all = fields(line);
    if (all.size() != 1) refuse("wants one field");
    return std::move(all.front());
}

std::uint64_t sealed_reader::hex(std::string_view word) const
{
    const auto x = detail::from_hex(word);
    if (!x) refuse("is not a fingerprint");
    return *x;
}

std::string_view sealed_reader::body_of(std::string_view text) const
{
    const std::size_t last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
    if (last == std::string_view::npos || !text.ends_with('\n') || !text.substr(last + 1).starts_with("end "))
        throw error(what_ + ": was cut: its last line is not `end` and a checksum; write it again");
    const std::string_view body = text.substr(0, last + 1);
    if (detail::from_hex(text.substr(last + 5, text.size() - last - 6)) != detail::fnv1a(body))
        throw error(what_ + ": was changed or damaged: its checksum is another one; write it again");
    return body;
}

}  // namespace tunekit::io
