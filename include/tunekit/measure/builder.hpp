// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of compiler processes that turns generated sources into shared objects.

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/measure/build_cache.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/compilation.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// Settings of `builder`.
struct build_options {
    std::vector<std::string> compilers{"c++"};  ///< names or paths; a source may ask for any of them
    std::vector<std::string> flags{"-O2", "-march=native"};
    std::string directory{};    ///< of the cache, made where it is missing; empty: one that ends with the builder
    std::size_t processes = 0;  ///< compilers at a time; 0: one less than there are processors, at least 1
    std::size_t together = 16;  ///< configurations per compilation, at most
};

/// What became of a build.
struct build_result {
    std::optional<failure> failed{};
    double seconds = 0;  ///< wall; its share where several were built together; 0 where it was there already

    friend bool operator==(const build_result&, const build_result&) = default;
};

/// Compiles sources, several in one translation unit, in several processes, each source once.
///
///     builder pool({.directory = "cache"});
///     pool.submit(sources, "kernel", 10);          // starts compilers and returns
///     const build_result r = pool.wait(pool.cache().key(sources[0], "kernel"));
///
/// A source lies in a namespace of its own and its entry point is renamed, so sources need not know of each other.
/// Where several do not compile together, or not within the time of one, they are compiled singly and only the culprit
/// fails. What was built lies in the cache; what failed is not tried again, after a time-out unless the limit is
/// longer. Undefined symbols are errors: the C library, libm and libgcc are linked, nothing else.
///
/// Compilers are looked after in `submit`, `wait` and `advance`: between those calls they run on, but none is started.
/// Each has a process group, which a time-out kills. They read nothing, and their messages end in the failure.
///
/// Failures:   build_error with the compiler's first error, build_timeout.
/// Errors:     tunekit::error from the constructor where a compiler is missing or the directory cannot be had.
/// Cost:       see docs/generated_code.md. Threads: one object is for one thread at a time.
class builder {
public:
    explicit builder(build_options options = {})
        : together_((std::max)(options.together, std::size_t{1})),
          processes_(options.processes != 0 ? options.processes : spare_processors()),
          own_(options.directory.empty() ? detail::temporary_directory(temporary_root() + "/tunekit-")
                                         : detail::temporary_directory()),
          cache_(place(options.directory), find_all(options.compilers), std::move(options.flags)),
          scratch_(cache_.directory() + "/building-")
    {
    }

    [[nodiscard]] const build_cache& cache() const noexcept { return cache_; }
    /// Compilers started so far.
    [[nodiscard]] std::uint64_t started() const noexcept { return started_; }

    /// Asks for `sources`, all with the entry point `entry`, each within `seconds` of a compiler's time on the wall.
    /// Throws std::invalid_argument where a source asks for a compiler that is not listed.
    void submit(const std::vector<source>& sources, std::string_view entry, double seconds)
    {
        std::vector<job> wanted;
        for (const source& s : sources) {
            job j{cache_.key(s, entry), s, std::string(entry), seconds};
            const auto known = known_.find(j.key);
            if (known != known_.end()) {
                state& k = known->second;
                const bool again = k.done && k.result.failed && k.result.failed->kind == failure_kind::build_timeout &&
                                   seconds > k.seconds;
                k.result.seconds = k.done ? 0 : k.result.seconds;
                if (!again) continue;
                known_.erase(known);
            }
            const bool there = cache_.contains(j.key);
            known_[j.key] = {there, seconds, {}};
            if (!there) wanted.push_back(std::move(j));
        }
        const std::size_t share = (wanted.size() + processes_ - 1) / processes_;
        const std::size_t most = (std::max)((std::min)(share, together_), std::size_t{1});
        while (!wanted.empty()) {  // runs of the same compiler and flags, in the order asked for
            std::vector<job> unit;
            std::vector<job> rest;
            for (job& j : wanted) {
                const bool fits =
                    unit.empty() || (unit.size() < most && unit.front().what.compiler == j.what.compiler &&
                                     unit.front().what.flags == j.what.flags);
                (fits ? unit : rest).push_back(std::move(j));
            }
            queue_.push_back(std::move(unit));
            wanted = std::move(rest);
        }
        advance();
    }

    /// Waits until what was submitted under `key` is built or has failed. Throws std::invalid_argument for an unknown
    /// key.
    [[nodiscard]] build_result wait(const std::string& key)
    {
        const auto at = known_.find(key);
        if (at == known_.end()) invalid("builder.wait: a key that was not submitted, want one that was");
        while (!at->second.done) {
            if (queue_.empty() && running_.empty()) throw error("builder.wait: a build was lost to an earlier error");
            turn(true);
        }
        return at->second.result;
    }

    /// Takes what has been built and starts the next compilers. Does not wait.
    void advance() { turn(false); }

private:
    struct job {
        std::string key;
        source what;
        std::string entry;
        double seconds = 0;
    };
    struct state {
        bool done = false;
        double seconds = 0;  ///< the limit
        build_result result{};
    };
    struct running {
        std::vector<job> unit;
        detail::compilation process;
        std::string stem;  ///< of its files
        double start = 0;
    };

    static std::size_t spare_processors() noexcept
    {
        const long n = ::sysconf(_SC_NPROCESSORS_ONLN);
        return n > 2 ? static_cast<std::size_t>(n - 1) : 1;
    }
    static std::string temporary_root()
    {
        const char* const named = std::getenv("TMPDIR");
        return named != nullptr && *named != '\0' ? named : "/tmp";
    }
    static std::vector<compiler> find_all(const std::vector<std::string>& names)
    {
        std::vector<compiler> out;
        for (const std::string& name : names)
            out.push_back(find_compiler(name));
        return out;
    }
    std::string place(const std::string& named) const
    {
        if (named.empty()) return own_.name();
        if (::mkdir(named.c_str(), 0700) != 0 && errno != EEXIST)
            throw error("builder: no directory '" + named + "': " + std::strerror(errno) +
                        "; name one that can be written");
        return named;
    }

    void turn(bool patient)
    {
        for (;;) {
            while (running_.size() < processes_ && !queue_.empty())
                start();
            bool news = false;
            for (std::size_t i = 0; i < running_.size();) {
                running& r = running_[i];
                const bool ended = r.process.advance();
                if (!ended && now_() < r.start + r.unit.front().seconds) {
                    ++i;
                    continue;
                }
                running over = std::move(r);
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
                finish(std::move(over), ended);
                news = true;
            }
            if (news && !patient) continue;  // there is room for the next
            if (news || !patient) return;
            sleep();
        }
    }

    /// Until a compiler says something, ends, or runs out of time.
    void sleep() const
    {
        std::vector<pollfd> events;
        double left = 1;
        for (const running& r : running_) {
            if (r.process.news() >= 0) {
                events.push_back({r.process.news(), POLLIN, 0});
            } else {
                left = 1e-3;
            }
            left = (std::min)(left, r.start + r.unit.front().seconds - now_());
        }
        ::poll(events.data(), events.size(), left > 0 ? static_cast<int>(1e3 * left) + 1 : 0);
    }

    void start()
    {
        std::vector<job> unit = std::move(queue_.front());
        queue_.erase(queue_.begin());
        const std::string stem = scratch_.name() + '/' + std::to_string(started_++);
        std::string text;
        for (std::size_t i = 0; i < unit.size(); ++i) {
            const job& j = unit[i];
            const std::string symbol = build_cache::symbol(j.key);
            text += "#define " + j.entry + ' ' + symbol + "\nnamespace in_" + symbol + " {\n#line 1 \"generated\"\n" +
                    j.what.text + "\n}\n#undef " + j.entry + '\n';
        }
        write_file(stem + ".cpp", text);
        const source& first = unit.front().what;
        std::vector<std::string> command{cache_.compiler_of(first).path};
        for (std::string& flag : cache_.flags_of(first))
            command.push_back(std::move(flag));
        for (const char* const fixed : {"-w", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,defs", "-o"})
            command.emplace_back(fixed);
        command.push_back(stem + ".so");
        command.push_back(stem + ".cpp");
        for (const char* const library : {"-lm", "-lc", "-lgcc"})
            command.emplace_back(library);
        const double at = now_();
        running_.push_back({std::move(unit), detail::compilation(command, scratch_.name()), stem, at});
    }

    void finish(running over, bool ended)
    {
        const std::string object = over.stem + ".so";
        const double seconds = (now_() - over.start) / static_cast<double>(over.unit.size());
        over.process.end();
        const bool good = ended && over.process.status() == 0 && ::access(object.c_str(), R_OK) == 0;
        for (job& j : over.unit) {
            state& k = known_[j.key];
            k.result.seconds += seconds;
            if (good) {
                cache_.publish(object, j.key);
            } else if (over.unit.size() > 1) {
                continue;  // its turn comes, alone
            } else {
                k.result.failed = ended ? refused(over.process) : late(j.seconds);
            }
            k.done = true;
        }
        if (!good && over.unit.size() > 1)
            for (std::size_t i = over.unit.size(); i-- > 0;) {
                std::vector<job> alone;
                alone.push_back(std::move(over.unit[i]));
                queue_.insert(queue_.begin(), std::move(alone));
            }
        ::unlink(object.c_str());
        ::unlink((over.stem + ".cpp").c_str());
    }

    static failure late(double seconds)
    {
        return {failure_kind::build_timeout, 0, "was still compiling after " + std::to_string(seconds) + " s"};
    }

    /// The compiler's words from its first error on, in one line of at most 600 bytes.
    static failure refused(const detail::compilation& process)
    {
        const std::string& text = process.text();
        std::size_t from = (std::min)(text.find("error:"), text.find("undefined reference"));
        from = from == std::string::npos ? 0 : text.rfind('\n', from) + 1;  // npos + 1 is 0
        std::string line;
        for (std::size_t i = from; i < text.size() && line.size() < 600; ++i) {
            if (text[i] == '\n') {
                line += i + 1 < text.size() ? " | " : "";
            } else {
                line += text[i];
            }
        }
        if (line.empty()) line = "the compiler said nothing";
        if (WIFSIGNALED(process.status()))
            line += "; the compiler was ended by signal " + std::to_string(WTERMSIG(process.status()));
        return {failure_kind::build_error, 0, std::move(line)};
    }

    static void write_file(const std::string& name, std::string_view text)
    {
        const detail::descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        while (file && !text.empty()) {
            const ssize_t put = ::write(file.get(), text.data(), text.size());
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0) break;
            text.remove_prefix(static_cast<std::size_t>(put));
        }
        if (!file || !text.empty())
            throw error("builder: cannot write '" + name + "': " + std::strerror(errno) +
                        "; want a directory with room");
    }

    std::size_t together_;
    std::size_t processes_;
    detail::temporary_directory own_;  ///< the cache where it was given none
    build_cache cache_;
    detail::temporary_directory scratch_;
    std::map<std::string, state> known_;
    std::vector<std::vector<job>> queue_;
    std::vector<running> running_;  ///< last, so that compilers end before their files do
    wall_clock now_{};
    std::uint64_t started_ = 0;
};

}  // namespace tunekit::measure
