// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Constraints between parameters, and conditional parameters.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/space/detail/name.hpp"

namespace tunekit::space {

/// A constraint of a product. `where` and `active_if` make it. With `Conditional` the predicate decides from the other
/// names whether the first parameter is used.
template <bool Conditional, class Predicate, detail::fixed_string... Names>
struct constraint {
    static_assert(sizeof...(Names) > 0, "tunekit: where: names no parameter");
    static_assert(!Conditional || sizeof...(Names) > 1, "tunekit: active_if: names no parameter that decides");

    using is_constraint = void;                       ///< marks a constraint
    static constexpr bool conditional = Conditional;  ///< whether `active_if` made it
    /// The names of the parameters that it is about.
    static constexpr std::array<std::string_view, sizeof...(Names)> names{Names.view()...};

    Predicate predicate;  ///< of the values

    /// The name of the constraint in error messages: `where<mr, nv>`. The argument is not read.
    [[nodiscard]] static std::string text(const void* = nullptr)
    {
        std::string out = Conditional ? "active_if<" : "where<";
        for (std::size_t i = 0; i < names.size(); ++i) (out += i == 0 ? "" : ", ") += names[i];
        return out += '>';
    }
};

/// A constraint that keeps the configurations whose values of the named parameters fulfil `predicate`.
///
///     where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; })
///
/// The predicate gets the values in the order of the names and must depend on nothing else. It is called while the
/// product is built, once for each combination that is needed, and never afterwards. If it throws, the product throws a
/// std::invalid_argument that names the constraint.
template <detail::fixed_string... Names, class Predicate>
[[nodiscard]] auto where(Predicate predicate)
{
    return constraint<false, Predicate, Names...>{std::move(predicate)};
}

/// A constraint that makes the first named parameter conditional. `predicate` takes the values of the other names.
/// Where it is false, the parameter is not used and always has its first value, so that no two configurations differ
/// only in it.
///
///     active_if<"tile", "algorithm">([](algorithm a) { return a == algorithm::winograd; })
///
/// Neighbours: one parameter changes at a time. So a step to a configuration without `tile` begins where `tile` has its
/// first value.
template <detail::fixed_string... Names, class Predicate>
[[nodiscard]] auto active_if(Predicate predicate)
{
    return constraint<true, Predicate, Names...>{std::move(predicate)};
}

}  // namespace tunekit::space
