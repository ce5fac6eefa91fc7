// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files by descriptor: opening, locking, flushing to the disk and replacing. What fails leaves its reason in errno.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

struct stat;

namespace tunekit::system::detail {

/// The way in which a file is opened. What appends makes the file where it is not there, and can read it.
enum class opening : std::uint8_t { read, append, append_new, write_new };

/// What is at a path or behind a descriptor.
struct file_state {
    /// What a thing of the file system may be.
    enum class kind : std::uint8_t { file, folder, pipe, device, link };

    kind is = kind::file;      ///< what it is
    std::uint64_t size = 0;    ///< bytes
    unsigned mode = 0;         ///< permissions
    std::int64_t changed = 0;  ///< the time of its last change, in seconds
    /// Which file it is. Both are 0 on Windows, where nobody can remove or replace an open file.
    std::uint64_t device = 0, number = 0;
    std::uint64_t owner = 0;  ///< the user's number; 0 on Windows

    [[nodiscard]] bool is_file() const noexcept { return is == kind::file; }
    [[nodiscard]] bool is_folder() const noexcept { return is == kind::folder; }
};

/// What is at `path`, behind links; empty where that cannot be looked at.
[[nodiscard]] std::optional<file_state> state_of(const std::string& path) noexcept;

/// What is behind the descriptor; empty where that cannot be looked at.
[[nodiscard]] std::optional<file_state> state_of(int fd) noexcept;

/// What has this name: a link is one, whatever it leads to. Empty where nothing has it.
[[nodiscard]] std::optional<file_state> state_of_name(const std::string& path) noexcept;

/// Opens a file for this process, not for its children. Returns -1 where that fails. A file that is made has `mode`,
/// less the process's mask. A pipe at its place is not waited for.
[[nodiscard]] int open_file(const std::string& path, opening how, unsigned mode = 0644) noexcept;

/// Closes it. False where what was written may be lost.
bool close_file(int fd) noexcept;

/// The same file by a descriptor that is not one of the standard streams; else -1.
[[nodiscard]] int above_streams(int fd) noexcept;

/// Reads at most `room` bytes. Returns their number; 0 at the end, -1 where it fails.
[[nodiscard]] std::ptrdiff_t read_some(int fd, char* to, std::size_t room) noexcept;

/// Writes at most `size` bytes. Returns their number; -1 where it fails.
[[nodiscard]] std::ptrdiff_t write_some(int fd, const char* from, std::size_t size) noexcept;

/// Cuts a file to its first `size` bytes.
[[nodiscard]] bool cut_file(int fd, std::size_t size) noexcept;

/// Gives a file these permissions; Windows keeps those of its folder.
[[nodiscard]] bool permit_file(int fd, unsigned mode) noexcept;

/// Waits until what was written is on the disk.
[[nodiscard]] bool flush_to_disk(int fd) noexcept;

/// The same for all that the system keeps about the file.
[[nodiscard]] bool flush_whole_file(int fd) noexcept;

/// What became of an attempt to lock a file; it is locked until it is closed.
enum class locking : std::uint8_t { held, busy, failed };

/// Locks a file for this process, if no other has it.
[[nodiscard]] locking lock_file(int fd) noexcept;

/// `path` up to its last separator, that included; "./" where it has none.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Calls `with(self, name)` for everything in `folder`; nothing where that cannot be listed.
void list_names_in(const std::string& folder, void* self, void (*with)(void* self, const std::string& name));

/// The same with `with(name)`.
template <class With>
void each_name_in(const std::string& folder, With&& with)
{
    list_names_in(folder, const_cast<void*>(static_cast<const void*>(&with)), [](void* self, const std::string& name) {
        (*static_cast<std::remove_reference_t<With>*>(self))(name);
    });
}

/// Waits for the lock of the folder of `path`, at most `patience` times 10 ms. Returns a descriptor, which holds the
/// lock until it is closed; -1 where it is not had then, or the file system has no locks. Windows locks no folder, so
/// it is a file PATH.lock there, which stays.
[[nodiscard]] int lock_folder_of(const std::string& path, int patience = 1000);

/// Puts the names in the folder of `path` on the disk. File systems that cannot say so keep their own promises.
void flush_folder_of(const std::string& path);

/// Puts `from` in the place of `to` at once. Returns 0, or the reason.
[[nodiscard]] int replace_file(const std::string& from, const std::string& to);

/// The place of `path` from the root, so that it is found from another folder too.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// The moment of a file's last change, in seconds and nanoseconds.
[[nodiscard]] std::string time_of_change(const struct stat& s);

/// Whether the file system of this file or folder is mounted noexec.
[[nodiscard]] bool runs_nothing(const std::string& path) noexcept;

/// Fills `out` with a number that cannot be guessed. False where the system has none yet, and on Windows.
[[nodiscard]] bool unguessable(std::uint64_t& out) noexcept;

/// The number of this process.
[[nodiscard]] int process_number() noexcept;

}  // namespace tunekit::system::detail
