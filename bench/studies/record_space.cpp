// SPDX-License-Identifier: MIT
// Measures every configuration of a small or a large space of one operator on this machine and writes it as a recorded space:
// what packages/scoring/recordings/ holds was made so, by the small ones. Configurations that the kernel refuses are part of the space, as failures.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "bench/studies/support/convolution_cases.hpp"
#include "bench/studies/support/depthwise_cases.hpp"
#include "bench/studies/support/space_values.hpp"
#include "bench/studies/support/spaces_csv.hpp"
#include "packages/kernels/operators/noise.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tools/support/program.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tk = tunekit;
namespace kernels = tk::kernels;

namespace {

using programs::all_rows, programs::at, programs::differs, programs::noise, programs::some_rows;
using programs::conv2d_case, programs::depthwise_case, programs::nchw_case, programs::separable_case,
    programs::winograd_case;

struct settings {
    std::string layer, kind, out, device = "unnamed machine", part = "1/1";
    std::uint32_t repeats = 7;
    double enough_ms = 0;    ///< of a configuration's runs together; 0: no limit
    std::uint64_t seed = 1;  ///< of the order
    std::size_t join = 0;    ///< parts that are there
    bool large = false;      ///< 2 10^4 to 2 10^5 configurations instead of some thousand
    bool count = false;      ///< say how many, and measure none
    bool scratch = false;    ///< the bytes of each kernel's scratch beside its time
};

/// So many runs of each configuration; of slow ones fewer, two at least: none is begun once all took `enough` together.
struct some_runs {
    std::uint32_t runs = 7;
    double enough = 0;  ///< seconds; 0: no limit

    void validate() const {}

    [[nodiscard]] std::uint32_t next(std::span<const double> seen) const
    {
        double sum = 0;
        for (const double t : seen) sum += t;
        return seen.size() >= runs || (enough > 0 && seen.size() >= 2 && sum >= enough) ? 0 : 1;
    }

    /// The median: an interruption must not move what every study rests on.
    [[nodiscard]] tk::measure::estimate estimate_of(std::span<const double> seen) const
    {
        return {tk::stats::median(std::vector<double>(seen.begin(), seen.end())), tk::measure::mean_of(seen).spread};
    }
};

/// One matrix product, and a part of its space.
class gemm_case {
public:
    explicit gemm_case(const kernels::gemm_shape& shape)
        : shape_(shape),
          a_(noise(std::int64_t{shape.batch} * shape.m * shape.k, 1)),
          b_(noise(std::int64_t{shape.batch} * shape.k * shape.n, 2)),
          reference_(kernels::reference_gemm(shape, a_, b_)),
          c_(reference_.size())
    {
    }

    /// In column order; vl has one value. Where nc is no multiple of the tile's width, the kernel refuses.
    void describe(tk::io::recorded_space& out, bool large) const
    {
        if (large) {
            // The last block of columns takes all of them, and is a multiple of every tile's width.
            const std::int64_t width = 12 * kernel_table().lanes, whole = (shape_.n + width - 1) / width * width;
            out.constraints = {"mc * kc <= 32768", "pack_b == 1 or nc == " + std::to_string(whole)};
            out.parameters = {{"mr", all_rows},
                              {"nv", {1, 2, 3, 4}},
                              {"mc", below({16, 32, 48, 64, 96, 128, 192, 256}, shape_.m, shape_.m)},
                              {"nc", below({48, 64, 96, 192, 384}, shape_.n, whole)},
                              {"kc", below({16, 32, 64, 128, 256}, shape_.k, shape_.k)},
                              {"order", {0, 1, 2, 3}},
                              {"pack_a", {0, 1}},
                              {"pack_b", {0, 1}},
                              {"vl", {kernel_table().lanes}}};
            return;
        }
        out.constraints = {"mc * kc <= 32768", "pack_b == 1 or nc == 512"};
        out.parameters = {{"mr", some_rows}, {"nv", {1, 2, 3, 4}},   {"mc", {16, 64, 128}},
                          {"nc", {96, 512}}, {"kc", {64, 256, 512}}, {"order", {0, 1, 2, 3}},
                          {"pack_a", {0}},   {"pack_b", {0, 1}},     {"vl", {kernel_table().lanes}}};
    }

    /// Plans the configuration with those values, in column order.
    void make(const std::vector<std::int64_t>& v)
    {
        made_.emplace(shape_,
                      kernels::gemm_config{.mr = at(v, 0),
                                           .nv = at(v, 1),
                                           .vl = at(v, 8),
                                           .ku = 4,
                                           .mc = at(v, 2),
                                           .nc = at(v, 3),
                                           .kc = at(v, 4),
                                           .order = static_cast<kernels::loop_order>(at(v, 5)),
                                           .pack_a = at(v, 6) == 1,
                                           .pack_b = at(v, 7) == 1},
                      kernel_table());
    }
    void run() { made_->run(a_.data(), b_.data(), c_.data()); }

    /// What is wrong with the last result.
    [[nodiscard]] auto check() { return differs(c_, reference_); }

private:
    /// Those of `sizes` that are below `whole`, and `last`: a larger block would be the whole.
    static std::vector<std::int64_t> below(std::initializer_list<std::int64_t> sizes, std::int64_t whole,
                                           std::int64_t last)
    {
        std::vector<std::int64_t> out;
        for (const std::int64_t s : sizes)
            if (s < whole) out.push_back(s);
        out.push_back(last);
        return out;
    }

    kernels::gemm_shape shape_;
    std::vector<float> a_, b_, reference_, c_;
    std::optional<kernels::gemm_kernel<>> made_;
};

/// Milliseconds of four digits, which is more than two runs agree on, and short to write.
double rounded(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3e", 1e3 * seconds);
    return std::strtod(text, nullptr) / 1e3;
}

tk::io::recorded_space::row record(const tk::measure::measurement& m, double seconds)
{
    tk::io::recorded_space::row row;
    auto& result = row.record.result;
    result.failed = m.failed;
    row.record.seconds = rounded(seconds);
    result.run_seconds = (std::min)(rounded(m.run_seconds), row.record.seconds);
    row.framework_seconds = rounded(row.record.seconds - result.run_seconds);
    if (m.failed) return row;
    for (const double t : m.batches) result.batches.push_back(rounded(t));
    result.runs = static_cast<std::uint32_t>(m.batches.size());
    result.cost = rounded(tk::stats::median(result.batches));
    return row;
}

/// Operands of 128 KiB and more get pages of their own, as in a program that allocates them once, and give them back. In the heap,
/// aligned blocks of sizes that change with every configuration leave holes: 2.6 GB of them after winograd_S16_large.
void keep_operands_out_of_the_heap()
{
#if defined(__GLIBC__)
    (void)::mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/// The i-th of n parts, i from 1.
struct part {
    std::size_t which = 1, of = 1;

    explicit part(const std::string& text)
    {
        char rest = 0;
        if (std::sscanf(text.c_str(), "%zu/%zu%c", &which, &of, &rest) != 2 || which < 1 || which > of)
            tk::invalid("--part \"" + text + "\": want I/N, I from 1 to N");
    }
    part(std::size_t i, std::size_t n) : which(i), of(n) {}

    /// What its files are called; the only part is the space itself.
    [[nodiscard]] std::string stem(const std::string& whole) const
    {
        return of == 1 ? whole : whole + '.' + std::to_string(which) + "-of-" + std::to_string(of);
    }
};

/// In the order of the space: the first parameter runs fastest.
void sort(std::vector<tk::io::recorded_space::row>& rows)
{
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::lexicographical_compare(a.ordinals.rbegin(), a.ordinals.rend(), b.ordinals.rbegin(),
                                            b.ordinals.rend());
    });
}

void join(const settings& s, const std::string& name, const tk::space::value_product& space)
{
    tk::io::recorded_space all;
    for (std::size_t i = 1; i <= s.join; ++i) {
        auto one = tk::io::read_recorded_space(part(i, s.join).stem(s.out + '/' + name));
        if (!one.problems.empty()) throw tk::error(one.problems.front().text());
        auto rows = std::move(all.rows);
        rows.insert(rows.end(), std::make_move_iterator(one.rows.begin()), std::make_move_iterator(one.rows.end()));
        all = std::move(one);
        all.rows = std::move(rows);
    }
    sort(all.rows);
    const auto again = std::adjacent_find(all.rows.begin(), all.rows.end(),
                                          [](const auto& a, const auto& b) { return a.ordinals == b.ordinals; });
    if (all.rows.size() != space.size() || again != all.rows.end())
        throw tk::error("--join " + std::to_string(s.join) + ": " + name + " has " + std::to_string(all.rows.size()) +
                        " rows in its parts, want each of the " + std::to_string(space.size()) +
                        " configurations once: parts of one seed");
    all.sample = false;
    tk::io::write_recorded_space(s.out + '/' + name, all);
    std::printf("%s", programs::spaces_line(name, all).c_str());
}

/// The bytes that the kernel holds beside its operands: packed weights and what it copies.
template <class Case>
double scratch_bytes(const Case& on)
{
    if constexpr (requires { on.scratch_size(); }) return static_cast<double>(on.scratch_size() * sizeof(float));
    else tk::invalid("--scratch: this kind does not say what it holds, want conv2d, nchw or winograd");
}

template <class Case>
void record_all(Case on, const settings& s, const std::string& kind)
{
    tk::io::recorded_space recorded;
    std::string layer = s.layer;
    layer.erase(std::remove(layer.begin(), layer.end(), '^'), layer.end());
    const std::string name = kind + '_' + layer + (s.large ? "_large" : "") + (s.scratch ? "_scratch" : "");
    recorded.kernel = kind + ' ' + s.layer;
    recorded.device = s.device;
    on.describe(recorded, s.large);
    if (s.scratch) recorded.value_names = {"scratch_bytes"};
    const auto space = tk::io::space_of(recorded);
    if (s.count) {
        std::printf("%s %llu\n", name.c_str(), static_cast<unsigned long long>(space.size()));
        return;
    }
    if (s.join > 0) return join(s, name, space);
    const part mine(s.part);
    std::vector<tk::index> order(static_cast<std::size_t>(space.size()));
    std::iota(order.begin(), order.end(), tk::index{0});
    auto gen = tk::random::stream(s.seed, 0x73706163U, 0);
    tk::random::shuffle(order, gen);  // so that what changes with time is no parameter's, and every part is a sample
    const auto kernel = [&on](const std::vector<tk::space::value>& config) {
        std::vector<std::int64_t> values;
        for (const tk::space::value& v : config) values.push_back(std::get<std::int64_t>(v));
        on.make(values);
        return [&on] { on.run(); };
    };
    auto measure = tk::measure::in_process(
        space, tk::measure::timed{kernel, some_runs{s.repeats, 1e-3 * s.enough_ms}, [&on] { return on.check(); },
                                  tk::measure::thread_clock{}, tk::measure::timed_options{.warm_up_calm_runs = 1}});
    tk::measure::thread_clock spent;  // also of the costs: what others do on the machine is not the space's
    for (std::size_t k = order.size() * (mine.which - 1) / mine.of; k < order.size() * mine.which / mine.of; ++k) {
        const tk::index i = order[k];
        const double begun = spent();
        const auto m = measure.measure(std::span(&i, 1), {}).at(0);
        auto row = record(m, spent() - begun);
        if (s.scratch && m.ok()) row.record.result.values = {scratch_bytes(on)};
        row.ordinals.resize(space.dimensions());
        space.ordinals(std::span(&i, 1), row.ordinals);
        recorded.rows.push_back(std::move(row));
    }
    sort(recorded.rows);
    recorded.sample = mine.of > 1;
    tk::io::write_recorded_space(mine.stem(s.out + '/' + name), recorded);
    if (mine.of == 1) std::printf("%s", programs::spaces_line(name, recorded).c_str());
}

void run(const settings& s)
{
    tk::require(s.count || !s.out.empty(), "--out: missing, want a folder, or --count");
    if (s.repeats < 2) tk::invalid("--repeats is below 2, want at least 2");
    tk::require(s.enough_ms >= 0, "--enough is negative, want milliseconds, or 0 for no limit");
    for (const auto& network : kernels::networks) {
        for (const auto& layer : network.convolutions) {
            if (layer.name != s.layer) continue;
            if (s.kind.empty() || s.kind == "conv2d") return record_all(conv2d_case(layer.shape), s, "conv2d");
            if (s.kind == "nchw") return record_all(nchw_case(layer.shape), s, s.kind);
            if (s.kind == "winograd") return record_all(winograd_case(layer.shape), s, s.kind);
            if (s.kind == "depthwise") return record_all(depthwise_case(layer.shape), s, s.kind);
            if (s.kind == "separable") return record_all(separable_case(layer.shape), s, s.kind);
            tk::invalid("--kind \"" + s.kind + "\": want conv2d, nchw, winograd, depthwise or separable");
        }
        for (const auto& layer : network.products) {
            if (layer.name != s.layer) continue;
            if (s.kind.empty() || s.kind == "gemm") return record_all(gemm_case(layer.shape), s, "gemm");
            tk::invalid("--kind \"" + s.kind + "\": the layer is a product, want gemm");
        }
    }
    tk::invalid("--layer \"" + s.layer + "\" is no layer of a known network, want one such as R9, S12 or Out");
}

}  // namespace

int main(int argc, char** argv)
{
    keep_operands_out_of_the_heap();
    settings s;
    CLI::App app(
        "Measures a space of one operator whole and writes NAME.params and NAME.csv.gz; prints its line for "
        "spaces.csv.",
        "record_space");
    app.add_option("--layer", s.layer, "a layer of a known network: R1 ... R12, S1 ... S18, QKV, Out, ...")->required();
    app.add_option(
        "--kind", s.kind,
        "of a convolution: conv2d (blocked layouts), nchw (plain), winograd, depthwise, or separable: depthwise "
        "and pointwise in the layer's place [conv2d]");
    app.add_option("--out", s.out, "folder for the two files");
    app.add_option("--part", s.part, "I/N: the I-th of N parts of the space, as NAME.I-of-N [1/1]");
    app.add_option("--join", s.join, "make one space of so many parts in --out, and measure none");
    app.add_option("--seed", s.seed, "of the order in which configurations are measured [1]")
        ->check(programs::whole_number());
    app.add_flag("--large", s.large, "20 000 to 200 000 configurations instead of some thousand");
    app.add_flag("--scratch", s.scratch, "the bytes of each kernel's scratch, too: a space of two goals");
    app.add_flag("--count", s.count, "print how many configurations there are, and measure none");
    app.add_option("--device", s.device, "what the .params file says of this machine");
    app.add_option("--repeats", s.repeats, "timed repeats of each configuration [7]");
    app.add_option(
        "--enough", s.enough_ms,
        "ms: a configuration whose repeats took so long together has no more, but two at least; 0: no limit [0]");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
