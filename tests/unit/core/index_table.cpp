// SPDX-License-Identifier: MIT
#include "tunekit/core/index_table.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;

TEST_CASE("an index table keeps the first of equal items, whatever their hashes collide")
{
    for (const std::uint64_t hashes : {std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0}}) {
        std::vector<std::string> items;
        const auto hash_of_text = [&](const std::string& text) {
            std::uint64_t h = 0;
            for (const char c : text) h = tk::core::mixed(h, static_cast<unsigned char>(c));
            return hashes == ~std::uint64_t{0} ? h : h % hashes;
        };
        const auto hash_of = [&](std::uint32_t n) { return hash_of_text(items[n]); };
        tk::core::index_table<std::uint32_t> table;
        std::map<std::string, std::uint32_t> known;
        tk::random::philox gen(5);
        for (int i = 0; i < 700; ++i) {
            const std::string text = std::to_string(tk::random::uniform_index(400, gen));
            const auto same = [&](std::uint32_t n) { return items[n] == text; };
            const auto n = static_cast<std::uint32_t>(items.size());
            const bool fresh = known.emplace(text, n).second;
            CHECK((table.find(hash_of_text(text), same) == table.none) == fresh);
            items.push_back(text);
            CHECK(table.add(n, hash_of_text(text), same, hash_of) == known[text]);
            if (!fresh) items.pop_back();
        }
        CHECK(table.size() == known.size());
        std::size_t entries = 0;
        for (const std::uint32_t slot : table.slots()) entries += slot != table.none;
        CHECK(entries == known.size());
    }
}

TEST_CASE("room that was made is not made again")
{
    const auto hash = [](std::uint64_t x) { return x * 0x9E3779B97F4A7C15U; };
    tk::core::index_table<std::uint64_t> table;
    table.reserve(1000, hash);
    const std::size_t slots = table.slots().size();
    for (std::uint64_t x = 0; x < 1000; ++x) {
        const auto same = [x](std::uint64_t other) { return other == x; };
        CHECK(table.add(x, hash(x), same, hash) == x);
    }
    CHECK(table.slots().size() == slots);
    CHECK(table.find(hash(999), [](std::uint64_t x) { return x == 999; }) == 999);
    CHECK(table.find(hash(1000), [](std::uint64_t x) { return x == 1000; }) == table.none);
}
