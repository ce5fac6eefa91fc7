// SPDX-License-Identifier: MIT

// Tunes the kernels of a Kokkos program while it runs, without a change to the program: libtunekit_kokkos.so.
//
//     KOKKOS_TOOLS_LIBS=libtunekit_kokkos.so KOKKOS_TUNE_INTERNALS=1 ./program
//
// docs/kokkos.md has the settings and what to know before.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/kokkos_tuner/next_tool.hpp"
#include "tools/kokkos_tuner/saver.hpp"
#include "tools/kokkos_tuner/settings.hpp"
#include "tools/kokkos_tuner/untuned.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;

namespace {

using cell = kt_value;

/// A variable as it was declared: the host's set may be gone when it asks for a value.
struct variable {
    std::string name;
    kt_value_type type = kt_int64;
    std::vector<cell> cells{};      ///< what it may be; none: it is not tuned
    std::uint64_t fingerprint = 0;  ///< of name and cells

    [[nodiscard]] bool tile() const { return name.find("_tile_size_") != std::string::npos; }
};

constexpr std::size_t max_cells = 4096;

/// How much slower a larger team on a host may be: its threads wait for each other at every barrier, and on busy processors
/// for a time slice each.
constexpr double team_slowdown = 100;

double number(const cell& c, kt_value_type type)
{
    return type == kt_double ? c.double_value : static_cast<double>(c.int_value);
}

std::string text_of(const cell& c, kt_value_type type)
{
    if (type == kt_string) return std::string(c.string_value, ::strnlen(c.string_value, sizeof c.string_value));
    return type == kt_double ? tk::core::text_of(c.double_value) : tk::core::text_of(c.int_value);
}

std::vector<cell> cells_of(const kt_variable& v)
{
    std::vector<cell> out;
    if (v.quantity == kt_set) {
        const auto& set = v.candidates.set;
        if (set.size > max_cells || set.values.int_value == nullptr) return {};
        for (std::size_t k = 0; k < set.size; ++k) {
            cell c{};
            if (v.type == kt_int64) c.int_value = set.values.int_value[k];
            else if (v.type == kt_double) c.double_value = set.values.double_value[k];
            else std::memcpy(c.string_value, set.values.string_value[k], sizeof c.string_value);
            out.push_back(c);
        }
    } else if (v.quantity == kt_range && v.type != kt_string) {
        const auto& r = v.candidates.range;
        const double low = number(r.lower, v.type), high = number(r.upper, v.type), step = number(r.step, v.type);
        if (!(step > 0) || !(high >= low) || !(std::isfinite(low) && (high - low) / step < max_cells)) return {};
        // Built-in tuners put a step into each of their cells: what is taken of an open end is the middle of its step.
        const double first = v.type == kt_double && r.open_lower ? low + 0.5 * step : r.open_lower ? low + step : low;
        for (std::size_t k = 0; out.size() < max_cells; ++k) {
            const double x = first + static_cast<double>(k) * step;
            if (x > high + 1e-9 * step || (r.open_upper && x > high - 1e-9 * step)) break;
            cell c{};
            if (v.type == kt_double) c.double_value = x;
            else c.int_value = static_cast<std::int64_t>(std::llround(x));
            out.push_back(c);
        }
    }
    return out.size() > 1 ? out : std::vector<cell>{};
}

/// The variable as it was declared, each candidate once.
variable variable_of(const char* name, const kt_variable& info)
{
    variable v{.name = name, .type = info.type};
    std::set<std::string> seen;
    for (const cell& c : cells_of(info))
        if (seen.insert(text_of(c, v.type)).second) v.cells.push_back(c);
    if (v.cells.size() < 2) v.cells.clear();
    std::uint64_t h = 0;
    for (const char x : v.name) h = tk::core::mixed(h, static_cast<unsigned char>(x));
    for (const std::string& text : seen)
        for (const char x : text + ' ') h = tk::core::mixed(h, static_cast<unsigned char>(x));
    v.fingerprint = h;
    return v;
}

/// What is tuned under one key.
struct session {
    using registry = tk::online::registry<tk::space::value_product>;

    std::string key;
    registry contexts;
    std::optional<registry> unread;  ///< of a follower: without what was read
    registry::context_type* context;
    bool by_time = true;
    bool tuned = true;       ///< otherwise `best` is the answer at any time
    bool follows = false;    ///< another rank tunes it, and `best` is what that found
    std::vector<cell> best;  ///< the best known
    tk::index best_index = 0;
    bool busy = false;         ///< somebody runs what was answered, and is timed
    std::uint64_t ticket = 0;  ///< of the timed call under way
    int passed = 0;            ///< calls since that began
};

/// A context of the host that has begun, on this thread.
struct open_context {
    std::size_t id = 0;
    std::optional<kt_goal> goal{};  ///< what is small or large in the end; none: its time
    session* of = nullptr;
    bool timed = false;
    std::uint64_t ticket = 0;
    double began = 0;
};

struct tool {
    std::mutex mutex;
    std::map<std::size_t, variable> declared;
    std::map<std::string, std::unique_ptr<session>> sessions;  ///< none is ever removed
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

constexpr std::size_t most_open = 64;    ///< contexts of a thread; more were never ended
constexpr int never_ended_after = 1000;  ///< calls of a kernel while one of it is timed

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
    if (std::any_of(t.contexts + from, t.contexts + to, [](const open_context& c) { return c.timed; }))
        guarded([&] {
            for (std::size_t k = from; k < to; ++k)
                if (const open_context& c = t.contexts[k]; c.timed && c.of->ticket == c.ticket) c.of->busy = false;
        });
    std::copy(t.contexts + to, t.contexts + t.open, t.contexts + from);
    t.open -= to - from;
}

/// The variable as the kernel's device has it: what has no effect there keeps one value.
variable tuned_on(const variable& declared, device_type on)
{
    variable v = declared;
    if (v.type != kt_double) return v;
    if (without_effect(v.name, on)) v.cells.resize(1);
    if (smallest_untuned(v.name, on)) v.cells = host_teams();
    return v;
}

/// The cell nearest to a number.
std::size_t nearest(const variable& v, double to)
{
    std::size_t best = 0;
    for (std::size_t k = 0; k < v.cells.size(); ++k)
        if (std::abs(number(v.cells[k], v.type) - to) < std::abs(number(v.cells[best], v.type) - to)) best = k;
    return best;
}

/// What Kokkos takes untuned: what the host has preset, or what its rules give where the preset says nothing.
std::size_t untuned(const variable& v, const cell& preset, std::size_t place, std::size_t of)
{
    if (v.type == kt_string) {
        const auto same = [&](const cell& c) { return text_of(c, v.type) == text_of(preset, v.type); };
        const auto at = std::find_if(v.cells.begin(), v.cells.end(), same);
        return at == v.cells.end() ? 0 : static_cast<std::size_t>(at - v.cells.begin());
    }
    if (v.type == kt_double && smallest_untuned(v.name, here.device)) return v.cells.size() - 1;
    return nearest(v, v.tile() ? untuned_tile(place, of, here.device) : number(preset, v.type));
}

/// Names and values of the inputs, and names of what is asked for. What is reached is no input: its value is the answer of the
/// call before.
std::string key_of(std::size_t inputs, const kt_variable_value* in, const std::vector<variable>& asked,
                   const std::optional<kt_goal>& goal)
{
    std::string key;
    if (goal) key = (goal->direction == kt_minimize ? "least " : "most ") + it().declared.at(goal->id).name + ' ';
    for (std::size_t k = 0; k < inputs; ++k) {
        const auto name = it().declared.find(in[k].id);
        if (goal && goal->id == in[k].id) continue;
        if (name == it().declared.end() || in[k].declared == nullptr) continue;
        key += name->second.name + '=' + text_of(in[k].value, in[k].declared->type) + ' ';
    }
    for (const variable& v : asked) key += v.name + ' ';
    key.pop_back();
    return key;
}

/// A hash of all that `key_of` and the candidates depend on, without a text.
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

tk::space::value value_of(const cell& c, kt_value_type type)
{
    if (type == kt_string) return text_of(c, type);
    return type == kt_double ? tk::space::value(c.double_value) : tk::space::value(c.int_value);
}

cell cell_of(const tk::space::value& v)
{
    cell c{};
    if (const auto* const text = std::get_if<std::string>(&v))
        std::memcpy(c.string_value, text->data(), (std::min)(text->size(), sizeof c.string_value - 1));
    else if (const auto* const x = std::get_if<double>(&v)) c.double_value = *x;
    else c.int_value = std::get<std::int64_t>(v);
    return c;
}

void answer(const std::vector<cell>& cells, kt_variable_value* out)
{
    for (std::size_t k = 0; k < cells.size(); ++k) out[k].value = cells[k];
}

/// Keeps what is known to be best.
void keep_best(session& s, tk::index best)
{
    if (best == s.best_index && !s.best.empty()) return;
    s.best.clear();
    for (const auto& v : s.contexts.space().at(best)) s.best.push_back(cell_of(v));
    s.best_index = best;
}

/// Writes what all sessions have found; another rank than the first one reads instead what that wrote.
void save_all()
{
    tool& t = it();
    try {
        if (t.follows()) {
            const std::string text = tk::io::read_text(t.how.file);
            guarded([&] {
                for (auto& [id, s] : t.sessions) {
                    session::registry found = *s->unread;
                    (void)found.read(text);
                    keep_best(*s, found.at("").status().best);
                }
            });
            return;
        }
        std::vector<tk::online::winner_line> lines;
        guarded([&] {
            for (const auto& [id, s] : t.sessions)
                for (auto& line : s->contexts.winners()) lines.push_back(std::move(line));
        });
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

session& session_of(const std::string& key, const std::vector<variable>& asked, const kt_variable_value* out,
                    bool by_time)
{
    tool& t = it();
    std::string id = key;
    for (const variable& v : asked) id += ' ' + std::to_string(v.fingerprint) + ' ' + std::to_string(v.cells.size());
    const auto there = t.sessions.find(id);
    if (there != t.sessions.end()) return *there->second;
    std::vector<tk::space::value_parameter> parameters;
    tk::space::value_product::config defaults;
    for (std::size_t k = 0; k < asked.size(); ++k) {
        std::vector<tk::space::value> values;
        for (const cell& c : asked[k].cells) values.push_back(value_of(c, asked[k].type));
        defaults.push_back(values[untuned(asked[k], out[k].value, k, asked.size())]);
        parameters.push_back({asked[k].name, std::move(values)});
    }
    tk::online::options how = t.how.options;
    if (!by_time) how.call_seconds = 0;  // our own seconds do not compare with the host's unit
    for (const variable& v : asked)
        if (smallest_untuned(v.name, here.device)) how.near_slowdown = how.far_slowdown = team_slowdown;
    session::registry contexts({.kernel = key, .version = t.how.version, .device = t.how.device},
                               tk::space::value_product(std::move(parameters), {}), defaults, how);
    const session::registry unread = contexts;
    if (!t.how.file.empty()) {
        const auto got = contexts.load(t.how.file);
        const auto is_same = [&](const auto& of) { return of.second->key == key; };
        if (got.taken + got.resumed + got.begun == 0 && std::none_of(t.sessions.begin(), t.sessions.end(), is_same))
            for (const std::string& why : got.refused) tell_once(t.how.file + ": " + why);
        if (t.saves == nullptr && !t.ended) {
            t.saves = std::make_unique<saver>(t.how.every, save_all);
            std::atexit(end_of_process);
        }
    }
    auto made = std::make_unique<session>(session{
        .key = key, .contexts = std::move(contexts), .unread = {}, .context = nullptr, .by_time = by_time, .best = {}});
    session& s = *t.sessions.emplace(std::move(id), std::move(made)).first->second;
    const bool tiles = std::any_of(asked.begin(), asked.end(), [](const variable& v) { return v.tile(); });
    if (tiles)
        tell_once(
            "tiles of MDRangePolicy: Kokkos before 5 counts them wrongly on hosts once a tool sets them (4.6 and "
            "before are "
            "affected), which is slow whatever is answered; there, run without KOKKOS_TUNE_INTERNALS. They are tuned "
            "with "
            "KOKKOS_TOOLS_TUNEKIT_TILES=1 alone");
    s.follows = t.follows();
    if (s.follows) s.unread = unread;
    s.tuned = !s.follows && (!tiles || t.how.tiles) && key.find(t.how.only) != std::string::npos;
    s.context = &s.contexts.at("");
    keep_best(s, s.context->status().best);
    return s;
}

/// The session of a call; null where nothing can be tuned.
session* session_for(std::size_t inputs, const kt_variable_value* in, std::size_t outputs, const kt_variable_value* out,
                     const std::optional<kt_goal>& goal)
{
    std::vector<variable> asked;
    for (std::size_t k = 0; k < outputs; ++k) {
        const auto v = it().declared.find(out[k].id);
        if (v == it().declared.end() || v->second.cells.empty()) {
            tell_once(
                "a value was asked for that was not declared, or whose candidates cannot be listed; it is left as it "
                "is");
            return nullptr;
        }
        asked.push_back(tuned_on(v->second, here.device));
    }
    return &session_of(key_of(inputs, in, asked, goal), asked, out, !goal);
}

/// The numbers and values of a session in one line.
void print(const session& s)
{
    const auto is = s.context->status();
    const double unit = s.by_time ? 1e6 : 1;  // of a goal the cost: its value, or 1 over it
    const char* const name = s.by_time ? " us" : "";
    const auto& space = s.contexts.space();
    const std::vector<std::string> texts = space.texts(s.best_index);
    std::string values;
    for (std::size_t k = 0; k < texts.size(); ++k)
        values += (k == 0 ? "" : ", ") + std::string(space.names()[k]) + ' ' + texts[k];
    std::printf("tunekit: %s: %llu configurations, %llu calls, %s, default %.3g%s, best %.3g%s: %s\n", s.key.c_str(),
                static_cast<unsigned long long>(space.size()), static_cast<unsigned long long>(is.calls),
                s.tuned ? to_text(is.phase) : "not tuned", is.default_cost * unit, name, is.cost * unit, name,
                values.c_str());
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
    if (!s.tuned && !s.follows) return answer(s.best, out);  // which never changes
    bool wait = false;
    guarded([&] {
        if (s.busy && ++s.passed >= never_ended_after) {
            s.busy = false;
            tell_once(s.key + ": a call that was timed never ended; it does not count");
        }
        if (s.follows || s.busy || of == nullptr || of->of != nullptr) {
            if (of == nullptr)
                tell_once("a value was asked for in a context that has not begun; the best known is used");
            return answer(s.best, out);
        }
        const auto& config = s.context->next();
        of->of = &s;
        of->timed = wait = s.context->wants_time();
        for (std::size_t k = 0; k < config.size(); ++k) out[k].value = cell_of(config[k]);
        if (!wait) return;
        of->ticket = ++s.ticket;
        s.busy = true;
        s.passed = 0;
    });
    if (!wait) return;
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
    if (t.contexts[place].timed && place + 1 == t.open && it().fence != nullptr) it().fence(0);
    const double ended = t.contexts[place].timed ? it().now() : 0;
    drop(t, place + 1, t.open);
    const open_context last = t.contexts[--t.open];
    if (!last.timed) return;
    guarded([&] {
        session& s = *last.of;
        if (!s.busy || s.ticket != last.ticket) return;
        double cost = ended - last.began;
        if (last.goal) {
            const double value = number(reached.value, it().declared.at(last.goal->id).type);
            cost = reached.id != last.goal->id           ? std::numeric_limits<double>::quiet_NaN()
                   : last.goal->direction == kt_maximize ? 1 / value
                                                         : value;
            if (!(std::isfinite(cost) && cost > 0))
                tell_once("the value of a goal is missing or not positive; that call does not count");
        }
        const bool settled = s.context->settled();
        s.context->report(cost);
        s.busy = false;
        keep_best(s, s.context->status().best);
        if (!settled && s.context->settled() && it().saves != nullptr) it().saves->soon();
        const auto problem = s.context->problem();
        if (problem != tk::online::trouble::none) tell_once(s.key + ": " + to_text(problem));
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
        else if (t.sessions.empty())
            tell_once(
                "nothing was tuned: no value was asked for; want variables of the program's own, or "
                "KOKKOS_TUNE_INTERNALS=1 for the built-in ones");
        for (const auto& [id, s] : t.sessions) print(*s);
    });
    TUNEKIT_HAND_ON(kokkosp_finalize_library);
}

}  // extern "C"
