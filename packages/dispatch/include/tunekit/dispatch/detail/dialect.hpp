// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One text for two languages: what a generated header says in C++17, and in C99.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cpp_text.hpp"

namespace tunekit::dispatch::detail {

/// A language of generated headers. Texts are written with marks, which `spoken` turns into the language's words, and
/// with names in braces where a choice's own values stand.
struct dialect {
    bool c = false;        ///< C99; else C++17
    std::string prefix{};  ///< of all names in C; in C++ they are in namespaces

    /// The text with its marks replaced:
    ///     $   the prefix of a name                    @m  the same, in C++ within the namespace `measured`
    ///     @f  what a function begins with             @t  what a table begins with        @s  what a structure does
    ///     @r  an enumerator of rung                   @k  an enumerator of kinship
    ///     @p  before the braces of a pick             @b  the type of a truth value       @n  false
    ///     @i(, @u(  a cast to int, to unsigned long long
    [[nodiscard]] std::string spoken(std::string_view text) const
    {
        const std::array<std::pair<std::string_view, std::string>, 12> marks{{
            {"$", prefix},
            {"@m", c ? prefix : "measured::"},
            {"@f", c ? "static inline" : "constexpr"},
            {"@t", c ? "static const" : "inline constexpr"},
            {"@s", c ? "typedef struct" : "struct"},
            {"@r", c ? prefix : "rung::"},
            {"@k", c ? prefix : "kinship::"},
            {"@p", c ? "(" + prefix + "pick)" : ""},
            {"@n", c ? "0" : "false"},
            {"@b", c ? "_Bool" : "bool"},
            {"@i(", c ? "(int)(" : "static_cast<int>("},
            {"@u(", c ? "(unsigned long long)(" : "static_cast<unsigned long long>("},
        }};
        std::string out;
        while (!text.empty()) {
            const std::pair<std::string_view, std::string>* found = nullptr;
            if (text.front() == '$' || text.front() == '@')
                for (const auto& mark : marks)
                    if (text.starts_with(mark.first)) found = &mark;
            out += found != nullptr ? found->second : std::string(1, text.front());
            text.remove_prefix(found != nullptr ? found->first.size() : 1);
        }
        return out;
    }
    /// The same, with the value of each `{name}`; in values no mark is replaced.
    template <class... Values>
    [[nodiscard]] std::string spoken(std::string_view text, std::string_view names, const Values&... values) const
    {
        return filled(spoken(text), names, values...);
    }

    /// What stands between the brace that closes a structure of that name and the semicolon.
    [[nodiscard]] std::string closing(const std::string& name) const { return c ? ' ' + prefix + name : ""; }

    /// An enumeration of that name. In C the enumerators have the prefix, and with `scoped` the enumeration's name,
    /// too.
    [[nodiscard]] std::string enumeration(const std::string& name, const std::vector<std::string>& words, bool scoped,
                                          int first) const
    {
        const std::string before = !c ? "" : scoped ? prefix + name + '_' : prefix;
        std::string list;
        for (const std::string& w : words)
            list += (list.empty() ? "" : ", ") + before + w + (list.empty() && first != 0 ? " = 1" : "");
        return c ? "typedef enum " + prefix + name + " { " + list + " } " + prefix + name + ";\n"
                 : "enum class " + name + " { " + list + " };\n";
    }

    /// "true" or "1", "false" or "0".
    [[nodiscard]] std::string truth(bool x) const { return c ? (x ? "1" : "0") : (x ? "true" : "false"); }

    /// The type of a parameter's values.
    [[nodiscard]] std::string type(value_type t) const { return t == value_type::flag && c ? "_Bool" : to_text(t); }

    /// The literal of a parameter's value.
    [[nodiscard]] std::string literal(value_type t, const std::string& value) const
    {
        return t == value_type::flag ? truth(value == "true") : as_literal(t, value);
    }

    /// What a function that gets one shape takes, in the order of the sizes: "long long m, transposed transposed_".
    [[nodiscard]] std::string parameters(const choice& of) const
    {
        std::string out;
        for (const std::string& size : of.sizes)
            out += (out.empty() ? "" : ", ") +
                   (is_word(of, size) ? prefix + size + ' ' + size + '_' : "long long " + size);
        return out;
    }

    /// These, as a function passes them on; with `numbers` as the numbers of a shape.
    [[nodiscard]] std::string arguments(const choice& of, bool numbers) const
    {
        std::string out;
        for (const std::string& size : of.sizes) {
            const std::string name = is_word(of, size) ? size + '_' : size;
            out += (out.empty() ? "" : ", ") +
                   (numbers && is_word(of, size) && !c ? "static_cast<long long>(" + name + ')' : name);
        }
        return out;
    }

    [[nodiscard]] static bool is_word(const choice& of, const std::string& size)
    {
        for (const dispatch::enumeration& e : of.words)
            if (e.size == size) return true;
        return false;
    }
};

}  // namespace tunekit::dispatch::detail
