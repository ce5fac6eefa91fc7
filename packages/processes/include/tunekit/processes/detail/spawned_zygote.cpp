// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/spawned_zygote.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/zygote.hpp"

namespace tunekit::measure::detail {

started_zygote start_served(const served_program& program, std::size_t k, const worker_hold& hold)
{
    system::detail::say_what_is_not_held();
    auto [ours, theirs] = socket_pair();
    if (!ours) throw error(std::string("served_workers: no socket pair: ") + std::strerror(errno));
    command_line what{.arguments = {program.path, serve_mark, std::to_string(k)}};
    what.arguments.insert(what.arguments.end(), program.arguments.begin(), program.arguments.end());
    exec_words words(what);
    pid_t pid = -1;
    const int failed = spawn(pid, program.path.c_str(), words, std::vector<int>{-1, -1, -1, theirs.get()});
    if (failed != 0) throw error("served_workers: cannot start '" + program.path + "': " + std::strerror(failed));

    std::vector<unsigned char> words_to_it(sizeof(serve_setup) + hold.cores.size() * sizeof(int));
    const serve_setup setup{.memory_bytes = hold.watched ? 0 : hold.memory_bytes,
                            .enclosed = hold.enclosed ? 1U : 0U,
                            .confined = hold.confined ? 1U : 0U,
                            .cores = hold.cores.size()};
    std::memcpy(words_to_it.data(), &setup, sizeof setup);
    if (!hold.cores.empty())
        std::memcpy(words_to_it.data() + sizeof setup, hold.cores.data(), hold.cores.size() * sizeof(int));
    send_packet(ours.get(), words_to_it.data(), words_to_it.size());  // where that fails, no hello comes
    return {std::move(ours), child(pid, child::reach::alone)};
}

void await_hello(served_program& program, const descriptor& control)
{
    const auto refuse = [&](const std::string& why) { throw error("served_workers: '" + program.path + "' " + why); };
    const wall_clock now;
    const double deadline = now() + program.start_seconds;
    std::vector<unsigned char> bytes(max_packet);
    std::size_t size = 0;
    for (;;) {
        const received what = receive_now(control.get(), bytes.data(), bytes.size(), size);
        if (what == received::packet) break;
        if (what == received::end) refuse("ended before it served; want measure::serve as the first thing in its main");
        if (now() >= deadline)
            refuse("has not served after " + std::to_string(program.start_seconds) +
                   " s; want measure::serve as the first thing in its main");
        poll_set events;
        events.add(control.get());
        events.by(deadline);
        events.wait(now());
    }
    serve_hello hello;
    if (size < sizeof hello) refuse("answers nonsense");
    std::memcpy(&hello, bytes.data(), sizeof hello);
    if (hello.magic != serve_hello::expected_magic) refuse("answers nonsense");
    if (hello.version != TUNEKIT_VERSION) refuse("was built with another version of tunekit, want the same");
    const unsigned char* const rest = bytes.data() + sizeof hello;
    if (hello.refusal != 0)
        refuse("does not serve: " +
               std::string(bytes.begin() + sizeof hello, bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    if (size != sizeof hello + hello.tasks * sizeof(task_identity)) refuse("answers nonsense");
    if (hello.tasks != program.tasks.size())
        refuse("has " + core::detail::counted(hello.tasks, "task") + ", want " + std::to_string(program.tasks.size()));
    for (std::size_t t = 0; t < program.tasks.size(); ++t) {
        task_identity have;
        std::memcpy(&have, rest + t * sizeof have, sizeof have);
        if (!(have == program.tasks[t]))
            refuse("has another space for task " + std::to_string(t) + ", of size " + std::to_string(have.size) +
                   ", want the one of size " + std::to_string(program.tasks[t].size) +
                   " with the same values in the same order");
        program.tasks[t].times = have.times;
    }
}

[[noreturn]] void refuse_to_serve(const std::string& why)
{
    serve_hello hello;
    const std::string text = why.substr(0, 1000);
    hello.refusal = text.size();
    std::vector<unsigned char> bytes(sizeof hello + text.size());
    std::memcpy(bytes.data(), &hello, sizeof hello);
    std::memcpy(bytes.data() + sizeof hello, text.data(), text.size());
    send_packet(3, bytes.data(), bytes.size());
    end_process(status_unheard);
}

worker_hold hear_setup()
{
    sigset_t quiet;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGTERM);
    sigaddset(&quiet, SIGCONT);
    ::sigprocmask(SIG_BLOCK, &quiet, nullptr);
    system::detail::end_with_parent(SIGCONT);  // where the parent ended before this call, descriptor 3 is closed
    if (!close_all_but(3)) end_process(status_unheard);
    std::vector<unsigned char> bytes(sizeof(serve_setup) + serve_setup::max_cores * sizeof(int));
    const std::size_t size = receive_packet(3, bytes.data(), bytes.size());
    serve_setup setup;
    if (size < sizeof setup) end_process(status_unheard);
    std::memcpy(&setup, bytes.data(), sizeof setup);
    if (setup.magic != serve_setup::expected_magic || size != sizeof setup + setup.cores * sizeof(int))
        end_process(status_unheard);
    std::vector<int> cores(setup.cores);
    if (!cores.empty()) std::memcpy(cores.data(), bytes.data() + sizeof setup, cores.size() * sizeof(int));
    if (!use_cores(cores)) refuse_to_serve("the system does not give it its processors");
    const int threads = sanitized ? 1 : thread_count();
    if (threads > 1)
        refuse_to_serve("it runs " + std::to_string(threads) + " threads; call measure::serve before starting threads");
    return {.memory_bytes = setup.memory_bytes, .enclosed = setup.enclosed != 0, .confined = setup.confined != 0};
}

[[noreturn]] void serve_tasks(work_ref work, std::span<const task_identity> tasks, std::span<const canary> own,
                              const worker_hold& hold)
{
    serve_hello hello;
    hello.tasks = tasks.size();
    std::vector<unsigned char> bytes(sizeof hello + tasks.size_bytes());
    std::memcpy(bytes.data(), &hello, sizeof hello);
    if (!tasks.empty()) std::memcpy(bytes.data() + sizeof hello, tasks.data(), tasks.size_bytes());
    if (bytes.size() > max_packet || !send_packet(3, bytes.data(), bytes.size())) end_process(status_unheard);
    run_zygote(work, hold.memory_bytes, own, hold.enclosed, hold.confined);
}

}  // namespace tunekit::measure::detail
