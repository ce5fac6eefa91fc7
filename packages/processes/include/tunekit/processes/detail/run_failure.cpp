// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/run_failure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/files/regular_file.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure::detail {

[[noreturn]] void refuse(failure_kind kind, std::string message, int code)
{
    throw candidate_error(failure{kind, code, std::move(message)});
}

std::string said_by(const finished_run& run)
{
    return "; it said " + last_words(run.errors.empty() ? run.output : run.errors);
}

std::optional<failure> failure_of(const finished_run& run, const std::string& name, int wanted,
                                  const command_limits& limits)
{
    switch (run.how) {
        case finished_run::end::not_started:
            return failure{failure_kind::invalid, run.code,
                           "'" + name + "' cannot be started: " + std::strerror(run.code) +
                               (system::detail::runs_nothing(name)
                                    ? ", its file system is mounted noexec; set TMPDIR to a folder elsewhere"
                                    : "")};
        case finished_run::end::timed_out:
            return failure{failure_kind::run_timeout, 0,
                           "was still running after " + short_number(limits.wall_seconds) + " s" + said_by(run)};
        case finished_run::end::out_of_cpu:
            return failure{failure_kind::run_timeout, 0,
                           "took more than " + short_number(limits.cpu_seconds) + " s of processor time"};
        case finished_run::end::signalled:
            return failure{failure_kind::crash, run.code,
                           signal_text(run.code) +
                               (limits.memory_bytes == 0
                                    ? std::string()
                                    : ", held to " + short_number(static_cast<double>(limits.memory_bytes >> 20)) +
                                          " MiB of address space") +
                               said_by(run)};
        case finished_run::end::exited:
            break;
    }
    if (run.code == wanted) return std::nullopt;
    return failure{failure_kind::exited, run.code,
                   "exit status " + std::to_string(run.code) + ", want " + std::to_string(wanted) + said_by(run)};
}

std::optional<std::string> file_text(const std::string& path, std::size_t bytes)
{
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat s{};
    if (!file || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode)) return std::nullopt;
    std::string out;
    char some[16384];
    while (out.size() <= bytes) {
        const std::ptrdiff_t got = system::detail::read_some(file.get(), some, sizeof some);
        if (got <= 0) break;
        out.append(some, static_cast<std::size_t>(got));
    }
    return out;
}

void refuse_irregular(const std::string& path)
{
    if (const auto there = system::detail::state_of_name(path))
        io::detail::regular_file::refuse_others(*there, "program: '" + path + '\'', true);
}

void put_file(const std::string& path, std::string_view text)
{
    refuse_irregular(path);
    if (wrote_file(path, text, 0666)) return;
    if (is_scarcity(errno)) throw no_resources("'" + path + "' cannot be written", errno);
    refuse(failure_kind::invalid, "'" + path + "' cannot be written: " + std::strerror(errno));
}

void empty_folder(const std::string& folder, const failure* why)
{
    const std::string after = why != nullptr ? " (" + why->message + ')' : std::string();
    remove_tree(folder);
    if (::mkdir(folder.c_str(), 0700) != 0) throw no_resources("no folder '" + folder + '\'' + after, errno);
    if (why == nullptr) return;
    const std::string probe = folder + "/room";
    const bool room = wrote_file(probe, std::string(std::size_t{1} << 20, 'x'), 0600);
    const int none = errno;
    ::unlink(probe.c_str());
    if (!room && is_scarcity(none)) throw no_resources("no room in '" + folder + '\'' + after, none);
}

}  // namespace tunekit::measure::detail
