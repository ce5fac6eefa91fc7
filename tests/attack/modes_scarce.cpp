// SPDX-License-Identifier: MIT
// A disk without room, and one that may not be written: the run of a program ends with an error that names the folder, nothing is held
// against a configuration, and once there is room the same folders serve. Winners that find no room leave the file as it was. It mounts
// small disks in a namespace of its own.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/said_in_child.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/program.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

/// In a new user namespace this process stays who it is.
bool stay_who_it_is(uid_t user, gid_t group)
{
    const auto says = [](const char* file, const std::string& text) {
        return static_cast<bool>(std::ofstream(file) << text << std::flush);
    };
    const std::string u = std::to_string(user), g = std::to_string(group);
    return says("/proc/self/setgroups", "deny") && says("/proc/self/uid_map", u + ' ' + u + " 1") &&
           says("/proc/self/gid_map", g + ' ' + g + " 1");
}

/// Gives this process mounts of its own: to root, or in a user namespace. False where the system refuses.
bool own_mounts()
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(CLONE_NEWNS) != 0 && (::unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0 || !stay_who_it_is(user, group)))
        return false;
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool disk(const std::string& at, const char* how, unsigned long flags = 0)
{
    return ::mount("tmpfs", at.c_str(), "tmpfs", flags, how) == 0;
}

/// What comes of the first configuration: "ok", "failed: ..." or "error: ...".
std::string outcome(const measure::program_options& o)
{
    try {
        measure::program p(tk::space::value_product({{"x", {0, 1}}}, {}), o);
        const auto m = p.measure(std::vector<tk::index>{0}, {.run_seconds = 10, .build_seconds = 10}).front();
        return m.ok() ? "ok" : "failed: " + m.failed->message;
    } catch (const tk::error& e) {
        return std::string("error: ") + e.what();
    }
}

constexpr measure::fixed once{.runs = 1, .batch = 1};

/// What `work(folder)` says in a process with mounts of its own, where a disk is mounted at `folder` with the options `how`.
template <class Work>
std::string said_on_disk(const char* how, Work&& work)
{
    const support::temporary_folder at;
    return support::said_in_child([&] {
        if (!own_mounts() || !disk(at / "", how) || ::setenv("TMPDIR", (at / "").c_str(), 1) != 0)
            return std::string("no mounts here");
        return std::string(work(at / ""));
    });
}

bool holds(const std::string& said, const char* what)
{
    if (said != "no mounts here") return said.find(what) != std::string::npos;
    MESSAGE("not tried: this system gives no mounts");
    return true;
}

void fill(const std::string& folder, const char* name = "fill")
{
    std::ofstream out(folder + name, std::ios::binary);
    while (out.write("0123456789abcdef", 16).flush()) {
    }
}

}  // namespace

TEST_CASE("a full TMPDIR")
{
    const auto said = said_on_disk("size=16k,nr_inodes=2", [](const std::string& m) {
        fill(m);
        return outcome({.command = {"/bin/true", "{x}"}, .repetition = once});
    });
    CHECK_MESSAGE((holds(said, "error: ") && holds(said, "No space left")), said);
}

TEST_CASE("a TMPDIR without room for a file")
{
    const support::temporary_folder from;
    std::ofstream(from / "template") << std::string(100'000, 'x') << "{x}";
    const auto said = said_on_disk("size=32k", [&](const std::string&) {
        return outcome({.command = {"/bin/cat", "conf"},
                        .directory = "{scratch}",
                        .files = {{from / "template", "conf"}},
                        .repetition = once});
    });
    CHECK_MESSAGE((holds(said, "error: ") && holds(said, "cannot be written: No space left")), said);
}

TEST_CASE("a program that fails for want of room")
{
    const auto said = said_on_disk("size=64k", [](const std::string&) {
        return outcome({.command = {"/bin/sh", "-c", "head -c 200000 /dev/zero > file # {x}"},
                        .directory = "{scratch}",
                        .repetition = once});
    });
    CHECK_MESSAGE((holds(said, "error: ") && holds(said, "no room in")), said);
}

TEST_CASE("a full disk of builds, which serves once it has room")
{
    const auto said = said_on_disk("size=64k", [](const std::string& m) {
        const measure::program_options o{.command = {"{build}/p", "{x}"},
                                         .build = {"/bin/cp", "/bin/sleep", "{build}/p"},
                                         .build_directory = m + "b",
                                         .repetition = once};
        fill(m);
        ::mkdir((m + "b").c_str(), 0700);
        ::setenv("TMPDIR", "/tmp", 1);
        const std::string full = outcome(o);
        ::unlink((m + "fill").c_str());
        if (!disk(m, "size=10m", MS_REMOUNT)) return std::string("no remount");
        return full + "; then " + outcome(o);
    });
    CHECK_MESSAGE((holds(said, "error: ") && holds(said, "; then ok")), said);
}

TEST_CASE("a folder of builds that may not be written")
{
    const auto said = said_on_disk("size=1m", [](const std::string& m) {
        const measure::program_options o{.command = {"{build}/p", "{x}"},
                                         .build = {"/bin/cp", "/bin/true", "{build}/p"},
                                         .build_directory = m + "b",
                                         .repetition = once};
        ::mkdir((m + "b").c_str(), 0700);
        ::setenv("TMPDIR", "/tmp", 1);
        if (!disk(m, "size=1m", MS_REMOUNT | MS_RDONLY)) return std::string("no remount");
        return outcome(o);
    });
    CHECK_MESSAGE((holds(said, "error: ") && holds(said, "Read-only")), said);
}

TEST_CASE("winners on a full disk: the file stays as it was, in one line, and takes them once there is room")
{
    const auto said = said_on_disk("size=64k", [](const std::string& m) {
        const auto winner = [](std::size_t k) {
            const tk::online::outcome costs{.cost = 1, .runner_up_cost = 2, .default_cost = 3};
            return tk::online::winner_line{
                .of = {"kernel", "1", "cpu"}, .fingerprint = 7, .key = "n=" + std::to_string(k), .what = costs};
        };
        const auto saved = [&](std::size_t from, std::size_t to) -> std::string {
            std::vector<tk::online::winner_line> all;
            for (std::size_t k = from; k < to; ++k) all.push_back(winner(k));
            try {
                tk::online::write_winners(m + "w", all);
                return "saved";
            } catch (const tk::error& e) {
                return e.what();
            }
        };
        if (saved(0, 100) != "saved") return std::string("the first were not saved");
        const std::string before = tk::io::read_text(m + "w");
        fill(m);
        const std::string full = saved(100, 200);
        if (tk::io::read_text(m + "w") != before) return "changed, " + full;
        std::size_t left = 0;
        for (const auto& each : std::filesystem::directory_iterator(m)) left += each.path().string().ends_with(".new");
        if (left != 0 || full.find('\n') != std::string::npos) return "left beside, " + full;
        ::unlink((m + "fill").c_str());
        const std::string after = saved(100, 200);
        return full + "; then " + after + ' ' + std::to_string(tk::io::lines(tk::io::read_text(m + "w")).size());
    });
    CHECK_MESSAGE((holds(said, "No space left") && holds(said, "; then saved 201")), said);
}
