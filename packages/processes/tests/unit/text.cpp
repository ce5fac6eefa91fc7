// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/text.hpp"

#include <dirent.h>
#include <fcntl.h>
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
    CHECK_THROWS_WITH_AS(tk::io::write_text(path, "x"), doctest::Contains("is as it was"), tk::error);
    struct stat s;
    REQUIRE(::stat(path.c_str(), &s) == 0);
    CHECK(S_ISDIR(s.st_mode));
    CHECK(files_in(folder / "") == 1);
    ::rmdir(path.c_str());
}

TEST_CASE("what is replaced keeps its mode and its links; a device or a pipe stays one and is written to")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a.txt", link = folder / "link", pipe = folder / "pipe";
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
    tk::io::write_text(link, "third");
    CHECK(S_ISLNK(mode_of(link)));
    CHECK(tk::io::read_text(path) == "third");

    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    tk::io::write_text(pipe, "piped");
    char got[8] = {};
    CHECK(::read(reader, got, sizeof got) == 5);
    ::close(reader);
    CHECK(std::string(got) == "piped");
    CHECK(S_ISFIFO(mode_of(pipe)));

    const std::string full = folder / "full";  // a link to the device, which as root would be replaced
    REQUIRE(::symlink("/dev/full", full.c_str()) == 0);
    CHECK_THROWS_WITH_AS(tk::io::write_text(full, "x"), doctest::Contains("cannot be written in full"), tk::error);
    CHECK(S_ISLNK(mode_of(full)));
    struct stat device;
    REQUIRE(::stat("/dev/full", &device) == 0);
    CHECK(S_ISCHR(device.st_mode));
    CHECK(files_in(folder / "") == 4);
}

TEST_CASE("what writers that were killed left is removed after an hour, and nothing else beside the file")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a.txt";
    const std::string old = path + ".0123456789abcdef.new", young = path + ".fedcba9876543210.new";
    const std::string others[] = {path + ".0123456789abcdeg.new", path + ".1234.new",
                                  folder / "b.txt.0123456789abcdef.new"};
    for (const std::string& each : {old, young, others[0], others[1], others[2]}) {
        std::FILE* const made = std::fopen(each.c_str(), "w");
        REQUIRE(made != nullptr);
        std::fclose(made);
        const timespec then[2] = {{1000, 0}, {1000, 0}};
        if (each != young) REQUIRE(::utimensat(AT_FDCWD, each.c_str(), then, 0) == 0);
    }
    tk::io::write_text(path, "whole");
    CHECK(tk::io::read_text(path) == "whole");
    CHECK(::access(old.c_str(), F_OK) != 0);
    CHECK(::access(young.c_str(), F_OK) == 0);  // its writer may still be at it
    for (const std::string& each : others) CHECK(::access(each.c_str(), F_OK) == 0);
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
