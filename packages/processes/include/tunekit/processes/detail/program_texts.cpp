// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/program_texts.hpp"

#include <unistd.h>
#include <algorithm>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/detail/run_failure.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure::detail {

namespace {

/// A word as a shell reads it back.
std::string shell_word(const std::string& word)
{
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace

program_texts::program_texts(std::span<const std::string> names, const program_options& options)
    : names_(names.begin(), names.end()), keep_empty_(options.keep_empty)
{
    options.validate();
    for (const char* own : {"scratch", "build"}) {
        if (std::find(names_.begin(), names_.end(), own) != names_.end())
            invalid({"program: a parameter is called '", own, "', which is the name of a folder; want another name"});
        names_.emplace_back(own);
    }
    command_ = all("command", options.command);
    build_ = all("build", options.build);
    check_ = all("check_command", options.check_command);
    setup_ = all("setup", options.setup);
    prepare_ = all("prepare", options.prepare);
    cleanup_ = all("cleanup", options.cleanup);
    input_ = one("input", options.input);
    for (const auto& [name, value] : options.environment)
        environment_.push_back({name, text_template(value, names_, "program: environment " + name)});
    directory_ = one("directory", options.directory);
    result_file_ = one("result_file", options.result_file);
    for (const program_options::number& n : options.numbers) sized_.push_back(one("the number " + n.name, n.size_of));
    for (const program_options::file& f : options.files) {
        const auto text = file_text(f.from, max_template);
        if (!text) throw error("program: the template '" + f.from + "' cannot be read; name a file that can");
        if (text->size() > max_template)
            throw error("program: the template '" + f.from + "' is longer than 16 MiB, want less");
        files_.push_back({text_template(*text, names_, "program: template '" + f.from + "'"), one("files", f.to)});
    }
    built_apart_ = mentions(names_.size() - 1);
    refuse_shared(options);
}

std::vector<std::string> program_texts::unused() const
{
    std::vector<std::string> out;
    for (std::size_t j = 0; j + 2 < names_.size(); ++j)
        if (!mentions(j)) out.push_back(names_[j]);
    return out;
}

std::vector<std::string> program_texts::sized_files(std::span<const std::string> values) const
{
    std::vector<std::string> out;
    for (const text_template& t : sized_) {
        const std::string file = t.filled(values);
        out.push_back(file.empty() ? file : beside(file, values));
    }
    return out;
}

std::string program_texts::result_file(std::span<const std::string> values) const
{
    const std::string file = result_file_.filled(values);
    return file.empty() ? file : beside(file, values);
}

void program_texts::write_files(std::span<const std::string> values, bool of_build) const
{
    for (const written_file& f : files_)
        if (of_build == is_of_build(f)) put_file(beside(f.to.filled(values), values), f.text.filled(values));
}

command_line program_texts::command(std::span<const std::string> values) const
{
    command_line out = line(command_, values);
    out.input = input_.filled(values);
    return out;
}

std::string program_texts::parts_of_build(std::span<const std::string> values) const
{
    std::string out;
    std::vector<std::string> anywhere(values.begin(), values.end());
    anywhere[names_.size() - 2].clear();
    for (const text_template& t : build_) add_part(out, t.filled(values));
    if (builds() && keep_empty_) add_part(out, "keep_empty");
    if (builds()) add_part(out, directory_.filled(anywhere));
    for (const variable& v : environment_)
        if (builds()) add_part(out, v.name), add_part(out, v.value.filled(anywhere));
    for (const written_file& f : files_)
        if (is_of_build(f)) add_part(out, f.text.filled(values));
    return out;
}

std::vector<std::string> program_texts::named_by_build() const
{
    std::vector<std::string> out;
    if (!directory_.constant()) return out;
    for (const text_template& t : build_) {
        const std::string name = t.constant() ? t.filled({}) : std::string();
        out.push_back(out.empty() ? program_at(name) : name.empty() ? name : beside(name, {}));
    }
    return out;
}

void program_texts::find() const
{
    for (const auto* const list : {&build_, &command_, &check_, &setup_, &prepare_, &cleanup_}) {
        if (list->empty() || !list->front().constant() || !directory_.constant()) continue;
        if (list != &build_ && builds()) continue;  // the build may make it
        const std::string name = list->front().filled({});
        if (program_at(name).empty())
            throw error("program: there is no program '" + (has_folder(name) ? beside(name, {}) : name) +
                        "' to run; name one that is there and may be run");
    }
    if (!directory_.constant()) return;
    const std::string in = directory_.filled({});
    const auto there = system::detail::state_of(in);
    if (!in.empty() && (!there || !there->is_folder() || ::access(in.c_str(), X_OK) != 0))
        throw error("program: there is no folder '" + in + "' to run in; name one that is there");
    if (input_.constant() && !input_.filled({}).empty()) {
        const std::string from = beside(input_.filled({}), {});
        if (::access(from.c_str(), R_OK) != 0)
            throw error("program: the input '" + from + "' cannot be read; name a file that can");
    }
    const auto look_at = [&](const text_template& path) {
        if (path.constant() && !path.filled({}).empty()) refuse_irregular(beside(path.filled({}), {}));
    };
    look_at(result_file_);
    for (const written_file& f : files_) look_at(f.to);
}

program_texts::text_template program_texts::one(const std::string& what, const std::string& text) const
{
    return {text, names_, "program: " + what + " '" + text + "'"};
}

program_texts::words program_texts::all(const std::string& what, const std::vector<std::string>& texts) const
{
    words out{.of_shell = texts.size() == 1 && texts.front().starts_with("sh:")};
    if (out.of_shell) refuse_quoted(what, texts.front());
    for (const char* const before : {"sh", "-c"})
        if (out.of_shell) out.of.push_back(one(what, before));
    for (const std::string& t : texts) out.of.push_back(one(what, out.of_shell ? t.substr(3) : t));
    return out;
}

void program_texts::refuse_quoted(const std::string& what, const std::string& text) const
{
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'') ++i;
        else if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote == 0 ? c : '\0';
        if (quote == 0 || c != '{' || text[i - 1] == '{') continue;
        const std::string name = text.substr(i + 1, text.find('}', i) - i - 1);
        if (std::find(names_.begin(), names_.end(), name) != names_.end())
            invalid("program: " + what + ": {" + name +
                    "} stands in quotes of the shell, want it outside: it has its own");
    }
}

command_line program_texts::line(const words& texts, std::span<const std::string> values) const
{
    command_line out;
    if (texts.empty()) return out;
    std::vector<std::string> quoted;
    if (texts.of_shell)
        for (const std::string& v : values) quoted.push_back(shell_word(v));
    for (const text_template& t : texts) {
        std::string word = t.filled(texts.of_shell ? quoted : values);  // an optional flag that is left out is no word
        if (!word.empty() || keep_empty_ || !t.alone() || out.arguments.empty())
            out.arguments.push_back(std::move(word));
    }
    for (const variable& v : environment_) out.environment.emplace_back(v.name, v.value.filled(values));
    out.directory = directory_.filled(values);
    return out;
}

bool program_texts::mentions(std::size_t j) const
{
    const auto uses = [j](const text_template& t) { return t.uses(j); };
    const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), uses); };
    return any(command_) || any(build_) || any(check_) || any(setup_) || any(prepare_) || any(cleanup_) ||
           any(sized_) || uses(directory_) || uses(result_file_) || uses(input_) ||
           std::any_of(environment_.begin(), environment_.end(), [&](const variable& v) { return uses(v.value); }) ||
           std::any_of(files_.begin(), files_.end(), [&](const written_file& f) { return uses(f.text) || uses(f.to); });
}

std::string program_texts::beside(const std::string& path, std::span<const std::string> values) const
{
    const std::string in = directory_.filled(values);
    return path.starts_with('/') || in.empty() ? path : in + '/' + path;
}

std::string program_texts::program_at(const std::string& name) const
{
    return find_program(has_folder(name) ? beside(name, {}) : name);
}

void program_texts::refuse_shared(const program_options& options) const
{
    const std::size_t scratch = names_.size() - 2;
    const std::size_t built = names_.size() - 1;
    const bool apart = directory_.uses(scratch);
    const auto shared = [&](const text_template& path, const std::string& text) {
        return !path.uses(scratch) && !path.uses(built) && !(apart && !text.starts_with('/'));
    };
    if (options.builders > 0) {
        if (!builds() || !built_apart_)
            invalid("program: builders build what others run later, want a build whose result lies in {build}");
        if (std::any_of(build_.begin(), build_.end(), [&](const text_template& t) { return t.uses(scratch); }))
            invalid(
                "program: a build in {scratch} is gone when it is to run, want it in {build} where there are "
                "builders");
    }
    if (options.workers <= 1) return;
    for (std::size_t k = 0; k < files_.size(); ++k)
        if (shared(files_[k].to, options.files[k].to))
            invalid("program: the file '" + options.files[k].to +
                    "' would be written by every worker, want it in {scratch}");
    if (!options.result_file.empty() && shared(result_file_, options.result_file))
        invalid("program: the result_file '" + options.result_file +
                "' would be written by every worker, want it in {scratch}");
    if (builds() && !built_apart_)
        invalid("program: every worker would build in the same place, want what is built in {build}");
}

}  // namespace tunekit::measure::detail
