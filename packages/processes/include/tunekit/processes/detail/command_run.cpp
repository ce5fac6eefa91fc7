// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/command_run.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/run_failure.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/detail/system/memory.hpp"

namespace tunekit::measure::detail {

no_resources::no_resources(const std::string& what, int why)
    : std::runtime_error("program: " + what + ": " + std::strerror(why) + remedy_of(why))
{
}

no_resources::no_resources(const error& why)
    : std::runtime_error("program" + std::string(why.what()).substr(std::strlen("tunekit")))
{
}

command_runner::command_runner() : parent_(::getppid())
{
    reset_signals();
    system::detail::leave_heap_out_of_forks();
    adopt_descent();
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGCONT);  // the system sends it where the parent ended
    sigaddset(&heard, SIGXFSZ);  // a file beyond ulimit -f is an error of this process
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    signals_ = system::detail::signal_news::listening();
    if (signals_.fd() < 0) no_signals_ = errno;
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    void* const shared = ::mmap(nullptr, sizeof(note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    told_ = new (shared) note;
}

void command_runner::heed()
{
    if (!signals_.take() && ::getppid() == parent_) return;
    command_.kill(SIGKILL);
    end_descent();
    ::_exit(0);
}

finished_run command_runner::run(const command_line& what, const command_limits& limits)
{
    if (signals_.fd() < 0) throw no_resources("no descriptor", no_signals_);
    finished_run out;
    heard_text output(limits.output_bytes), errors(limits.output_bytes);
    const int failed = start(what, limits, output, errors);
    if (failed != 0) {
        out.how = finished_run::end::not_started;
        out.code = failed;
        return out;
    }
    const wall_clock now;
    bool told = false;  // whether it was asked to end, by SIGTERM
    for (double moment = now();; moment = now()) {
        heed();
        const double begun = told_->begun > 0 ? told_->begun : begun_, deadline = begun + limits.wall_seconds;
        out.wall_seconds = moment - begun;
        if (command_.ended()) break;
        if (moment >= deadline + (told ? grace : 0)) {
            if (told) break;
            command_.kill(SIGTERM);  // at which mpirun ends what it started on other machines
            told = true;
            continue;
        }
        poll_set events;
        events.add(signals_.fd());
        for (const heard_text* const text : {&output, &errors})
            if (text->news() >= 0) events.add(text->news());
        events.by(deadline + (told ? grace : 0));
        events.wait(moment);
        output.hear();
        errors.hear();
    }
    command_.end();
    if (const int why = told_->why; why != 0) {
        if (is_scarcity(why) && (why != ENOMEM || limits.memory_bytes == 0)) throw no_resources("not started", why);
        out = {.how = finished_run::end::not_started, .code = why};
        return out;
    }
    judge(out, told, limits);
    output.hear();
    errors.hear();
    end_descent();
    say_output_.reset();
    say_errors_.reset();
    out.output = output.text();
    out.errors = errors.text();
    out.cut = output.cut();
    out.errors_cut = errors.cut();
    return out;
}

/// What the process of a command needs to become it.
struct command_runner::beginning {
    const command_limits& limits;
    const exec_words& words;
    note& told;
    pid_t parent;
    int input, output, errors;
};

int command_runner::start(const command_line& what, const command_limits& limits, heard_text& output,
                          heard_text& errors)
{
    say_output_ = output.open();
    say_errors_ = errors.open();
    if (!say_output_ || !say_errors_) throw no_resources("no pipe", errno);
    if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0) return errno;
    const descriptor input(::open(what.input.empty() ? "/dev/null" : what.input.c_str(), O_RDONLY | O_CLOEXEC));
    if (!input && is_scarcity(errno)) throw no_resources("no descriptor", errno);
    if (!input) refuse(failure_kind::invalid, "the input '" + what.input + "' cannot be read: " + std::strerror(errno));
    const exec_words words(what, path_of(what.arguments.front()));
    *told_ = {};
    const beginning of{.limits = limits,
                       .words = words,
                       .told = *told_,
                       .parent = ::getpid(),
                       .input = input.get(),
                       .output = say_output_.get(),
                       .errors = say_errors_.get()};
    // Not posix_spawn: limits must hold before the command begins, because it may start others at once.
    begun_ = wall_clock{}();
    const pid_t pid = system::detail::fork_alone();
    if (pid < 0) throw no_resources("no process", errno);
    if (pid == 0) begin(of);
    command_ = child(pid);
    return 0;
}

const std::string& command_runner::path_of(const std::string& name)
{
    std::string& path = paths_[name];
    if (path.empty()) path = find_program(name);
    return path.empty() ? name : path;
}

void command_runner::begin(const beginning& of) noexcept
{
    ::setsid();
    unblock_signals();  // each does what it does in a new process
    die_with(of.parent);
    if (::dup2(of.input, 0) == 0 && ::dup2(of.output, 1) == 1 && ::dup2(of.errors, 2) == 2 && hold(of.limits)) {
        ::getrusage(RUSAGE_SELF, &of.told.used);
        of.told.begun = wall_clock{}();
        system::detail::become(of.words.path(), of.words.arguments(), of.words.environment());
    }
    of.told.why = errno;
    end_process(127);
}

bool command_runner::hold(const command_limits& limits)
{
    const auto set = [](auto which, rlim_t soft, rlim_t hard) {
        const rlimit to{soft, hard};
        return ::setrlimit(which, &to) == 0;
    };
    if (limits.memory_bytes != 0 && !set(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)) return false;
    const auto seconds = static_cast<rlim_t>(std::ceil((std::min)(limits.cpu_seconds, most_cpu_seconds)));
    if (limits.cpu_seconds < most_cpu_seconds && !set(RLIMIT_CPU, seconds, seconds + 1)) return false;
    const descriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (file) static_cast<void>(!::write(file.get(), "1000", 4));  // else the system may end another process for memory
    return true;
}

void command_runner::judge(finished_run& out, bool told, const command_limits& limits) const
{
    const int status = command_.status();
    const auto since = [](const timeval& now, const timeval& before) {
        const auto seconds = [](const timeval& t) {
            return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        };
        return (std::max)(seconds(now) - seconds(before), 0.0);
    };
    const rusage& used = command_.used();
    out.user_seconds = since(used.ru_utime, told_->used.ru_utime);
    out.system_seconds = since(used.ru_stime, told_->used.ru_stime);
    out.cpu_seconds = (std::max)(out.user_seconds + out.system_seconds, 1e-6);  // which the system counts in
    out.peak_bytes = system::detail::resident_unit * static_cast<double>(used.ru_maxrss);
    out.how = WIFSIGNALED(status) ? finished_run::end::signalled : finished_run::end::exited;
    out.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    const bool by_cpu = out.how == finished_run::end::signalled && limits.cpu_seconds < most_cpu_seconds &&
                        (out.code == SIGXCPU || (out.code == SIGKILL && out.cpu_seconds >= limits.cpu_seconds));
    if (told) out.how = finished_run::end::timed_out;
    else if (by_cpu) out.how = finished_run::end::out_of_cpu;
}

}  // namespace tunekit::measure::detail
