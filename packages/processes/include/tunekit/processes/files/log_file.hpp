// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A log file of whole lines that detects its own removal.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tunekit/processes/detail/line_seal.hpp"
#include "tunekit/processes/files/regular_file.hpp"

namespace tunekit::io {

/// A file that grows by whole lines with a checksum each, one `write` per line, by one process at a time.
///
/// Written lines survive the end of the process, SIGKILL included. A loss of power loses at most the lines after the
/// last flush to the disk: those of one second, or none with `every_line`. A line that cannot be written whole (a full
/// disk) is cut off again. From then on `failed()` is true, and nothing more is written. A caller with a limit on file
/// sizes must ignore SIGXFSZ.
///
/// Before every line it checks its file. If the file was deleted, replaced, cut or changed by somebody else, its whole
/// text is written to a new file beside it, `PATH.saved`, and further lines go there. `failed()` is then true too,
/// because the run should end. `problem()` says what happened and where the lines are. For this the text is kept in
/// memory.
///
/// A log without checksums, of an older version, is continued without checksums.
///
/// Errors: tunekit::error, one line that names the file and the remedy.
class log_file {
public:
    /// When lines are flushed to the disk.
    enum class sync : std::uint8_t { every_second, every_line };

    /// What the checksum of a line says: there is `none`, it is `broken` (the line was cut or edited), or it is
    /// `whole`.
    using seal = detail::seal;
    /// What that of `line` says.
    [[nodiscard]] static seal seal_of(std::string_view line) { return detail::seal_of(line); }

    /// Makes a new file. It is an error if the file exists, because it may hold measurements.
    [[nodiscard]] static log_file create(const std::string& path, sync when);

    /// Opens the file at `path` with its content, or makes a new one. The file is read under a lock, and not changed
    /// before `keep` or `append`.
    [[nodiscard]] static log_file take_up(const std::string& path, sync when);

    log_file(log_file&&) noexcept = default;
    log_file& operator=(log_file&&) = delete;
    ~log_file();

    /// The content of the file.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Cuts the file to its first `whole` bytes.
    void keep(std::size_t whole);

    /// Whether the run should end; `problem()` says why.
    [[nodiscard]] bool failed() const noexcept { return !problem_.empty(); }
    /// One line on what went wrong; empty where nothing did.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    /// Appends `line`, an object, with its checksum and the line's end. Returns false where the run should end.
    bool append(std::string_view line);

    /// Checks that the file is still there and unchanged, as every `append` does. Returns false where the run should
    /// end.
    bool look();

private:
    log_file(const std::string& path, system::detail::opening how, sync when);

    /// What became of the file that should have `size` bytes; nothing where it is as it was left.
    [[nodiscard]] const char* lost(std::size_t size) const noexcept;

    /// Writes what the text has beyond `before`, or nothing.
    bool write(std::size_t before);

    bool fail(const char* what, const char* why = "");

    /// Goes on in a new file beside the one that is lost.
    bool save(const char* what);

    std::string path_;
    detail::regular_file file_;
    std::string where_;  // from the root, as a program may change its folder
    std::string text_;
    std::string problem_;
    std::int64_t synced_ = 0;
    sync when_;
    bool sealed_ = true;
    bool saved_ = false;  // lines go to the file beside
};

}  // namespace tunekit::io
