// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How programs begin and end: version, wrong input, folders.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/streams.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"

namespace programs {

using tunekit::core::version_text;

/// Checks an option that takes an integer from 0 on, as -1 would become 2^64 - 1.
inline CLI::Validator whole_number()
{
    return {[](std::string& text) {
                return tunekit::core::number<std::uint64_t>(text)
                           ? std::string()
                           : "'" + text + "' is not an integer from 0 to 2^64 - 1";
            },
            ""};
}

/// The words between the commas of an option's text, none of them empty.
inline std::vector<std::string> listed(const std::string& option, const std::string& text)
{
    std::vector<std::string> out;
    for (std::size_t begin = 0, end = 0; end < text.size() || begin == 0; begin = end + 1) {
        end = (std::min)(text.find(',', begin), text.size());
        if (end == begin)
            tunekit::invalid(option + " '" + text + "' has nothing before or behind a comma, want a number");
        out.push_back(text.substr(begin, end - begin));
    }
    return out;
}

/// What --help prints, in the words of a manual page: names are `-o, --out`, a flag that may have a value is
/// `--flag[=N]`, and `operands` stand behind the options.
class help_format : public CLI::Formatter {
public:
    explicit help_format(std::string operands = {}) : operands_(std::move(operands)) {}
    std::string make_usage(const CLI::App* app, std::string name) const override
    {
        std::string out = CLI::Formatter::make_usage(app, std::move(name));
        if (!operands_.empty()) out.insert(out.find_last_not_of('\n') + 1, ' ' + operands_);
        return out;
    }
    std::string make_option_name(const CLI::Option* option, bool positional) const override
    {
        std::string out = CLI::Formatter::make_option_name(option, positional);
        if (const auto at = out.find(",-"); at != std::string::npos) out.insert(at + 1, " ");
        if (const auto at = out.find('{'); at != std::string::npos) out.replace(at, out.find('}') + 1 - at, "[=N]");
        return out;
    }

private:
    std::string operands_;
};

/// What is wrong with a command line, with the name that is near to the first option that there is not.
inline std::string wrong_options(const CLI::ParseError& e, const CLI::App& app, int argc, char** argv)
{
    std::vector<const CLI::App*> all = app.get_subcommands([](const CLI::App*) { return true; });
    all.push_back(&app);
    std::string out = e.what();
    for (int i = 1; i < argc && std::string(argv[i]) != "--"; ++i) {
        const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
        if (!word.starts_with("--")) continue;
        bool known = false;
        std::vector<std::string> names;
        for (const CLI::App* a : all) {
            known = known || a->get_option_no_throw(word) != nullptr;
            for (const CLI::Option* option : a->get_options())
                for (const std::string& name : option->get_lnames()) names.push_back(name);
        }
        if (known) continue;
        const std::string near = tunekit::core::near_name(word.substr(2), names);
        out += ": " + word + " is not an option" + (near.empty() ? "" : ", want --" + near);
        break;
    }
    return out + " (--help lists the options)";
}

/// Parses, calls `run`, and returns the exit status: 2 after one line where the input is wrong, something cannot be had or
/// the output cannot be written.
template <class Run>
int run_program(CLI::App& app, int argc, char** argv, Run&& run)
{
    app.formatter(std::make_shared<help_format>());
    app.set_version_flag("--version", app.get_name() + " (tunekit) " + version_text());
    try {
        app.parse(argc, argv);
        std::forward<Run>(run)();
        check_output();
        return 0;
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), wrong_options(e, app, argc, argv).c_str());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), e.what());
        return 2;
    }
}

/// Throws std::invalid_argument where the file of `option` cannot be written: before the work whose result it takes. Nothing where
/// there is no such file, or a link, which it replaces; what stands in it stays.
inline void check_file(const std::string& option, const std::string& path)
{
    if (path.empty() || path == "-") return;
    struct stat s{};
    const bool there = ::lstat(path.c_str(), &s) == 0 && !S_ISLNK(s.st_mode);
    if (there && !S_ISREG(s.st_mode))  // a page takes the place of what was there, which may be a device
        tunekit::invalid(option + " \"" + path + "\" is not a regular file, want a file that can be written");
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (::access(folder.c_str(), W_OK | X_OK) != 0 || (there && ::access(path.c_str(), W_OK) != 0))
        tunekit::invalid(option + " \"" + path + "\" cannot be written, want a file that can");
}

/// Makes the folder where it is missing. Throws std::invalid_argument where it cannot be written; `option` named it.
inline void make_folder(const std::string& option, const std::string& path)
{
    struct stat s{};
    const bool made = ::mkdir(path.c_str(), 0777) == 0;
    if (!made && (::stat(path.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || ::access(path.c_str(), W_OK) != 0))
        tunekit::invalid(option + " \"" + path + "\" cannot be written, want a folder that can");
}

}  // namespace programs
