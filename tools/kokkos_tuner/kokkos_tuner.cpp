// SPDX-License-Identifier: MIT

// Tunes the kernels of a Kokkos program while it runs, without a change to the program: libtunekit_kokkos.so.
//
//     KOKKOS_TOOLS_LIBS=libtunekit_kokkos.so KOKKOS_TUNE_INTERNALS=1 ./program
//
// docs/online.md has the settings and what to know before.

#include <algorithm>
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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/kokkos_tuner/untuned.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/space/dynamic_product.hpp"

namespace tk = tunekit;

namespace {

using cell = kt_value;

/// A variable as it was declared: the host's set may be gone when it asks for a value.
struct variable {
    std::string name;
    kt_value_type type = kt_int64;
    std::vector<cell> cells;  ///< what it may be; none: it is not tuned

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

/// What is tuned under one key.
struct session {
    using registry = tk::online::registry<tk::space::dynamic_product>;

    std::string key;
    std::vector<variable> variables;
    registry contexts;
    bool by_time = true;
    bool busy = false;  ///< somebody runs what was answered

    [[nodiscard]] registry::context_type& context() { return contexts.at(""); }
};

/// A context of the host that has begun, on this thread.
struct open_context {
    std::size_t id = 0;
    std::optional<kt_goal> goal{};  ///< what is small or large in the end; none: its time
    session* of = nullptr;
    bool timed = false;
    double began = 0;
};

struct tool {
    std::mutex mutex;
    std::map<std::size_t, variable> declared;
    std::map<std::string, session> sessions;
    std::map<std::string, bool> told;
    void (*fence)(std::uint32_t) = nullptr;
    std::string file, only, version, device;
    bool tiles = false, quiet = false;
    tk::online::options options;
    tk::measure::wall_clock now;
};

tool& it()
{
    static tool one;
    return one;
}
thread_local std::vector<open_context> open_contexts;
thread_local std::size_t last_ended = 0;
thread_local device_type device = device_type::none;  ///< of the kernel that is being launched

/// Ends all that began after `from` and was never ended.
void drop(std::vector<open_context>::iterator from)
{
    for (auto c = from; c != open_contexts.end(); ++c)
        if (c->timed) c->of->busy = false;
    open_contexts.erase(from, open_contexts.end());
}

/// The innermost open context of that id.
std::vector<open_context>::iterator found(std::size_t id)
{
    const auto of =
        std::find_if(open_contexts.rbegin(), open_contexts.rend(), [&](const open_context& c) { return c.id == id; });
    return of == open_contexts.rend() ? open_contexts.end() : std::prev(of.base());
}

void tell_once(const std::string& line)
{
    if (it().told.emplace(line, true).second && !it().quiet) std::fprintf(stderr, "tunekit: %s\n", line.c_str());
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
        std::fprintf(stderr, "tunekit: something that is no exception was thrown\n");
    }
}

std::string setting(const char* name, const char* otherwise = "")
{
    const char* value = std::getenv((std::string("KOKKOS_TOOLS_TUNEKIT_") + name).c_str());
    return value == nullptr ? otherwise : value;
}

void read_settings()
{
    tool& t = it();
    t.file = setting("FILE");
    t.only = setting("ONLY");
    t.version = setting("VERSION");
    t.device = setting("DEVICE");
    if (t.device.empty()) t.device = to_text(tk::this_machine());
    t.tiles = setting("TILES") == "1";
    t.quiet = setting("QUIET") == "1";
    const auto take = [](const char* name, auto& to) {
        const std::string text = setting(name);
        if (text.empty()) return;
        const auto value = tk::core::number<std::remove_reference_t<decltype(to)>>(text);
        if (value) to = *value;
        else tell_once(std::string("KOKKOS_TOOLS_TUNEKIT_") + name + "=" + text + " is no number, and is not used");
    };
    const tk::online::options standard;
    take("REGRET", t.options.regret);
    take("TRIALS", t.options.max_trials);
    take("SEED", t.options.seed);
    try {
        t.options.validate();
    } catch (const std::exception& e) {
        tell_once(std::string(e.what()).substr(9) + "; the defaults are used");
        t.options = standard;
    }
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
    if (v.type == kt_double && smallest_untuned(v.name, device)) return v.cells.size() - 1;
    return nearest(v, v.tile() ? untuned_tile(place, of, device) : number(preset, v.type));
}

/// Names and values of the inputs, names and candidates of what is asked for: the same label with other candidates is another kernel.
/// What is reached is no input: its value is the answer of the call before.
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
    std::uint64_t candidates = 0;
    for (const variable& v : asked) {
        key += v.name + ':' + std::to_string(v.cells.size()) + ' ';
        for (const cell& c : v.cells)
            for (const char x : text_of(c, v.type) + ' ')
                candidates = tk::core::mixed(candidates, static_cast<unsigned char>(x));
    }
    return key + std::to_string(candidates);
}

session& session_of(const std::string& key, std::vector<variable> asked, const kt_variable_value* out, bool by_time)
{
    tool& t = it();
    const auto there = t.sessions.find(key);
    if (there != t.sessions.end()) return there->second;
    std::vector<tk::space::dynamic_parameter> parameters;
    std::vector<std::int64_t> defaults;
    for (std::size_t k = 0; k < asked.size(); ++k) {
        std::vector<std::int64_t> cells(asked[k].cells.size());
        for (std::size_t j = 0; j < cells.size(); ++j) cells[j] = static_cast<std::int64_t>(j);
        parameters.push_back({"v" + std::to_string(k), std::move(cells)});
        defaults.push_back(static_cast<std::int64_t>(untuned(asked[k], out[k].value, k, asked.size())));
    }
    tk::online::options how = t.options;
    if (!by_time) how.call_seconds = 0;  // our own seconds do not compare with the host's unit
    for (const variable& v : asked)
        if (smallest_untuned(v.name, device)) how.near_slowdown = how.far_slowdown = team_slowdown;
    session::registry contexts({.kernel = key, .version = t.version, .device = t.device},
                               tk::space::dynamic_product(std::move(parameters), {}), defaults, how);
    if (!t.file.empty())
        for (const std::string& why : contexts.load(t.file).refused) tell_once(t.file + ": " + why);
    return t.sessions
        .try_emplace(
            key,
            session{.key = key, .variables = std::move(asked), .contexts = std::move(contexts), .by_time = by_time})
        .first->second;
}

void answer(const session& s, const std::vector<std::int64_t>& config, kt_variable_value* out)
{
    for (std::size_t k = 0; k < config.size(); ++k)
        out[k].value = s.variables[k].cells[static_cast<std::size_t>(config[k])];
}

}  // namespace

extern "C" {

void kokkosp_init_library(int, std::uint64_t interface_version, std::uint32_t, void*)
{
    guarded([&] {
        read_settings();
        if (interface_version < 20200625)
            tell_once("this Kokkos has interface " + std::to_string(interface_version) +
                      ", which does not tune; nothing is done");
    });
}

void kokkosp_request_tool_settings(std::uint32_t, kt_settings* settings)
{
    if (settings != nullptr) settings->requires_global_fencing = false;  // we fence what we time, and nothing else
}

void kokkosp_provide_tool_programming_interface(std::uint32_t, kt_actions actions)
{
    guarded([&] { it().fence = actions.fence; });
}

void kokkosp_declare_output_type(const char* name, std::size_t id, kt_variable* info)
{
    guarded([&] {
        if (name == nullptr || info == nullptr) return;
        it().declared.insert_or_assign(id, variable{name, info->type, cells_of(*info)});
    });
}

void kokkosp_declare_input_type(const char* name, std::size_t id, kt_variable* info)
{
    guarded([&] {
        if (name == nullptr || info == nullptr) return;
        it().declared.insert_or_assign(id, variable{name, info->type, {}});
    });
}

void kokkosp_begin_parallel_for(const char*, std::uint32_t on, std::uint64_t*) { device = type_of(on); }

void kokkosp_begin_parallel_reduce(const char*, std::uint32_t on, std::uint64_t*) { device = type_of(on); }

void kokkosp_begin_parallel_scan(const char*, std::uint32_t on, std::uint64_t*) { device = type_of(on); }

void kokkosp_end_parallel_for(std::uint64_t) { device = device_type::none; }

void kokkosp_end_parallel_reduce(std::uint64_t) { device = device_type::none; }

void kokkosp_end_parallel_scan(std::uint64_t) { device = device_type::none; }

void kokkosp_begin_context(std::size_t context)
{
    guarded([&] {
        drop(found(context));  // Kokkos never ends the context around a tuned policy, and uses its id again
        open_contexts.push_back({.id = context});
    });
}

void kokkosp_request_values(std::size_t context, std::size_t inputs, const kt_variable_value* in, std::size_t outputs,
                            kt_variable_value* out)
{
    bool wait = false;
    guarded([&] {
        if (outputs == 0 || out == nullptr) return;
        std::vector<variable> asked;
        for (std::size_t k = 0; k < outputs; ++k) {
            const auto v = it().declared.find(out[k].id);
            if (v == it().declared.end() || v->second.cells.empty()) {
                tell_once(
                    "a value was asked for that was not declared, or whose candidates cannot be listed; it is left as "
                    "it is");
                return;
            }
            asked.push_back(tuned_on(v->second, device));
        }
        const bool tiles = std::any_of(asked.begin(), asked.end(), [](const variable& v) { return v.tile(); });
        if (tiles)
            tell_once(
                "tiles of MDRangePolicy: Kokkos before 5 counts them wrongly on hosts once a tool sets them (4.6 and "
                "before are affected), "
                "which is slow whatever is answered; there, run without KOKKOS_TUNE_INTERNALS. "
                "They are tuned with KOKKOS_TOOLS_TUNEKIT_TILES=1 alone");
        const auto of = found(context);
        const std::optional<kt_goal> goal = of == open_contexts.end() ? std::nullopt : of->goal;
        const std::string key = key_of(inputs, in, asked, goal);
        session& s = session_of(key, std::move(asked), out, !goal);
        const bool tuned = (!tiles || it().tiles) && key.find(it().only) != std::string::npos;
        if (!tuned || s.busy || of == open_contexts.end() || of->of != nullptr) {
            if (of == open_contexts.end())
                tell_once("a value was asked for in a context that has not begun; the best known is used");
            return answer(s, s.contexts.space().at(s.context().status().best), out);
        }
        answer(s, s.context().next(), out);
        of->of = &s;
        of->timed = wait = s.context().wants_time();
        s.busy = of->timed;
    });
    if (!wait) return;
    if (it().fence != nullptr) it().fence(0);
    guarded([&] {
        for (open_context& c : open_contexts)
            if (c.id == context && c.timed && c.began == 0) c.began = it().now();
    });
}

void kokkosp_declare_optimization_goal(std::size_t context, kt_goal goal)
{
    guarded([&] {
        const auto of = found(context);
        const auto what = it().declared.find(goal.id);
        if (of == open_contexts.end() || of->of != nullptr)
            return tell_once(
                "a goal was declared outside its context, or after its values were asked for; time is tuned");
        if (what == it().declared.end() || what->second.type == kt_string)
            return tell_once("a goal was declared that is no declared number; time is tuned");
        of->goal = goal;
    });
}

void kokkosp_end_context(std::size_t context, kt_variable_value reached)
{
    if (!open_contexts.empty() && open_contexts.back().id == context && open_contexts.back().timed &&
        it().fence != nullptr)
        it().fence(0);
    const double ended = it().now();
    guarded([&] {
        const auto of = found(context);
        if (of == open_contexts.end()) {  // Kokkos ends the context of a tuned policy twice
            if (context != last_ended) tell_once("a context ended that has not begun; it is passed over");
            return;
        }
        last_ended = context;
        drop(std::next(of));
        const open_context last = *of;
        open_contexts.pop_back();
        if (!last.timed) return;
        double cost = ended - last.began;
        if (last.goal) {
            const double value = number(reached.value, it().declared.at(last.goal->id).type);
            cost = reached.id != last.goal->id           ? std::numeric_limits<double>::quiet_NaN()
                   : last.goal->direction == kt_maximize ? 1 / value
                                                         : value;
            if (!(std::isfinite(cost) && cost > 0))
                tell_once("the value of a goal is missing or not positive; that call does not count");
        }
        last.of->context().report(cost);
        last.of->busy = false;
        const auto problem = last.of->context().problem();
        if (problem != tk::online::trouble::none) tell_once(last.of->key + ": " + to_text(problem));
    });
}

void kokkosp_finalize_library()
{
    guarded([] {
        tool& t = it();
        std::vector<tk::online::winner_line> winners;
        for (auto& [key, s] : t.sessions) {
            const auto is = s.context().status();
            const double unit = s.by_time ? 1e6 : 1;  // of a goal the cost: its value, or 1 over it
            const char* const name = s.by_time ? " us" : "";
            if (!t.quiet)
                std::printf("tunekit: %s: %llu configurations, %llu calls, %s, default %.3g%s, best %.3g%s\n",
                            key.c_str(), static_cast<unsigned long long>(s.contexts.space().size()),
                            static_cast<unsigned long long>(is.calls), to_text(is.phase), is.default_cost * unit, name,
                            is.cost * unit, name);
            for (auto& w : s.contexts.winners()) winners.push_back(std::move(w));
        }
        if (!t.file.empty() && !winners.empty()) tk::online::write_winners(t.file, winners);
    });
}

}  // extern "C"
