// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A directory for code that a rank exchanges with the processes of its candidates, where other ranks build or run it.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/system/files.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::mpi {

/// A new directory with a file for each task and configuration that is under way. On a rank that builds, it finds there
/// what its candidate's process has built, and sends it. A rank that runs puts there what it was sent, for the process
/// that runs it. Copies share the directory. It is removed with the last of them, or by `remove`, where it is empty;
/// that of a rank that was killed by a later one. A file is removed when its job has ended.
///
/// Errors:  tunekit::error where TMPDIR (/tmp where that is not set) cannot be written or is mounted noexec, and where
///          a file cannot be written.
/// Threads: one at a time; any number of processes.
class code_folder {
public:
    /// Makes the directory, with a name of its own, in TMPDIR.
    code_folder() : made_(std::make_shared<directory>()) {}

    /// The path of a configuration's file, whether the file exists or not.
    [[nodiscard]] std::string path(std::size_t task, index candidate) const
    {
        return made_->name() + '/' + std::to_string(task) + '-' + std::to_string(candidate);
    }

    /// Writes the file of a configuration, in place of an older one. Throws tunekit::error where it cannot be written.
    void put(std::size_t task, index candidate, std::span<const unsigned char> bytes) const
    {
        const std::string name = path(task, candidate);
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
        bool good = file >= 0;
        while (good && !bytes.empty()) {
            const ssize_t n = ::write(file, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            good = n > 0;
            if (good) bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
        if (file >= 0) good = ::close(file) == 0 && good;
        if (!good)
            throw error("code_folder: file " + name + " cannot be written: " + std::strerror(errno) +
                        "; want room there, or another TMPDIR");
    }

    /// The bytes of the file; none where there is no file.
    [[nodiscard]] std::optional<std::vector<unsigned char>> get(std::size_t task, index candidate) const
    {
        const int file = ::open(path(task, candidate).c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return std::nullopt;
        std::vector<unsigned char> out;
        for (ssize_t n = 1; n > 0;) {
            const std::size_t before = out.size();
            out.resize(before + 65536);
            do n = ::read(file, out.data() + before, out.size() - before);
            while (n < 0 && errno == EINTR);
            out.resize(before + static_cast<std::size_t>(n > 0 ? n : 0));
        }
        ::close(file);
        return out;
    }

    /// The same, and removes the file.
    std::optional<std::vector<unsigned char>> take(std::size_t task, index candidate) const
    {
        auto out = get(task, candidate);
        if (out) ::unlink(path(task, candidate).c_str());
        return out;
    }

    /// Removes the directory. It stays where it is not empty.
    void remove() const noexcept { ::rmdir(made_->name().c_str()); }

private:
    struct directory : measure::detail::temporary_directory {
        directory() : temporary_directory(fresh("tunekit-code-", "code_folder"))
        {
            if (system::runs_nothing(name()))
                throw error("code_folder: " + name() +
                            " is mounted noexec, so that no code there can be loaded; want another TMPDIR");
        }
    };

    std::shared_ptr<const directory> made_;
};

}  // namespace tunekit::mpi
