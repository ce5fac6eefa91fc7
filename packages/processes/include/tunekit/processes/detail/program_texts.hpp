// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The texts of a program: commands, variables, folders and files with placeholders, parsed once and filled per
/// configuration.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/text_template.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/program/program_options.hpp"

namespace tunekit::measure::detail {

/// What is known of a program before any configuration is. A value. `values` are always those of the parameters, then
/// the folders {scratch} and {build}.
class program_texts {
public:
    /// `names` are those of the parameters. Throws std::invalid_argument for a placeholder that names none and for
    /// settings that contradict each other, and tunekit::error for a template that cannot be read.
    program_texts(std::span<const std::string> names, const program_options& options);

    /// Whether there is a command that builds.
    [[nodiscard]] bool builds() const noexcept { return !build_.empty(); }
    /// Whether each build has a folder of its own, {build}.
    [[nodiscard]] bool builds_apart() const noexcept { return built_apart_; }

    /// The parameters that occur in no text.
    [[nodiscard]] std::vector<std::string> unused() const;

    [[nodiscard]] command_line command(std::span<const std::string> values) const;
    [[nodiscard]] command_line build(std::span<const std::string> values) const { return line(build_, values); }
    /// That of the check; without arguments if nothing is checked.
    [[nodiscard]] command_line check(std::span<const std::string> values) const { return line(check_, values); }
    /// Those beside the runs; without arguments if there are none.
    [[nodiscard]] command_line setup(std::span<const std::string> values) const { return line(setup_, values); }
    [[nodiscard]] command_line prepare(std::span<const std::string> values) const { return line(prepare_, values); }
    [[nodiscard]] command_line cleanup(std::span<const std::string> values) const { return line(cleanup_, values); }
    /// For each number the file whose size it is; empty where it is read otherwise.
    [[nodiscard]] std::vector<std::string> sized_files(std::span<const std::string> values) const;
    /// The path of the file with the result; else empty.
    [[nodiscard]] std::string result_file(std::span<const std::string> values) const;

    /// Writes the files that belong to the build, or the others. Throws candidate_error.
    void write_files(std::span<const std::string> values, bool of_build) const;

    /// What goes into the build, to be digested: its arguments, its folder, its variables and the texts of its files.
    /// Where folder and variables name {scratch}, that of any worker is as good.
    [[nodiscard]] std::string parts_of_build(std::span<const std::string> values) const;

    /// The paths that the build names by arguments without placeholders. The first is its program, empty where PATH has
    /// none.
    [[nodiscard]] std::vector<std::string> named_by_build() const;

    /// Throws tunekit::error where the program does not exist, or a file cannot be one, as far as that can be known
    /// before anything is built.
    void find() const;

private:
    using text_template = core::text_template;
    static constexpr std::size_t max_template = std::size_t{1} << 24;

    struct variable {
        std::string name;
        text_template value;
    };
    struct written_file {
        text_template text;
        text_template to;
    };

    /// A command: words, of which those of a shell's have their placeholders in quotes.
    struct words {
        std::vector<text_template> of{};
        bool of_shell = false;

        [[nodiscard]] bool empty() const noexcept { return of.empty(); }
        [[nodiscard]] const text_template& front() const { return of.front(); }
        [[nodiscard]] auto begin() const noexcept { return of.begin(); }
        [[nodiscard]] auto end() const noexcept { return of.end(); }
    };

    [[nodiscard]] text_template one(const std::string& what, const std::string& text) const;
    [[nodiscard]] words all(const std::string& what, const std::vector<std::string>& texts) const;
    /// Throws std::invalid_argument where a placeholder of a shell's text stands in quotes.
    void refuse_quoted(const std::string& what, const std::string& text) const;

    [[nodiscard]] command_line line(const words& texts, std::span<const std::string> values) const;

    [[nodiscard]] bool mentions(std::size_t j) const;

    [[nodiscard]] bool is_of_build(const written_file& f) const { return f.to.uses(names_.size() - 1); }
    [[nodiscard]] static bool has_folder(const std::string& name) { return name.find('/') != std::string::npos; }

    /// The path of a file. A relative one begins at the folder in which the program runs.
    [[nodiscard]] std::string beside(const std::string& path, std::span<const std::string> values) const;
    /// The path of a program, as exec finds it; else empty. Precondition: `directory` is constant.
    [[nodiscard]] std::string program_at(const std::string& name) const;

    /// Throws std::invalid_argument where a worker would write what another one reads.
    void refuse_shared(const program_options& options) const;

    std::vector<std::string> names_;  ///< those of the parameters, then "scratch" and "build"
    words command_, build_, check_, setup_, prepare_, cleanup_;
    std::vector<text_template> sized_;  ///< for each number the file whose size it is, or nothing
    std::vector<variable> environment_;
    text_template directory_{"", {}};
    text_template result_file_{"", {}}, input_{"", {}};
    std::vector<written_file> files_;
    bool built_apart_ = false;
    bool keep_empty_;
};

}  // namespace tunekit::measure::detail
