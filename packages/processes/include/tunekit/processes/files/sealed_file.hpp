// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text files of lines of words with a checksum: a line or a file that was cut or edited is told from a whole one.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"

namespace tunekit::io {

/// The field as it is written: %, what is not printable ASCII, and the characters of `also` become %XX. Blanks stay
/// unless `also` has them.
[[nodiscard]] std::string escaped(std::string_view field, std::string_view also = {});

/// `x` in base 16, without a prefix.
[[nodiscard]] std::string in_hex(std::uint64_t x);

namespace detail {

/// What `escaped` was given; empty where nothing could have been.
[[nodiscard]] std::optional<std::string> unescaped(std::string_view written);

/// What `in_hex` was given; empty where the whole of `written` is no such number.
[[nodiscard]] std::optional<std::uint64_t> from_hex(std::string_view written);

/// A checksum that tells a text that was cut or edited: FNV-1a with 64 bits.
/// Source: Fowler, Noll, Vo; Eastlake et al. (2019), The FNV Non-Cryptographic Hash Algorithm.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) noexcept
{
    std::uint64_t h = 0xcbf29ce484222325U;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return h;
}

/// `text` with a last line that has its checksum.
[[nodiscard]] std::string with_end(std::string text);

}  // namespace detail

/// A line of fields with a checksum of its own behind them.
struct sealed_line {
    std::vector<std::string> fields;  ///< any texts

    /// Its text, with tabs between the fields and without the line's end.
    [[nodiscard]] std::string text() const;

    /// The line that has this text; empty where it is no such line, or was cut or edited.
    [[nodiscard]] static std::optional<sealed_line> of(std::string_view text);

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
    void put_word(std::string_view word);

    template <class T>
    void put(const T& one)
    {
        if constexpr (std::convertible_to<const T&, std::string_view>) {
            put_word(one);
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
    sealed_reader(std::string_view text, std::string what, std::string_view magic);

    [[nodiscard]] bool done() const noexcept { return at_ == lines_.size(); }  ///< whether there is no line more

    /// The next line.
    [[nodiscard]] std::string_view next();

    /// The next line without its first word, which must be `key`.
    [[nodiscard]] std::string_view after(std::string_view key);

    /// Refuses the line that was read last.
    [[noreturn]] void refuse(const std::string& why) const;

    /// The words of a line, as they were before they were written.
    [[nodiscard]] std::vector<std::string> fields(std::string_view line) const;
    /// The one word of a line.
    [[nodiscard]] std::string field(std::string_view line) const;
    /// A word as a number.
    template <class T>
    [[nodiscard]] T number(std::string_view word) const
    {
        const auto x = core::number<T>(word);
        if (!x) refuse('`' + std::string(word.substr(0, 80)) + "` is not such a number");
        return *x;
    }
    /// A word as a fingerprint, in base 16.
    [[nodiscard]] std::uint64_t hex(std::string_view word) const;

private:
    /// The lines before the last one, whose checksum must be theirs.
    [[nodiscard]] std::string_view body_of(std::string_view text) const;

    std::string what_;
    std::vector<std::string_view> lines_;
    std::size_t at_ = 0;
};

}  // namespace tunekit::io
