// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether a part has a member of a given name, of whatever kind. That can be checked before the part's space is known.

#include <type_traits>

namespace tunekit::search::detail {

// A name that is inherited twice cannot be looked up. So `T` has the name where the lookup fails. Nothing can inherit
// from a final class, so a final class is taken to have every name.
template <class T, class Named>
struct twice : T, Named {};

struct named_start {
    int start;
};
struct named_explore {
    int explore;
};
struct named_select {
    int select;
};

template <class X>
concept one_start = requires { &X::start; };
template <class X>
concept one_explore = requires { &X::explore; };
template <class X>
concept one_select = requires { &X::select; };

template <class T>
concept has_start = std::is_class_v<T> && (std::is_final_v<T> || !one_start<twice<T, named_start>>);
template <class T>
concept has_explore = std::is_class_v<T> && (std::is_final_v<T> || !one_explore<twice<T, named_explore>>);
template <class T>
concept has_select = std::is_class_v<T> && (std::is_final_v<T> || !one_select<twice<T, named_select>>);

}  // namespace tunekit::search::detail
