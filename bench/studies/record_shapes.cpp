// SPDX-License-Identifier: MIT
// Tunes products or convolutions of many shapes one by one, then measures what won at each of them at every other, and writes
// that as results: what bench_dispatch reads. Two families of shapes: one to learn from, and one to judge with.
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "packages/kernels/operators/conv2d_family.hpp"
#include "packages/kernels/operators/gemm_family.hpp"
#include "packages/kernels/operators/operator_case.hpp"
#include "tools/support/program.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

struct settings {
    std::string kernel = "gemm", family = "judged", finalists, out, device = "unnamed machine", date;
    double seconds = 6, shape_seconds = std::numeric_limits<double>::infinity();
    std::size_t keep = 2, rounds = 3, passes = 1;
    std::uint64_t seed = 1;
};

/// Products.
struct gemm_kind {
    using operator_case = programs::operator_case<programs::family_gemm_operator>;
    static auto shapes(bool training) { return training ? programs::gemm_training_family() : programs::gemm_family(); }
    static auto space() { return programs::gemm_family_space(); }
    static std::vector<std::string> sizes() { return {"m", "n", "k"}; }
    static dispatch::shape_sizes sizes_of(const tk::kernels::gemm_shape& s) { return {s.m, s.n, s.k}; }
};

/// Square convolutions of square images; the padding follows from the other sizes.
struct conv2d_kind {
    using operator_case = programs::operator_case<programs::family_conv2d_operator>;
    static auto shapes(bool training)
    {
        return training ? programs::conv2d_training_family() : programs::conv2d_family();
    }
    static auto space() { return tk::kernels::conv2d_family_space(kernel_table()); }
    static std::vector<std::string> sizes() { return {"ci", "co", "rows", "kernel", "stride"}; }
    static dispatch::shape_sizes sizes_of(const tk::kernels::conv2d_shape& s)
    {
        return {s.ci, s.co, s.oh(), s.kernel_h, s.stride_h};
    }
};

bool exists(const std::string& path)
{
    struct stat s;
    return ::stat(path.c_str(), &s) == 0;
}

template <class Kind>
dispatch::results empty_results(const settings& s)
{
    const auto space = Kind::space();
    const auto names = space.names();
    return {.kernel = s.kernel,
            .version = "1",
            .fingerprint = space.fingerprint(),
            .sizes = Kind::sizes(),
            .parameters = {names.begin(), names.end()}};
}

/// A few runs of each candidate, on the thread's clock: others use this machine.
template <class Case>
auto measurer(Case& on, std::uint32_t runs)
{
    return tk::measure::in_process(
        on.space(),
        tk::measure::timed{
            on.kernel(), tk::measure::fixed{.runs = runs, .batch = 1}, on.check(), tk::measure::thread_clock{},
            tk::measure::timed_options{.warm_up_calm_runs = 1, .max_warm_up_runs = 3, .max_warm_up_seconds = 0.02}});
}

/// The best of a search of its own at each shape, and what an untuned library runs there.
template <class Kind>
dispatch::results finalists(const settings& s)
{
    dispatch::results out = exists(s.finalists) ? dispatch::read_results(s.finalists) : empty_results<Kind>(s);
    for (const auto& shape : Kind::shapes(s.family == "training")) {
        const auto at = Kind::sizes_of(shape);
        if (std::any_of(out.rows.begin(), out.rows.end(), [&](const auto& r) { return r.at == at; })) continue;
        typename Kind::operator_case on(shape);
        auto measure = measurer(on, 8);
        auto how = tk::recipes::combined();
        how.limits.abandon_factor = 1.2;
        tk::random::philox gen(s.seed);
        tk::tuner t(on.space(), how, {.seconds = s.seconds}, gen);
        t.begin_with({on.default_index()});
        tk::tune(t, measure);
        const auto best = t.record().finalists(s.keep);
        const auto add = [&](tk::index i, bool searched) {
            for (const auto& trial : t.record().trials())
                if (trial.candidate == i && trial.measured.ok())
                    out.add({.device = s.device,
                             .at = at,
                             .candidate = i,
                             .values = on.space().texts(i),
                             .seconds = trial.measured.cost,
                             .runs = trial.measured.runs,
                             .searched = searched,
                             .untuned = i == on.default_index()},
                            std::numeric_limits<double>::infinity());
        };
        for (const tk::index i : best) add(i, true);
        add(on.default_index(), false);
        dispatch::write_results(s.finalists, out);
        std::printf("%-24s %5zu trials, untuned %.4f ms, best %.4f ms, %.1f GFLOP/s\n", out.text_of(at).c_str(),
                    t.record().trials().size(), 1e3 * t.record().trials().front().measured.cost,
                    1e3 * t.record().best_cost(), shape.flops() / t.record().best_cost() / 1e9);
        std::fflush(stdout);
    }
    return out;
}

/// Four digits: more are noise, and make the file long.
double rounded(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", x);
    return std::strtod(text, nullptr);
}

/// The row of the same shape and configuration; else null.
const dispatch::results::row* find(const dispatch::results& in, const dispatch::results::row& like)
{
    for (const auto& r : in.rows)
        if (r.at == like.at && r.candidate == like.candidate) return &r;
    return nullptr;
}

/// One row: the fastest run of all rounds, as disturbances lengthen times.
void keep_faster(std::optional<dispatch::results::row>& row, const dispatch::results::row& like,
                 const tk::measure::measurement& m)
{
    if (m.failed) return;
    const bool whole = !m.at_least && !m.batches.empty();
    const double cost = whole ? *std::min_element(m.batches.begin(), m.batches.end()) : m.cost;
    if (row && (!whole || (!row->at_least && cost >= row->seconds))) return;
    row = like;
    row->seconds = rounded(cost);
    row->runs = m.runs;
    row->at_least = !whole;
}

/// What is measured at a shape: all finalists.
std::vector<dispatch::results::row> wanted_at(const settings& s, const dispatch::shape_sizes& at,
                                              const dispatch::results& from)
{
    std::vector<dispatch::results::row> likes;
    for (const auto& r : from.rows) {
        std::size_t k = 0;
        while (k < likes.size() && likes[k].candidate != r.candidate) ++k;
        if (k == likes.size())
            likes.push_back({.device = s.device, .at = at, .candidate = r.candidate, .values = r.values});
        likes[k].searched = likes[k].searched || (r.at == at && r.searched);
        likes[k].untuned = likes[k].untuned || (r.at == at && r.untuned);
    }
    return likes;
}

/// How much slower than the best a configuration may be that is measured again: a disturbance alone doubles times.
constexpr double much_slower = 2.5;

/// These at one shape, in rounds that run each of them once; after the first those only that are not much slower.
template <class Kind, class Shape>
void measure_all(const settings& s, const Shape& shape, const std::vector<dispatch::results::row>& likes,
                 dispatch::results& out)
{
    typename Kind::operator_case on(shape);
    auto measure = measurer(on, shape.flops() > 5e8 ? 3 : 6);
    std::vector<std::optional<dispatch::results::row>> rows(likes.size());
    double best = std::numeric_limits<double>::infinity();
    const tk::measure::thread_clock now;
    const double start = now();
    for (std::size_t round = 0; round < s.rounds && (round < 2 || now() - start < s.shape_seconds); ++round)
        for (std::size_t j = 0; j < likes.size(); ++j) {
            const std::size_t k = (round % 2 == 0 ? j : likes.size() - 1 - j);
            const bool must = likes[k].untuned || likes[k].searched;
            if (round > 0 && !must && (!rows[k] || rows[k]->at_least || rows[k]->seconds > much_slower * best))
                continue;
            const tk::measure::limits within{
                .abandon_above = must ? std::numeric_limits<double>::infinity() : much_slower * best,
                .run_seconds = 0.15 + shape.flops() / 2e9};  // wall: others run, too
            const std::vector<tk::index> one{likes[k].candidate};
            const auto m = measure.measure(one, within).front();
            keep_faster(rows[k], likes[k], m);
            if (rows[k] && !rows[k]->at_least) best = (std::min)(best, rows[k]->seconds);
        }
    for (const auto& row : rows)
        if (row) out.add(*row);
    std::printf("%-24s %zu of %zu configurations, best %.1f GFLOP/s\n", out.text_of(Kind::sizes_of(shape)).c_str(),
                static_cast<std::size_t>(
                    std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r && !r->at_least; })),
                rows.size(), shape.flops() / best / 1e9);
    std::fflush(stdout);
}

/// What an earlier pass found not much slower than its best, and what must be measured.
void drop_slow(std::vector<dispatch::results::row>& likes, const dispatch::results& before)
{
    if (likes.empty()) return;
    double best = std::numeric_limits<double>::infinity();
    for (const auto& r : before.rows)
        if (r.at == likes.front().at && !r.at_least) best = (std::min)(best, r.seconds);
    std::erase_if(likes, [&](const auto& like) {
        const auto* const row = find(before, like);
        return !like.untuned && !like.searched &&
               (row == nullptr || row->at_least || row->seconds > much_slower * best);
    });
}

/// By what factors two passes differ at the pairs that both measured whole, ascending.
std::vector<double> ratios(const dispatch::results& one, const dispatch::results& two)
{
    std::vector<double> out;
    for (const auto& r : two.rows) {
        const auto* const before = find(one, r);
        if (before == nullptr || before->at_least || r.at_least) continue;
        out.push_back((std::max)(r.seconds / before->seconds, before->seconds / r.seconds));
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// The faster of two passes, whose intervals are what 95 % of the pairs differ by.
dispatch::results merged(dispatch::results one, const dispatch::results& two)
{
    const auto noise = ratios(one, two);
    one.merge(two, std::numeric_limits<double>::infinity());
    if (noise.empty()) return one;
    const auto at = [&](double p) { return tk::stats::quantile_of_sorted(noise, p); };
    std::printf("ratio of the passes at %zu pairs: half below %.3f, 90 %% %.3f, 95 %% %.3f, all %.3f\n", noise.size(),
                at(0.5), at(0.9), at(0.95), noise.back());
    for (auto& r : one.rows)
        if (!r.at_least) r.within = {rounded(r.seconds / at(0.95)), rounded(r.seconds * at(0.95))};
    return one;
}

template <class Kind>
void record(const settings& s)
{
    const auto from = finalists<Kind>(s);
    if (s.out.empty()) return;
    std::optional<dispatch::results> first;
    for (std::size_t pass = 1; pass <= s.passes; ++pass) {
        const std::string file = s.passes == 1 ? s.out : s.out + ".pass" + std::to_string(pass);
        dispatch::results out = exists(file) ? dispatch::read_results(file) : empty_results<Kind>(s);
        tk::require(out.fingerprint == from.fingerprint,
                    "record_shapes: the files are of several spaces, want those of one kernel and one machine's table");
        for (const auto& shape : Kind::shapes(s.family == "training")) {
            const auto at = Kind::sizes_of(shape);
            if (std::any_of(out.rows.begin(), out.rows.end(), [&](const auto& r) { return r.at == at; })) continue;
            auto likes = wanted_at(s, at, from);
            if (first) drop_slow(likes, *first);
            measure_all<Kind>(s, shape, likes, out);
            out.set_date(s.device, s.date);
            dispatch::write_results(file, out);
        }
        if (first) dispatch::write_results(s.out, merged(*first, out));
        if (!first) first = std::move(out);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Records what configurations of a kernel take over many shapes.", "record_shapes");
    app.add_option("--kernel", s.kernel)->check(CLI::IsMember({"gemm", "conv2d"}));
    app.add_option("--family", s.family, "of shapes: those to learn from, or those to judge with")
        ->check(CLI::IsMember({"training", "judged"}));
    app.add_option("--finalists", s.finalists, "results file of the searches; what is in it is not searched again")
        ->required();
    app.add_option("--out", s.out,
                   "results file of finalists at all shapes; taken up where it ends; none: search alone");
    app.add_option("--seconds", s.seconds, "of each search")->check(CLI::PositiveNumber);
    app.add_option("--keep", s.keep, "finalists of a shape")->check(CLI::PositiveNumber);
    app.add_option("--rounds", s.rounds, "at most, in which every finalist runs once")->check(CLI::PositiveNumber);
    app.add_option("--shape-seconds", s.shape_seconds, "after which a shape has no further round; two it has")
        ->check(CLI::PositiveNumber);
    app.add_option("--passes", s.passes,
                   "1, or 2 over all shapes: the faster time stays, and by what they differ is each row's interval")
        ->check(CLI::Range(std::size_t{1}, std::size_t{2}));
    app.add_option("--device", s.device, "what the results call this machine");
    app.add_option("--date", s.date, "of the measurements");
    app.add_option("--seed", s.seed, "of the searches")->check(programs::whole_number());
    return programs::run_program(app, argc, argv,
                                 [&] { s.kernel == "gemm" ? record<gemm_kind>(s) : record<conv2d_kind>(s); });
}
