// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Writes choices as JSON, for programs in other languages, or in the form of a template. Needs nlohmann-json.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cpp_text.hpp"
#include "tunekit/dispatch/detail/mustache.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::dispatch {

namespace detail {

[[nodiscard]] inline std::string json_text(std::span<const choice> all)
{
    using json = nlohmann::ordered_json;
    json out = json::array();
    for (const choice& c : all) {
        json words = json::object(), configs = json::array(), devices = json::array();
        for (const enumeration& e : c.words) words[e.size] = e.words;
        for (const choice::kept& k : c.configs)
            configs.push_back({{"candidate", k.candidate}, {"values", k.values}, {"shapes", k.shapes}});
        for (const choice::part& d : c.devices) {
            json shapes = json::array(), tree = json::array(), scores = json::array();
            for (const choice::shape& s : d.shapes)
                shapes.push_back({{"at", s.at},
                                  {"config", s.config},
                                  {"untuned", s.untuned},
                                  {"around", s.around},
                                  {"around_untuned", s.around_untuned}});
            for (const tree_node& n : d.tree)
                tree.push_back(
                    n.of == 0
                        ? json{{"config", n.config}, {"untuned", n.untuned}}
                        : json{{"of", n.of}, {"less", n.less}, {"at_most", n.at_most}, {"yes", n.yes}, {"no", n.no}});
            for (const choice::score& s : d.scores)
                scores.push_back(
                    {{"rung", to_text(s.by)}, {"shapes", s.shapes}, {"share", s.share}, {"worst", s.worst}});
            devices.push_back({{"device", d.device},
                               {"date", d.date},
                               {"general", to_text(d.general)},
                               {"shapes", shapes},
                               {"tree", tree},
                               {"scores", scores}});
        }
        out.push_back({{"kernel", c.kernel},
                       {"version", c.version},
                       {"fingerprint", io::in_hex(c.fingerprint)},
                       {"sizes", c.sizes},
                       {"words", words},
                       {"parameters", c.parameters},
                       {"configs", configs},
                       {"one", {{"config", c.one}, {"untuned", c.one_untuned}}},
                       {"devices", devices}});
    }
    return out.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

/// A list of objects that know whether they are the first and the last.
[[nodiscard]] inline mustache::json with_ends(std::vector<mustache::json> all)
{
    for (std::size_t k = 0; k < all.size(); ++k) {
        all[k]["first"] = k == 0;
        all[k]["last"] = k + 1 == all.size();
    }
    return all;
}

/// What a template may name; write_header below tells it.
[[nodiscard]] inline mustache::json template_data(std::span<const choice> all)
{
    using json = mustache::json;
    std::vector<json> kernels;
    for (const choice& c : all) {
        const auto named = [](const std::vector<std::string>& names) {
            std::vector<json> out;
            for (const std::string& name : names) out.push_back({{"name", name}});
            return with_ends(std::move(out));
        };
        std::vector<json> configs;
        for (const choice::kept& k : c.configs) {
            json out{{"position", configs.size()}, {"candidate", k.candidate}, {"share", k.shapes}};
            std::vector<json> values;
            for (std::size_t j = 0; j < c.parameters.size(); ++j) {
                std::vector<std::string> texts;
                for (const choice::kept& other : c.configs) texts.push_back(other.values[j]);
                const std::string literal = as_literal(type_of(texts), k.values[j]);
                out["value"][c.parameters[j]] = k.values[j];
                out["literal"][c.parameters[j]] = literal;
                values.push_back({{"name", c.parameters[j]}, {"value", k.values[j]}, {"literal", literal}});
            }
            out["values"] = with_ends(std::move(values));
            configs.push_back(std::move(out));
        }
        configs = with_ends(std::move(configs)).get<std::vector<json>>();
        std::vector<json> devices;
        for (const choice::part& d : c.devices) {
            std::vector<json> shapes;
            for (const choice::shape& s : d.shapes) {
                json at;
                std::vector<json> list;
                for (std::size_t j = 0; j < c.sizes.size(); ++j) {
                    json size = s.at[j];
                    for (const enumeration& e : c.words)
                        if (e.size == c.sizes[j]) size = e.words[static_cast<std::size_t>(s.at[j] - 1)];
                    list.push_back({{"name", c.sizes[j]}, {"size", size}});
                    at[c.sizes[j]] = std::move(size);
                }
                shapes.push_back({{"at", at},
                                  {"sizes", with_ends(std::move(list))},
                                  {"config", configs[s.config]},
                                  {"untuned", s.untuned},
                                  {"around", configs[s.around]},
                                  {"around_untuned", s.around_untuned}});
            }
            devices.push_back({{"device", d.device}, {"date", d.date}, {"shapes", with_ends(std::move(shapes))}});
        }
        kernels.push_back({{"kernel", c.kernel},
                           {"version", c.version},
                           {"fingerprint", io::in_hex(c.fingerprint)},
                           {"sizes", named(c.sizes)},
                           {"parameters", named(c.parameters)},
                           {"configs", configs},
                           {"one", configs[c.one]},
                           {"one_untuned", c.one_untuned},
                           {"devices", with_ends(std::move(devices))}});
    }
    return {{"tunekit", core::version_text()}, {"kernels", with_ends(std::move(kernels))}};
}

}  // namespace detail

/// Writes the choices as JSON: an array with an object for each kernel. Equal choices give equal texts, byte for byte.
///
///     [{"kernel": "gemm", "version": "1", "fingerprint": "5d0c9a0b8e7f6a51", "sizes": ["m", "n", "k"],
///       "words": {"transposed": ["no", "yes"]}, "parameters": ["mr", "nv"],
///       "configs": [{"candidate": 4711, "values": ["6", "2"], "shapes": 12}, ...],
///       "one": {"config": 0, "untuned": false},
///       "devices": [{"device": "...", "date": "...", "general": "nearest",
///                    "shapes": [{"at": [128, 768, 768], "config": 1, "untuned": false, "around": 1, "around_untuned": false}, ...],
///                    "tree": [{"of": 1, "less": 0, "at_most": 100, "yes": 1, "no": 2}, {"config": 0, "untuned": false}, ...],
///                    "scores": [{"rung": "exact", "shapes": 64, "share": 0.97, "worst": 0.8}, ...]}]}, ...]
///
/// `config` is a position in `configs`. A node of a tree has the bits of sizes whose logarithms are added and
/// subtracted, or of one size that is compared itself. What is not UTF-8 in a text becomes U+FFFD.
/// Errors: tunekit::error where the file cannot be written; the old file then stays.
inline void write_json(const std::string& path, std::span<const choice> all)
{
    io::write_text(path, detail::json_text(all));
}

/// Writes the choices in a form of yours: `text` is a template in the language of Mustache, `file` what messages call
/// it. packages/dispatch/templates has two, in the forms of CUB and of rocPRIM.
///
///     {{#kernels}}{{#devices}}{{#shapes}}{{at.m}}: {{config.value.tile}}{{/shapes}}{{/devices}}{{/kernels}}
///
/// On top `tunekit`, the version, and `kernels`. Each of these has `kernel`, `version`, `fingerprint`, `sizes` and
/// `parameters` with their `name`, `configs`, `one`, `one_untuned`, and `devices`: `device`, `date` and `shapes`, each
/// with `at.SIZE`, `sizes` of `name` and `size`, `config` here and `around` here, `untuned` and `around_untuned`. A
/// configuration has `position`, `candidate`, `share` (of the measured shapes), `value.PARAMETER` (the text),
/// `literal.PARAMETER` (as C++ has it), and `values` of `name`, `value` and `literal`. Elements of lists have `first`
/// and `last`. The tree is in write_json alone.
///
/// Errors: tunekit::error with the template's file and line for a tag that is wrong, a section that does not end, and a
///         name that nothing has here; tunekit::error where the file cannot be written. The old file then stays.
inline void write_header(const std::string& path, std::span<const choice> all, std::string_view text,
                         const std::string& file)
{
    io::write_text(path, detail::mustache(text, file).filled(detail::template_data(all)));
}

}  // namespace tunekit::dispatch
