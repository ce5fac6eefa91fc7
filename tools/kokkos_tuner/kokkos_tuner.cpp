// SPDX-License-Identifier: MIT

// Tunes the kernels of a Kokkos program while it runs, without a change to the program: libtunekit_kokkos.so.
//
//     KOKKOS_TOOLS_LIBS=libtunekit_kokkos.so KOKKOS_TUNE_INTERNALS=1 ./program
//
// docs/kokkos.md has the settings and what to know before.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/kokkos_tuner/next_tool.hpp"
#include "tools/kokkos_tuner/ranges.hpp"
#include "tools/kokkos_tuner/saver.hpp"
#include "tools/kokkos_tuner/sessions.hpp"
#include "tools/kokkos_tuner/settings.hpp"
#include "tools/kokkos_tuner/untuned.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
using namespace kokkos_tuner;

namespace {

/// A context of the host that has begun, on this thread.
struct open_context {
    std::size_t id = 0;
    std::optional<kt_goal> goal{};  ///< what is small or large in the end; none: its time
    session* of = nullptr;
    std::uint64_t ticket = 0;  ///< of a call that is timed; else 0
    double began = 0;
};

struct tool {
    std::mutex mutex;
    declared_variables declared;
    sessions tuned;
    std::map<std::string, bool> told;
    void (*fence)(std::uint32_t) = nullptr;
    settings how;
    int rank = 0;
    std::unique_ptr<saver> saves;
    bool ended = false;
    tk::measure::wall_clock now;

    [[nodiscard]] bool follows() const { return rank > 0 && how.share && !how.file.empty(); }
};

/// Never destroyed: other threads of the host may call until the process is gone.
tool& it()
{
    static tool& one = *new tool;
    return one;
}

/// The number of declarations so far: sessions that were found before another one may be others now.
std::atomic<std::uint64_t> declarations{0};

constexpr std::size_t most_open = 64;  ///< contexts of a thread; more were never ended

/// What belongs to a thread of the host. It has no constructor, so that nothing is asked for before it is used.
struct thread_state {
    /// Which session a call belongs to, by a hash of what it said. Two kernels have one hash with probability 2^-64.
    struct remembered {
        std::uint64_t hash;
        session* of;
    };
    remembered recent[256];
    open_context contexts[most_open];
    std::size_t open;  ///< of `contexts`
    std::size_t last_ended;
    device_type device = device_type::none;  ///< of the kernel that is being launched
};
thread_local constinit thread_state here{};

void tell_once(const std::string& line)
{
    tool& t = it();
    if (t.told.emplace(line, true).second && !t.how.quiet && t.rank == 0)
        std::fprintf(stderr, "tunekit: %s\n", line.c_str());
}

/// Runs f: nothing that goes wrong here may reach the host.
template <class F>
void guarded(const F& f) noexcept
{
    try {
        const std::lock_guard held(it().mutex);
        f();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "tunekit: %s\n", e.what());
    } catch (...) {
        std::fprintf(stderr, "tunekit: something other than an exception was thrown\n");
    }
}

/// The place of the innermost open context of that id; else `t.open`.
std::size_t place_of(const thread_state& t, std::size_t id)
{
    for (std::size_t k = t.open; k > 0; --k)
        if (t.contexts[k - 1].id == id) return k - 1;
    return t.open;
}

/// Ends the contexts in [from, to), which were never ended.
void drop(thread_state& t, std::size_t from, std::size_t to)
{
    if (from == to) return;
    if (std::any_of(t.contexts + from, t.contexts + to, [](const open_context& c) { return c.ticket != 0; }))
        guarded([&] {
            for (std::size_t k = from; k < to; ++k)
                if (const open_context& c = t.contexts[k]; c.of != nullptr) c.of->drop(c.ticket);
        });
    std::copy(t.contexts + to, t.contexts + t.open, t.contexts + from);
    t.open -= to - from;
}

/// A hash of all that a request depends on, without a text.
std::uint64_t hash_of(std::size_t inputs, const kt_variable_value* in, std::size_t outputs,
                      const kt_variable_value* out, const std::optional<kt_goal>& goal)
{
    using tk::core::mixed;
    std::uint64_t h = mixed(declarations.load(std::memory_order_acquire), static_cast<std::uint64_t>(here.device));
    if (goal) h = mixed(h, 2 * goal->id + (goal->direction == kt_minimize ? 0 : 1) + 1);
    for (std::size_t k = 0; k < inputs; ++k) {
        if ((goal && goal->id == in[k].id) || in[k].declared == nullptr) continue;
        h = mixed(h, in[k].id);
        std::uint64_t word = 0;
        if (in[k].declared->type != kt_string) {
            std::memcpy(&word, &in[k].value, sizeof word);
            h = mixed(h, word);
            continue;
        }
        const char* const text = in[k].value.string_value;
        const std::size_t n = ::strnlen(text, sizeof in[k].value.string_value);
        for (std::size_t at = 0; at < n; at += sizeof word) {
            word = 0;
            std::memcpy(&word, text + at, (std::min)(sizeof word, n - at));
            h = mixed(h, word);
        }
    }
    for (std::size_t k = 0; k < outputs; ++k) h = mixed(h, ~out[k].id);
    return h == 0 ? 1 : h;
}

/// Writes what all sessions have found; another rank than the first one reads instead what that wrote.
void save_all()
{
    tool& t = it();
    try {
        if (t.follows()) {
            const std::string text = tk::io::read_text(t.how.file);
            guarded([&] { t.tuned.follow(text); });
            return;
        }
        std::vector<tk::online::winner_line> lines;
        guarded([&] { lines = t.tuned.winners(); });
        if (!lines.empty()) tk::online::write_winners(t.how.file, lines);
    } catch (const std::exception& e) {
        guarded([&] { tell_once(e.what()); });
    }
}

/// At an end, also one that Kokkos does not announce. A child that was forked has no thread that saves, and what was found is
/// its parent's.
void end_of_process()
{
    tool& t = it();
    std::unique_ptr<saver> last;
    bool ended = true;
    guarded([&] {
        ended = t.ended || (t.saves != nullptr && !t.saves->here());
        if (ended) return;
        t.ended = true;
        last = std::move(t.saves);
    });
    if (ended) return;
    last.reset();  // which waits for a saving under way, and that for the lock
    if (!t.how.file.empty() && !t.follows()) save_all();
}

/// The session of a call; null where nothing can be tuned.
session* session_for(std::size_t inputs, const kt_variable_value* in, std::size_t outputs, const kt_variable_value* out,
                     const std::optional<kt_goal>& goal)
{
    tool& t = it();
    const auto asked = request_of(t.declared, inputs, in, outputs, out, goal, here.device);
    if (!asked) {
        tell_once(
            "a value was asked for that was not declared, or whose candidates cannot be listed; it is left as it is");
        return nullptr;
    }
    session& s = t.tuned.at(*asked, t.how, t.follows(), tell_once);
    if (!t.how.file.empty() && t.saves == nullptr && !t.ended) {
        t.saves = std::make_unique<saver>(t.how.every, save_all);
        std::atexit(end_of_process);
    }
    return &s;
}

}  // namespace

extern "C" {

void kokkosp_init_library(int sequence, std::uint64_t interface_version, std::uint32_t devices, void* infos)
{
    guarded([&] {
        it().rank = rank_here();
        take_environment(it().how, tell_once);
    });
    TUNEKIT_HAND_ON(kokkosp_init_library, sequence, interface_version, devices, infos);
}

void kokkosp_parse_args(int argc, char** argv)
{
    guarded([&] { take_arguments(it().how, argc, argv, tell_once); });
}

void kokkosp_print_help(char*) { print_settings(); }

void kokkosp_request_tool_settings(std::uint32_t version, kt_settings* settings)
{
    if (settings == nullptr) return;
    settings->requires_global_fencing = next_library() != nullptr;  // which Kokkos presumes of a tool that does not say
    TUNEKIT_HAND_ON(kokkosp_request_tool_settings, version, settings);
}

void kokkosp_provide_tool_programming_interface(std::uint32_t version, kt_actions actions)
{
    guarded([&] { it().fence = actions.fence; });
    TUNEKIT_HAND_ON(kokkosp_provide_tool_programming_interface, version, actions);
}

void kokkosp_declare_output_type(const char* name, std::size_t id, kt_variable* info)
{
    guarded([&] {
        if (name == nullptr || info == nullptr) return;
        it().declared.insert_or_assign(id, variable_of(name, *info));
        declarations.fetch_add(1, std::memory_order_release);
    });
}

void kokkosp_declare_input_type(const char* name, std::size_t id, kt_variable* info)
{
    guarded([&] {
        if (name == nullptr || info == nullptr) return;
        it().declared.insert_or_assign(id, variable{.name = name, .type = info->type});
        declarations.fetch_add(1, std::memory_order_release);
    });
}

void kokkosp_begin_parallel_for(const char* name, std::uint32_t on, std::uint64_t* kernel)
{
    here.device = type_of(on);
    TUNEKIT_HAND_ON(kokkosp_begin_parallel_for, name, on, kernel);
}

void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t on, std::uint64_t* kernel)
{
    here.device = type_of(on);
    TUNEKIT_HAND_ON(kokkosp_begin_parallel_reduce, name, on, kernel);
}

void kokkosp_begin_parallel_scan(const char* name, std::uint32_t on, std::uint64_t* kernel)
{
    here.device = type_of(on);
    TUNEKIT_HAND_ON(kokkosp_begin_parallel_scan, name, on, kernel);
}

void kokkosp_end_parallel_for(std::uint64_t kernel)
{
    here.device = device_type::none;
    TUNEKIT_HAND_ON(kokkosp_end_parallel_for, kernel);
}

void kokkosp_end_parallel_reduce(std::uint64_t kernel)
{
    here.device = device_type::none;
    TUNEKIT_HAND_ON(kokkosp_end_parallel_reduce, kernel);
}

void kokkosp_end_parallel_scan(std::uint64_t kernel)
{
    here.device = device_type::none;
    TUNEKIT_HAND_ON(kokkosp_end_parallel_scan, kernel);
}

void kokkosp_begin_context(std::size_t context)
{
    thread_state& t = here;
    drop(t, place_of(t, context),
         t.open);  // Kokkos never ends the context around a tuned policy, and uses its id again
    if (t.open == most_open) drop(t, 0, most_open / 2);
    t.contexts[t.open++] = {.id = context};
}

void kokkosp_request_values(std::size_t context, std::size_t inputs, const kt_variable_value* in, std::size_t outputs,
                            kt_variable_value* out)
{
    if (outputs == 0 || out == nullptr) return;
    thread_state& t = here;
    const std::size_t place = place_of(t, context);
    open_context* const of = place == t.open ? nullptr : &t.contexts[place];
    static constexpr std::optional<kt_goal> none;
    const std::optional<kt_goal>& goal = of == nullptr ? none : of->goal;
    const std::uint64_t hash = hash_of(inputs, in, outputs, out, goal);
    auto& known = t.recent[hash % std::size(t.recent)];
    if (known.hash != hash) {
        guarded([&] {
            if (session* const s = session_for(inputs, in, outputs, out, goal)) known = {hash, s};
        });
        if (known.hash != hash) return;
    }
    session& s = *known.of;
    if (s.fixed()) return s.answer(out);
    std::uint64_t ticket = 0;
    guarded([&] {
        if (s.gives_up()) tell_once(s.key() + ": a call that was timed never ended; it does not count");
        if (of == nullptr) tell_once("a value was asked for in a context that has not begun; the best known is used");
        if (of == nullptr || of->of != nullptr || !s.open()) return s.answer(out);
        ticket = s.next(out);
        of->of = &s;
        of->ticket = ticket;
    });
    if (ticket == 0) return;
    if (it().fence != nullptr) it().fence(0);
    of->began = it().now();
}

void kokkosp_declare_optimization_goal(std::size_t context, kt_goal goal)
{
    guarded([&] {
        thread_state& t = here;
        open_context* const of = &t.contexts[place_of(t, context) % most_open];
        const auto what = it().declared.find(goal.id);
        if (place_of(t, context) == t.open || of->of != nullptr)
            return tell_once(
                "a goal was declared outside its context, or after its values were asked for; tuning by time");
        if (what == it().declared.end() || what->second.type == kt_string)
            return tell_once("a goal was declared that is not a declared number; tuning by time");
        of->goal = goal;
    });
}

void kokkosp_end_context(std::size_t context, kt_variable_value reached)
{
    thread_state& t = here;
    const std::size_t place = place_of(t, context);
    if (place == t.open) {  // Kokkos ends the context of a tuned policy twice
        if (context != t.last_ended)
            guarded([] { tell_once("a context ended that has not begun; it is passed over"); });
        return;
    }
    t.last_ended = context;
    const bool timed = t.contexts[place].ticket != 0;
    if (timed && place + 1 == t.open && it().fence != nullptr) it().fence(0);
    const double ended = timed ? it().now() : 0;
    drop(t, place + 1, t.open);
    const open_context last = t.contexts[--t.open];
    if (!timed) return;
    guarded([&] {
        session& s = *last.of;
        if (!s.waits_for(last.ticket)) return;
        double cost = ended - last.began;
        if (last.goal) {
            cost = cost_of(*last.goal, reached, it().declared.at(last.goal->id).type);
            if (!(std::isfinite(cost) && cost > 0))
                tell_once("the value of a goal is missing or not positive; that call does not count");
        }
        if (s.report(cost) && it().saves != nullptr) it().saves->soon();
        const auto problem = s.problem();
        if (problem != tk::online::trouble::none) tell_once(s.key() + ": " + to_text(problem));
    });
}

void kokkosp_finalize_library()
{
    end_of_process();
    guarded([] {
        const tool& t = it();
        if (t.how.quiet || t.rank > 0) return;
        if (t.declared.empty())  // one that tunes declares its built-in inputs at once
            tell_once("nothing was tuned: this Kokkos was built without Kokkos_ENABLE_TUNING, or is older than 3.2");
        else if (t.tuned.empty())
            tell_once(
                "nothing was tuned: no value was asked for; want variables of the program's own, or "
                "KOKKOS_TUNE_INTERNALS=1 for the built-in ones");
        t.tuned.print();
    });
    TUNEKIT_HAND_ON(kokkosp_finalize_library);
}

}  // extern "C"
