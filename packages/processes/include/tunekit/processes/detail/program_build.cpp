// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/program_build.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/run_failure.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure::detail {

namespace {

/// Stands for the digest of what this process may not read, and is the digest of nothing.
constexpr const char* unread = "unread";

/// Bytes; of a longer file the size and the time of change count.
constexpr off_t most_input = off_t{1} << 24;

/// A line for each plain file and link below `folder`: the digest of its content, its permissions, its path below
/// `folder`.
std::string listing_of(const std::string& folder, const std::string& below = "")
{
    std::string out;
    DIR* const dir = ::opendir((folder + below).c_str());
    if (dir == nullptr) return unread + (' ' + below) + '\n';
    while (const dirent* const entry = ::readdir(dir)) {
        const std::string path = below + '/' + entry->d_name;
        struct stat s{};
        if (path.ends_with("/.") || path.ends_with("/..") || ::lstat((folder + path).c_str(), &s) != 0) continue;
        if (S_ISDIR(s.st_mode)) out += listing_of(folder, path);
        if (!S_ISREG(s.st_mode) && !S_ISLNK(s.st_mode)) continue;
        std::array<char, PATH_MAX> to{};
        const auto content = S_ISREG(s.st_mode) ? bytes_of(folder + path)
                             : ::readlink((folder + path).c_str(), to.data(), to.size() - 1) > 0
                                 ? std::optional<std::string>(to.data())
                                 : std::nullopt;
        char mode[16];
        std::snprintf(mode, sizeof mode, " %06o ", static_cast<unsigned>(s.st_mode));
        out += (content ? digest(*content) : unread) + mode + path + '\n';
    }
    ::closedir(dir);
    return out;
}

/// The lines of a listing, in order.
std::vector<std::string_view> sorted_lines(std::string_view listing)
{
    std::vector<std::string_view> out;
    for (std::size_t end = 0; (end = listing.find('\n')) != std::string_view::npos; listing.remove_prefix(end + 1))
        out.push_back(listing.substr(0, end));
    std::sort(out.begin(), out.end());
    return out;
}

/// Whether each line of an earlier listing is known to be still true. What was added to the folder since then is not
/// looked at: a program may write beside what was built.
bool still_lists(const std::string& folder, std::string_view listing)
{
    const std::string now = listing_of(folder);
    if (listing.starts_with(unread) || listing.find('\n' + std::string(unread)) != std::string_view::npos) return false;
    const auto there = sorted_lines(now), wanted = sorted_lines(listing);
    return std::includes(there.begin(), there.end(), wanted.begin(), wanted.end());
}

}  // namespace

program_builds::program_builds() : run_(digest(std::to_string(fresh_nonce()))) {}

program_builds::program_builds(std::string folder, const program_texts& texts, bool anew)
    : done_(std::move(folder), ".done"),
      failed_(done_.directory(), ".failed"),
      run_(digest(std::to_string(fresh_nonce())))
{
    claim_folder(done_.directory(), "program");
    if (anew)
        system::detail::each_name_in(this->folder(), [&](const std::string& name) {
            if (name.ends_with(".done")) ::unlink((this->folder() + '/' + name).c_str());
        });
    const std::vector<std::string> named = texts.named_by_build();
    for (std::size_t k = 0; k < named.size(); ++k) {
        struct stat s{};
        if (named[k].empty() || ::stat(named[k].c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
        const bool by_content = k > 0 && s.st_size <= most_input;
        add_part(inputs_, named[k]);
        add_part(inputs_, by_content ? file_text(named[k], most_input).value_or(std::string())
                                     : std::to_string(s.st_size) + system::detail::time_of_change(s));
    }
    inputs_ = digest(inputs_);
}

std::string program_builds::place(const program_texts& texts, std::vector<std::string>& values,
                                  const std::string& scratch) const
{
    values.push_back(scratch);
    values.emplace_back();
    std::string what = texts.parts_of_build(values);
    add_part(what, inputs_);
    std::string key = digest(what);
    values.back() = folder() + '/' + key;
    return key;
}

void program_builds::build(command_runner& run, const program_texts& texts, std::span<const std::string> values,
                           const std::string& key, const limits& within) const
{
    const wall_clock now;
    const double deadline = now() + within.build_seconds;
    const std::string place = texts.builds_apart() ? values.back() : std::string();
    const std::string name = place.empty() ? "in-place" : key;
    const std::string guard = folder() + '/' + name + ".lock";
    const descriptor lock(::open(guard.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) throw no_resources("'" + guard + "' cannot be written", errno);
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) throw no_resources("'" + guard + "' cannot be locked", errno);
        run.heed();
        if (now() > deadline) refuse(failure_kind::build_timeout, "another worker was still building the same");
        ::usleep(10000);
    }
    if (const auto known = failed_.find(key); known && known->bytes.starts_with(run_))
        refuse(failure_kind::build_error, known->bytes.substr(run_.size()));
    if (is_done(name, key, place)) return;
    ::unlink(done_.path(name).c_str());
    if (!place.empty()) empty_folder(place);
    texts.write_files(values, true);
    if (texts.builds()) {
        const command_line what = texts.build(values);
        const command_limits hold{.wall_seconds = deadline - now()};
        const finished_run made = run.run(what, hold);
        if (made.how == finished_run::end::timed_out)
            refuse(failure_kind::build_timeout,
                   "the build did not end in " + std::to_string(within.build_seconds) + " s");
        if (const auto wrong = failure_of(made, what.arguments.front(), 0, hold)) {
            if (!place.empty()) empty_folder(place, &*wrong);
            if (made.how == finished_run::end::exited) put(failed_, key, "the build failed: " + wrong->message);
            refuse(failure_kind::build_error, "the build failed: " + wrong->message);
        }
    }
    seal(name, key, place.empty() ? std::string() : listing_of(place));
}

bool program_builds::is_done(const std::string& name, const std::string& key, const std::string& place) const
{
    const auto found = done_.find(name);
    const std::string_view all = found ? std::string_view(found->bytes) : std::string_view();
    const std::size_t head = run_.size() + 1 + key.size() + 1;
    if (all.size() < head || all.substr(run_.size() + 1, key.size()) != key) return false;
    if (all.starts_with(run_)) return true;
    if (place.empty() || !still_lists(place, all.substr(head))) return false;
    seal(name, key, all.substr(head));
    return true;
}

void program_builds::seal(const std::string& name, const std::string& key, std::string_view listing) const
{
    put(done_, name, ' ' + key + '\n' + std::string(listing));
}

void program_builds::put(const store& in, const std::string& name, const std::string& what) const
{
    try {
        in.publish({run_ + what}, name, in.path(name) + ".new");
    } catch (const error& e) {
        throw no_resources(e);
    }
}

}  // namespace tunekit::measure::detail
