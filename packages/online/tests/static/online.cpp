// SPDX-License-Identifier: MIT
// Contexts and registries are values, made of the least that their parts must be.
#include "tunekit/online/registry.hpp"

#include <concepts>
#include <type_traits>

#include "tests/support/archetypes/space.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/online/detail/account.hpp"
#include "tunekit/online/detail/overtaken.hpp"
#include "tunekit/online/detail/recent.hpp"
#include "tunekit/online/widening.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace online = tunekit::online;

namespace {

static_assert(tk::search::strategy<online::widening, tk::archetype::space, tk::archetype::generator>);
static_assert(std::regular<online::widening::state> && std::regular<online::detail::account> &&
              std::regular<online::detail::recent> && std::regular<online::detail::overtaken> &&
              std::regular<online::outcome> && std::regular<online::winner_line::identity> &&
              std::regular<online::winner_line>);

using tiles = decltype(tk::space::product{tk::space::integers<"a">(0, 9)});
static_assert(std::copyable<online::context<tiles>> && std::copyable<online::registry<tiles>>);
static_assert(std::is_nothrow_move_constructible_v<online::context<tiles>>);

// Parts are deduced from what is given.
using max_over = decltype([](double s) { return s; });
static_assert(std::same_as<decltype(online::parts{}), online::parts<>>);
static_assert(
    std::same_as<decltype(online::parts{online::widening{}, max_over{}}), online::parts<online::widening, max_over>>);

}  // namespace
