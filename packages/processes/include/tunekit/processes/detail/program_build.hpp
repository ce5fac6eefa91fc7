// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The builds of a program: each once, in a folder named by all that goes into it, and believed only where it is whole
/// and ours.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/build/store.hpp"
#include "tunekit/processes/detail/command_run.hpp"
#include "tunekit/processes/detail/program_texts.hpp"

namespace tunekit::measure::detail {

/// The builds of a program in a folder. A `store` says which of them are whole. A build that this run has made or
/// checked is not checked again, so that a program may change what lies in {build} while it is tuned.
class program_builds {
public:
    program_builds();
    /// Reads what the build names; `anew`: what earlier runs built counts for nothing. Throws tunekit::error where the
    /// folder cannot be made, and where others can write to it.
    program_builds(std::string folder, const program_texts& texts, bool anew);

    [[nodiscard]] const std::string& folder() const noexcept { return done_.directory(); }

    /// Adds the folders to the values of the parameters, and returns the name of the build: a digest of all that goes
    /// into it, its arguments, the files written for it and those that it names.
    [[nodiscard]] std::string place(const program_texts& texts, std::vector<std::string>& values,
                                    const std::string& scratch) const;

    /// Builds what is not built yet, in values.back(). A lock allows one build at a time in one place; a worker that
    /// waited finds it done, or refused by its compiler. That is believed for this run alone: what was the cause may be
    /// gone in the next one. Throws candidate_error, and no_resources where the folder refuses.
    void build(command_runner& run, const program_texts& texts, std::span<const std::string> values,
               const std::string& key, const limits& within) const;

private:
    /// Whether the build was made or checked by this run, or was made by an earlier one, in its own folder, and is
    /// whole.
    [[nodiscard]] bool is_done(const std::string& name, const std::string& key, const std::string& place) const;

    void seal(const std::string& name, const std::string& key, std::string_view listing) const;

    /// Keeps what this run says under a name.
    void put(const store& in, const std::string& name, const std::string& what) const;

    store done_{"", ""}, failed_{"", ""};
    std::string inputs_;  ///< a digest of the files that the build names
    std::string run_;     ///< a digest, of this run
};

}  // namespace tunekit::measure::detail
