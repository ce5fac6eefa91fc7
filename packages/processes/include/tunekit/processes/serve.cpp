// SPDX-License-Identifier: MIT
#include "tunekit/processes/serve.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>

#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/spawned_zygote.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace tunekit::measure {

void detail::serve(int argc, char** argv, task_maker make)
{
    if (argc < 3 || std::strcmp(argv[1], serve_mark) != 0) return;
    const worker_hold hold = hear_setup();
    try {
        auto tasks = make.call(make.make, static_cast<std::size_t>(std::strtoul(argv[2], nullptr, 10)));
        std::vector<task_identity> identities;
        std::vector<canary> canaries;
        for (const any_worker_task& t : tasks) {
            identities.push_back(t.identity());
            canaries.insert(canaries.end(), t.canaries().begin(), t.canaries().end());
        }
        serve_tasks({&tasks, measure_task}, identities, canaries, hold);
    } catch (const std::exception& e) {
        refuse_to_serve(e.what());
    }
}

isolated_workers served_workers(std::size_t n, std::vector<task_identity> tasks,
                                isolated_workers::program_options options)
{
    return isolated_workers(n,
                            detail::served_program{std::move(options.program), std::move(options.arguments),
                                                   std::move(tasks), options.start_seconds},
                            options.workers);
}

}  // namespace tunekit::measure
