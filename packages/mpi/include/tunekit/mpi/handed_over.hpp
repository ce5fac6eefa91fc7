// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Generated kernels that some ranks build and others run.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/mpi/code_folder.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::mpi {

/// The task of a rank that builds. It compiles the source of each configuration and puts the shared object into `to`,
/// with the name of its entry point behind it. From there it goes to a rank that runs.
///
///     auto task = tk::mpi::builds(scale, {.flags = {"-O2", "-march=x86-64-v3"}}, code);
///
/// `task` is the number of the template's task. The flags must be those of the machine that runs: -march=native would
/// be that of the machine that builds.
///
/// Failures: build_error and build_timeout, as a `builder` reports them. Errors: tunekit::error where the compiler is
///           missing.
template <class Template>
[[nodiscard]] auto builds(Template what, measure::builder::options options, code_folder to, std::size_t task = 0)
{
    options.processes = 1;
    auto compilers = std::make_shared<measure::builder>(std::move(options));
    const auto how = [what, compilers, to, task](const auto& config, const measure::limits& within) {
        const measure::source text = what.source_of(config);
        const std::string key = compilers->cache().key(text, what.entry);
        compilers->submit({text}, what.entry, within.build_seconds);
        const measure::wall_clock now;
        const double start = now();
        auto built = compilers->wait(key);
        measure::measurement m;
        m.build_seconds = now() - start;
        m.failed = std::move(built.failed);
        if (m.failed) return m;
        const auto file = compilers->cache().find(key);
        if (!file) throw error("mpi.builds: what was built is not in the cache any more");
        const std::string name = '\n' + measure::build_cache::symbol(key);
        std::vector<unsigned char> bytes(file->bytes.begin(), file->bytes.end());
        bytes.insert(bytes.end(), name.begin(), name.end());
        to.put(task, what.space.index_of(config).value(), bytes);
        m.cost = (std::max)(m.build_seconds, 1e-9);
        m.runs = 1;
        return m;
    };
    return measure::worker_task{what.space, how};
}

/// The kernel of a rank that runs, for `timed`. It loads the code that the rank was sent for a configuration, and gives
/// the function to `bind`.
///
///     auto kernel = tk::mpi::handed_over_kernel<void(float*)>(
///         space, code, [x](auto* run, const auto&) { return [=] { run(x); }; });
///
/// `bind` is that of `measure::generated_kernel`.
/// Errors: tunekit::error where no code was sent, or where it cannot be loaded here because it was built for another
///         machine.
template <class Signature, class Space, class Bind>
[[nodiscard]] auto handed_over_kernel(Space space, code_folder from, Bind bind, std::size_t task = 0)
{
    return
        [space = std::move(space), from = std::move(from), bind = std::move(bind), task](const auto& config) mutable {
            const index candidate = space.index_of(config).value();
            const auto bytes = from.get(task, candidate);
            if (!bytes) throw error("mpi.handed_over_kernel: nothing was handed over for this configuration");
            const std::string text(
                bytes->end() - static_cast<std::ptrdiff_t>((std::min)(bytes->size(), std::size_t{80})), bytes->end());
            return measure::loaded_code(from.path(task, candidate))
                .template bound<Signature>(text.substr(text.rfind('\n') + 1), bind, config);
        };
}

}  // namespace tunekit::mpi
