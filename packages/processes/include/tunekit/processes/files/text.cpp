// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/text.hpp"

#include "tunekit/core/text.hpp"
#include "tunekit/processes/detail/file_writer.hpp"
#include "tunekit/processes/files/regular_file.hpp"

namespace tunekit::io {

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t at = text.find(separator);
        out.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return out;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> lines(std::string_view text)
{
    auto out = split(text, '\n');
    if (out.back().empty()) out.pop_back();
    for (auto& line : out)
        if (line.ends_with('\r')) line.remove_suffix(1);
    return out;
}

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t from = text.find_first_not_of(" \t");
        if (from == std::string_view::npos) return out;
        text.remove_prefix(from);
        const std::size_t to = text.find_first_of(" \t");
        out.push_back(text.substr(0, to));
        if (to == std::string_view::npos) return out;
        text.remove_prefix(to);
    }
}

namespace detail {

[[noreturn]] void refuse_size(const std::string& path, std::size_t max_bytes)
{
    throw error(path + ": holds more than " + core::text_of(max_bytes >> 20) + " MiB of text, want less");
}

[[noreturn]] void refuse_for_memory(const std::string& path)
{
    throw error(path + ": memory does not suffice to read it, want more memory or a smaller file");
}

}  // namespace detail

std::string read_text(const std::string& path)
{
    const detail::regular_file file(path, system::detail::opening::read, path);
    if (file.state(path).size > max_text_bytes) detail::refuse_size(path, max_text_bytes);
    return file.text(path);
}

void write_text(const std::string& path, std::string_view text) { detail::write_file(path, text); }

}  // namespace tunekit::io
