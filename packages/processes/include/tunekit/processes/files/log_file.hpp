// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A log file of whole lines that detects its own removal.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/file_writer.hpp"
#include "tunekit/processes/detail/line_seal.hpp"
#include "tunekit/processes/detail/system/files.hpp"
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
    [[nodiscard]] static log_file create(const std::string& path, sync when)
    {
        return log_file(path, system::detail::opening::append_new, when);
    }

    /// Opens the file at `path` with its content, or makes a new one. The file is read under a lock, and not changed
    /// before `keep` or `append`.
    [[nodiscard]] static log_file take_up(const std::string& path, sync when)
    {
        return log_file(path, system::detail::opening::append, when);
    }

    log_file(log_file&&) noexcept = default;
    log_file& operator=(log_file&&) = delete;
    ~log_file()
    {
        if (file_.fd() >= 0) (void)system::detail::flush_to_disk(file_.fd());
    }

    /// The content of the file.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Cuts the file to its first `whole` bytes.
    void keep(std::size_t whole)
    {
        if (whole < text_.size() && !system::detail::cut_file(file_.fd(), whole))
            throw error("log " + path_ + ": its torn end cannot be cut off: " + std::strerror(errno));
        text_.resize(whole);
        const std::string_view first = std::string_view(text_).substr(0, text_.find('\n'));
        sealed_ = first.empty() || seal_of(first) != seal::none;
    }

    /// Whether the run should end; `problem()` says why.
    [[nodiscard]] bool failed() const noexcept { return !problem_.empty(); }
    [[nodiscard]] const std::string& problem() const noexcept
    {
        return problem_;
    }  ///< one line on what went wrong; empty where nothing did

    /// Appends `line`, an object, with its checksum and the line's end. Returns false where the run should end.
    bool append(std::string_view line)
    {
        if (failed() && !saved_) return false;
        const std::size_t before = text_.size();
        try {
            const std::string with = sealed_ ? detail::sealed(line) : std::string(line);
            text_ += with;
            text_ += '\n';
        } catch (const std::bad_alloc&) {
            text_.resize(before);
            return fail("there is no memory for the next line");
        }
        if (const char* what = saved_ ? nullptr : lost(before)) return save(what);
        if (!write(before)) return false;
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        if ((when_ == sync::every_line || now.tv_sec != synced_) && !system::detail::flush_to_disk(file_.fd()))
            return fail("cannot be synced: ", std::strerror(errno));
        synced_ = now.tv_sec;
        return !failed();
    }

    /// Checks that the file is still there and unchanged, as every `append` does. Returns false where the run should
    /// end.
    bool look()
    {
        if (failed()) return false;
        const char* what = lost(text_.size());
        return what == nullptr || save(what);
    }

private:
    log_file(const std::string& path, system::detail::opening how, sync when)
        : path_(path), file_(path, how, "log " + path), where_(system::detail::absolute_path(path)), when_(when)
    {
        problem_.reserve(2 * path.size() + 300);  // so that what goes wrong can be said without memory
        const std::string what = "log " + path;
        if (const auto locked = system::detail::lock_file(file_.fd()); locked != system::detail::locking::held) {
            if (locked == system::detail::locking::failed)
                throw error(what + ": cannot be locked: " + std::strerror(errno) +
                            "; name a file on a disk with locks");
            throw error(what + ": is being written by another process; wait for it, or name another file");
        }
        text_ = file_.text(what);
        if (const char* now = lost(text_.size())) throw error(what + ": " + now + " while it was opened; try again");
        if (text_.empty()) system::detail::flush_folder_of(where_);  // a new name is on the disk when its folder is
    }

    /// What became of the file that should have `size` bytes; nothing where it is as it was left.
    [[nodiscard]] const char* lost(std::size_t size) const noexcept
    {
        const auto open = system::detail::state_of(file_.fd());
        if (!open) return "cannot be looked at any more";
        if (open->size < size) return "was truncated";
        if (open->size > size) return "was written to by somebody else";
        const auto named = system::detail::state_of(where_);
        if (!named) return errno == ENOENT || errno == ENOTDIR ? "was deleted" : nullptr;
        return named->number != open->number || named->device != open->device ? "was replaced" : nullptr;
    }

    /// Writes what the text has beyond `before`, or nothing.
    bool write(std::size_t before)
    {
        const std::size_t size = text_.size() - before;
        const std::ptrdiff_t done = system::detail::write_some(file_.fd(), text_.data() + before, size);
        if (done == static_cast<std::ptrdiff_t>(size)) return true;
        fail(done < 0 ? std::strerror(errno) : "the disk is full");
        text_.resize(before);
        if (done > 0 && !system::detail::cut_file(file_.fd(), before))
            problem_ += " (and the torn last line could not be cut off)";
        return false;
    }

    bool fail(const char* what, const char* why = "")
    {
        if (saved_) return saved_ = false;  // the first problem is told
        ((((problem_ = "log ") += path_) += ": ") += what) += why;
        problem_ += "; everything before this line is kept, make room and resume";
        return false;
    }

    /// Goes on in a new file beside the one that is lost.
    bool save(const char* what)
    {
        std::string why;
        try {
            why = "log " + path_ + ": " + what + " while the run went on; ";
            std::string name = where_ + ".saved";
            for (int n = 2; n < 100 && system::detail::is_taken(name); ++n)
                name = where_ + ".saved" + std::to_string(n);
            detail::regular_file beside(name, system::detail::opening::append_new, "log " + name);
            const auto check = [&](bool good) {
                if (!good) throw error("log " + name + ": " + std::strerror(errno));
            };
            check(system::detail::lock_file(beside.fd()) == system::detail::locking::held);
            errno = detail::write_whole(beside.fd(), text_);
            check(errno == 0);
            check(system::detail::flush_to_disk(beside.fd()));
            file_ = std::move(beside);
            saved_ = true;
            problem_ = why + "its lines are in " + name + ": move that to its place and resume";
        } catch (const std::exception& e) {
            problem_ = why + "its lines could not be saved beside it: " + e.what();
        }
        return false;
    }

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
