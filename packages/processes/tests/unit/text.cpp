// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/text.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.hpp"

namespace tk = tunekit;

namespace {

std::size_t files_in(const std::string& folder)
{
    std::size_t count = 0;
    DIR* const d = ::opendir(folder.c_str());
    REQUIRE(d != nullptr);
    while (const dirent* const e = ::readdir(d)) count += e->d_name[0] == '.' ? 0 : 1;
    ::closedir(d);
    return count;
}

}  // namespace

TEST_CASE("a file is replaced at once: who has the old one open goes on reading it")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a.txt";
    tk::io::write_text(path, "first");
    CHECK(tk::io::read_text(path) == "first");
    std::FILE* const open = std::fopen(path.c_str(), "rb");
    REQUIRE(open != nullptr);
    const std::string long_text(100000, 'x');
    tk::io::write_text(path, long_text);
    char before[16] = {};
    CHECK(std::fread(before, 1, sizeof before, open) == 5);
    std::fclose(open);
    CHECK(std::string(before) == "first");
    CHECK(tk::io::read_text(path) == long_text);
    tk::io::write_text(path, "");
    CHECK(tk::io::read_text(path).empty());
    CHECK(files_in(folder / "") == 1);  // nothing beside it stays
}

TEST_CASE("a file that cannot be replaced is as it was, and nothing is left beside it")
{
    const support::temporary_folder folder;
    CHECK_THROWS_AS(tk::io::write_text(folder / "no/such.txt", "x"), tk::error);
    const std::string path = folder / "held";
    REQUIRE(::mkdir(path.c_str(), 0777) == 0);  // a folder: no file takes its place
    CHECK_THROWS_WITH_AS(tk::io::write_text(path, "x"), doctest::Contains("is a folder, want a regular file"),
                         tk::error);
    struct stat s;
    REQUIRE(::stat(path.c_str(), &s) == 0);
    CHECK(S_ISDIR(s.st_mode));
    CHECK(files_in(folder / "") == 1);
    ::rmdir(path.c_str());
}

TEST_CASE("what is replaced keeps its mode; a link gives way; pipes and devices are neither read nor written")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a.txt", link = folder / "link", pipe = folder / "pipe", full = folder / "full";
    const auto mode_of = [](const std::string& of) {
        struct stat s;
        REQUIRE(::lstat(of.c_str(), &s) == 0);
        return s.st_mode;
    };
    tk::io::write_text(path, "first");
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    tk::io::write_text(path, "second");
    CHECK((mode_of(path) & 0777) == 0600);
    REQUIRE(::symlink("a.txt", link.c_str()) == 0);
    CHECK(tk::io::read_text(link) == "second");
    tk::io::write_text(link, "third");
    CHECK(S_ISREG(mode_of(link)));
    CHECK(tk::io::read_text(link) == "third");
    CHECK(tk::io::read_text(path) == "second");

    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);  // nobody writes to it, and nobody reads it: who opens it waits
    const std::string irregular[] = {pipe, "/dev/full", "/dev/zero"};
    for (const std::string& each : irregular) {
        CAPTURE(each);
        const std::string said = each == pipe ? "is a pipe, want a regular file" : "is a device, want a regular file";
        const mode_t before = mode_of(each);
        CHECK_THROWS_WITH_AS((void)tk::io::read_text(each), doctest::Contains(said.c_str()), tk::error);
        CHECK_THROWS_WITH_AS(tk::io::write_text(each, "x"), doctest::Contains(said.c_str()), tk::error);
        CHECK(mode_of(each) == before);
    }
    REQUIRE(::symlink("/dev/zero", full.c_str()) == 0);
    CHECK_THROWS_WITH_AS((void)tk::io::read_text(full), doctest::Contains("is a device"), tk::error);
    CHECK(files_in(folder / "") == 4);
}

TEST_CASE("a text of more than 1 GiB is refused before it is read")
{
    const support::temporary_folder folder;
    const std::string path = folder / "large";
    tk::io::write_text(path, "");
    REQUIRE(::truncate(path.c_str(), (off_t{1} << 40)) == 0);  // more than any memory
    CHECK_THROWS_WITH_AS((void)tk::io::read_text(path), doctest::Contains("holds more than 1024 MiB"), tk::error);
}

TEST_CASE("what writers that were killed left in a folder is removed by the next one there, and nothing else")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a.txt";
    const std::string left[] = {path + ".0123456789abcdef.new", folder / "b.txt.0123456789abcdef.new"};
    const std::string others[] = {path + ".0123456789abcdeg.new", path + ".1234.new", folder / "0123456789abcdef.new",
                                  path + ".fedcba9876543210.new", path + ".aaaaaaaaaaaaaaaa.new"};
    const auto age = [](const std::string& of, std::time_t seconds) {
        const timespec then[2] = {{std::time(nullptr) - seconds, 0}, {std::time(nullptr) - seconds, 0}};
        REQUIRE(::utimensat(AT_FDCWD, of.c_str(), then, 0) == 0);
    };
    const auto make = [&](const std::string& each) {
        std::FILE* const made = std::fopen(each.c_str(), "w");
        REQUIRE(made != nullptr);
        std::fclose(made);
        age(each, 90);
    };
    for (const std::string& each : left) make(each);
    for (const std::string& each : others) make(each);
    age(others[3], 30);                                                // its writer may still be at it
    const int held = ::open(others[4].c_str(), O_RDONLY | O_CLOEXEC);  // and here it is
    REQUIRE(::flock(held, LOCK_EX | LOCK_NB) == 0);
    tk::io::write_text(path, "whole");
    CHECK(tk::io::read_text(path) == "whole");
    for (const std::string& each : left) CHECK(::access(each.c_str(), F_OK) != 0);
    for (const std::string& each : others) CHECK(::access(each.c_str(), F_OK) == 0);
    ::close(held);
}

TEST_CASE("writers of one file on several threads: one of their texts is there, whole")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a.txt";
    const auto write = [&](char c) {
        for (int k = 0; k < 50; ++k) tk::io::write_text(path, std::string(3000, c));
    };
    std::thread other(write, 'x');
    write('y');
    other.join();
    const std::string last = tk::io::read_text(path);
    CHECK(last == std::string(3000, last.front()));
    CHECK(files_in(folder / "") == 1);
}
