// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The sources of a `kernel_problem`, and the runners of a `kernel_pool`.

#include <sys/stat.h>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/devices/detail/headers.hpp"
#include "tunekit/devices/detail/kernel_worker.hpp"
#include "tunekit/devices/detail/opencl_code.hpp"
#include "tunekit/devices/detail/shared_function.hpp"
#include "tunekit/devices/kernel_problem.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure::detail {

/// Finds what is wrong in a problem before anything is built, and what its text says of its arguments: an array that
/// the function takes as a pointer to const does not change. Throws std::invalid_argument.
inline void examine(kernel_problem& what, const std::vector<std::string>& names)
{
    const auto wrong = [](const std::string& why) { invalid(std::string("kernel_problem: ") + why); };
    for (const auto* of : {&what.grid, &what.block})
        for (const std::string& text : *of)
            static_cast<void>(space::expression(text, names, {}, {.what = "kernel_problem: launch"}));
    static_cast<void>(space::expression(what.shared_bytes, names, {}, {.what = "kernel_problem: shared memory"}));
    const bool cuda = what.language == kernel_language::cuda;
    if (!what.constants.empty() && !cuda)
        wrong(std::string("constant memory is CUDA's, and the kernel is in ") + to_text(what.language) +
              ", want an argument" + (what.language == kernel_language::opencl ? " in __constant memory" : ""));
    if (what.adjust) return;  // the text may be another
    const std::string code = code_alone(what.text), name = function_name(what.name);
    const bool whole = code.find("#include") == code.npos && code.find("##") == code.npos;
    if (name.empty() || (whole && find_word(code, name) == code.npos))
        wrong(std::string("the text has no function '") + what.name + "', want the name of one in it");
    for (const kernel_constant& c : what.constants)
        if (whole && find_word(code, c.symbol) == code.npos)
            wrong(std::string("the text has no constant memory '") + c.symbol +
                  "', want the name of a __constant__ variable");
    const auto read = signature_of(code, name);
    if (!read) return;
    const std::size_t takes = read->parameters.size();
    const std::size_t local = what.language == kernel_language::opencl && what.shared_bytes != "0" ? 1 : 0;
    if (takes != what.arguments.size() + local)
        wrong('\'' + name + "' takes " + std::to_string(takes) + (takes == 1 ? " argument" : " arguments") +
              ", and there are " + std::to_string(what.arguments.size() + local) + ", want as many");
    for (std::size_t k = 0; k < what.arguments.size(); ++k) {
        kernel_argument& a = what.arguments[k];
        const std::string& p = read->parameters[k];
        const auto at = [&] {
            return std::string("argument ") + std::to_string(k) + (a.name.empty() ? "" : " '" + a.name + '\'') +
                   " of '" + name + '\'';
        };
        const bool pointer = p.find_first_of("*[") != p.npos;
        const auto plain = [&] {
            for (const std::string_view type : {"int", "float", "double", "unsigned", "long", "short", "char", "bool",
                                                "uint", "size_t", "int32_t", "int64_t", "uint32_t", "half"})
                if (find_word(p, type) != p.npos) return true;
            return false;
        };
        if (!a.array && pointer) wrong(at() + " is a value, want an array: the function takes a pointer");
        if (a.array && !pointer && plain()) wrong(at() + " is an array, want a value: the function takes no pointer");
        if (a.array && pointer && read->reads_only(k)) a.changes = false;
    }
}

/// What a pool makes of a problem. `pipeline` takes it as its template. Copies share what it was made from.
class kernel_template {
public:
    /// The problem, and where its files are.
    struct parts {
        kernel_problem what{};
        std::vector<std::string> names{};
        shared_function<std::vector<std::string>(index)> texts{};
        kernel_setup setup{};
        std::vector<std::string> flags{};  ///< before those of the problem
        bool at_launch = false;            ///< whether the driver compiles for each work-group
        shared_function<std::string(const source&)> key{};
        std::map<index, kernel_order> made{};
    };

    explicit kernel_template(std::shared_ptr<parts> of) : of_(std::move(of)) {}

    static constexpr numbered_space space{};
    static constexpr std::string_view entry = "kernel";

    /// The source of a configuration. What its worker has to know of it is written into a file.
    [[nodiscard]] source source_of(index i) const
    {
        const std::vector<std::string> values = of_->texts(i);
        kernel_instance made = instance_of(of_->what, of_->names, values);
        if (of_->what.adjust) of_->what.adjust(i, made);
        source out{.text = text_of(made), .flags = of_->flags};
        out.flags.insert(out.flags.end(), made.flags.begin(), made.flags.end());
        finish(out, made);
        kernel_order order{
            of_->key(out),
            {.entry = made.name, .grid = made.grid, .block = made.block, .shared_bytes = made.shared_bytes}};
        byte_writer bytes;
        order.each(bytes);
        write_file(of_->setup.path_of(i), bytes.out);
        of_->made.insert_or_assign(i, std::move(order));
        return out;
    }

    /// What was made of a configuration. Precondition: its source was.
    [[nodiscard]] const kernel_order& order_of(index i) const { return of_->made.at(i); }

private:
    [[nodiscard]] std::string text_of(const kernel_instance& made) const
    {
        const bool cuda = of_->what.language == kernel_language::cuda;
        const auto unrolls = [&](const std::string& name) { return cuda && name.starts_with("loop_unroll_factor"); };
        std::string out;
        std::string text = made.text;
        for (const auto& [name, value] : made.macros) {
            // `#pragma unroll` takes a constant and no macro; 0 leaves the decision to the compiler
            if (!unrolls(name)) out += std::string("#define ") + name + ' ' + value + '\n';
            else if (value != "0") out += std::string("constexpr int ") + name + " = " + value + ";\n";
            else text = without_unroll(text, name);
        }
        if (of_->what.file.ends_with(".c")) out += "#define restrict __restrict__\n";  // C++ has no such word
        out += "#line 1 \"";
        for (const char c : of_->what.file) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
        return out + "\"\n" + text + '\n';
    }

    /// The text whose lines `#pragma unroll NAME` are empty.
    [[nodiscard]] static std::string without_unroll(std::string_view text, std::string_view name)
    {
        std::string out;
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            const std::size_t begin = line.find_first_not_of(" \t");
            const bool pragma = begin != line.npos && line.substr(begin).starts_with("#pragma unroll");
            if (!pragma || find_word(line, name) == line.npos) out += line;
            out += '\n';
            text.remove_prefix((std::min)(text.size(), line.size() + 1));
        }
        return out;
    }

    void finish(source& out, const kernel_instance& made) const
    {
        if (of_->what.language == kernel_language::cuda) {
            out.names = {made.name};
            const bool standard = std::any_of(out.flags.begin(), out.flags.end(), [](const std::string& flag) {
                return flag.starts_with("-std=") || flag.starts_with("--std=");
            });
            if (!standard) out.flags.emplace_back("--std=c++17");
        } else if (of_->what.language == kernel_language::opencl) {
            if (of_->at_launch) out.names = {launch_of(made).text()};
        } else {
            std::vector<std::size_t> sizes;
            for (const kernel_argument& a : of_->what.arguments)
                sizes.push_back(a.array ? sizeof(void*) : a.bytes.size());
            const std::string headers = headers_.of(out.text, include_folders(out.flags));
            out.text += host_call(made.name, &sizes) + "// " + headers + '\n';  // so that other headers are another key
        }
    }

    [[nodiscard]] opencl_launch launch_of(const kernel_instance& made) const
    {
        opencl_launch out{.entry = made.name, .shared_bytes = static_cast<std::size_t>(made.shared_bytes)};
        for (std::size_t k = 0; k < out.block.size(); ++k) out.block[k] = static_cast<std::size_t>(made.block[k]);
        for (const kernel_argument& a : of_->what.arguments)
            out.arguments.push_back(a.array
                                        ? opencl_launch::argument{.array = (std::max)(a.bytes.size(), std::size_t{1})}
                                        : opencl_launch::argument{.value = a.bytes});
        return out;
    }

    std::shared_ptr<parts> of_;
    header_digests headers_{};
};

/// The workers of a pool behind a look at what their devices can start, and before one at what was computed.
class kernel_runners {
public:
    using rule = shared_function<std::optional<failure>(const kernel_order&)>;
    using look = shared_function<std::optional<std::string>(index, std::size_t worker)>;

    kernel_runners(kernel_template of, rule refused, look verify, isolated_workers inner)
        : of_(std::move(of)), refused_(std::move(refused)), verify_(std::move(verify)), inner_(std::move(inner))
    {
    }

    [[nodiscard]] std::size_t workers() const noexcept { return inner_.workers(); }
    [[nodiscard]] std::size_t room() const noexcept { return inner_.room(); }
    [[nodiscard]] double now() const noexcept { return inner_.now(); }
    void submit(const job& next)
    {
        measurement m;
        m.failed = refused_ ? refused_(of_.order_of(next.candidate)) : std::nullopt;
        if (m.failed) {
            given_.push_back({.ticket = next.ticket, .measured = std::move(m)});
            return;
        }
        out_[next.ticket] = next.candidate;
        inner_.submit(next);
    }
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        auto out = std::exchange(given_, {});
        for (answer& a : inner_.collect(out.empty() ? seconds : 0)) {
            const index which = out_.at(a.ticket);
            out_.erase(a.ticket);
            if (verify_ && a.measured && !a.measured->failed && a.measured->checked == check_state::ok)
                if (auto fault = verify_(which, a.worker)) {
                    a.measured->failed = failure{failure_kind::wrong_result, 0, std::move(*fault)};
                    a.measured->cost = std::numeric_limits<double>::quiet_NaN();
                    a.measured->checked = check_state::unchecked;
                }
            out.push_back(std::move(a));
        }
        return out;
    }

private:
    kernel_template of_;
    rule refused_;
    look verify_;
    isolated_workers inner_;
    std::map<ticket, index> out_{};
    std::vector<answer> given_{};
};

}  // namespace tunekit::measure::detail
