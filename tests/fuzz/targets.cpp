// SPDX-License-Identifier: MIT
#include "tests/fuzz/targets.hpp"

#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/resealed.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/io/autotvm.hpp"
#include "tunekit/io/csv.hpp"
#include "tunekit/io/read_log.hpp"
#include "tunekit/io/recorded_space.hpp"
#include "tunekit/io/t4.hpp"
#include "tunekit/space/dynamic_product.hpp"
#include "tunekit/space/expression.hpp"

namespace tk = tunekit;

namespace {

/// What must hold of everything that was read.
void must(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

bool is_cost(double x) { return std::isfinite(x) && x > 0; }

const tk::space::dynamic_product& small_space()
{
    static const tk::space::dynamic_product space({{"mr", {1, 2, 3, 4}}, {"n,v", {1, 2, 7}}}, {"mr <= 3"});
    return space;
}

void csv(std::string_view text)
{
    const auto& space = small_space();
    for (const auto& r : tk::io::csv_records(text)) must(!r.fields.empty(), "a record has a field");
    const auto read = tk::io::parse_csv(text, "x", space);
    for (const auto& t : read.trials) {
        must(t.candidate < space.size(), "a trial is of the space");
        must(t.measured.failed || is_cost(t.measured.cost), "a cost is a positive number");
    }
    const std::string again = tk::io::trials_to_csv(read.trials, space);
    const auto back = tk::io::parse_csv(again, "y", space);
    must(back.problems.empty() && back.trials.size() == read.trials.size(), "what was written reads back");
    must(tk::io::trials_to_csv(back.trials, space) == again, "and is equal");
}

void t4(std::string_view text)
{
    const auto file = tk::io::parse_t4(text, "x");
    for (const auto& r : file.results) {
        const auto row = tk::io::recorded_of(r);
        must(row.result.failed || is_cost(row.result.cost), "a cost is a positive number");
        must(row.seconds >= 0 && std::isfinite(row.seconds), "an evaluation takes no negative time");
    }
    const auto back = tk::io::parse_t4(tk::io::to_json(file).dump(), "y");
    must(back.problems.empty() && back.results == file.results, "what was written reads back equal");
}

void autotvm(std::string_view text)
{
    const auto log = tk::io::parse_autotvm(text, "x");
    std::string written;
    for (const auto& r : log.records) {
        const auto m = tk::io::measurement_of(r);
        must(m.failed || is_cost(m.cost), "a cost is a positive number");
        must(m.run_seconds >= 0, "nothing takes negative time");
        (void)tk::io::autotvm_error(m);
        written += tk::io::to_json(r).dump() + '\n';
    }
    (void)tk::io::best_of(log.records);
    const auto back = tk::io::parse_autotvm(written, "y");
    must(back.problems.empty() && back.records.size() == log.records.size(), "what was written reads back");
    for (std::size_t k = 0; k < back.records.size(); ++k)
        must(tk::io::to_json(back.records[k]) == tk::io::to_json(log.records[k]), "and is equal");
}

/// The .params file and the table, with a byte 0x1e in between.
void recorded_space(std::string_view text)
{
    static const support::temporary_folder folder;
    const auto at = text.find('\x1e');
    tk::io::write_text(folder / "s.params", text.substr(0, at));
    tk::io::write_text(folder / "s.csv", at == std::string_view::npos ? std::string_view() : text.substr(at + 1));
    const auto read = tk::io::read_recorded_space(folder / "s");
    double size = 1;
    for (const auto& p : read.parameters) size *= static_cast<double>(p.values.size());
    for (const auto& row : read.rows) {
        must(row.ordinals.size() == read.parameters.size(), "a row has a value per parameter");
        for (std::size_t j = 0; j < row.ordinals.size(); ++j)
            must(row.ordinals[j] < read.parameters[j].values.size(), "which it has");
        must(row.record.result.failed || is_cost(row.record.result.cost), "a cost is a positive number");
        must(row.record.seconds >= 0 && std::isfinite(row.record.seconds), "an evaluation takes no negative time");
    }
    tk::io::write_recorded_space(folder / "t", read);
    const auto back = tk::io::read_recorded_space(folder / "t");
    must(back.problems.empty() && back.parameters == read.parameters && back.rows.size() == read.rows.size(),
         "what was written reads back");
    for (std::size_t k = 0; k < back.rows.size(); ++k) {
        const auto &a = back.rows[k].record, &b = read.rows[k].record;
        must(a.result.ok() == b.result.ok() && back.rows[k].ordinals == read.rows[k].ordinals, "row for row");
        must(!a.result.ok() || a.result.cost == b.result.cost, "with its cost");
    }
    if (size > 20'000) return;
    const auto space = tk::io::space_of(read);
    (void)tk::io::table_of(read, space);
}

void expression(std::string_view text)
{
    static const std::vector<std::string> names{"a", "bb", "c_1", "notx"};
    static constexpr std::int64_t values[] = {0,
                                              1,
                                              -1,
                                              7,
                                              std::int64_t{1} << 53,
                                              std::numeric_limits<std::int64_t>::max(),
                                              std::numeric_limits<std::int64_t>::min(),
                                              3};
    const tk::space::expression read(std::string(text), names);
    must(read.text() == text, "an expression has its text");
    const auto result = [](const tk::space::expression& e, std::size_t k) {
        try {
            return e.holds([k](std::size_t j) { return values[(3 * j + k) % std::size(values)]; }) ? 1 : 0;
        } catch (const std::invalid_argument&) {
            return -1;
        }
    };
    try {
        const tk::space::expression bracketed('(' + std::string(text) + ')', names);
        for (std::size_t k = 0; k < std::size(values); ++k)
            must(result(read, k) == result(bracketed, k), "brackets around everything change nothing");
    } catch (const std::invalid_argument&) {  // one bracket too many
    }
}

void log(std::string_view text)
{
    const auto check = [](const std::string& whole) {
        const auto lines_of = [](const tk::io::log_content& c) {
            std::string out = tk::io::to_line(c.header) + '\n';
            if (c.header.schema == tk::io::event_log_schema)
                for (const auto& e : c.events) out += tk::io::to_line(e) + '\n';
            else
                for (const auto& t : c.trials) out += tk::io::to_line(t) + '\n';
            return out;
        };
        try {
            const auto read = tk::io::parse_log(whole, "x");
            must(read.whole_bytes <= static_cast<std::int64_t>(whole.size()), "a log is not longer than its text");
            for (const auto& t : read.trials) {
                must(t.task < read.header.tasks.size() && t.candidate < read.header.tasks[t.task].size,
                     "a trial is of a task and its space");
                must(t.measured.failed || std::isnan(t.measured.cost) || is_cost(t.measured.cost),
                     "a cost is a positive number, or none");
            }
            if (read.whole_bytes == 0) return;
            const std::string written = lines_of(read);
            must(lines_of(tk::io::parse_log(written, "y")) == written, "what was written reads back equal");
        } catch (const tk::error&) {
        }
    };
    check(std::string(text));
    check(support::resealed(std::string(text)));
}

constexpr std::string_view json_words[] = {"-1",
                                           "0",
                                           "1e308",
                                           "1e999",
                                           "5e-324",
                                           "-0.0",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "-9223372036854775809",
                                           "null",
                                           "true",
                                           "NaN",
                                           "\"\"",
                                           "[",
                                           "]",
                                           "{",
                                           "}",
                                           ",",
                                           ":",
                                           "[[[[[[[[",
                                           "]]]]]]]]",
                                           "\"\\u0000\"",
                                           "2.9",
                                           "\n",
                                           "\"a\":",
                                           "{}",
                                           "[]"};
constexpr std::string_view text_words[] = {"-1",
                                           "0",
                                           "1e308",
                                           "1e-323",
                                           "nan",
                                           "inf",
                                           "-inf",
                                           "+2",
                                           " ",
                                           ",",
                                           "\"",
                                           "\"\"",
                                           "\r\n",
                                           "\n",
                                           "\xef\xbb\xbf",
                                           "valid",
                                           "compile_error",
                                           "param ",
                                           "constraint ",
                                           "#",
                                           "\x1e",
                                           "9223372036854775807",
                                           "99999999999999999999",
                                           "time_ms",
                                           "t0"};
constexpr std::string_view expression_words[] = {"a",
                                                 "bb",
                                                 "c_1",
                                                 "notx",
                                                 " and ",
                                                 " or ",
                                                 "not ",
                                                 "(",
                                                 ")",
                                                 "+",
                                                 "-",
                                                 "*",
                                                 "/",
                                                 "//",
                                                 "%",
                                                 "**",
                                                 "<",
                                                 "<=",
                                                 "==",
                                                 "!=",
                                                 "0",
                                                 "1",
                                                 "9223372036854775807",
                                                 " ",
                                                 "\t"};

constexpr fuzz::target all[] = {{"csv", csv, text_words},         {"t4", t4, json_words},
                                {"autotvm", autotvm, json_words}, {"recorded_space", recorded_space, text_words},
                                {"log", log, json_words},         {"expression", expression, expression_words}};

}  // namespace

std::span<const fuzz::target> fuzz::targets() { return all; }

#ifdef TUNEKIT_FUZZ_TARGET
// With clang's libFuzzer: one target a program, named by the macro.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    for (const auto& t : fuzz::targets())
        if (t.name == TUNEKIT_FUZZ_TARGET) try {
                t.read({reinterpret_cast<const char*>(data), size});
            } catch (const tk::error&) {
            } catch (const std::invalid_argument&) {
            }
    return 0;
}
#endif
