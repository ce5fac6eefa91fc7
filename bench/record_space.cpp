// SPDX-License-Identifier: MIT
// Measures every configuration of a small or a large space of one operator on this machine and writes it as a recorded space:
// what bench/data/ holds was made so, by the small ones. Configurations that the kernel refuses are part of the space, as failures.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "programs/kernel_table.hpp"

#include "bench/support/spaces_csv.hpp"
#include "programs/noise.hpp"
#include "programs/program.hpp"
#include "tunekit/io/recorded_space.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/verify.hpp"

namespace tk = tunekit;
namespace kernels = tk::kernels;

namespace {

using programs::noise;

struct settings {
    std::string layer, out, device = "unnamed machine";
    std::uint32_t repeats = 7;
    bool large = false;  ///< 2 10^4 to 2 10^5 configurations instead of some thousand
    bool count = false;  ///< say how many, and measure none
};

/// The divisors of n up to a limit, ascending.
std::vector<std::int64_t> divisors(std::int64_t n, std::int64_t limit)
{
    std::vector<std::int64_t> out;
    for (std::int64_t d = 1; d <= n && d <= limit; ++d)
        if (n % d == 0) out.push_back(d);
    return out;
}

const std::vector<std::int64_t> all_rows{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};  ///< of a tile, in the large spaces

/// 1e-4 of the largest element.
tk::measure::tolerance near(const std::vector<float>& reference)
{
    double largest = 0;
    for (const float r : reference) largest = (std::max)(largest, std::fabs(static_cast<double>(r)));
    return {.absolute = 1e-4 * largest};
}

/// The value of column `j` of a configuration.
int at(const std::vector<std::int64_t>& values, std::size_t j) { return static_cast<int>(values[j]); }

/// One convolution, and a part of its space.
class conv2d_case {
public:
    explicit conv2d_case(const kernels::conv2d_shape& shape)
        : shape_(shape),
          x_(noise(shape.inputs(), 1)),
          weights_(noise(shape.weights(), 2)),
          reference_(kernels::reference_conv2d(shape, x_, weights_)),
          got_(reference_.size())
    {
    }

    /// In column order; co and vl have one value: they are there for the constraint.
    void describe(tk::io::recorded_space& out, bool large) const
    {
        out.constraints = {"oc_block == 1 or oc_block * nv * vl <= co"};
        if (large) {
            out.parameters = {{"mr", all_rows},
                              {"nv", {1, 2, 3, 4}},
                              {"ic_block", divisors(shape_.ci, 64)},
                              {"oh_block", divisors(shape_.oh(), shape_.oh())},
                              {"oc_block", {1, 2, 3, 4, 6, 8}},
                              {"order", {0, 1, 2}},
                              {"edge", {0, 1}},
                              {"co", {shape_.co}},
                              {"vl", {kernel_table().lanes}}};
            return;
        }
        std::vector<std::int64_t> blocks;
        for (const std::int64_t b : {1, 4, 16, 64})
            if (shape_.ci % b == 0) blocks.push_back(b);
        out.parameters = {
            {"mr", {1, 2, 3, 4, 6, 8, 12}}, {"nv", {1, 2, 3, 4}}, {"ic_block", blocks}, {"oh_block", {1, shape_.oh()}},
            {"oc_block", {1, 2, 4}},        {"order", {0, 1, 2}}, {"edge", {0, 1}},     {"co", {shape_.co}},
            {"vl", {kernel_table().lanes}}};
    }

    /// For `timed`.
    auto kernel()
    {
        return [this](const std::vector<std::int64_t>& v) {
            const auto pad = kernels::helps_copy(shape_) ? kernels::padding_mode::copy : kernels::padding_mode::clip;
            made_.emplace(shape_,
                          kernels::conv2d_config{.mr = at(v, 0),
                                                 .nv = at(v, 1),
                                                 .vl = at(v, 8),
                                                 .ku = 4,
                                                 .ic_block = at(v, 2),
                                                 .ic_chunk = shape_.ci / at(v, 2),
                                                 .oh_block = at(v, 3),
                                                 .oc_block = at(v, 4),
                                                 .order = static_cast<kernels::loop_order>(at(v, 5)),
                                                 .pad = pad,
                                                 .edge = static_cast<kernels::edge_mode>(at(v, 6))},
                          kernel_table(), weights_);
            input_ = kernels::buffer(made_->input_size());
            output_ = kernels::buffer(made_->output_size());
            made_->pack_input(x_, {input_.data(), input_.size()});
            return [this] { made_->run(input_.data(), output_.data()); };
        };
    }

    /// For `timed`.
    auto check()
    {
        return [this] {
            made_->unpack_output({output_.data(), output_.size()}, got_);
            return tk::measure::close_to(std::span<const float>(got_), std::span<const float>(reference_),
                                         near(reference_));
        };
    }

private:
    kernels::conv2d_shape shape_;
    std::vector<float> x_, weights_, reference_, got_;
    std::optional<kernels::conv2d_kernel> made_;
    kernels::buffer input_, output_;
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
        out.constraints = {"mc * kc <= 32768", "pack_b == 1 or nc == 512"};
        if (large) {
            out.parameters = {{"mr", all_rows},
                              {"nv", {1, 2, 3, 4}},
                              {"mc", {16, 32, 48, 64, 96, 128, 192, 256}},
                              {"nc", {48, 96, 192, 384, 512, 768}},
                              {"kc", {32, 64, 128, 192, 256, 384, 512}},
                              {"order", {0, 1, 2, 3}},
                              {"pack_b", {0, 1}},
                              {"vl", {kernel_table().lanes}}};
            return;
        }
        out.parameters = {{"mr", {1, 2, 3, 4, 6, 8, 12}},
                          {"nv", {1, 2, 3, 4}},
                          {"mc", {16, 64, 128}},
                          {"nc", {96, 512}},
                          {"kc", {64, 256, 512}},
                          {"order", {0, 1, 2, 3}},
                          {"pack_b", {0, 1}},
                          {"vl", {kernel_table().lanes}}};
    }

    /// For `timed`.
    auto kernel()
    {
        return [this](const std::vector<std::int64_t>& v) {
            made_.emplace(shape_,
                          kernels::gemm_config{.mr = at(v, 0),
                                               .nv = at(v, 1),
                                               .vl = at(v, 7),
                                               .ku = 4,
                                               .mc = at(v, 2),
                                               .nc = at(v, 3),
                                               .kc = at(v, 4),
                                               .order = static_cast<kernels::loop_order>(at(v, 5)),
                                               .pack_b = at(v, 6) == 1},
                          kernel_table());
            return [this] { made_->run(a_.data(), b_.data(), c_.data()); };
        };
    }

    /// For `timed`.
    auto check()
    {
        return [this] {
            return tk::measure::close_to(std::span<const float>(c_), std::span<const float>(reference_),
                                         near(reference_));
        };
    }

private:
    kernels::gemm_shape shape_;
    std::vector<float> a_, b_, reference_, c_;
    std::optional<kernels::gemm_kernel> made_;
};

/// Whole nanoseconds: what the clock can tell, and short to write.
double nanoseconds(double seconds) { return std::round(1e9 * seconds) / 1e6 / 1e3; }

tk::io::recorded_row record(const tk::measure::measurement& m, double seconds)
{
    tk::io::recorded_row row;
    auto& result = row.record.result;
    result.failed = m.failed;
    row.record.seconds = nanoseconds(seconds);
    result.run_seconds = nanoseconds((std::min)(m.run_seconds, seconds));
    row.framework_seconds = nanoseconds(row.record.seconds - result.run_seconds);
    if (m.failed) return row;
    double sum = 0;
    for (const double t : m.batches) {
        result.batches.push_back(nanoseconds(t));
        sum += result.batches.back();
    }
    result.runs = static_cast<std::uint32_t>(m.batches.size());
    result.cost = sum / result.runs;
    return row;
}

template <class Case>
void record_all(Case on, const settings& s, const std::string& kind)
{
    tk::io::recorded_space recorded;
    const std::string name = kind + '_' + s.layer + (s.large ? "_large" : "");
    recorded.kernel = kind + ' ' + s.layer;
    recorded.device = s.device;
    on.describe(recorded, s.large);
    const auto space = tk::io::space_of(recorded);
    if (s.count) {
        std::printf("%s %llu\n", name.c_str(), static_cast<unsigned long long>(space.size()));
        return;
    }
    auto measure = tk::measure::in_process(
        space, tk::measure::timed{on.kernel(), tk::measure::fixed{.runs = s.repeats, .batch = 1}, on.check(),
                                  tk::measure::thread_clock{}});
    tk::measure::thread_clock spent;  // also of the costs: what others do on the machine is not the space's
    for (tk::index i = 0; i < space.size(); ++i) {
        const double begun = spent();
        const auto m = measure.measure(std::span(&i, 1), {}).at(0);
        auto row = record(m, spent() - begun);
        row.ordinals.resize(space.dimensions());
        space.ordinals(std::span(&i, 1), row.ordinals);
        recorded.rows.push_back(std::move(row));
    }
    tk::io::write_recorded_space(s.out + '/' + name, recorded);
    std::printf("%s", programs::spaces_line(name, recorded).c_str());
}

void run(const settings& s)
{
    tk::require(s.count || !s.out.empty(), "--out: missing, want a folder, or --count");
    if (s.repeats < 2) tk::invalid("--repeats is below 2, want at least 2");
    for (const auto& network : kernels::networks) {
        for (const auto& layer : network.convolutions)
            if (layer.name == s.layer) return record_all(conv2d_case(layer.shape), s, "conv2d");
        for (const auto& layer : network.products)
            if (layer.name == s.layer) return record_all(gemm_case(layer.shape), s, "gemm");
    }
    tk::invalid("--layer \"" + s.layer + "\" is no layer of a known network, want one such as R9, S12 or Out");
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app(
        "Measures a space of one operator whole and writes NAME.params and NAME.csv.gz; prints its line for "
        "spaces.csv.",
        "record_space");
    app.add_option("--layer", s.layer, "a layer of a known network: R1 ... R12, S1 ... S18, QKV, Out, ...")->required();
    app.add_option("--out", s.out, "folder for the two files");
    app.add_flag("--large", s.large, "20 000 to 200 000 configurations instead of some thousand");
    app.add_flag("--count", s.count, "print how many configurations there are, and measure none");
    app.add_option("--device", s.device, "what the .params file says of this machine");
    app.add_option("--repeats", s.repeats, "timed repeats of each configuration [7]");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
