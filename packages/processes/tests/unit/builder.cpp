// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/builder.hpp"

#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/environment_variable.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/build/pipeline.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using tk::measure::builder;
using tk::measure::failure_kind;
using tk::measure::source;

namespace {

constexpr std::size_t length = 64;

/// Doubles, triples, ... `factor` times, with a helper and a type of names that every source uses.
std::string times(int factor)
{
    return "typedef float helper_type;\nstatic helper_type helper(helper_type x) { return x * " +
           std::to_string(factor) +
           "; }\nextern \"C\" void scale(float* x) { for (int i = 0; i < 64; ++i) x[i] = helper(i); }";
}

builder::options quick(std::string directory = {})
{
    return {.flags = {"-O1"}, .directory = std::move(directory), .processes = 2, .together = 8};
}

/// A compiler that is a script.
class script {
public:
    explicit script(const std::string& body) : place_("/tmp/tunekit-script-"), path_(place_.name() + "/compiler")
    {
        std::FILE* const file = std::fopen(path_.c_str(), "w");
        REQUIRE(file != nullptr);
        std::fputs(("#!/bin/sh\n" + body + "\n").c_str(), file);
        std::fclose(file);
        REQUIRE(::chmod(path_.c_str(), 0700) == 0);
    }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    tk::measure::detail::temporary_directory place_;
    std::string path_;
};

/// Compiles whatever does not define `scale`, such as what is built to see whether anything is.
const std::string else_compiles =
    "for a; do case $a in *.cpp) f=$a;; esac; done\ngrep -q scale \"$f\" || exec c++ \"$@\"\n";

builder::outcome build_one(builder& pool, const source& s, double seconds = 30)
{
    pool.submit({s}, "scale", seconds);
    return pool.wait(pool.cache().key(s, "scale"));
}

float third(const builder& pool, const source& s)
{
    const std::string key = pool.cache().key(s, "scale");
    const tk::measure::loaded_code code(pool.cache().path(key));
    float x[length] = {};
    code.function<void(float*)>(tk::measure::build_cache::symbol(key))(x);
    return x[3];
}

}  // namespace

TEST_CASE("sources built together keep their own helpers, and each computes its own")
{
    builder pool(quick());
    const std::vector<source> sources{{times(2)}, {times(3)}, {times(5)}, {times(7)}};
    pool.submit(sources, "scale", 30);
    for (const source& s : sources) CHECK_FALSE(pool.wait(pool.cache().key(s, "scale")).failed);
    CHECK(pool.started() == 2);
    CHECK(third(pool, sources[0]) == 6);
    CHECK(third(pool, sources[1]) == 9);
    CHECK(third(pool, sources[2]) == 15);
    CHECK(third(pool, sources[3]) == 21);
}

TEST_CASE("what was built once starts no compiler again, in this builder and in another on the same directory")
{
    const tk::measure::detail::temporary_directory parent("/tmp/tunekit-cache-");
    const tk::measure::detail::temporary_directory place(parent.name() + "/cache-");
    {
        builder pool(quick(place.name()));
        CHECK(build_one(pool, {times(2)}).seconds > 0);
        CHECK(build_one(pool, {times(2)}) == builder::outcome{});
        CHECK(pool.started() == 1);
    }
    builder other(quick(place.name()));
    CHECK(build_one(other, {times(2)}) == builder::outcome{});
    CHECK(other.started() == 0);
    CHECK(third(other, {times(2)}) == 6);
    CHECK_FALSE(build_one(other, {.text = times(2), .flags = {"-O2"}}).failed);
    CHECK(other.started() == 1);
}

TEST_CASE("keys differ in text, flags, compiler and entry point")
{
    const script another("exit 1");
    const builder pool({.compilers = {"c++", another.path()}, .flags = {"-O1"}});
    const auto key = [&](const source& s, const char* entry) { return pool.cache().key(s, entry); };
    const std::string base = key({"a"}, "f");
    CHECK(base.size() == 32);
    CHECK(key({"a"}, "f") == base);
    CHECK(key({"b"}, "f") != base);
    CHECK(key({"a"}, "g") != base);
    CHECK(key({.text = "a", .flags = {"-O2"}}, "f") != base);
    CHECK(key({.text = "a", .compiler = another.path()}, "f") != base);
    CHECK_THROWS_AS((void)key({.text = "a", .compiler = "unlisted"}, "f"), std::invalid_argument);
}

TEST_CASE("of sources built together only the culprit fails, with the compiler's words")
{
    builder pool(quick());
    std::vector<source> sources;
    for (int k = 2; k < 6; ++k) sources.push_back({times(k)});
    sources[1].text = "extern \"C\" void scale(float* x) {\n x[0] = no_such_name;\n}";
    sources.push_back({"extern \"C\" void elsewhere(float*); extern \"C\" void scale(float* x) { elsewhere(x); }"});
    pool.submit(sources, "scale", 30);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto r = pool.wait(pool.cache().key(sources[i], "scale"));
        if (i != 1 && i != 4) {
            CHECK_FALSE(r.failed);
            continue;
        }
        REQUIRE(r.failed);
        CHECK(r.failed->kind == failure_kind::build_error);
        CHECK(r.failed->message.find('\n') == std::string::npos);
        CHECK(r.failed->message.size() <= 620);
        if (i == 1) CHECK(r.failed->message.starts_with("generated:2:"));
        CHECK(r.failed->message.find(i == 1 ? "no_such_name" : "elsewhere") != std::string::npos);
    }
    CHECK(third(pool, sources[0]) == 6);
    const auto before = pool.started();
    CHECK(build_one(pool, sources[1]).failed);
    CHECK(pool.started() == before);
}

TEST_CASE("a compiler that hangs, in a child that ignores signals, is ended at the limit and leaves no child")
{
    const script hangs("trap '' TERM INT; sleep 60 & wait; sleep 60; : > \"$0.ended\"");
    builder pool({.compilers = {hangs.path(), "c++"}, .flags = {"-O1"}, .processes = 2});
    const auto r = build_one(pool, {times(2)}, 0.2);
    CHECK_FALSE(std::filesystem::exists(hangs.path() + ".ended"));  // it was not waited for
    REQUIRE(r.failed);
    CHECK(r.failed->kind == failure_kind::build_timeout);
    CHECK(r.seconds >= 0.2);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
    CHECK(build_one(pool, {times(2)}, 0.2).failed);
    CHECK(pool.started() == 1);
    CHECK(build_one(pool, {times(2)}, 0.3).failed);  // a longer limit is worth another try
    CHECK(pool.started() == 2);
    CHECK(pool.spent().cut_short >= 0.5);  // the two that a limit ended, and so far no other
    CHECK(pool.spent().all == pool.spent().cut_short);
    CHECK_FALSE(build_one(pool, {.text = times(2), .compiler = "c++"}).failed);
    CHECK(pool.spent().all > pool.spent().cut_short);
}

TEST_CASE(
    "a compiler that hangs over several sources fails each of them, and a builder that ends takes its compilers along")
{
    const script hangs("sleep 60");
    {
        builder pool({.compilers = {hangs.path()}, .processes = 1});
        pool.submit({{times(2)}, {times(3)}}, "scale", 0.1);
        for (const int k : {2, 3})
            CHECK(pool.wait(pool.cache().key({times(k)}, "scale")).failed->kind == failure_kind::build_timeout);
        CHECK(pool.started() == 3);
        pool.submit({{times(4)}}, "scale", 60);
    }
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("a compiler that floods its output, dies or writes nothing is a failed build")
{
    const script floods(else_compiles + "yes 'there is an error: of many words' | head -c 3000000 >&2; exit 1");
    const script dies(else_compiles + "kill -9 $$");
    const script idle(else_compiles + "exit 0");
    builder pool({.compilers = {floods.path(), dies.path(), idle.path()}, .processes = 1});
    const auto flood = build_one(pool, {times(2)});
    REQUIRE(flood.failed);
    CHECK(flood.failed->message.size() <= 620);
    const auto death = build_one(pool, {.text = times(2), .compiler = dies.path()});
    REQUIRE(death.failed);
    CHECK(death.failed->message == "the compiler said nothing; the compiler was ended by signal 9");
    CHECK(build_one(pool, {.text = times(2), .compiler = idle.path()}).failed);
}

TEST_CASE("a missing compiler or a directory that cannot be had is one clear error")
{
    CHECK_THROWS_WITH_AS(
        builder({.compilers = {"no-such-compiler"}}),
        "tunekit: find_compiler: no program 'no-such-compiler' to compile generated code; install a C++ compiler "
        "(Debian: g++) or name one that is there",
        tk::error);
    CHECK_THROWS_AS(builder({.directory = "/proc/no/such/place"}), tk::error);
}

TEST_CASE("configurations are generated, built together, run in a worker forked before, and judged one by one")
{
    const tk::space::product space{tk::space::parameter<"factor">({1, 2, 3, 4, 5, 6, 7, 8})};
    const tk::measure::source_template scale{
        space,
        [](const auto& c) {
            const int factor = tk::get<"factor">(c);
            if (factor == 5) throw std::invalid_argument("five is out");
            if (factor == 3) return std::string("extern \"C\" void scale(float* x) { x[0] = y; }");
            if (factor == 6) return std::string("extern \"C\" void scale(float*) { *(volatile int*)0 = 1; }");
            if (factor == 7) return std::string("extern \"C\" void other(float*) {}");
            return times(factor == 8 ? 1 : 2);
        },
        "scale"};
    builder pool(quick());
    const tk::measure::guarded_buffer<float> x(length);
    const tk::measure::guarded_buffer<float> want(length);
    for (std::size_t i = 0; i < length; ++i) want.data()[i] = 2 * static_cast<float>(i);
    auto kernel = tk::measure::generated_kernel<void(float*)>(
        scale, pool.cache(), [at = x.data()](auto* run, const auto&) { return [=] { run(at); }; });
    auto runs = tk::measure::isolated(space,
                                      tk::measure::timed{kernel, tk::measure::fixed{.runs = 3, .batch = 1},
                                                         tk::measure::matches<float>{x.span(), want.span()}},
                                      {.canaries = {x.canary()}});
    auto measure = tk::measure::generated(scale, std::move(pool), std::move(runs));
    static_assert(tk::measure::streaming_measurer<decltype(measure)>);

    const std::vector<tk::index> batch{0, 1, 2, 3, 4, 5, 6, 7};
    const auto m = measure.measure(batch, {.run_seconds = 10, .build_seconds = 30});
    REQUIRE(m.size() == batch.size());
    for (const std::size_t good : {0U, 1U, 3U}) {
        CAPTURE(good);
        REQUIRE_MESSAGE(m[good].ok(), (m[good].failed ? m[good].failed->message : ""));
        CHECK(m[good].cost > 0);
        CHECK(m[good].build_seconds > 0);
    }
    const auto kind = [&](std::size_t i) {
        return m[i].failed.value_or(tk::measure::failure{failure_kind::bad_cost}).kind;
    };
    CHECK(kind(2) == failure_kind::build_error);
    CHECK(kind(4) == failure_kind::invalid);
    CHECK(m[4].failed->message == "threw: five is out");
    CHECK(kind(5) == failure_kind::crash);
    CHECK(kind(6) == failure_kind::invalid);
    CHECK(kind(7) == failure_kind::wrong_result);

    const auto started = measure.building().started();
    const auto again = measure.measure(std::vector<tk::index>{1, 0}, {.run_seconds = 10, .build_seconds = 30});
    CHECK(again[0].ok());
    CHECK(again[0].build_seconds == 0);
    CHECK(measure.building().started() == started);
}

namespace {

void write(const std::string& name, const std::string& text)
{
    ::unlink(name.c_str());
    tk::measure::detail::write_file(name, text);
}

std::string message_of(auto&& does)
{
    try {
        does();
    } catch (const tk::error& e) {
        return e.what();
    }
    return {};
}

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("what lies in a cache and is not what was put there is built again, whatever it is")
{
    const tk::measure::detail::temporary_directory place("/tmp/tunekit-cache-");
    builder first(quick(place.name()));
    CHECK_FALSE(build_one(first, {times(2)}).failed);
    CHECK_FALSE(build_one(first, {times(3)}).failed);
    const std::string ours = first.cache().path(first.cache().key({times(2)}, "scale"));
    const std::string foreign = first.cache().path(first.cache().key({times(3)}, "scale"));
    const std::string whole = tk::measure::detail::bytes_of(ours).value();
    std::string flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 1);
    const auto again = [&](std::uint64_t builds) {
        builder next(quick(place.name()));
        CHECK_FALSE(build_one(next, {times(2)}).failed);
        CHECK(next.started() == builds);
        CHECK(third(next, {times(2)}) == 6);
    };
    again(0);
    for (const std::string& poison : {std::string(), whole.substr(0, whole.size() / 2), whole.substr(0, 10), flipped,
                                      tk::measure::detail::bytes_of(foreign).value()}) {
        write(ours, poison);
        again(1);
        again(0);
    }
    ::unlink(ours.c_str());
    REQUIRE(::mkfifo(ours.c_str(), 0600) == 0);
    again(1);
    ::unlink(ours.c_str());
    REQUIRE(::symlink(foreign.c_str(), ours.c_str()) == 0);
    again(1);
    CHECK(third(first, {times(3)}) == 9);
    ::unlink(ours.c_str());
    REQUIRE(::mkdir(ours.c_str(), 0700) == 0);
    builder last(quick(place.name()));
    CHECK(holds(message_of([&] { (void)build_one(last, {times(2)}); }), "' in place: "));
}

TEST_CASE("a machine on which nothing compiles ends the run in one line, and blames no candidate")
{
    const std::string real = tk::measure::detail::find_program("c++");
    const script full("echo 'fatal error: error writing to /tmp/a.s: No space left on device' >&2; exit 1");
    const script lacks_assembler("PATH=/nowhere exec " + real + " \"$@\"");
    const script lacks_memory("ulimit -v 20000; exec " + real + " \"$@\"");
    for (const script* broken : {&full, &lacks_assembler, &lacks_memory}) {
        if (broken == &lacks_memory && tk::measure::detail::sanitized) continue;
        builder pool({.compilers = {broken->path()}, .flags = {"-O1"}, .processes = 1});
        const std::string said = message_of([&] { (void)build_one(pool, {times(2)}); });
        CAPTURE(said);
        CHECK(said.starts_with("tunekit: builder: not even an empty source is compiled any more, in '"));
        CHECK(said.find('\n') == std::string::npos);
        if (broken == &full) CHECK(holds(said, "No space left on device; want a compiler that works"));
    }
    builder flags({.flags = {"-O1", "-fno-such-flag"}, .processes = 1});
    CHECK(holds(message_of([&] { (void)build_one(flags, {times(2)}); }), "-fno-such-flag"));
    builder sound(quick());
    CHECK(build_one(sound, {.text = times(2), .flags = {"-fno-such-flag"}}).failed);  // that one's own
    CHECK_FALSE(build_one(sound, {times(2)}).failed);
}

TEST_CASE("a directory that others can write to is refused, and one from which nothing can be executed")
{
    const tk::measure::detail::temporary_directory place("/tmp/tunekit-cache-");
    const std::string refused = "tunekit: builder: others can write to the directory '" + place.name() +
                                "', and who can do so runs code as you; want it owned by you, and chmod go-w";
    for (const mode_t mode : {0777U, 01777U, 0773U, 0770U, 0720U, 0702U}) {  // those who see it, and those who do not
        CAPTURE(mode);
        REQUIRE(::chmod(place.name().c_str(), mode) == 0);
        CHECK(message_of([&] { builder pool(quick(place.name())); }) == refused);
    }
    REQUIRE(::chmod(place.name().c_str(), 0755) == 0);
    CHECK_NOTHROW(builder(quick(place.name())));
    if (::geteuid() == 0) {  // another user's, to which nobody else can write
        REQUIRE(::chown(place.name().c_str(), 65534, 65534) == 0);
        CHECK(message_of([&] { builder pool(quick(place.name())); }) == refused);
        REQUIRE(::chown(place.name().c_str(), 0, 0) == 0);
    }
    for (const char* const where : {"/dev/shm", "/run", "/tmp", "/var/tmp"}) {
        struct statvfs s{};
        if (::statvfs(where, &s) != 0 || (s.f_flag & ST_NOEXEC) == 0 || ::access(where, W_OK) != 0) continue;
        const tk::measure::detail::temporary_directory inert(std::string(where) + "/tunekit-cache-");
        CHECK(holds(message_of([&] { builder pool(quick(inert.name())); }), "is mounted noexec"));
    }
}

TEST_CASE("a directory whose name begins with a dash is not an option")
{
    const tk::measure::detail::temporary_directory place("/tmp/tunekit-cache-");
    char before[4096];
    REQUIRE(::getcwd(before, sizeof before) != nullptr);
    REQUIRE(::chdir(place.name().c_str()) == 0);
    builder pool(quick("-dash"));
    CHECK_FALSE(build_one(pool, {times(2)}).failed);
    CHECK(third(pool, {times(2)}) == 6);
    REQUIRE(::chdir(before) == 0);
}

TEST_CASE("no shell sees a flag or the directory")
{
    const tk::measure::detail::temporary_directory place("/tmp/tunekit-cache-");
    const std::string made = place.name() + "/made", touch = "$(touch " + made + ")`touch " + made + "`;touch " + made;
    builder pool(quick(place.name() + "/a'b $(touch made);\"c"));
    const source s{.text = times(2), .flags = {"-DX=" + touch}};
    CHECK_FALSE(build_one(pool, s).failed);
    CHECK(third(pool, s) == 6);
    CHECK(::access(made.c_str(), F_OK) != 0);
    REQUIRE(std::system(("true " + s.flags.front()).c_str()) == 0);  // a shell would
    CHECK(::access(made.c_str(), F_OK) == 0);
}

TEST_CASE("one that spoils those it is compiled with costs them a second compilation and nothing else")
{
    const tk::space::product space{tk::space::parameter<"factor">({1, 2, 3, 4, 5, 6, 7, 8})};
    const auto culprit = [](const std::string& kind) {
        if (kind == "macro") return std::string("\n#define float double\n#define helper_type double\n");
        if (kind == "crash")
            return std::string("\n__attribute__((constructor)) void boom() { *(volatile int*)8 = 1; }\n");
        return std::string("\n__attribute__((constructor)) void boom() { for (;;); }\n");
    };
    for (const std::string kind : {"macro", "crash", "hang"}) {
        CAPTURE(kind);
        const tk::measure::source_template scale{space,
                                                 [&](const auto& c) {
                                                     const int factor = tk::get<"factor">(c);
                                                     return times(factor) +
                                                            (factor == 2 ? culprit(kind) : std::string());
                                                 },
                                                 "scale"};
        builder pool({.flags = {"-O1"}, .processes = 1});
        const tk::measure::guarded_buffer<float> x(length);
        auto kernel = tk::measure::generated_kernel<void(float*)>(
            scale, pool.cache(), [at = x.data()](auto* run, const auto&) { return [=] { run(at); }; });
        auto check = [at = x.data()](const auto& c) { return at[3] == 3 * static_cast<float>(tk::get<"factor">(c)); };
        auto runs =
            tk::measure::isolated(space, tk::measure::timed{kernel, tk::measure::fixed{.runs = 2, .batch = 1}, check},
                                  {.canaries = {x.canary()}});
        auto measure = tk::measure::generated(scale, std::move(pool), std::move(runs));
        const auto m = measure.measure(std::vector<tk::index>{0, 1, 2, 3, 4, 5, 6, 7},
                                       {.run_seconds = kind == "hang" ? 0.3 : 20, .build_seconds = 60});
        for (std::size_t i = 0; i < m.size(); ++i) {
            CAPTURE(i);
            if (i != 1) CHECK_MESSAGE(m[i].ok(), (m[i].failed ? m[i].failed->message : ""));
        }
        CHECK(m[1].ok() == (kind == "macro"));  // harmless in its own company
    }
}

TEST_CASE("compilers end with a tuner that is killed, and what it leaves in the directory goes with the next")
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a killed tuner leaves becomes ours, and can be waited for
    const tk::measure::detail::temporary_directory place("/tmp/tunekit-cache-");
    const script hangs("trap '' TERM INT HUP; touch " + place.name() + "/begun; sleep 60 & wait; sleep 60");
    const pid_t tuner = ::fork();
    REQUIRE(tuner >= 0);
    if (tuner == 0) {
        builder pool({.compilers = {hangs.path()}, .directory = place.name(), .processes = 2});
        pool.submit({{times(2)}, {times(3)}}, "scale", 100);
        for (;;) ::pause();
    }
    while (::access((place.name() + "/begun").c_str(), F_OK) != 0) ::usleep(1000);
    ::kill(tuner, SIGKILL);
    while (::waitpid(-1, nullptr, 0) > 0) {  // ends once all of them have
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    const auto left = [&] {
        std::vector<std::string> out;
        DIR* const dir = ::opendir(place.name().c_str());
        while (const dirent* const entry = ::readdir(dir))
            if (std::string_view(entry->d_name).starts_with("building-"))
                out.push_back(place.name() + '/' + entry->d_name);
        ::closedir(dir);
        return out;
    };
    REQUIRE(left().size() == 1);
    {
        builder young(quick(place.name()));
    }
    CHECK(left().size() == 1);  // it might be about to be locked
    const timespec old[2] = {{::time(nullptr) - 100, 0}, {::time(nullptr) - 100, 0}};
    REQUIRE(::utimensat(AT_FDCWD, left()[0].c_str(), old, 0) == 0);
    {
        const tk::measure::detail::temporary_directory in_use(place.name() + "/building-");
        REQUIRE(::utimensat(AT_FDCWD, in_use.name().c_str(), old, 0) == 0);
        builder next(quick(place.name()));
        CHECK(left().size() == 2);  // its own, and the one that is locked
    }
    CHECK(left().empty());
}

TEST_CASE("a builder removes what killed builders left among temporary files, and nothing that others have there")
{
    const tk::measure::detail::temporary_directory root("/tmp/tunekit-cache-");
    const timespec old[2] = {{::time(nullptr) - 7200, 0}, {::time(nullptr) - 7200, 0}};
    const auto make = [&](const char* name, mode_t mode) {
        std::string path = root.name() + '/' + name;
        REQUIRE(::mkdir(path.c_str(), mode) == 0);
        std::FILE* const file = std::fopen((path + "/kept").c_str(), "w");
        REQUIRE(file != nullptr);
        std::fclose(file);
        REQUIRE(::utimensat(AT_FDCWD, path.c_str(), old, 0) == 0);
        return path;
    };
    const std::string left = make("tunekit-builder-aB3dE6", 0700);
    const std::string others[] = {make("tunekit-models", 0755), make("tunekit-aB3dE6", 0700),
                                  make("tunekit-code-aB3dE6", 0700), make("tunekit-builder-tables", 0755)};
    {
        const support::environment_variable folder("TMPDIR", root.name());
        const builder pool({.processes = 1});
        CHECK(pool.cache().directory().starts_with(root.name() + "/tunekit-builder-"));
    }
    CHECK(::access(left.c_str(), F_OK) != 0);
    for (const std::string& path : others) {
        CHECK(::access((path + "/kept").c_str(), F_OK) == 0);
        ::unlink((path + "/kept").c_str());
        ::rmdir(path.c_str());
    }
}
