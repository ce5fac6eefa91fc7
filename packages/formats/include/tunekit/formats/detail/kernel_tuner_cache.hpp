// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernel Tuner's cache files, as the T4 results that they are.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io::detail {

/// The T4 document of a cache. Throws json_fields::malformed.
[[nodiscard]] inline json_document t4_of_cache(const json_fields& all)
{
    using nlohmann::json;
    using words = std::pair<const char*, const char*>;
    static constexpr words times[] = {{"compile_time", "compilation"},       {"verification_time", "validation"},
                                      {"benchmark_time", "benchmark"},       {"framework_time", "framework"},
                                      {"strategy_time", "search_algorithm"}, {"times", "runtimes"}};
    static constexpr words failures[] = {
        {"InvalidConfig", "constraints"}, {"CompilationFailedConfig", "compile"}, {"RuntimeFailedConfig", "runtime"}};
    constexpr double failed = 1e20;  // what versions before 0.4 wrote
    const auto objective =
        all.value().contains("objective") ? all.at("objective").get<std::string>() : std::string("time");
    const auto keys = all.at("tune_params_keys");
    const auto cache = all.at("cache");
    if (!cache.value().is_object()) cache.fail("is not an object, want one of results");
    json_document out;
    out.value = json::object();
    json& results = out.value["results"] = json::array();
    for (const auto& [key, row] : cache.value().items()) {
        if (!row.is_object()) cache.at(key.c_str()).fail("is not an object, want a result");
        results.push_back(json::object());
        json& r = results.back();
        json& configuration = r["configuration"] = json::object();
        auto& order = out.orders[&configuration];  // which one without values has, too
        for (std::size_t j = 0; j < keys.size(); ++j)
            if (const auto name = keys[j].get<std::string>(); row.contains(name)) {
                configuration[name] = row[name];
                order.push_back(name);
            }
        r["times"] = json::object();
        for (const auto& [theirs, ours] : times)
            if (row.contains(theirs)) r["times"][ours] = row[theirs];
        if (row.contains("timestamp")) r["timestamp"] = row["timestamp"];
        r["correctness"] = 1;
        r["objectives"] = json::array({objective});
        r["measurements"] = json::array();
        const json value = row.contains(objective) ? row[objective] : json();
        r["invalidity"] = value.is_string() ? value : json("correct");  // one that is not known is told
        for (const auto& [word, invalidity] : failures)
            if (value == word) r["invalidity"] = invalidity;
        if (!value.is_number()) continue;
        if (value.get<double>() >= failed) r["invalidity"] = "runtime";
        r["measurements"].push_back(json::object());
        json& quantity = r["measurements"].back();
        quantity["name"] = objective;
        quantity["value"] = value;
        quantity["unit"] = objective == "time" ? "ms" : "";
    }
    return out;
}

/// The text of a cache with the end that a run which goes on, or was killed, has not written.
[[nodiscard]] inline std::string closed_cache(std::string_view text)
{
    const auto last = text.find_last_not_of(" \t\r\n,");
    return std::string(text.substr(0, last + 1)) + "}}";
}

/// The text with null for each number that JSON does not have, as Python writes them: NaN, Infinity, -Infinity.
[[nodiscard]] inline std::string without_nan(std::string_view text)
{
    std::string out;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t n = quoted && text[i] == '\\' ? 2 : 1;  // of the characters that stay, or become null
        bool odd = false;
        for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
            if (!quoted && text.substr(i, word.size()) == word) n = word.size(), odd = true;
        if (text[i] == '"') quoted = !quoted;
        out += odd ? "null" : text.substr(i, n);
        i += n - 1;
    }
    return out;
}

}  // namespace tunekit::io::detail
