// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text files of lines of words with a checksum: a line or a file that was cut or edited is told from a whole one.

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::io {

/// The field as it is written: %, what is not printable ASCII, and the characters of `also` become %XX. Blanks stay
/// unless `also` has them.
[[nodiscard]] inline std::string escaped(std::string_view field, std::string_view also = {})
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

/// `x` in base 16, without a prefix.
[[nodiscard]] inline std::string in_hex(std::uint64_t x)
{
    char buffer[20];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x, 16).ptr);
}

namespace detail {

/// What `escaped` was given; empty where nothing could have been.
[[nodiscard]] inline std::optional<std::string> unescaped(std::string_view written)
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

/// What `in_hex` was given; empty where the whole of `written` is no such number.
[[nodiscard]] inline std::optional<std::uint64_t> from_hex(std::string_view written)
{
    std::uint64_t x = 0;
    const auto [at, failed] = std::from_chars(written.data(), written.data() + written.size(), x, 16);
    if (failed != std::errc{} || at != written.data() + written.size()) return std::nullopt;
    return x;
}

/// A checksum that tells a text that was cut or edited: FNV-1a with 64 bits.
/// Source: Fowler, Noll, Vo; Eastlake et al. (2019), The FNV Non-Cryptographic Hash Algorithm.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) noexcept
{
    std::uint64_t h = 0xcbf29ce484222325U;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return h;
}

/// `text` with a last line that has its checksum.
[[nodiscard]] inline std::string with_end(std::string text)
{
    const std::string check = in_hex(fnv1a(text));
    return std::move(text) + "end " + check + '\n';
}

}  // namespace detail

/// A line of fields with a checksum of its own behind them.
struct sealed_line {
    std::vector<std::string> fields;  ///< any texts

    /// Its text, with tabs between the fields and without the line's end.
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const std::string& field : fields) out += escaped(field) + '\t';
        return out + in_hex(detail::fnv1a(out));
    }

    /// The line that has this text; empty where it is no such line, or was cut or edited.
    [[nodiscard]] static std::optional<sealed_line> of(std::string_view text)
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

    /// Field k, which `in_hex` wrote, as a number; empty where it is none. Precondition: there is such a field.
    [[nodiscard]] std::optional<std::uint64_t> hex(std::size_t k) const { return detail::from_hex(fields[k]); }
};

/// Writes a file of lines of words, the last of which is `end` and a checksum of all before it.
///
///     io::sealed_writer out("# tunekit results 1");
///     out.line("kernel", name);                       // texts are escaped, and what is empty is %
///     out.line("config", candidate, values);          // numbers, and the words of a list
///     io::write_text(path, std::move(out).text());
class sealed_writer {
public:
    /// `magic` is the first line: which file it is, and of which version.
    explicit sealed_writer(std::string_view magic) : text_(magic) { text_ += '\n'; }

    /// A line of these words.
    template <class... Words>
    void line(const Words&... words)
    {
        (put(words), ...);
        text_.back() = '\n';
    }

    /// The whole text.
    [[nodiscard]] std::string text() && { return detail::with_end(std::move(text_)); }

private:
    template <class T>
    void put(const T& one)
    {
        if constexpr (std::convertible_to<const T&, std::string_view>) {
            const std::string_view word = one;
            text_ += word.empty() ? "%" : escaped(word, " |");
            text_ += ' ';
        } else if constexpr (std::is_arithmetic_v<T>) {
            text_ += core::text_of(one);
            text_ += ' ';
        } else {
            for (const auto& x : one) put(x);
        }
    }

    std::string text_;
};

/// Reads what `sealed_writer` wrote, line after line.
/// Errors: what does not fit throws tunekit::error with the file, the line and what is wrong with it.
class sealed_reader {
public:
    /// `what` names the file in messages, such as "results gemm.results". Precondition: `text` outlives the reader.
    sealed_reader(std::string_view text, std::string what, std::string_view magic) : what_(std::move(what))
    {
        lines_ = lines(body_of(text));
        if (next() != magic) refuse("is not a file of `" + std::string(magic) + "`; name another one");
    }

    [[nodiscard]] bool done() const noexcept { return at_ == lines_.size(); }  ///< whether there is no line more

    /// The next line.
    [[nodiscard]] std::string_view next()
    {
        if (done()) throw error(what_ + ": ends too early; write it again");
        return lines_[at_++];
    }

    /// The next line without its first word, which must be `key`.
    [[nodiscard]] std::string_view after(std::string_view key)
    {
        const std::string_view line = next();
        if (line.substr(0, key.size()) != key || (line.size() > key.size() && line[key.size()] != ' '))
            refuse("is not `" + std::string(key) + "`");
        return line.substr((std::min)(line.size(), key.size() + 1));
    }

    /// Refuses the line that was read last.
    [[noreturn]] void refuse(const std::string& why) const
    {
        throw error(what_ + ", line " + std::to_string(at_) + ": " + why);
    }

    /// The words of a line, as they were before they were written.
    [[nodiscard]] std::vector<std::string> fields(std::string_view line) const
    {
        std::vector<std::string> out;
        for (const std::string_view word : words(line)) {
            auto one = word == "%" ? std::string() : detail::unescaped(word);
            if (!one) refuse("`" + std::string(word.substr(0, 80)) + "` is not a field");
            out.push_back(*std::move(one));
        }
        return out;
    }
    /// The one word of a line.
    [[nodiscard]] std::string field(std::string_view line) const
    {
        auto all = fields(line);
        if (all.size() != 1) refuse("wants one field");
        return std::move(all.front());
    }
    /// A word as a number.
    template <class T>
    [[nodiscard]] T number(std::string_view word) const
    {
        const auto x = core::number<T>(word);
        if (!x) refuse("`" + std::string(word.substr(0, 80)) + "` is not such a number");
        return *x;
    }
    /// A word as a fingerprint, in base 16.
    [[nodiscard]] std::uint64_t hex(std::string_view word) const
    {
        const auto x = detail::from_hex(word);
        if (!x) refuse("is not a fingerprint");
        return *x;
    }

private:
    /// The lines before the last one, whose checksum must be theirs.
    [[nodiscard]] std::string_view body_of(std::string_view text) const
    {
        const std::size_t last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
        if (last == std::string_view::npos || !text.ends_with('\n') || !text.substr(last + 1).starts_with("end "))
            throw error(what_ + ": was cut: its last line is not `end` and a checksum; write it again");
        const std::string_view body = text.substr(0, last + 1);
        if (detail::from_hex(text.substr(last + 5, text.size() - last - 6)) != detail::fnv1a(body))
            throw error(what_ + ": was changed or damaged: its checksum is another one; write it again");
        return body;
    }

    std::string what_;
    std::vector<std::string_view> lines_;
    std::size_t at_ = 0;
};

}  // namespace tunekit::io
