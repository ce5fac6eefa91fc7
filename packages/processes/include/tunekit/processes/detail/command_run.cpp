// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/command_run.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

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

/// What the process of a command needs to become it, and what it says of itself, in memory that both see: nobody has to
/// wake to hear it. The words lie behind it.
struct command_runner::beginning {
    command_limits limits{};
    std::optional<exec_words> words{};
    pid_t parent = -1;
    int input = -1, output = -1, errors = -1;
    std::atomic<pid_t> pid = 0;  ///< of the command's process; 0: there is none so far
    std::atomic<int> why = 0;    ///< errno, where it did not become the command
    double begun = 0;            ///< when it was about to become it; 0: it did not come so far
    rusage used{};               ///< what it had used before that
};

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
    void* const shared =
        ::mmap(nullptr, room_of_words, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    laid_out_ = new (shared) beginning;
    children_ = descriptor(::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
}

void command_runner::count(std::span<const std::string> counters)
{
    for (const std::string& name : counters) {
        if (!counters_.emplace_back(name)) throw no_resources("no counter of " + name, errno);
    }
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
    bool waited = false;
    for (double moment = now();; moment = now()) {
        heed();
        if (!met_ && !meet_command(waited)) break;
        const double begun = laid_out_->begun > 0 ? laid_out_->begun : begun_;
        const double deadline = begun + limits.wall_seconds + (told ? grace : 0);
        out.wall_seconds = moment - begun;
        if (met_ && command_.ended()) break;
        if (met_ && moment >= deadline) {
            if (told) break;
            command_.kill(SIGTERM);  // at which mpirun ends what it started on other machines
            told = true;
            continue;
        }
        poll_set events;
        for (const int fd : {signals_.fd(), output.news(), errors.news()}) events.add(fd);  // a negative one is none
        events.by(met_ ? deadline : (std::max)(deadline, moment + 0.001));  // nothing wakes this to meet the command
        if (!met_) events.by(moment + 0.5);  // then the starter is woken, which another program may have stopped
        events.wait(moment);
        waited = true;
        if (events.events[1].revents != 0) output.hear();
        if (events.events[2].revents != 0) errors.hear();
    }
    command_.end();
    if (const int why = laid_out_->why; why != 0) {
        if (is_scarcity(why) && (why != ENOMEM || limits.memory_bytes == 0)) throw no_resources("not started", why);
        out = {.how = finished_run::end::not_started, .code = why};
        return out;
    }
    judge(out, told, limits);
    output.hear();
    errors.hear();
    end_leftovers();
    for (system::detail::event_counter& c : counters_) out.counts.push_back(c.since_last());
    for (descriptor* const kept : {&say_output_, &say_errors_, &its_input_}) kept->reset();
    out.output = output.text();
    out.errors = errors.text();
    out.cut = output.cut();
    out.errors_cut = errors.cut();
    return out;
}

int command_runner::start(const command_line& what, const command_limits& limits, heard_text& output,
                          heard_text& errors)
{
    say_output_ = output.open();
    say_errors_ = errors.open();
    if (!say_output_ || !say_errors_) throw no_resources("no pipe", errno);
    if (!what.directory.empty() && ::chdir(what.directory.c_str()) != 0) return errno;
    its_input_ =
        descriptor(::open(what.input.empty() ? "/dev/null" : what.input.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!its_input_ && is_scarcity(errno)) throw no_resources("no descriptor", errno);
    if (!its_input_)
        refuse(failure_kind::invalid, "the input '" + what.input + "' cannot be read: " + std::strerror(errno));
    const std::span room(reinterpret_cast<char*>(laid_out_ + 1), room_of_words - sizeof *laid_out_);
    if (!laid_out_->words.emplace(what, path_of(what.arguments.front()), room).fit()) return E2BIG;
    laid_out_->limits = limits;
    laid_out_->parent = ::getpid();
    laid_out_->input = its_input_.get();
    laid_out_->output = say_output_.get();
    laid_out_->errors = say_errors_.get();
    laid_out_->begun = 0;
    laid_out_->pid = laid_out_->why = 0;
    met_ = false;
    begun_ = wall_clock{}();
    ask_starter();
    return 0;
}

void command_runner::ask_starter()
{
    // Not posix_spawn: limits must hold before the command begins, because it may start others at once.
    if (!system::detail::starts_siblings) {
        const pid_t pid = system::detail::fork_alone();
        if (pid < 0) throw no_resources("no process", errno);
        if (pid == 0) begin(*laid_out_);
        laid_out_->pid = pid;
        return;
    }
    if (starter_.ended()) {
        std::tie(asked_, ask_) = pipe_for_child();  // in the old one may lie what the old starter was asked last
        if (!ask_) throw no_resources("no pipe", errno);
        const pid_t pid = system::detail::fork_alone(true);
        if (pid < 0) throw no_resources("no process", errno);
        if (pid == 0) be_starter(*laid_out_, asked_.get());
        starter_ = child(pid, child::reach::alone);
    }
    while (::write(ask_.get(), "", 1) < 0 && errno == EINTR) {
    }
}

bool command_runner::meet_command(bool waited)
{
    if (const pid_t pid = laid_out_->pid; pid > 0) {
        command_ = child(pid);
        met_ = true;
    } else if (waited) {
        if (!starter_.ended()) starter_.kill(SIGCONT);
        else if (laid_out_->why != 0) return false;
        else if (laid_out_->pid == 0) ask_starter();  // another program had ended it
    }
    return true;
}

void command_runner::end_leftovers()
{
    bool listed = false, others = false;
    proc_text(children_).each_number([&](int child) { (child == starter_.pid() ? listed : others) = true; });
    if (!listed) starter_.end();  // without a list it could not be told from what is left
    if (others || !listed) end_descent(5, starter_.pid());
}

const std::string& command_runner::path_of(const std::string& name)
{
    std::string& path = paths_[name];
    if (path.empty()) path = find_program(name);
    return path.empty() ? name : path;
}

void command_runner::be_starter(beginning& of, int asked) noexcept
{
    die_with(of.parent);
    alignas(64) char stack[1 << 16];
    char one = 0;
    const auto be_command = [](void* what) -> int { begin(*static_cast<beginning*>(what)); };
    for (ssize_t got = 1; got == 1 || (got < 0 && errno == EINTR);) {
        got = ::read(asked, &one, 1);
        if (got != 1 || system::detail::start_sibling(be_command, &of, stack) >= 0) continue;
        of.why = errno;  // this process's end tells it
        break;
    }
    end_process(0);
}

void command_runner::begin(beginning& of) noexcept
{
    of.pid = ::getpid();
    ::setpgid(0, 0);
    unblock_signals();  // each does what it does in a new process
    die_with(of.parent);
    if (::dup2(of.input, 0) == 0 && ::dup2(of.output, 1) == 1 && ::dup2(of.errors, 2) == 2 && hold(of.limits)) {
        ::getrusage(RUSAGE_SELF, &of.used);
        of.begun = wall_clock{}();
        system::detail::become(of.words->path(), of.words->arguments(), of.words->environment());
    }
    of.why = errno;
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
    out.user_seconds = since(used.ru_utime, laid_out_->used.ru_utime);
    out.system_seconds = since(used.ru_stime, laid_out_->used.ru_stime);
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
