// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of compiler processes that turns generated sources into shared objects.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/processes/build/build_cache.hpp"
#include "tunekit/processes/build/build_pool.hpp"

namespace tunekit::measure {

namespace detail {

/// Compilers of this machine that make shared objects. `builder` starts them.
class host_toolchain {
public:
    static constexpr const char* suffix = ".so";

    template <class Options>
    host_toolchain(const std::string& directory, const Options& options)
        : together_(options.whole ? 1 : (std::max)(options.together, std::size_t{1})),
          whole_(options.whole),
          cores_(options.cores),
          cache_(directory, find_all(options.compilers), options.flags)
    {
    }

    [[nodiscard]] const build_cache& cache() const noexcept { return cache_; }
    [[nodiscard]] std::size_t together() const noexcept { return together_; }
    [[nodiscard]] static bool alike(const source& a, const source& b);

    [[nodiscard]] child_process start(const std::vector<build_job>& unit, const std::string& stem,
                                      const std::string& scratch) const;

    /// Whether the machine may be the cause of a failure: the messages name no line of the source and no undefined
    /// symbol.
    [[nodiscard]] static bool blames_machine(const child_process& process);
    /// A source for the same compiler that certainly compiles.
    [[nodiscard]] static source harmless(const source& like);

    static failure refused(const child_process& process);

private:
    static std::vector<compiler> find_all(const std::vector<std::string>& names);

    [[nodiscard]] std::vector<std::string> command_of(const source& what, const std::string& stem) const;

    std::size_t together_;
    bool whole_;
    std::vector<int> cores_;
    build_cache cache_;
};

}  // namespace detail

/// Compiles sources in several processes, several sources in one translation unit, each source once.
///
///     builder pool({.directory = "cache"});
///     pool.submit(sources, "kernel", 10);          // starts compilers and returns
///     const auto r = pool.wait(pool.cache().key(sources[0], "kernel"));
///
/// Each source is put into a namespace of its own and its entry point is renamed, so sources need not know of each
/// other. Where several do not compile together, or not within the time of one, they are compiled one by one, and only
/// the faulty one fails. Where one then does not load or run, `generated` and `pipeline` build it once more, alone.
/// Builds are kept in the cache. A failed source is not tried again (after a time-out, unless the limit is longer).
/// Undefined symbols are errors: only the C library, libm and libgcc are linked.
///
/// Compilers are served in `submit`, `wait` and `advance`. Between those calls they continue, but none is started. Each
/// has a process group, which a time-out kills, and which ends with this process. They read no input. Their messages
/// become part of the failure. They are started by /bin/sh, and no argument passes through it as text.
///
/// Failures:   build_error with the compiler's first error, build_timeout.
/// Errors:     tunekit::error from the constructor where a compiler is missing, and where the directory cannot be made
///             or used, can be written by others, or does not allow programs. Later where a source fails and an empty
///             source fails too: a full disk, no assembler, no memory. No candidate fails because of that.
/// Cost:       see docs/generated_code.md.
/// Threads:    one object is for one thread at a time.
class builder : public build_pool<detail::host_toolchain> {
public:
    /// Its settings.
    struct options {
        std::vector<std::string> compilers{"c++"};               ///< names or paths; a source may ask for any of them
        std::vector<std::string> flags{"-O2", "-march=native"};  ///< of every compilation, before those of the source
        std::string
            directory{};  ///< of the cache, made where it is missing; empty: a temporary one, removed with the builder
        std::size_t processes = 0;  ///< compilers at a time; 0: one less than there are processors, at least 1
        std::size_t together = 16;  ///< the most configurations per compilation
        bool whole = false;  ///< sources stand alone, as they are: they may include headers, and link what flags name
        std::vector<int> cores{};  ///< processors that compilers may use while workers use others; empty: any
    };

    /// With the usual settings.
    builder();
    /// Finds the compilers and opens the cache; starts no process. Throws tunekit::error as said above.
    explicit builder(const options& how);
};

}  // namespace tunekit::measure
