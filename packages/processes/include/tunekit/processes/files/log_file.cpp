// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/log_file.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/file_writer.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::io {

log_file log_file::create(const std::string& path, sync when)
{
    return log_file(path, system::detail::opening::append_new, when);
}

log_file log_file::take_up(const std::string& path, sync when)
{
    return log_file(path, system::detail::opening::append, when);
}

log_file::~log_file()
{
    if (file_.fd() >= 0) (void)system::detail::flush_to_disk(file_.fd());
}

void log_file::keep(std::size_t whole)
{
    if (whole < text_.size() && !system::detail::cut_file(file_.fd(), whole))
        throw error("log " + path_ + ": its torn end cannot be cut off: " + std::strerror(errno));
    text_.resize(whole);
    const std::string_view first = std::string_view(text_).substr(0, text_.find('\n'));
    sealed_ = first.empty() || seal_of(first) != seal::none;
}

bool log_file::append(std::string_view line)
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

bool log_file::look()
{
    if (failed()) return false;
    const char* what = lost(text_.size());
    return what == nullptr || save(what);
}

log_file::log_file(const std::string& path, system::detail::opening how, sync when)
    : path_(path), file_(path, how, "log " + path), where_(system::detail::absolute_path(path)), when_(when)
{
    problem_.reserve(2 * path.size() + 300);  // so that what goes wrong can be said without memory
    const std::string what = "log " + path;
    if (const auto locked = system::detail::lock_file(file_.fd()); locked != system::detail::locking::held) {
        if (locked == system::detail::locking::failed)
            throw error(what + ": cannot be locked: " + std::strerror(errno) + "; name a file on a disk with locks");
        throw error(what + ": is being written by another process; wait for it, or name another file");
    }
    text_ = file_.text(what);
    if (const char* now = lost(text_.size())) throw error(what + ": " + now + " while it was opened; try again");
    if (text_.empty()) system::detail::flush_folder_of(where_);  // a new name is on the disk when its folder is
}

const char* log_file::lost(std::size_t size) const noexcept
{
    const auto open = system::detail::state_of(file_.fd());
    if (!open) return "cannot be looked at any more";
    if (open->size < size) return "was truncated";
    if (open->size > size) return "was written to by somebody else";
    const auto named = system::detail::state_of(where_);
    if (!named) return errno == ENOENT || errno == ENOTDIR ? "was deleted" : nullptr;
    return named->number != open->number || named->device != open->device ? "was replaced" : nullptr;
}

bool log_file::write(std::size_t before)
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

bool log_file::fail(const char* what, const char* why)
{
    if (saved_) return saved_ = false;  // the first problem is told
    ((((problem_ = "log ") += path_) += ": ") += what) += why;
    problem_ += "; everything before this line is kept, make room and resume";
    return false;
}

bool log_file::save(const char* what)
{
    std::string why;
    try {
        why = "log " + path_ + ": " + what + " while the run went on; ";
        std::string name = where_ + ".saved";
        for (int n = 2; n < 100 && system::detail::state_of_name(name); ++n)
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

}  // namespace tunekit::io
