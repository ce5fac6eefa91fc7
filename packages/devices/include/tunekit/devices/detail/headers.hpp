// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The headers that generated code includes, so that code built with others is not taken for code built with these.

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/build/store.hpp"

namespace tunekit::measure::detail {

/// The folders that options name: "-I/x", "-I /x", "--include-path=/x", in their order.
[[nodiscard]] inline std::vector<std::string> include_folders(const std::vector<std::string>& options)
{
    std::vector<std::string> out;
    for (std::size_t k = 0; k < options.size(); ++k) {
        constexpr std::string_view path = "--include-path=";
        if (options[k] == "-I" && k + 1 < options.size()) out.push_back(options[++k]);
        else if (options[k].starts_with("-I") && options[k].size() > 2)
            out.push_back(options[k].substr(options[k][2] == ' ' ? 3 : 2));
        else if (options[k].starts_with(path)) out.push_back(options[k].substr(path.size()));
    }
    return out;
}

/// The names in the lines `#include <name>` and `#include "name"` of a text, whether they are in force or not.
[[nodiscard]] inline std::vector<std::string> included_names(std::string_view text)
{
    std::vector<std::string> out;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix((std::min)(text.size(), line.size() + 1));
        const auto word = [&line](std::string_view w) {
            line.remove_prefix((std::min)(line.size(), line.find_first_not_of(" \t\r")));
            if (!line.starts_with(w)) return false;
            line.remove_prefix(w.size());
            return true;
        };
        if (!word("#") || !word("include")) continue;
        const bool quotes = word("\"");
        if (!quotes && !word("<")) continue;
        const std::size_t end = line.find(quotes ? '"' : '>');
        if (end != line.npos && end != 0) out.emplace_back(line.substr(0, end));
    }
    return out;
}

/// Digests of all that a text includes, directly or not, in the files of some folders. A file is read once. Names that
/// no folder has are the compiler's own, or missing: they are left out. Copies share what was read.
class header_digests {
public:
    /// The digest of the headers' names and contents; empty where the text includes none.
    [[nodiscard]] std::string of(std::string_view text, const std::vector<std::string>& folders) const
    {
        std::set<std::string> reached;
        add(included_names(text), "", folders, reached);
        std::string all;
        for (const std::string& path : reached) {
            add_part(all, path);
            add_part(all, known(path).contents);
        }
        return all.empty() ? all : digest(all);
    }

private:
    struct file {
        std::string contents{};  ///< a digest of them; empty where there is no such file
        std::vector<std::string> includes{};
    };

    const file& known(const std::string& path) const
    {
        const auto [at, fresh] = files_->try_emplace(path);
        if (fresh)
            if (const auto bytes = bytes_of(path)) at->second = {digest(*bytes), included_names(*bytes)};
        return at->second;
    }

    void add(const std::vector<std::string>& names, const std::string& beside, const std::vector<std::string>& folders,
             std::set<std::string>& reached) const
    {
        for (const std::string& name : names) {
            std::vector<std::string> places{name.front() == '/' ? name : beside + name};
            for (const std::string& folder : folders) places.push_back(folder + '/' + name);
            for (std::size_t k = beside.empty() && name.front() != '/' ? 1 : 0; k < places.size(); ++k) {
                if (known(places[k]).contents.empty()) continue;
                if (reached.insert(places[k]).second)
                    add(known(places[k]).includes, places[k].substr(0, places[k].rfind('/') + 1), folders, reached);
                break;
            }
        }
    }

    std::shared_ptr<std::map<std::string, file>> files_ = std::make_shared<std::map<std::string, file>>();
};

}  // namespace tunekit::measure::detail
