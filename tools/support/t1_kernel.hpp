// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The kernel of a T1 problem: its file, arguments, sizes of launches and options of the compiler.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/devices/kernel_pool.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"
#include "tunekit/space/expression.hpp"

namespace programs {

/// A kernel of a T1 file, and the arrays of which a reference is wanted.
struct t1_kernel {
    tunekit::measure::kernel_problem what{};
    std::vector<std::size_t>
        outputs{};  ///< arrays that are written and have no reference: those of the default are one
};

/// Reads the part "KernelSpecification" of a T1 file.
class t1_kernel_reader {
public:
    using fields = tunekit::io::detail::json_fields;

    /// All arrays have `max_bytes` at most.
    t1_kernel_reader(const fields& of, const tunekit::io::space_file& space, std::string folder, double max_bytes)
        : of_(of), space_(space), folder_(std::move(folder)), max_bytes_(max_bytes)
    {
        if (has(of_, "ProblemSize")) {
            const fields sizes = of_.at("ProblemSize");
            if (sizes.value().is_array())
                for (std::size_t k = 0; k < sizes.size(); ++k) sizes_.push_back(expression(sizes[k]));
            else sizes_.push_back(expression(sizes));
        }
    }

    [[nodiscard]] t1_kernel read()
    {
        namespace measure = tunekit::measure;
        t1_kernel out;
        auto& what = out.what;
        what.language = language();
        what.name = of_.at("KernelName").get<std::string>();
        const std::string file = of_.at("KernelFile").get<std::string>();
        what.file = file.starts_with('/') ? file : folder_ + file;
        what.text = tunekit::io::read_text(what.file);
        what.flags.push_back(std::string("-I") + (folder_.empty() ? "." : folder_.substr(0, folder_.size() - 1)));
        if (has(of_, "CompilerOptions"))
            for (std::size_t k = 0; k < of_.at("CompilerOptions").size(); ++k)
                what.flags.push_back(of_.at("CompilerOptions")[k].get<std::string>());
        launches(what);
        const auto arguments = has(of_, "Arguments") ? std::optional(of_.at("Arguments")) : std::nullopt;
        const auto references = reference_of();
        for (std::size_t k = 0; arguments && k < arguments->size(); ++k) {
            const fields a = (*arguments)[k];
            measure::kernel_argument one = argument(a);
            const bool symbol = has(a, "MemoryType") && a.at("MemoryType").get<std::string>() == "Symbol";
            const bool constant = has(a, "MemType") && a.at("MemType").get<std::string>() == "Constant";
            if (what.language == measure::kernel_language::cuda && (symbol || constant)) {
                what.constants.push_back({one.name, std::move(one.bytes)});
                continue;
            }
            if (const auto at = references.find(one.name); at != references.end()) one.answer = at->second;
            else if (one.array && one.changes) out.outputs.push_back(what.arguments.size());
            what.arguments.push_back(std::move(one));
        }
        return out;
    }

private:
    static bool has(const fields& of, const char* key)
    {
        return of.value().is_object() && of.value().contains(key) && !of.value().at(key).is_null();
    }

    [[nodiscard]] tunekit::measure::kernel_language language() const
    {
        using enum tunekit::measure::kernel_language;
        const auto text = of_.at("Language").get<std::string>();
        if (text == "CUDA" || text == "cuda") return cuda;
        if (text == "OpenCL" || text == "opencl") return opencl;
        if (text == "C" || text == "c" || text == "C++") return c;
        of_.at("Language").fail("is " + text + ", want CUDA, OpenCL, C or C++");
    }

    /// A number, or the text of an expression, in which ProblemSize[k] and max(PARAMETER) have their values.
    [[nodiscard]] std::string expression(const fields& from) const
    {
        if (from.value().is_number()) return from.value().dump();
        std::string text = from.get<std::string>();
        constexpr std::size_t max_text = 65536;  // sizes that stand in sizes double it each time
        const auto replace = [&](const std::string& before, char close, const auto& value_of) {
            for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
                const std::size_t begin = at + before.size(), end = text.find(close, begin);
                const std::string inside = text.substr(begin, end == std::string::npos ? end : end - begin);
                const std::optional<std::string> value = value_of(inside);
                if (end == std::string::npos || !value)
                    from.fail("has '" + before + inside + "', want a size of ProblemSize or a parameter");
                text.replace(at, end + 1 - at, *value);
                if (text.size() > max_text) from.fail("has more than 65536 bytes with its sizes, want fewer");
            }
        };
        replace("ProblemSize[", ']', [&](const std::string& inside) -> std::optional<std::string> {
            const auto k = tunekit::core::number<std::size_t>(inside);
            return k && *k < sizes_.size() ? std::optional('(' + sizes_[*k] + ')') : std::nullopt;
        });
        replace("max(", ')', [&](const std::string& inside) -> std::optional<std::string> {
            for (const auto& p : space_.parameters) {
                if (p.name != inside) continue;
                double most = -std::numeric_limits<double>::infinity();
                for (const auto& v : p.values)
                    most = (std::max)(most,
                                      tunekit::core::number<double>(tunekit::space::text_of_value(v)).value_or(most));
                return std::isfinite(most) ? std::optional(tunekit::core::text_of(most)) : std::nullopt;
            }
            return std::nullopt;
        });
        return text;
    }
    [[nodiscard]] double value(const fields& from) const
    {
        const tunekit::space::expression parsed(expression(from), {}, {}, {.what = "T1: size", .name = "size"});
        return parsed.value([](std::size_t) { return std::int64_t{0}; });
    }

    void launches(tunekit::measure::kernel_problem& what) const
    {
        constexpr const char* axes[] = {"X", "Y", "Z"};
        constexpr const char* divisors[] = {"GridDivX", "GridDivY", "GridDivZ"};
        const bool items = has(of_, "GlobalSizeType") && of_.at("GlobalSizeType").get<std::string>() == "OpenCL";
        const auto ceiling = [](const std::string& size, const std::string& by) {
            return std::string("-(-(") + size + ") // (" + by + "))";
        };
        for (std::size_t k = 0; k < 3; ++k) {
            if (has(of_, "LocalSize") && has(of_.at("LocalSize"), axes[k]))
                what.block[k] = expression(of_.at("LocalSize").at(axes[k]));
            if (!sizes_.empty()) {  // as Kernel Tuner's problems have it
                if (k >= sizes_.size()) continue;
                std::string by = what.block[k];
                if (has(of_, divisors[k])) {
                    by = "1";
                    const fields all = of_.at(divisors[k]);
                    for (std::size_t j = 0; j < all.size(); ++j) by += " * (" + expression(all[j]) + ')';
                }
                what.grid[k] = ceiling(sizes_[k], by);
            } else if (has(of_, "GlobalSize") && has(of_.at("GlobalSize"), axes[k])) {
                const std::string size = expression(of_.at("GlobalSize").at(axes[k]));
                what.grid[k] = items ? ceiling(size, what.block[k]) : size;
            }
        }
        if (has(of_, "SharedMemory")) what.shared_bytes = expression(of_.at("SharedMemory"));
    }

    /// The arrays that others are compared with, by the names of those.
    [[nodiscard]] std::map<std::string, std::vector<unsigned char>> reference_of()
    {
        std::map<std::string, std::vector<unsigned char>> all, out;
        if (!has(of_, "ReferenceData")) return out;
        const fields data = of_.at("ReferenceData"), arguments = data.at("ReferenceArguments"),
                     pairs = data.at("ValidationPairs");
        for (std::size_t k = 0; k < arguments.size(); ++k)
            all[arguments[k].at("Name").get<std::string>()] = argument(arguments[k]).bytes;
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const auto at = all.find(pairs[k].at("ReferenceName").get<std::string>());
            if (at == all.end()) pairs[k].at("ReferenceName").fail("is no reference argument, want one of them");
            out[pairs[k].at("TargetName").get<std::string>()] = at->second;
        }
        return out;
    }

    [[nodiscard]] tunekit::measure::kernel_argument argument(const fields& a)
    {
        tunekit::measure::kernel_argument out;
        if (has(a, "Name")) out.name = a.at("Name").get<std::string>();
        const std::string memory = has(a, "MemoryType") ? a.at("MemoryType").get<std::string>() : "Vector";
        if (memory != "Vector" && memory != "Scalar" && memory != "Symbol")
            a.at("MemoryType").fail("is " + memory + ", want Vector, Scalar or Symbol");
        out.array = memory != "Scalar";
        out.changes = !(has(a, "AccessType") && a.at("AccessType").get<std::string>() == "ReadOnly");
        std::size_t lanes = 1;
        type(a, out, lanes);
        const double n = out.array ? value(a.at("Size")) : 1;
        bytes_ += n * static_cast<double>(lanes * size_of(out.type));
        if (!(n >= 1 && bytes_ <= max_bytes_))
            a.at("Size").fail("is " + tunekit::core::text_of(n) +
                              ", want 1 or more elements, and all arrays in half of the memory of this machine");
        fill(a, out, static_cast<std::size_t>(n) * lanes);
        return out;
    }

    /// half4 is four halves; a type of the user's is bytes.
    void type(const fields& a, tunekit::measure::kernel_argument& out, std::size_t& lanes) const
    {
        const auto text = a.at("Type").get<std::string>();
        if (text == "custom") {
            const double size = value(a.at("TypeSize"));
            if (!(size >= 1 && size <= 65536))
                a.at("TypeSize").fail("is " + tunekit::core::text_of(size) + ", want 1 to 65536 bytes");
            lanes = static_cast<std::size_t>(size);
            return;
        }
        for (const std::string_view base : {"half", "float", "double"})
            if (const auto n = tunekit::core::number<std::size_t>(text.substr((std::min)(text.size(), base.size())));
                n && text.starts_with(base) && (*n == 2 || *n == 4 || *n == 8 || *n == 16)) {
                lanes = *n;
                out.type = *tunekit::measure::element_type_of(base);
                return;
            }
        const auto found = tunekit::measure::element_type_of(text);
        if (!found) a.at("Type").fail("is " + text + ", want a type such as float, int32 or half");
        out.type = *found;
    }

    void fill(const fields& a, tunekit::measure::kernel_argument& out, std::size_t n) const
    {
        const std::string how = has(a, "FillType") ? a.at("FillType").get<std::string>() : "Constant";
        if (how == "BinaryRaw") {
            const auto path = a.at("DataSource").get<std::string>();
            const std::string bytes = tunekit::io::read_text(path.starts_with('/') ? path : folder_ + path);
            out.bytes.assign(bytes.begin(), bytes.end());
            if (out.bytes.size() != n * size_of(out.type))
                a.at("DataSource")
                    .fail("has " + std::to_string(out.bytes.size()) + " bytes, want " +
                          std::to_string(n * size_of(out.type)));
            return;
        }
        if (how != "Constant" && how != "Random")
            a.at("FillType").fail("is " + how + ", want Constant, Random or BinaryRaw");
        const double x = has(a, "FillValue") ? value(a.at("FillValue")) : how == "Random" ? 1 : 0;
        tunekit::random::philox gen(1);  // the same data in each run
        out.bytes.resize(n * size_of(out.type));
        for (std::size_t k = 0; k < n; ++k)
            if (!put(out.type, out.bytes.data() + k * size_of(out.type),
                     how == "Random" ? x * tunekit::random::uniform_01(gen) : x))
                a.at("FillValue").fail("is " + tunekit::core::text_of(x) + ", want a number that the type has");
    }

    /// Whether T has x, but for its fraction.
    template <class T>
    static bool put(unsigned char* at, double x)
    {
        if constexpr (std::is_integral_v<T>) {
            const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
            if (!(x < beyond && (std::is_signed_v<T> ? x >= -beyond : x > -1))) return false;
        }
        const auto y = static_cast<T>(x);
        std::memcpy(at, &y, sizeof y);
        return true;
    }
    static bool put(tunekit::measure::element_type type, unsigned char* at, double x)
    {
        using enum tunekit::measure::element_type;
        switch (type) {
            case bytes:
            case uint8:
                return put<std::uint8_t>(at, x);
            case int8:
                return put<std::int8_t>(at, x);
            case int16:
                return put<std::int16_t>(at, x);
            case uint16:
                return put<std::uint16_t>(at, x);
            case int32:
                return put<std::int32_t>(at, x);
            case uint32:
                return put<std::uint32_t>(at, x);
            case int64:
                return put<std::int64_t>(at, x);
            case uint64:
                return put<std::uint64_t>(at, x);
            case float16: {
                const std::uint16_t half = tunekit::measure::detail::half_of(static_cast<float>(x));
                std::memcpy(at, &half, sizeof half);
                return true;
            }
            case float32:
                return put<float>(at, x);
            case float64:
                return put<double>(at, x);
        }
        return false;
    }

    fields of_;
    const tunekit::io::space_file& space_;
    std::string folder_;
    double max_bytes_, bytes_ = 0;
    std::vector<std::string> sizes_{};
};

/// Half of the memory of this machine, in bytes.
inline double half_of_memory()
{
    return 0.5 * static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// The kernel of the T1 file at `path`, whose space is `space` and whose arrays have `max_bytes` at most; of these sizes instead of its
/// ProblemSize where there are some. Throws tunekit::error, one line that names file and field.
[[nodiscard]] inline t1_kernel read_t1_kernel(const std::string& path, const tunekit::io::space_file& space,
                                              double max_bytes = half_of_memory(),
                                              const std::vector<std::int64_t>& sizes = {})
{
    namespace io = tunekit::io;
    if (space.format != "T1") tunekit::invalid(path + " has no kernel, want a T1 problem with \"KernelSpecification\"");
    const std::string text = io::read_text(path);
    try {
        io::detail::json_document document = io::detail::bounded_json(text, {.exact_integers = true});
        if (!sizes.empty() && document.value.contains("KernelSpecification"))
            document.value["KernelSpecification"]["ProblemSize"] = sizes;
        return t1_kernel_reader(io::detail::json_fields(document.value).at("KernelSpecification"), space,
                                path.substr(0, path.rfind('/') + 1), max_bytes)
            .read();
    } catch (const io::detail::json_fields::malformed& e) {
        throw tunekit::error(io::problem{path, 0, e.field, e.what}.text());
    }
}

/// The arrays of the default as what those of others should be: a share of the largest of them apart at most.
inline void take_reference(t1_kernel& of, const tunekit::measure::kernel_run& untuned, double tolerance)
{
    using enum tunekit::measure::element_type;
    for (const std::size_t k : of.outputs) {
        auto& a = of.what.arguments[k];
        a.answer = untuned.arrays[k];
        double largest = 0;
        const auto see = [&]<class T>(T) {
            for (std::size_t at = 0; at + sizeof(T) <= a.answer->size(); at += sizeof(T)) {
                T x;
                std::memcpy(&x, a.answer->data() + at, sizeof x);
                if (std::isfinite(x)) largest = (std::max)(largest, std::fabs(static_cast<double>(x)));
            }
        };
        if (a.type == float32) see(float{});
        if (a.type == float64) see(double{});
        a.within = {.absolute = tolerance * largest, .relative = tolerance};
    }
}

}  // namespace programs
