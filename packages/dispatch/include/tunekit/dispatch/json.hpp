// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Writes choices as JSON, for programs in other languages. Needs nlohmann-json.

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "tunekit/dispatch/choice.hpp"
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

}  // namespace tunekit::dispatch
